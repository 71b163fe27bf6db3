/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.c - runs of packed elements, eight at a time in one 64-bit word: each step halves
 * the fields and moves the upper halves apart (or back together).
 */
#include "hry/pack.h"

#include "bits.h"
#include "fail.h"

#include <stdbool.h>
#include <string.h>

#define EVERY_8(x) (UINT64_C(0x0101010101010101) * (x))
#define EVERY_16(x) (UINT64_C(0x0001000100010001) * (x))
#define EVERY_32(x) (UINT64_C(0x0000000100000001) * (x))

static inline uint64_t spread1(uint64_t x)
{
    /* Lane i keeps bit i, then says whether it kept anything. */
    x = EVERY_8(x) & UINT64_C(0x8040201008040201);
    return (x + EVERY_8(0x7f)) >> 7 & EVERY_8(1);
}

static inline uint64_t spread2(uint64_t x)
{
    x = (x | x << 24) & EVERY_32(0xff);
    x = (x | x << 12) & EVERY_16(0x0f);
    return (x | x << 6) & EVERY_8(0x03);
}

static inline uint64_t spread4(uint64_t x)
{
    x = (x | x << 16) & EVERY_32(0xffff);
    x = (x | x << 8) & EVERY_16(0xff);
    return (x | x << 4) & EVERY_8(0x0f);
}

static inline uint64_t spread6(uint64_t x)
{
    x = (x & 0xffffff) | (x & UINT64_C(0xffffff000000)) << 8;
    x = (x & EVERY_32(0xfff)) | (x & EVERY_32(0xfff000)) << 4;
    return (x & EVERY_16(0x3f)) | (x & EVERY_16(0xfc0)) << 2;
}

static inline uint64_t gather1(uint64_t x)
{
    /* The product's top byte collects lane i at bit i; no two lanes meet on the way. */
    return (x & EVERY_8(1)) * UINT64_C(0x0102040810204080) >> 56;
}

static inline uint64_t gather2(uint64_t x)
{
    x &= EVERY_8(0x03);
    x = (x | x >> 6) & EVERY_16(0x0f);
    x = (x | x >> 12) & EVERY_32(0xff);
    return (x | x >> 24) & 0xffff;
}

static inline uint64_t gather4(uint64_t x)
{
    x &= EVERY_8(0x0f);
    x = (x | x >> 4) & EVERY_16(0xff);
    x = (x | x >> 8) & EVERY_32(0xffff);
    return (x | x >> 16) & 0xffffffff;
}

static inline uint64_t gather6(uint64_t x)
{
    x &= EVERY_8(0x3f);
    x = (x & EVERY_16(0x3f)) | (x & EVERY_16(0x3f00)) >> 2;
    x = (x & EVERY_32(0xfff)) | (x & EVERY_32(0xfff0000)) >> 4;
    return (x & 0xffffff) | (x & UINT64_C(0xffffff00000000)) >> 8;
}

/* Six bytes in two loads: one of six would wait for two stores. */
static inline uint64_t load6(const uint8_t *packed)
{
    uint32_t low;
    uint16_t high;
    memcpy(&low, packed, 4);
    memcpy(&high, packed + 4, 2);
    return low | (uint64_t)high << 32;
}

#define LOAD(bits, type)                                                                   \
    static inline uint64_t load##bits(const uint8_t *packed)                               \
    {                                                                                      \
        type x;                                                                            \
        memcpy(&x, packed, sizeof x);                                                      \
        return x;                                                                          \
    }

LOAD(1, uint8_t)
LOAD(2, uint16_t)
LOAD(4, uint32_t)

/* Eight elements of b bits are b bytes. */
#define WHOLE_WORDS(b)                                                                     \
    static void unpack##b(const uint8_t *packed, uint8_t *codes, size_t words)             \
    {                                                                                      \
        for (size_t i = 0; i < words; i++) {                                               \
            const uint64_t x = spread##b(load##b(packed + i * (b)));                       \
            memcpy(codes + i * 8, &x, 8);                                                  \
        }                                                                                  \
    }                                                                                      \
    static void pack##b(const uint8_t *codes, uint8_t *packed, size_t words)               \
    {                                                                                      \
        for (size_t i = 0; i < words; i++) {                                               \
            uint64_t x;                                                                    \
            memcpy(&x, codes + i * 8, 8);                                                  \
            x = gather##b(x);                                                              \
            memcpy(packed + i * (b), &x, (b));                                             \
        }                                                                                  \
    }

WHOLE_WORDS(1)
WHOLE_WORDS(2)
WHOLE_WORDS(4)
WHOLE_WORDS(6)

typedef struct packing {
    uint32_t group; /* elements in the fewest whole bytes */
    void (*unpack)(const uint8_t *packed, uint8_t *codes, size_t words);
    void (*pack)(const uint8_t *codes, uint8_t *packed, size_t words);
} packing;

static const packing packings[] = {
    [1] = {8, unpack1, pack1},
    [2] = {4, unpack2, pack2},
    [4] = {2, unpack4, pack4},
    [6] = {4, unpack6, pack6},
};

/* Elements before the first whole byte, at most `count`. */
static size_t head_of(const packing *p, int64_t first, size_t count)
{
    const size_t head = (size_t)(-first & (int64_t)(p->group - 1));
    return head < count ? head : count;
}

void hry_bits_unpack(uint32_t bits, const uint8_t *packed, int64_t first, uint8_t *codes,
                     size_t count)
{
    const packing *p = &packings[bits];
    const size_t head = head_of(p, first, count);
    const size_t words = (count - head) / 8;
    for (size_t i = 0; i < head; i++)
        codes[i] = bits_get(packed, first + (int64_t)i, bits);
    if (words > 0)
        p->unpack(packed + (first + (int64_t)head) * (int64_t)bits / 8, codes + head,
                  words);
    for (size_t i = head + words * 8; i < count; i++)
        codes[i] = bits_get(packed, first + (int64_t)i, bits);
}

void hry_bits_pack(uint32_t bits, const uint8_t *codes, size_t count, uint8_t *packed,
                   int64_t first)
{
    const packing *p = &packings[bits];
    const size_t head = head_of(p, first, count);
    const size_t words = (count - head) / 8;
    for (size_t i = 0; i < head; i++)
        bits_put(packed, first + (int64_t)i, bits, codes[i]);
    if (words > 0)
        p->pack(codes + head, packed + (first + (int64_t)head) * (int64_t)bits / 8, words);
    for (size_t i = head + words * 8; i < count; i++)
        bits_put(packed, first + (int64_t)i, bits, codes[i]);
}

static bool is_packed_width(uint32_t bits)
{
    return bits < sizeof packings / sizeof *packings && packings[bits].group != 0;
}

hry_status hry_unpack(uint32_t bits, const void *packed, uint64_t first, uint8_t *codes,
                      size_t count, hry_error *err)
{
    if (!is_packed_width(bits))
        return HRY_FAIL(err, HRY_ERR_ARG, "elements of %u bits are not packed",
                        (unsigned)bits);
    hry_bits_unpack(bits, packed, (int64_t)first, codes, count);
    return HRY_OK;
}

hry_status hry_pack(uint32_t bits, const uint8_t *codes, size_t count, void *packed,
                    uint64_t first, hry_error *err)
{
    if (!is_packed_width(bits))
        return HRY_FAIL(err, HRY_ERR_ARG, "elements of %u bits are not packed",
                        (unsigned)bits);
    hry_bits_pack(bits, codes, count, packed, (int64_t)first);
    return HRY_OK;
}
