/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/boxes.h - decompositions: which box of a tensor each rank holds. Pure
 * arithmetic; needs no MPI.
 */
#ifndef HRY_BOXES_H
#define HRY_BOXES_H

#include "hry/error.h"

HRY_BEGIN

/*
 * One box per rank. Both arrays hold count * rank numbers, box by box, dimension by
 * dimension, all in ELEMENTS; they are borrowed for the call that takes them. A box with
 * a zero size is empty: that rank holds nothing, and its start does not matter.
 */
typedef struct hry_mpi_boxes {
    uint32_t count;        /* number of boxes, usually of ranks */
    const uint64_t *start; /* first element of each box         */
    const uint64_t *size;  /* elements of each box              */
} hry_mpi_boxes;

/*
 * The boxes of a regular process grid: dimension k is cut into grid[k] > 0 parts whose
 * sizes differ by at most one, and box r belongs to the r-th cell in row-major order, as
 * MPI_Cart_create numbers ranks. A dimension cut into more parts than it has elements
 * leaves empty boxes.
 *
 * start, size  filled with rank * (product of grid) numbers each.
 *
 * HRY_ERR_ARG    a part count is 0, or rank is above HRY_MAX_RANK
 * HRY_ERR_RANGE  more than 2^32 - 1 boxes
 */
HRY_API hry_status hry_mpi_grid(uint32_t rank, const uint64_t *shape, const uint32_t *grid,
                                uint64_t *start, uint64_t *size, hry_error *err);

/*
 * Do the boxes tile `shape` exactly: each inside, none overlapping, nothing left over?
 * Time O(count * rank), no memory.
 *
 * HRY_ERR_RANGE  a box leaves the shape
 * HRY_ERR_ARG    the boxes overlap or leave a gap
 */
HRY_API hry_status hry_mpi_boxes_check(const hry_mpi_boxes *boxes, uint32_t rank,
                                       const uint64_t *shape, hry_error *err);

HRY_END

#endif
