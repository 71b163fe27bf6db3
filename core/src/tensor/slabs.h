/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slabs.h - a shape cut into boxes of bounded size that follow each other in row-major
 * order. Private to core/src.
 */
#ifndef HRY_SLABS_H
#define HRY_SLABS_H

#include "hry/descriptor.h"

typedef struct hry_slabs {
    uint32_t rank;
    uint32_t axis; /* the one that is cut; later ones are whole, earlier ones single */
    uint64_t step; /* at most this many along it */
    uint64_t shape[HRY_MAX_RANK];
    uint64_t start[HRY_MAX_RANK], count[HRY_MAX_RANK]; /* the box */
    uint64_t size;                                     /* of the box, in ELEMENTS */
} hry_slabs;

/*
 * The first box, of at most `limit` (> 0) elements; false when the shape is empty.
 * `size` of that box is the largest of all.
 */
static inline bool slabs_first(hry_slabs *s, uint32_t rank, const uint64_t *shape,
                               uint64_t limit)
{
    *s = (hry_slabs){.rank = rank, .step = 1};
    for (uint32_t k = 0; k < rank; k++) {
        if (shape[k] == 0)
            return false;
        s->shape[k] = shape[k];
        s->count[k] = 1;
    }
    s->size = 1;
    s->axis = rank;
    while (s->axis > 0 && s->size < limit) {
        const uint64_t room = limit / s->size;
        const uint64_t side = shape[--s->axis];
        s->step = side < room ? side : room;
        s->count[s->axis] = s->step;
        s->size *= s->step;
        if (s->step < side)
            break;
    }
    return true;
}

static inline bool slabs_next(hry_slabs *s)
{
    uint32_t k = s->axis < s->rank ? s->axis + 1 : s->rank;
    const uint64_t rest = s->axis < s->rank ? s->size / s->count[s->axis] : 1;
    for (; k > 0; k--) {
        const uint32_t a = k - 1;
        s->start[a] += s->count[a];
        if (s->start[a] < s->shape[a])
            break;
        s->start[a] = 0;
    }
    if (s->axis < s->rank) {
        const uint64_t left = s->shape[s->axis] - s->start[s->axis];
        s->count[s->axis] = left < s->step ? left : s->step;
        s->size = rest * s->count[s->axis];
    }
    return k > 0;
}

#endif
