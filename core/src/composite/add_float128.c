/* SPDX-License-Identifier: Apache-2.0 */
/*
 * add_float128.c - sums of float128 (sign, 15 bits of exponent, 112 of mantissa) in
 * integers, to nearest, ties to even. Three bits below the mantissa keep what rounding
 * needs: the next two bits, and whether any lower one is set.
 */
#include "add.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

#define MANTISSA 112
#define EXPONENT_MAX 0x7FFF
#define BELOW 3

static const wide one = 1;

typedef struct number {
    bool negative;
    int exponent;  /* as stored; 1 also for subnormal numbers           */
    wide mantissa; /* with the implied bit, shifted left by BELOW        */
} number;

static wide fraction_of(wide code)
{
    return code & ((one << MANTISSA) - 1);
}

static int exponent_of(wide code)
{
    return (int)(code >> MANTISSA) & EXPONENT_MAX;
}

static bool is_nan(wide code)
{
    return exponent_of(code) == EXPONENT_MAX && fraction_of(code) != 0;
}

static wide magnitude(wide code)
{
    return code & ~(one << 127);
}

static number unpack(wide code)
{
    const int exponent = exponent_of(code);
    const wide implied = exponent > 0 ? one << MANTISSA : 0;
    return (number){.negative = code >> 127 != 0,
                    .exponent = exponent > 0 ? exponent : 1,
                    .mantissa = (fraction_of(code) | implied) << BELOW};
}

/* Halve `places` times; the lowest bit stays set when any bit was lost. */
static wide shift_right(wide m, int places)
{
    if (places > MANTISSA + BELOW)
        return m != 0;
    const wide lost = m & ((one << places) - 1);
    return m >> places | (lost != 0);
}

/* Round and put together; the mantissa is not 0. */
static wide pack(number n)
{
    const wide sign = (wide)n.negative << 127;
    if (n.mantissa >> (MANTISSA + 1 + BELOW) != 0) {
        n.mantissa = shift_right(n.mantissa, 1);
        n.exponent++;
    }
    for (; n.mantissa >> (MANTISSA + BELOW) == 0 && n.exponent > 1; n.exponent--)
        n.mantissa <<= 1;
    const unsigned below = (unsigned)n.mantissa & 7;
    wide m = n.mantissa >> BELOW;
    m += below > 4 || (below == 4 && (m & 1) != 0);
    /* A carry out of the mantissa is one into the exponent. */
    const wide exponent = m >> MANTISSA == 0 ? 0 : (wide)n.exponent - 1;
    const wide code = (exponent << MANTISSA) + m;
    const wide infinity = (wide)EXPONENT_MAX << MANTISSA;
    return sign | (code < infinity ? code : infinity);
}

static wide add(wide a, wide b)
{
    if (magnitude(a) < magnitude(b)) {
        const wide swap = a;
        a = b;
        b = swap;
    }
    const bool same_sign = a >> 127 == b >> 127;
    if (is_nan(a))
        return a | one << (MANTISSA - 1);
    if (exponent_of(a) == EXPONENT_MAX) /* infinity less infinity is no number */
        return same_sign || exponent_of(b) < EXPONENT_MAX ? a : a | one << (MANTISSA - 1);
    number x = unpack(a);
    const number y = unpack(b);
    const wide less = shift_right(y.mantissa, x.exponent - y.exponent);
    x.mantissa = same_sign ? x.mantissa + less : x.mantissa - less;
    if (x.mantissa == 0)
        return same_sign ? a : 0;
    return pack(x);
}

void hry_add_float128(uint8_t *dst, const uint8_t *src, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        wide a, b;
        memcpy(&a, dst + i * sizeof a, sizeof a);
        memcpy(&b, src + i * sizeof b, sizeof b);
        a = add(a, b);
        memcpy(dst + i * sizeof a, &a, sizeof a);
    }
}
