/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/convert.h - numbers of any element type from and to any other (format section 2).
 *
 * Arrays are as hry/region.h gives them: whole bytes for each element, types of less than
 * 8 bits as codes in the low bits of a byte. Any alignment will do; source and target may
 * not overlap.
 *
 * Every result is the exact value rounded once:
 * - to floats to nearest, ties to even. What is too large becomes infinity, or where the
 *   type has none (float8_e4m3, float6, float4, float8_e8m0) the largest finite value of
 *   that sign; so does infinity itself. Subnormal results are exact, never flushed.
 * - to integers to nearest, ties to even, then to the nearest value the type has.
 * - NaN stays NaN, with its sign; it becomes 0 in types that have none. From float8_e8m0
 *   the code 255 reads as NaN and 0 as 2^-127; NaN is written to it as 255, and what is
 *   not above 0 as its smallest number, code 1.
 * - bool is 0 or 1; any number but 0, NaN included, becomes 1.
 * - a private float without a sign bit takes negative numbers as 0.
 */
#ifndef HRY_CONVERT_H
#define HRY_CONVERT_H

#include "hry/descriptor.h"

HRY_BEGIN

/* An element type: built in, or private with its description (borrowed). */
typedef struct hry_type {
    uint8_t tag;
    const hry_extension_type *extension; /* NULL for built-in types */
} hry_type;

/* A built-in type. */
static inline hry_type hry_type_builtin(uint8_t tag)
{
    hry_type type = {tag, 0};
    return type;
}

/* The type of a descriptor, which must live as long as the result is used. */
static inline hry_type hry_type_of(const hry_descriptor *d)
{
    hry_type type = {d->type_tag, 0};
    if ((d->flags & HRY_HAS_EXTENSION_TYPE) != 0)
        type.extension = &d->extension_type;
    return type;
}

/*
 * Convert `count` elements. Equal types are copied bit for bit. Complex to complex goes
 * by parts; a real number becomes a complex one with imaginary part 0.
 *
 * HRY_ERR_UNSUPPORTED  complex to real; an unknown type; a private integer of more than
 *                      64 bits, a private float of more than 64 bits, 52 mantissa bits,
 *                      11 exponent bits or with fields that do not fit its width
 */
HRY_API hry_status hry_convert(hry_type from, const void *src, hry_type to, void *dst,
                               size_t count, hry_error *err);

/*
 * The same to and from plain arrays. A complex element is two numbers, real part first:
 * the plain array has 2 * count of them.
 */
HRY_API hry_status hry_to_double(hry_type from, const void *src, double *dst, size_t count,
                                 hry_error *err);
HRY_API hry_status hry_to_float(hry_type from, const void *src, float *dst, size_t count,
                                hry_error *err);
HRY_API hry_status hry_from_double(const double *src, hry_type to, void *dst, size_t count,
                                   hry_error *err);
HRY_API hry_status hry_from_float(const float *src, hry_type to, void *dst, size_t count,
                                  hry_error *err);

HRY_END

#endif
