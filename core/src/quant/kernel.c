/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.c - loops a compiler turns into vector code; compiled with -O3 for that. */
#include "kernel.h"

static inline uint32_t load_8(const uint8_t *p)
{
    return p[0];
}

static inline uint32_t load_16(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t load_32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

/* Integers of one width: a loop with one scale, and a loop with one each. */
#define INTEGER_LOOPS(width)                                                               \
    static void same_##width(const hry_kernel *k, const uint8_t *restrict codes,           \
                             size_t count, float scale, int32_t zero, float *restrict out) \
    {                                                                                      \
        const uint32_t mask = k->mask, flip = k->flip, less = flip + (uint32_t)zero;       \
        for (size_t i = 0; i < count; i++) {                                               \
            const uint32_t q = load_##width(codes + i * (width / 8));                      \
            out[i] = scale * (float)(int32_t)(((q & mask) ^ flip) - less);                 \
        }                                                                                  \
    }                                                                                      \
    static void each_##width(const hry_kernel *k, const uint8_t *restrict codes,           \
                             size_t count, const float *restrict scales,                   \
                             const int32_t *restrict zeros, float *restrict out)           \
    {                                                                                      \
        const uint32_t mask = k->mask, flip = k->flip;                                     \
        for (size_t i = 0; i < count; i++) {                                               \
            const uint32_t q = load_##width(codes + i * (width / 8));                      \
            const uint32_t less = flip + (uint32_t)zeros[i];                               \
            out[i] = scales[i] * (float)(int32_t)(((q & mask) ^ flip) - less);             \
        }                                                                                  \
    }

INTEGER_LOOPS(8)
INTEGER_LOOPS(16)
INTEGER_LOOPS(32)

static void same_table(const hry_kernel *k, const uint8_t *restrict codes, size_t count,
                       float scale, float *restrict out)
{
    const float *table = k->table;
    const uint32_t mask = k->mask;
    for (size_t i = 0; i < count; i++)
        out[i] = scale * table[codes[i] & mask];
}

static void each_table(const hry_kernel *k, const uint8_t *restrict codes, size_t count,
                       const float *restrict scales, float *restrict out)
{
    const float *table = k->table;
    const uint32_t mask = k->mask;
    for (size_t i = 0; i < count; i++)
        out[i] = scales[i] * table[codes[i] & mask];
}

void hry_kernel_same(const hry_kernel *k, const void *codes, size_t count, float scale,
                     int32_t zero, float *out)
{
    if (k->table != NULL)
        same_table(k, codes, count, scale, out);
    else if (k->width == 1)
        same_8(k, codes, count, scale, zero, out);
    else if (k->width == 2)
        same_16(k, codes, count, scale, zero, out);
    else
        same_32(k, codes, count, scale, zero, out);
}

void hry_kernel_each(const hry_kernel *k, const void *codes, size_t count,
                     const float *scales, const int32_t *zeros, float *out)
{
    if (k->table != NULL)
        each_table(k, codes, count, scales, out);
    else if (k->width == 1)
        each_8(k, codes, count, scales, zeros, out);
    else if (k->width == 2)
        each_16(k, codes, count, scales, zeros, out);
    else
        each_32(k, codes, count, scales, zeros, out);
}
