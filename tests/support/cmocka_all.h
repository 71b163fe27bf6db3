/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka_all.h - cmocka with what it wants included first, and status checks. */
#ifndef CMOCKA_ALL_H
#define CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* Fails with the library's own message when `expr` does not yield `want`. */
#define assert_status(want, expr, err)                                                     \
    do {                                                                                   \
        (err)->message[0] = '\0';                                                          \
        const hry_status got_ = (expr);                                                    \
        if (got_ != (want))                                                                \
            fail_msg("%s: want %s, got %s: %s", #expr, hry_status_name(want),              \
                     hry_status_name(got_), (err)->message);                               \
    } while (0)
#define assert_ok(expr, err) assert_status(HRY_OK, expr, err)

#endif
