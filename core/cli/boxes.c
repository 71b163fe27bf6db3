/* SPDX-License-Identifier: Apache-2.0 */
/* boxes.c - see boxes.h. */
#include "boxes.h"

struct boxes boxes_of(uint32_t rank, const uint64_t *shape, uint64_t limit)
{
    struct boxes b = {.rank = rank, .axis = rank, .shape = shape, .step = 1};
    uint64_t inner = 1;
    for (uint32_t k = 0; k < rank; k++)
        b.is_done = b.is_done || shape[k] == 0;
    while (!b.is_done && b.axis > 0 && inner < limit) {
        const uint64_t size = shape[--b.axis], most = limit / inner;
        b.step = size < most ? size : most;
        if (b.step < size)
            break;
        inner *= size;
    }
    if (b.axis == rank && rank > 0)
        b.axis = rank - 1;
    return b;
}

/* Counts of the box at its start. */
static const struct box *shaped(struct boxes *b)
{
    for (uint32_t k = 0; k < b->rank; k++) {
        const uint64_t left = b->shape[k] - b->box.start[k];
        const uint64_t most = k < b->axis ? 1 : k == b->axis ? b->step : b->shape[k];
        b->box.count[k] = left < most ? left : most;
    }
    return &b->box;
}

/* Past the box, the slowest axes last; false after the last box. */
static bool advance(struct boxes *b)
{
    for (uint32_t k = b->axis + 1; k-- > 0;) {
        b->box.start[k] += b->box.count[k];
        if (b->box.start[k] < b->shape[k])
            return true;
        b->box.start[k] = 0;
    }
    return false;
}

const struct box *boxes_next(struct boxes *b)
{
    if (b->is_done)
        return NULL;
    const bool is_first = b->box.count[0] == 0;
    if (!is_first && !advance(b)) {
        b->is_done = true;
        return NULL;
    }
    if (b->rank == 0) { /* one box: a scalar */
        b->is_done = true;
        return &b->box;
    }
    return shaped(b);
}

uint64_t box_size(const struct box *box, uint32_t rank)
{
    uint64_t size = 1;
    for (uint32_t k = 0; k < rank; k++)
        size *= box->count[k];
    return size;
}
