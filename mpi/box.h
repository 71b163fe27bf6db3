/* SPDX-License-Identifier: Apache-2.0 */
/* box.h - arithmetic on boxes of row-major arrays. Private to mpi/; needs no MPI. */
#ifndef HRY_BOX_H
#define HRY_BOX_H

#include "hry/boxes.h"
#include "hry/descriptor.h"

/* Product of `size`; false when it does not fit 64 bits. A zero anywhere gives 0. */
bool hry_box_count(uint32_t rank, const uint64_t *size, uint64_t *count);

/* Does the box lie inside `shape`? */
bool hry_box_inside(uint32_t rank, const uint64_t *start, const uint64_t *size,
                    const uint64_t *shape);

/* Is the box, inside `shape`, one contiguous run of it in row-major order? */
bool hry_box_is_run(uint32_t rank, const uint64_t *size, const uint64_t *shape);

/*
 * The part of box (start, size) that lies in box (other, other_size); false when there is
 * none. Outputs hold `rank` numbers each, in the coordinates of both.
 */
bool hry_box_intersect(uint32_t rank, const uint64_t *start, const uint64_t *size,
                       const uint64_t *other, const uint64_t *other_size,
                       uint64_t *out_start, uint64_t *out_size);

/* One row-major array and where a box begins in it, in ELEMENTS. */
typedef struct hry_box_place {
    const uint64_t *shape;
    const uint64_t *start;
} hry_box_place;

/* Does box (outer, outer_size) hold box (start, size)? */
bool hry_box_holds(uint32_t rank, const uint64_t *outer, const uint64_t *outer_size,
                   const uint64_t *start, const uint64_t *size);

/*
 * Check a request: a box inside `shape`, with a place in memory that holds it. *empty says
 * that there is nothing to move. HRY_ERR_RANGE names what leaves what.
 */
hry_status hry_box_check(uint32_t rank, const uint64_t *start, const uint64_t *size,
                         const uint64_t *shape, hry_box_place memory, bool *empty,
                         hry_error *err);

/*
 * The maximal runs of a box that are contiguous in two arrays at once, in row-major order.
 * Invariant: while left > 0, `a` and `b` are the current run's first element in each.
 */
typedef struct hry_box_runs {
    uint64_t length; /* ELEMENTS in each run                              */
    uint64_t left;   /* runs from the current one on                      */
    uint64_t a, b;   /* ELEMENTS from the beginning of each array         */
    uint32_t loops;  /* dimensions that runs step over, the last fastest  */
    uint64_t index[HRY_MAX_RANK], count[HRY_MAX_RANK];
    uint64_t step_a[HRY_MAX_RANK], step_b[HRY_MAX_RANK]; /* in ELEMENTS   */
} hry_box_runs;

/* Box of `size`, proven to lie inside both arrays, whose counts fit 64 bits. */
void hry_box_runs_begin(hry_box_runs *runs, uint32_t rank, const uint64_t *size,
                        hry_box_place a, hry_box_place b);

/* On to the next run; left counts down. */
void hry_box_runs_next(hry_box_runs *runs);

#endif
