/* SPDX-License-Identifier: Apache-2.0 */
/* fast_pairs.c - the conversions that are asked for most, each a loop of its own. */
#include "numeric.h"

#include <string.h>

static float float_of(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static uint32_t bits_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static float from_half(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000U) << 16;
    const uint32_t rest = h & 0x7FFFU;
    const uint32_t normal = (rest << 13) + ((127U - 15U) << 23);
    const uint32_t special = rest << 13 | 0x7F800000U;
    const uint32_t small = bits_of((float)(int32_t)rest * 0x1p-24F);
    const uint32_t magnitude = rest >= 0x7C00U ? special : rest < 0x400U ? small : normal;
    return float_of(sign | magnitude);
}

static uint16_t to_half(float v)
{
    const uint32_t bits = bits_of(v);
    const uint32_t sign = bits >> 16 & 0x8000U;
    const uint32_t rest = bits & 0x7FFFFFFFU;
    /* Next to 0.5 a float's last bit is the smallest half: the addition rounds. */
    const uint32_t small = bits_of(float_of(rest) + 0.5F) - bits_of(0.5F);
    const uint32_t normal =
        (rest - ((127U - 15U) << 23) + 0xFFFU + (rest >> 13 & 1U)) >> 13;
    const uint32_t nan = 0x7E00U | (rest >> 13 & 0x3FFU);
    uint32_t magnitude = rest < 0x38800000U ? small : normal;
    magnitude = rest >= 0x477FF000U ? 0x7C00U : magnitude;
    magnitude = rest > 0x7F800000U ? nan : magnitude;
    return (uint16_t)(sign | magnitude);
}

static float from_brain(uint16_t b)
{
    return float_of((uint32_t)b << 16);
}

static uint16_t to_brain(float v)
{
    const uint32_t bits = bits_of(v);
    const uint32_t rounded = (bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16;
    const uint32_t nan = bits >> 16 | 0x40U;
    return (uint16_t)((bits & 0x7FFFFFFFU) > 0x7F800000U ? nan : rounded);
}

#define PAIR(name, from, to, expression)                                                   \
    static void name(const void *src, void *dst, size_t count)                             \
    {                                                                                      \
        const uint8_t *s = src;                                                            \
        uint8_t *d = dst;                                                                  \
        for (size_t i = 0; i < count; i++) {                                               \
            from x;                                                                        \
            memcpy(&x, s + i * sizeof x, sizeof x);                                        \
            const to y = expression;                                                       \
            memcpy(d + i * sizeof y, &y, sizeof y);                                        \
        }                                                                                  \
    }

PAIR(half_to_float, uint16_t, float, from_half(x))
PAIR(half_to_double, uint16_t, double, (double)from_half(x))
PAIR(brain_to_float, uint16_t, float, from_brain(x))
PAIR(brain_to_double, uint16_t, double, (double)from_brain(x))
PAIR(float_to_half, float, uint16_t, to_half(x))
PAIR(float_to_brain, float, uint16_t, to_brain(x))
PAIR(half_to_brain, uint16_t, uint16_t, to_brain(from_half(x)))
PAIR(brain_to_half, uint16_t, uint16_t, to_half(from_brain(x)))
PAIR(float_to_double, float, double, (double)x)
PAIR(double_to_float, double, float, (float)x)

#define FROM_INT(name, type)                                                               \
    PAIR(name##_to_float, type, float, (float)x)                                           \
    PAIR(name##_to_double, type, double, (double)x)

FROM_INT(int8, int8_t)
FROM_INT(uint8, uint8_t)
FROM_INT(int16, int16_t)
FROM_INT(uint16, uint16_t)
FROM_INT(int32, int32_t)
FROM_INT(uint32, uint32_t)
FROM_INT(int64, int64_t)
FROM_INT(uint64, uint64_t)

hry_fast_pair hry_fast_pair_of(uint8_t from, uint8_t to)
{
    static const struct {
        uint8_t from, to;
        hry_fast_pair convert;
    } pairs[] = {
        {HRY_FLOAT16, HRY_FLOAT32, half_to_float},
        {HRY_FLOAT16, HRY_FLOAT64, half_to_double},
        {HRY_BFLOAT16, HRY_FLOAT32, brain_to_float},
        {HRY_BFLOAT16, HRY_FLOAT64, brain_to_double},
        {HRY_FLOAT32, HRY_FLOAT16, float_to_half},
        {HRY_FLOAT32, HRY_BFLOAT16, float_to_brain},
        {HRY_FLOAT16, HRY_BFLOAT16, half_to_brain},
        {HRY_BFLOAT16, HRY_FLOAT16, brain_to_half},
        {HRY_FLOAT32, HRY_FLOAT64, float_to_double},
        {HRY_FLOAT64, HRY_FLOAT32, double_to_float},
        {HRY_INT8, HRY_FLOAT32, int8_to_float},
        {HRY_INT8, HRY_FLOAT64, int8_to_double},
        {HRY_UINT8, HRY_FLOAT32, uint8_to_float},
        {HRY_UINT8, HRY_FLOAT64, uint8_to_double},
        {HRY_INT16, HRY_FLOAT32, int16_to_float},
        {HRY_INT16, HRY_FLOAT64, int16_to_double},
        {HRY_UINT16, HRY_FLOAT32, uint16_to_float},
        {HRY_UINT16, HRY_FLOAT64, uint16_to_double},
        {HRY_INT32, HRY_FLOAT32, int32_to_float},
        {HRY_INT32, HRY_FLOAT64, int32_to_double},
        {HRY_UINT32, HRY_FLOAT32, uint32_to_float},
        {HRY_UINT32, HRY_FLOAT64, uint32_to_double},
        {HRY_INT64, HRY_FLOAT32, int64_to_float},
        {HRY_INT64, HRY_FLOAT64, int64_to_double},
        {HRY_UINT64, HRY_FLOAT32, uint64_to_float},
        {HRY_UINT64, HRY_FLOAT64, uint64_to_double},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].from == from && pairs[i].to == to)
            return pairs[i].convert;
    return NULL;
}
