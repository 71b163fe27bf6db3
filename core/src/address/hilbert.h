/* SPDX-License-Identifier: Apache-2.0 */
/* hilbert.h - Hilbert codes after Skilling, 2004 (format section 3). Private to core/src.
 */
#ifndef HRY_HILBERT_CURVE_H
#define HRY_HILBERT_CURVE_H

#include "hry/descriptor.h"

/* Code of the point `index` on the curve of that order; rank * order <= 63. */
uint64_t hry_hilbert_code(uint32_t rank, uint32_t order, const uint64_t *index);

/*
 * How the curve runs through one aligned block of side 2^low: the code of a point in
 * the block is base | (code of its turned local coordinates ^ invert), where local
 * coordinate `k` is mirrored where mirror[k] is set and becomes coordinate to[k].
 */
typedef struct hry_hilbert_turn {
    uint64_t base;
    uint64_t invert;
    uint8_t to[HRY_MAX_RANK];
    bool mirror[HRY_MAX_RANK];
} hry_hilbert_turn;

/* `block` is the position of the block in blocks; low <= order. */
void hry_hilbert_turn_of(uint32_t rank, uint32_t order, uint32_t low, const uint64_t *block,
                         hry_hilbert_turn *turn);

#endif
