/* SPDX-License-Identifier: Apache-2.0 */
/*
 * float_fields.c - floats of any sign, exponent and mantissa width to and from double
 * (format section 2). Mantissa lowest, then exponent, then sign.
 */
#include "numeric.h"

#include <math.h>
#include <string.h>

static uint64_t bits_of(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* The code of the largest finite number, without sign. */
static uint64_t largest(const hry_numeric *n)
{
    const uint64_t all = (UINT64_C(1) << (n->exponent + n->mantissa)) - 1;
    if (n->has_inf)
        return (all >> n->mantissa << n->mantissa) - 1;
    return n->has_nan ? all - 1 : all;
}

double hry_float_decode(const hry_numeric *n, uint64_t code)
{
    const uint64_t mantissa = code & ((UINT64_C(1) << n->mantissa) - 1);
    const uint64_t top = (UINT64_C(1) << n->exponent) - 1;
    const uint64_t exponent = code >> n->mantissa & top;
    if (n->tag == HRY_FLOAT8_E8M0)
        return exponent == top ? NAN : ldexp(1, (int)exponent - n->bias);
    const bool negative = n->has_sign && (code >> (n->exponent + n->mantissa) & 1) != 0;
    const uint64_t magnitude = exponent << n->mantissa | mantissa;
    double v;
    if (magnitude > largest(n))
        v = n->has_inf && mantissa == 0 ? INFINITY : NAN;
    else if (exponent == 0)
        v = ldexp((double)mantissa, 1 - n->bias - (int)n->mantissa);
    else
        v = ldexp((double)(mantissa | UINT64_C(1) << n->mantissa),
                  (int)exponent - n->bias - (int)n->mantissa);
    return copysign(v, negative ? -1.0 : 1.0);
}

/* base + (v >> shift), rounded to nearest, ties to the even sum; v has 53 bits. */
static uint64_t round_shift(uint64_t base, uint64_t v, uint32_t shift)
{
    if (shift == 0 || shift > 63)
        return base + (shift == 0 ? v : 0);
    const uint64_t sum = base + (v >> shift);
    const uint64_t rest = v & ((UINT64_C(1) << shift) - 1);
    const uint64_t half = UINT64_C(1) << (shift - 1);
    return sum + (rest > half || (rest == half && (sum & 1) != 0));
}

/* The magnitude of a finite number, rounded, or more than largest() when too large. */
static uint64_t encode_finite(const hry_numeric *n, uint64_t magnitude)
{
    uint64_t significand = magnitude & ((UINT64_C(1) << 52) - 1);
    int32_t exponent = (int32_t)(magnitude >> 52);
    if (exponent > 0) {
        significand |= UINT64_C(1) << 52;
    } else if (significand != 0) { /* a subnormal double */
        const int32_t up = __builtin_clzll(significand) - 11;
        significand <<= up;
        exponent = 1 - up;
    } else {
        return 0;
    }
    exponent += n->bias - 1023;
    if (exponent >= 1 << n->exponent)
        return UINT64_MAX;
    const uint32_t cut = 52 - n->mantissa;
    const uint32_t shift = cut + (exponent < 1 ? (uint32_t)(1 - exponent) : 0);
    /* The implied one counts as one exponent, and so does a carry. */
    const uint64_t base = exponent < 1 ? 0 : (uint64_t)(exponent - 1) << n->mantissa;
    return round_shift(base, significand, shift);
}

static uint64_t encode_scale(const hry_numeric *n, double v)
{
    if (isnan(v))
        return 0xFF;
    if (!(v > 0))
        return 1;
    /* Without mantissa, the tie between two powers goes to the even code. */
    const uint64_t code = isinf(v) ? 0xFE : encode_finite(n, bits_of(v));
    return code < 1 ? 1 : code > 0xFE ? 0xFE : code;
}

uint64_t hry_float_encode(const hry_numeric *n, double v)
{
    if (n->tag == HRY_FLOAT8_E8M0)
        return encode_scale(n, v);
    const uint64_t bits = bits_of(v);
    const uint64_t magnitude = bits & ~(UINT64_C(1) << 63);
    const bool negative = magnitude != bits;
    const uint64_t most = largest(n);
    uint64_t code;
    if (isnan(v)) {
        /* One bit above infinity is quiet; without infinity, all ones is the only one. */
        if (!n->has_nan)
            return 0;
        code = n->has_inf ? (most + 1) | UINT64_C(1) << n->mantissa >> 1 : most + 1;
    } else {
        if (negative && !n->has_sign)
            return 0;
        code = isinf(v) ? UINT64_MAX : encode_finite(n, magnitude);
        if (code > most)
            code = n->has_inf ? most + 1 : most;
    }
    const bool sign = negative && n->has_sign;
    return code | (uint64_t)sign << (n->exponent + n->mantissa);
}
