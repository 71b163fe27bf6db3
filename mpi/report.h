/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - how this layer fills a hry_error; the twin of core's private fail.h. */
#ifndef HRY_MPI_REPORT_H
#define HRY_MPI_REPORT_H

#include "hry/error.h"

#include <stdarg.h>
#include <stdio.h>

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4), cold))
#endif
static inline hry_status
mpi_report(hry_error *err, hry_status code, const char *fmt, ...)
{
    va_list args;
    if (err == NULL)
        return code;
    err->code = code;
    err->offset = HRY_NO_OFFSET;
    va_start(args, fmt);
    if (vsnprintf(err->message, sizeof err->message, fmt, args) < 0)
        err->message[0] = '\0';
    va_end(args);
    return code;
}

/* Report and yield the constant `code`, so that analysers see the failure. */
#define HRY_FAIL(err, code, ...) (mpi_report((err), (code), __VA_ARGS__), (code))

/* Only where nothing needs releasing. */
#define HRY_TRY(expr)                                                                      \
    do {                                                                                   \
        const hry_status try_status_ = (expr);                                             \
        if (try_status_ != HRY_OK)                                                         \
            return try_status_;                                                            \
    } while (0)

#endif
