/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numeric.h - what conversion needs to know of a type, and its two meeting points:
 * integers meet as 64-bit integers, everything else as doubles. Private to core/src.
 */
#ifndef HRY_NUMERIC_H
#define HRY_NUMERIC_H

#include "hry/convert.h"

/* Elements are loaded and stored as the host has them. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a little-endian host");

typedef struct hry_numeric {
    uint8_t tag;
    hry_dtype_class cls;
    uint32_t bits, bytes; /* of an element; of a part when complex       */
    uint32_t exponent, mantissa;
    int32_t bias;
    bool has_sign, has_inf, has_nan;
    bool is_plain; /* HRY_FLOAT64, HRY_FLOAT32 or HRY_FLOAT128: not by fields */
} hry_numeric;

/*
 * How a double is rounded that will be rounded again. To odd keeps the last bit set when
 * anything was cut off; a second, coarser rounding to nearest then gives what a single
 * one would have given.
 */
typedef enum hry_rounding { HRY_TO_NEAREST, HRY_TO_ODD } hry_rounding;

/* HRY_ERR_UNSUPPORTED as hry_convert() says. */
hry_status hry_numeric_of(hry_type type, hry_numeric *out, hry_error *err);

/* ---- floats by their fields: up to 64 bits, 52 of mantissa, 11 of exponent ---- */

double hry_float_decode(const hry_numeric *n, uint64_t code);
uint64_t hry_float_encode(const hry_numeric *n, double value);

/* ---- wide numbers ---- */

typedef struct hry_float128 {
    uint64_t low, high;
} hry_float128;

double hry_float128_to_double(hry_float128 v, hry_rounding rounding);
hry_float128 hry_float128_from_double(double v);
hry_float128 hry_float128_from_int(int64_t v, bool is_unsigned);
/* To nearest, then to the nearest of the 64-bit integers, signed or not; NaN is 0. */
int64_t hry_float128_to_int(hry_float128 v, bool is_unsigned);
double hry_int_to_double(int64_t v, bool is_unsigned, hry_rounding rounding);
int64_t hry_int_from_double(double v, bool is_unsigned);

/* ---- arrays ---- */

/* Integers and bool to 64 bits: uint64 as its bit pattern, all others as their value. */
void hry_ints_load(const hry_numeric *n, const void *src, int64_t *dst, size_t count);
/* The nearest values the type has; is_unsigned: src holds uint64 bit patterns. */
void hry_ints_store(const hry_numeric *n, const int64_t *src, bool is_unsigned, void *dst,
                    size_t count);

/* A fast way between two built-in types, or NULL. */
typedef void (*hry_fast_pair)(const void *src, void *dst, size_t count);
hry_fast_pair hry_fast_pair_of(uint8_t from, uint8_t to);

#endif
