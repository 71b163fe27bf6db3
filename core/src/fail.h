/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fail.h - how the project's own code fills a hry_error. Like checked.h, cursor.h and
 * builder.h part of the base that core, mpi and connector share; not installed.
 */
#ifndef HRY_FAIL_H
#define HRY_FAIL_H

#include "hry/error.h"

#include <stddef.h>

#if defined(__GNUC__)
#define HRY_PRINTF(f, a) __attribute__((format(printf, f, a), cold))
#else
#define HRY_PRINTF(f, a)
#endif

/* Fill *err (NULL is allowed). Called through the two macros below. */
void hry_report(hry_error *err, hry_status code, uint64_t offset, const char *fmt, ...)
    HRY_PRINTF(4, 5);

/*
 * Report and yield `code`, a constant, so that a check and its report are one
 * statement. Macros, not functions: a reader, a compiler and a static analyser
 * all see that what follows runs only when the check held.
 */
#define HRY_FAIL(err, code, ...) HRY_FAIL_AT(err, code, HRY_NO_OFFSET, __VA_ARGS__)
#define HRY_FAIL_AT(err, code, offset, ...)                                                \
    (hry_report((err), (code), (offset), __VA_ARGS__), (code))

#define HRY_NO_MEMORY(err, size)                                                           \
    HRY_FAIL((err), HRY_ERR_NOMEM, "no memory for %zu bytes", (size_t)(size))

/* Only where nothing needs releasing; otherwise `goto done`. */
#define HRY_TRY(expr)                                                                      \
    do {                                                                                   \
        const hry_status try_status_ = (expr);                                             \
        if (try_status_ != HRY_OK)                                                         \
            return try_status_;                                                            \
    } while (0)

#endif
