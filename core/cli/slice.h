/* SPDX-License-Identifier: Apache-2.0 */
/* slice.h - the part of an array that an index such as [0:10, ::2, -1] selects, as in
 * NumPy. */
#ifndef SLICE_H
#define SLICE_H

#include "boxes.h"

#include "hry/error.h"

#include <stdbool.h>

/*
 * Of each axis of the array: count indices from `start` on, `step` apart. An axis with an
 * index instead of a range is dropped from the selection. A plain value.
 */
struct slice {
    uint32_t rank; /* of the array */
    uint64_t start[HRY_MAX_RANK], count[HRY_MAX_RANK];
    int64_t step[HRY_MAX_RANK]; /* not 0 */
    bool dropped[HRY_MAX_RANK];
    uint32_t kept_rank; /* of the selection */
    uint64_t kept[HRY_MAX_RANK];
};

/* All of an array. */
struct slice slice_all(uint32_t rank, const uint64_t *shape);

/*
 * Read what stands between the brackets: indices, ranges a:b:step with parts left out, one
 * "..." for all axes not spoken of (at the end it may be left out). Negative numbers count
 * from the end, ranges are cut to the axis.
 *
 * HRY_ERR_ARG    the text is no such list, or has more parts than the array has axes
 * HRY_ERR_RANGE  an index outside its axis
 */
hry_status slice_parse(const char *text, uint32_t rank, const uint64_t *shape,
                       struct slice *out, hry_error *err);

/* What slice_read() reads with: hry_region_read() and the like, of a box of the array. */
typedef hry_status (*slice_reader)(void *ctx, const struct box *box, void *dst,
                                   hry_error *err);

/* The scratch slice_read() needs for a box of so many elements, in ELEMENTS. */
enum { SLICE_SPREAD = 8 };

/*
 * Read a box of the selection into `dst`, row-major, by boxes of the array; elements have
 * `size` BYTES. `scratch` holds SLICE_SPREAD times as many as the box.
 */
hry_status slice_read(const struct slice *s, const struct box *box, size_t size,
                      slice_reader read, void *ctx, void *scratch, void *dst,
                      hry_error *err);

#endif
