/* SPDX-License-Identifier: Apache-2.0 */
/* add.c - sums, for each kind of type. */
#include "add.h"

#include "fail.h"

#include <string.h>

#define CHUNK 256

/* ---- kinds of whole bytes that the machine adds ---- */

#define ADD_AS(name, number)                                                               \
    static void name(uint8_t *dst, const uint8_t *src, size_t count)                       \
    {                                                                                      \
        for (size_t i = 0; i < count; i++) {                                               \
            number a, b;                                                                   \
            memcpy(&a, dst + i * sizeof a, sizeof a);                                      \
            memcpy(&b, src + i * sizeof b, sizeof b);                                      \
            a = (number)(a + b);                                                           \
            memcpy(dst + i * sizeof a, &a, sizeof a);                                      \
        }                                                                                  \
    }
ADD_AS(add_u8, uint8_t)
ADD_AS(add_u16, uint16_t)
ADD_AS(add_u32, uint32_t)
ADD_AS(add_u64, uint64_t)
ADD_AS(add_float, float)
ADD_AS(add_double, double)
#undef ADD_AS

/* ---- others ---- */

/* Codes of less than a byte; the bits above stay 0. */
static void add_codes(uint8_t *dst, const uint8_t *src, size_t count, uint32_t bits)
{
    const uint8_t mask = (uint8_t)((1U << bits) - 1);
    for (size_t i = 0; i < count; i++)
        dst[i] = (uint8_t)(dst[i] + src[i]) & mask;
}

/* Little-endian integers of any number of bytes. */
static void add_wide(uint8_t *dst, const uint8_t *src, size_t count, uint32_t bytes)
{
    for (size_t i = 0; i < count; i++) {
        unsigned carry = 0;
        for (uint32_t b = 0; b < bytes; b++, dst++, src++) {
            carry += (unsigned)*dst + *src;
            *dst = (uint8_t)carry;
            carry >>= 8;
        }
    }
}

static hry_status add_integers(uint32_t bits, void *dst, const void *src, size_t count,
                               hry_error *err)
{
    if (bits < 8)
        add_codes(dst, src, count, bits);
    else if (bits == 8)
        add_u8(dst, src, count);
    else if (bits == 16)
        add_u16(dst, src, count);
    else if (bits == 32)
        add_u32(dst, src, count);
    else if (bits == 64)
        add_u64(dst, src, count);
    else if (bits % 8 == 0)
        add_wide(dst, src, count, bits / 8);
    else
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "no sums of integers of %u bits",
                        (unsigned)bits);
    return HRY_OK;
}

/* The sum of two numbers of at most 25 significant bits, rounded to double and then again,
 * is what rounding once gives: 53 >= 2 * 25 + 2. */
static hry_status add_floats(hry_type type, uint32_t bits, uint8_t *dst, const uint8_t *src,
                             size_t count, hry_error *err)
{
    const size_t size = bits / 8 + (bits % 8 != 0);
    while (count > 0) {
        double a[CHUNK], b[CHUNK];
        const size_t n = count < CHUNK ? count : CHUNK;
        HRY_TRY(hry_to_double(type, dst, a, n, err));
        HRY_TRY(hry_to_double(type, src, b, n, err));
        for (size_t i = 0; i < n; i++)
            a[i] += b[i];
        HRY_TRY(hry_from_double(a, type, dst, n, err));
        dst += n * size;
        src += n * size;
        count -= n;
    }
    return HRY_OK;
}

static hry_status add_private(hry_type type, void *dst, const void *src, size_t count,
                              hry_error *err)
{
    const hry_extension_type *e = type.extension;
    if (e == NULL || (e->is_float && e->mantissa_bits > 24))
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "no sums of private type 0x%02x",
                        type.tag);
    return e->is_float ? add_floats(type, e->bit_width, dst, src, count, err)
                       : add_integers(e->bit_width, dst, src, count, err);
}

hry_status hry_add(hry_type type, void *dst, const void *src, size_t count, hry_error *err)
{
    const hry_dtype *known = hry_dtype_by_tag(type.tag);
    if (known == NULL)
        return add_private(type, dst, src, count, err);
    switch (type.tag) {
    case HRY_FLOAT32:
        add_float(dst, src, count);
        return HRY_OK;
    case HRY_FLOAT64:
        add_double(dst, src, count);
        return HRY_OK;
    case HRY_COMPLEX64:
        add_float(dst, src, 2 * count);
        return HRY_OK;
    case HRY_COMPLEX128:
        add_double(dst, src, 2 * count);
        return HRY_OK;
    case HRY_FLOAT128:
        hry_add_float128(dst, src, count);
        return HRY_OK;
    case HRY_BOOL:
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "no sums of type %s", known->name);
    default:
        break;
    }
    return known->cls == HRY_CLASS_FLOAT
               ? add_floats(type, known->bits, dst, src, count, err)
               : add_integers(known->bits, dst, src, count, err);
}
