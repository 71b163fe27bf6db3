/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hilbert.c - Hilbert codes after J. Skilling, "Programming the Hilbert curve" (2004).
 *
 * His transform walks the bits of all coordinates from the top. At each bit it mirrors
 * or exchanges coordinates in the bits below; what remains is a Gray code. Bits of a
 * level therefore depend only on those above, which is why an aligned block is a
 * contiguous stretch of the curve, entered with one exchange-and-mirror of its axes.
 */
#include "hilbert.h"

#include <string.h>

/* Bit b of x[d] goes to bit b * rank + (rank - 1 - d). */
static uint64_t interleave(uint32_t rank, uint32_t bits, const uint64_t *x)
{
    uint64_t code = 0;
    for (uint32_t b = bits; b-- > 0;)
        for (uint32_t d = 0; d < rank; d++)
            code = code << 1 | (x[d] >> b & 1);
    return code;
}

/* The last step of the transform. Returns what the levels below bit 0 are flipped by. */
static bool gray(uint32_t rank, uint32_t bits, uint64_t *x)
{
    for (uint32_t d = 1; d < rank; d++)
        x[d] ^= x[d - 1];
    uint64_t flips = 0;
    bool parity = false;
    for (uint32_t b = bits; b-- > 0;) {
        if ((x[rank - 1] >> b & 1) == 0)
            continue;
        flips ^= (UINT64_C(1) << b) - 1;
        parity = !parity;
    }
    for (uint32_t d = 0; d < rank; d++)
        x[d] ^= flips;
    return parity;
}

uint64_t hry_hilbert_code(uint32_t rank, uint32_t order, const uint64_t *index)
{
    uint64_t x[HRY_MAX_RANK];
    memcpy(x, index, rank * sizeof *x);
    for (uint32_t b = order; b-- > 1;) {
        const uint64_t low = (UINT64_C(1) << b) - 1;
        for (uint32_t d = 0; d < rank; d++) {
            if (x[d] >> b & 1) {
                x[0] ^= low;
            } else {
                const uint64_t swap = (x[0] ^ x[d]) & low;
                x[0] ^= swap;
                x[d] ^= swap;
            }
        }
    }
    gray(rank, order, x);
    return interleave(rank, order, x);
}

void hry_hilbert_turn_of(uint32_t rank, uint32_t order, uint32_t low, const uint64_t *block,
                         hry_hilbert_turn *turn)
{
    uint64_t x[HRY_MAX_RANK];
    uint8_t from[HRY_MAX_RANK]; /* the local coordinate that now stands at d */
    bool mirror[HRY_MAX_RANK] = {false};
    memcpy(x, block, rank * sizeof *x);
    for (uint32_t d = 0; d < rank; d++)
        from[d] = (uint8_t)d;
    for (uint32_t b = order - low; b-- > 0;) {
        const uint64_t below = (UINT64_C(1) << b) - 1;
        for (uint32_t d = 0; d < rank; d++) {
            if (x[d] >> b & 1) {
                x[0] ^= below;
                mirror[0] = !mirror[0];
                continue;
            }
            const uint64_t swap = (x[0] ^ x[d]) & below;
            x[0] ^= swap;
            x[d] ^= swap;
            const uint8_t coordinate = from[0];
            from[0] = from[d];
            from[d] = coordinate;
            const bool side = mirror[0];
            mirror[0] = mirror[d];
            mirror[d] = side;
        }
    }
    const bool parity = gray(rank, order - low, x);
    turn->invert = parity ? (UINT64_C(1) << rank * low) - 1 : 0;
    turn->base = interleave(rank, order - low, x) << rank * low;
    for (uint32_t d = 0; d < rank; d++) {
        turn->to[from[d]] = (uint8_t)d;
        turn->mirror[from[d]] = mirror[d];
    }
}
