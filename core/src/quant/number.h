/* SPDX-License-Identifier: Apache-2.0 */
/* number.h - small floats to numbers. Private to core/src/quant. */
#ifndef HRY_NUMBER_H
#define HRY_NUMBER_H

#include "hry/dtype.h"

#include <math.h>
#include <string.h>

static inline float hry_float_of(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline float hry_small_decode(const hry_dtype *t, uint32_t code)
{
    const uint32_t m = code & ((1u << t->mantissa) - 1);
    const uint32_t e = code >> t->mantissa & ((1u << t->exponent) - 1);
    const float sign = code >> (t->mantissa + t->exponent) & 1 ? -1.0f : 1.0f;
    if (t->has_inf && e == (1u << t->exponent) - 1)
        return m == 0 ? sign * INFINITY : NAN;
    if (t->has_nan && !t->has_inf && (code & 0x7f) == 0x7f)
        return NAN;
    if (e == 0)
        return sign * ldexpf((float)m, 1 - t->bias - t->mantissa);
    return sign * ldexpf((float)(m | 1u << t->mantissa), (int)e - t->bias - t->mantissa);
}

/* Round to nearest, ties to even; |v| is at most the greatest finite number. */
static inline uint32_t hry_small_encode(const hry_dtype *t, double v)
{
    const uint32_t sign = signbit(v) ? 1u << (t->mantissa + t->exponent) : 0;
    const double a = fabs(v);
    if (a == 0)
        return sign;
    int e = ilogb(a);
    if (e < 1 - t->bias)
        e = 1 - t->bias;
    const uint32_t m = (uint32_t)lrint(ldexp(a, t->mantissa - e));
    return sign | (((uint32_t)(e + t->bias - 1) << t->mantissa) + m);
}

static inline float hry_half_decode(uint16_t code)
{
    return hry_small_decode(hry_dtype_by_tag(HRY_FLOAT16), code);
}

static inline float hry_e8m0_decode(uint8_t code)
{
    return code == 0xFF ? NAN
                        : hry_float_of(code == 0 ? 0x00400000u : (uint32_t)code << 23);
}

/* Elements as hry_region_read() gives them; complex ones become two numbers each. */
void hry_numbers(const hry_dtype *t, const uint8_t *codes, size_t count, double *out);

#endif
