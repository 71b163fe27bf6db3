/* SPDX-License-Identifier: Apache-2.0 */
/* number.c - arrays of stored elements to double. */
#include "number.h"

static uint64_t load(const uint8_t *p, size_t width)
{
    uint64_t v = 0;
    for (size_t i = width; i-- > 0;)
        v = v << 8 | p[i];
    return v;
}

static double of_float128(const uint8_t *p)
{
    const uint64_t low = load(p, 8), high = load(p + 8, 8);
    const uint64_t m = high & (((uint64_t)1 << 48) - 1);
    const int e = (int)(high >> 48 & 0x7FFF);
    const double sign = high >> 63 ? -1.0 : 1.0;
    if (e == 0x7FFF)
        return m == 0 && low == 0 ? sign * INFINITY : NAN;
    const uint64_t whole = e == 0 ? m : m | (uint64_t)1 << 48;
    return sign *
           ldexp((double)whole + (double)low * 0x1p-64, (e == 0 ? 1 : e) - 16383 - 48);
}

static double of_double(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static double of_integer(const hry_dtype *t, uint64_t bits)
{
    const uint64_t sign = (uint64_t)1 << (t->bits - 1);
    if (t->cls != HRY_CLASS_INT)
        return (double)bits;
    return (double)(int64_t)(((bits & (sign | (sign - 1))) ^ sign) - sign);
}

void hry_numbers(const hry_dtype *t, const uint8_t *codes, size_t count, double *out)
{
    const bool is_complex = t->cls == HRY_CLASS_COMPLEX;
    const uint32_t bits = is_complex ? t->bits / 2u : t->bits;
    const size_t width = bits < 8 ? 1 : bits / 8;
    const size_t n = is_complex ? 2 * count : count;
    const bool is_float = is_complex || t->cls == HRY_CLASS_FLOAT;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *p = codes + i * width;
        if (!is_float)
            out[i] = of_integer(t, load(p, width));
        else if (bits == 128)
            out[i] = of_float128(p);
        else if (bits == 64)
            out[i] = of_double(load(p, 8));
        else if (bits == 32)
            out[i] = (double)hry_float_of((uint32_t)load(p, 4));
        else if (t->tag == HRY_FLOAT8_E8M0)
            out[i] = (double)hry_e8m0_decode(*p);
        else
            out[i] = (double)hry_small_decode(t, (uint32_t)load(p, width));
    }
}
