/* SPDX-License-Identifier: Apache-2.0 */
/* hry/kv.h - the key-value section of a file (format section 6). */
#ifndef HRY_KV_H
#define HRY_KV_H

#include "hry/error.h"

#include <stdbool.h>
#include <stddef.h>

HRY_BEGIN

/* Wire tags of values. 0xF0..0xFE are private. */
enum {
    HRY_KV_STRING = 1,
    HRY_KV_I64 = 2,
    HRY_KV_U64 = 3,
    HRY_KV_F64 = 4,
    HRY_KV_BOOL = 5,
    HRY_KV_BYTES = 6,
    HRY_KV_ARRAY = 7
};

/*
 * One entry. Pointers are borrowed: from the file it was read from, or from the caller
 * until the function that takes it returns. Not NUL-terminated.
 */
typedef struct hry_kv {
    const char *key;
    uint16_t key_length; /* in BYTES, >= 1 */
    uint8_t tag;         /* HRY_KV_... */
    uint8_t element_tag; /* HRY_KV_ARRAY: tag 1..6 of every element */
    uint32_t count;      /* HRY_KV_ARRAY: number of elements */
    union {
        int64_t i64;
        uint64_t u64;
        double f64;
        bool boolean;
    } number;
    const void *bytes; /* STRING, BYTES: the payload. ARRAY: payloads as on the wire */
    size_t length;     /* in BYTES */
} hry_kv;

/*
 * The i-th element of an array entry, as an entry without a key. Elements of fixed size
 * are found at once, strings and bytes by walking: for all of them see hry_kv_next().
 * HRY_ERR_RANGE past the end; HRY_ERR_ARG when `array` is no array.
 */
HRY_API hry_status hry_kv_element(const hry_kv *array, uint32_t i, hry_kv *out,
                                  hry_error *err);

/*
 * The elements of an array entry one after another, each found at once. *at is 0 for the
 * first, and moves to the next; it is a byte in the payloads.
 * HRY_ERR_RANGE after the last; HRY_ERR_ARG when `array` is no array.
 */
HRY_API hry_status hry_kv_next(const hry_kv *array, size_t *at, hry_kv *out,
                               hry_error *err);

HRY_END

#endif
