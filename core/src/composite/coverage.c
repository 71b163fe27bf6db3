/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coverage.c - finding a gap: of the two halves of a region, one holds fewer elements of
 * boxes than it has, down to a single element.
 */
#include "coverage.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

typedef struct region {
    const hry_boxes *boxes;
    uint32_t *meeting; /* boxes that meet it */
    uint32_t count;
    uint64_t low[HRY_MAX_RANK], high[HRY_MAX_RANK];
} region;

static uint64_t overlap(const region *r, uint32_t i)
{
    const uint32_t rank = r->boxes->rank;
    uint64_t volume = 1;
    for (uint32_t k = 0; k < rank; k++) {
        const uint64_t low = r->boxes->start[(size_t)i * rank + k];
        const uint64_t high = low + r->boxes->size[(size_t)i * rank + k];
        const uint64_t from = low > r->low[k] ? low : r->low[k];
        const uint64_t to = high < r->high[k] ? high : r->high[k];
        volume *= to > from ? to - from : 0;
    }
    return volume;
}

static uint64_t covered(const region *r)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->count; i++)
        sum += overlap(r, r->meeting[i]);
    return sum;
}

static uint64_t volume_of(const region *r)
{
    uint64_t volume = 1;
    for (uint32_t k = 0; k < r->boxes->rank; k++)
        volume *= r->high[k] - r->low[k];
    return volume;
}

static uint32_t widest(const region *r)
{
    uint32_t best = 0;
    for (uint32_t k = 1; k < r->boxes->rank; k++)
        if (r->high[k] - r->low[k] > r->high[best] - r->low[best])
            best = k;
    return best;
}

static void forget_others(region *r)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->count; i++)
        if (overlap(r, r->meeting[i]) > 0)
            r->meeting[kept++] = r->meeting[i];
    r->count = kept;
}

hry_status hry_boxes_gap(const hry_boxes *boxes, const uint64_t *shape, uint64_t *point,
                         hry_error *err)
{
    region r = {.boxes = boxes, .count = boxes->count};
    const size_t size = (size_t)boxes->count * sizeof *r.meeting;
    r.meeting = malloc(size + 1);
    if (r.meeting == NULL)
        return HRY_NO_MEMORY(err, size);
    for (uint32_t i = 0; i < boxes->count; i++)
        r.meeting[i] = i;
    for (uint32_t k = 0; k < boxes->rank; k++)
        r.high[k] = shape[k];
    forget_others(&r);
    while (r.count > 0) {
        const uint32_t k = widest(&r);
        const uint64_t low = r.low[k], high = r.high[k];
        r.high[k] = low + (high - low) / 2;
        if (covered(&r) == volume_of(&r)) {
            r.low[k] = r.high[k];
            r.high[k] = high;
        }
        forget_others(&r);
    }
    memcpy(point, r.low, boxes->rank * sizeof *point);
    free(r.meeting);
    return HRY_OK;
}

/* Is `point` beside the box, straight along `axis`? */
static bool is_beside(const hry_boxes *b, uint32_t i, uint32_t axis, const uint64_t *point)
{
    for (uint32_t k = 0; k < b->rank; k++) {
        const uint64_t start = b->start[(size_t)i * b->rank + k];
        const uint64_t size = b->size[(size_t)i * b->rank + k];
        if (size == 0 || (k != axis && point[k] - start >= size))
            return false;
    }
    return true;
}

static hry_gap_edge along(const hry_boxes *b, uint32_t axis, bool behind,
                          const uint64_t *point)
{
    hry_gap_edge edge = {.found = false};
    uint64_t nearest = UINT64_MAX;
    for (uint32_t i = 0; i < b->count; i++) {
        const uint64_t start = b->start[(size_t)i * b->rank + axis];
        const uint64_t end = start + b->size[(size_t)i * b->rank + axis];
        if ((behind ? start <= point[axis] : end > point[axis]) ||
            !is_beside(b, i, axis, point))
            continue;
        const uint64_t distance = behind ? start - point[axis] : point[axis] - end;
        if (edge.found && distance >= nearest)
            continue;
        nearest = distance;
        edge = (hry_gap_edge){.found = true, .behind = behind, .box = i, .axis = axis};
    }
    return edge;
}

hry_gap_edge hry_boxes_edge(const hry_boxes *boxes, const uint64_t *point)
{
    hry_gap_edge edge = {.found = false};
    for (int behind = 1; behind >= 0; behind--)
        for (uint32_t k = boxes->rank; k > 0 && !edge.found; k--)
            edge = along(boxes, k - 1, behind != 0, point);
    return edge;
}
