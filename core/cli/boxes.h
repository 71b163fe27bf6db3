/* SPDX-License-Identifier: Apache-2.0 */
/* boxes.h - an array cut into boxes of bounded size that follow each other in row-major
 * order, so that any array can be read piece by piece. */
#ifndef BOXES_H
#define BOXES_H

#include "hry/descriptor.h"

/* One box; a plain value. */
struct box {
    uint64_t start[HRY_MAX_RANK], count[HRY_MAX_RANK];
};

struct boxes {
    uint32_t rank, axis; /* boxes are whole behind `axis`, and one wide before it */
    const uint64_t *shape;
    uint64_t step; /* along the axis */
    struct box box;
    bool is_done;
};

/* The array of this shape (borrowed), in boxes of at most `limit` elements, limit > 0. */
struct boxes boxes_of(uint32_t rank, const uint64_t *shape, uint64_t limit);

/* The next box, or NULL after the last. Borrowed until the next call. */
const struct box *boxes_next(struct boxes *b);

/* Elements in it. */
uint64_t box_size(const struct box *box, uint32_t rank);

#endif
