/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wide.c - what a double cannot hold: float128 and 64-bit integers, by their bits and
 * with one rounding.
 */
#include "numeric.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

#define FRACTION 112 /* bits of a float128's mantissa */
#define BIAS 16383

static double from_bits(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* v / 2^shift, rounded. */
static wide shift_right(wide v, uint32_t shift, hry_rounding rounding)
{
    if (shift == 0)
        return v;
    if (shift > 127)
        return rounding == HRY_TO_ODD && v != 0;
    const wide kept = v >> shift;
    const wide rest = v - (kept << shift);
    const wide half = (wide)1 << (shift - 1);
    if (rounding == HRY_TO_ODD)
        return kept | (rest != 0);
    return kept + (rest > half || (rest == half && (kept & 1) != 0));
}

/* significand * 2^(exponent - 112), the significand's highest bit being bit 112. */
static double compose(bool negative, int32_t exponent, wide significand,
                      hry_rounding rounding)
{
    const uint64_t sign = (uint64_t)negative << 63;
    if (exponent > 1023)
        return from_bits(sign | UINT64_C(0x7FF) << 52);
    const int32_t below = exponent < -1022 ? -1022 - exponent : 0;
    const uint64_t kept =
        (uint64_t)shift_right(significand, (uint32_t)(FRACTION - 52 + below), rounding);
    /* The implied one counts as one exponent, and so does a carry. */
    return from_bits(sign |
                     (below > 0 ? kept : ((uint64_t)(exponent + 1022) << 52) + kept));
}

static int32_t exponent_of(hry_float128 v)
{
    return (int32_t)(v.high >> 48 & 0x7FFF);
}

static wide fraction_of(hry_float128 v)
{
    return (wide)(v.high & ((UINT64_C(1) << 48) - 1)) << 64 | v.low;
}

double hry_float128_to_double(hry_float128 v, hry_rounding rounding)
{
    const bool negative = v.high >> 63 != 0;
    const int32_t exponent = exponent_of(v);
    const wide fraction = fraction_of(v);
    if (exponent == 0x7FFF)
        return copysign(fraction == 0 ? INFINITY : NAN, negative ? -1.0 : 1.0);
    if (exponent == 0) { /* 0, or far below what a double holds */
        const uint64_t tiny = rounding == HRY_TO_ODD && fraction != 0;
        return from_bits((uint64_t)negative << 63 | tiny);
    }
    return compose(negative, exponent - BIAS, fraction | (wide)1 << FRACTION, rounding);
}

static hry_float128 make(bool negative, int32_t exponent, wide fraction)
{
    fraction &= ((wide)1 << FRACTION) - 1;
    return (hry_float128){.low = (uint64_t)fraction,
                          .high = (uint64_t)negative << 63 | (uint64_t)exponent << 48 |
                                  (uint64_t)(fraction >> 64)};
}

/* magnitude * 2^scale, magnitude > 0. */
static hry_float128 normalise(bool negative, uint64_t magnitude, int32_t scale)
{
    const int32_t top = 63 - __builtin_clzll(magnitude);
    return make(negative, BIAS + scale + top, (wide)magnitude << (FRACTION - top));
}

hry_float128 hry_float128_from_double(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    const bool negative = bits >> 63 != 0;
    const int32_t exponent = (int32_t)(bits >> 52 & 0x7FF);
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    if (exponent == 0x7FF)
        return make(negative, 0x7FFF, (wide)fraction << (FRACTION - 52));
    if (exponent > 0)
        return make(negative, exponent - 1023 + BIAS, (wide)fraction << (FRACTION - 52));
    return fraction == 0 ? make(negative, 0, 0) : normalise(negative, fraction, -1074);
}

static uint64_t magnitude_of(int64_t v, bool negative)
{
    return negative ? -(uint64_t)v : (uint64_t)v;
}

hry_float128 hry_float128_from_int(int64_t v, bool is_unsigned)
{
    const bool negative = !is_unsigned && v < 0;
    return v == 0 ? make(false, 0, 0) : normalise(negative, magnitude_of(v, negative), 0);
}

/* The nearest 64-bit integer to a magnitude; `huge` when it is 2^64 or more. */
static int64_t saturate(bool negative, uint64_t magnitude, bool huge, bool is_unsigned)
{
    if (is_unsigned)
        return negative ? 0 : (int64_t)(huge ? UINT64_MAX : magnitude);
    const uint64_t most = (uint64_t)INT64_MAX + negative;
    if (huge || magnitude > most)
        return negative ? INT64_MIN : INT64_MAX;
    return (int64_t)(negative ? -magnitude : magnitude);
}

int64_t hry_float128_to_int(hry_float128 v, bool is_unsigned)
{
    const bool negative = v.high >> 63 != 0;
    const int32_t exponent = exponent_of(v) - BIAS;
    if (exponent == 0x7FFF - BIAS && fraction_of(v) != 0)
        return 0;
    if (exponent < -1)
        return 0;
    if (exponent > 63)
        return saturate(negative, 0, true, is_unsigned);
    const wide whole = shift_right(fraction_of(v) | (wide)1 << FRACTION,
                                   (uint32_t)(FRACTION - exponent), HRY_TO_NEAREST);
    return saturate(negative, (uint64_t)whole, whole >> 64 != 0, is_unsigned);
}

double hry_int_to_double(int64_t v, bool is_unsigned, hry_rounding rounding)
{
    if (rounding == HRY_TO_NEAREST)
        return is_unsigned ? (double)(uint64_t)v : (double)v;
    const bool negative = !is_unsigned && v < 0;
    const uint64_t magnitude = magnitude_of(v, negative);
    if (magnitude >> 53 == 0)
        return (double)v;
    const int32_t top = 63 - __builtin_clzll(magnitude);
    return compose(negative, top, (wide)magnitude << (FRACTION - top), rounding);
}

int64_t hry_int_from_double(double v, bool is_unsigned)
{
    /* Adding 2^52 leaves no bits for a fraction, so the addition rounds. */
    const double size = fabs(v);
    const double whole = size < 0x1p52 ? (size + 0x1p52) - 0x1p52 : size;
    if (isnan(v))
        return 0;
    const bool huge = whole >= 0x1p64;
    return saturate(v < 0, huge ? 0 : (uint64_t)whole, huge, is_unsigned);
}
