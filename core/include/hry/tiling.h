/* SPDX-License-Identifier: Apache-2.0 */
/* hry/tiling.h - do boxes make up a shape: members of a partition, shards of a transfer. */
#ifndef HRY_TILING_H
#define HRY_TILING_H

#include "hry/error.h"

HRY_BEGIN

/*
 * Do `count` boxes tile `shape` exactly: each inside, none overlapping, nothing left over?
 *
 * start, size  count * rank numbers each, box by box, dimension by dimension, in ELEMENTS.
 *              A box with a zero size is empty, and its start does not matter.
 * shape        `rank` sizes; may be NULL when rank is 0
 *
 * Time O(count * rank), no memory.
 *
 * HRY_ERR_ARG    the boxes overlap or leave a gap; rank above HRY_MAX_RANK
 * HRY_ERR_RANGE  a box leaves the shape, or the shape has more than 2^64 - 1 elements
 */
HRY_API hry_status hry_boxes_tile(const uint64_t *start, const uint64_t *size,
                                  uint64_t count, uint32_t rank, const uint64_t *shape,
                                  hry_error *err);

HRY_END

#endif
