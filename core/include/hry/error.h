/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/error.h - the one way any function of this library reports failure.
 *
 * Every function that can fail returns a hry_status and takes a `hry_error *` as
 * its last argument, which may be NULL. Outputs are written only on HRY_OK unless
 * a comment says otherwise. The library never prints, exits or reads the
 * environment.
 */
#ifndef HRY_ERROR_H
#define HRY_ERROR_H

#include "hry/api.h"

#include <stdint.h>

HRY_BEGIN

/* Stable: values are never reused. 0 is success, everything else is negative. */
typedef enum hry_status {
    HRY_OK = 0,
    HRY_ERR_ARG = -1,         /* the caller broke this function's contract        */
    HRY_ERR_NOMEM = -2,       /* an allocation was refused                        */
    HRY_ERR_IO = -3,          /* the operating system refused; see message        */
    HRY_ERR_TRUNCATED = -4,   /* the input ended inside a field                   */
    HRY_ERR_CORRUPT = -5,     /* the bytes break a MUST of the format             */
    HRY_ERR_UNSUPPORTED = -6, /* legal, but newer or rarer than this build reads  */
    HRY_ERR_NOTFOUND = -7,    /* no tensor, key or member of that name            */
    HRY_ERR_RANGE = -8        /* an index, box or value outside what it may be    */
} hry_status;

#define HRY_NO_OFFSET UINT64_MAX

/* Caller-owned; lives on the stack; needs no init and no free. */
typedef struct hry_error {
    hry_status code;
    uint64_t offset;   /* byte of the input at fault, or HRY_NO_OFFSET */
    char message[240]; /* one line, no newline, always terminated      */
} hry_error;

/* Short stable name such as "HRY_ERR_CORRUPT"; never NULL. */
HRY_API const char *hry_status_name(hry_status code);

/* One plain word for people, such as "corrupt"; never NULL. */
HRY_API const char *hry_status_word(hry_status code);

HRY_END

#endif
