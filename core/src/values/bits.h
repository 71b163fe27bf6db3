/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bits.h - packed elements, unchecked. Private to core/src. An element of 1, 2, 4 or 6
 * bits is always at bit index * bits of the little-endian bit stream: groups of four
 * 6-bit elements are three whole bytes. Indices may be negative: shifts round down.
 */
#ifndef HRY_BITS_H
#define HRY_BITS_H

#include <stddef.h>
#include <stdint.h>

/* Words of elements are loaded and stored as the host has them. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a little-endian host");

static inline uint8_t bits_get(const uint8_t *packed, int64_t i, uint32_t bits)
{
    const int64_t at = i * (int64_t)bits;
    const uint32_t shift = (uint32_t)(at & 7);
    uint32_t word = packed[at >> 3];
    if (shift + bits > 8)
        word |= (uint32_t)packed[(at >> 3) + 1] << 8;
    return (uint8_t)(word >> shift & ((1U << bits) - 1));
}

static inline void bits_put(uint8_t *packed, int64_t i, uint32_t bits, uint8_t code)
{
    const int64_t at = i * (int64_t)bits;
    const uint32_t shift = (uint32_t)(at & 7);
    const uint32_t mask = ((1U << bits) - 1) << shift;
    const uint32_t value = (uint32_t)code << shift & mask;
    packed[at >> 3] = (uint8_t)((packed[at >> 3] & ~mask) | value);
    if (shift + bits > 8)
        packed[(at >> 3) + 1] =
            (uint8_t)((packed[(at >> 3) + 1] & ~(mask >> 8)) | value >> 8);
}

/* Runs of elements, at the speed of memory; `bits` is 1, 2, 4 or 6. */
void hry_bits_unpack(uint32_t bits, const uint8_t *packed, int64_t first, uint8_t *codes,
                     size_t count);
void hry_bits_pack(uint32_t bits, const uint8_t *codes, size_t count, uint8_t *packed,
                   int64_t first);

#endif
