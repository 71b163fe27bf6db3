/* SPDX-License-Identifier: Apache-2.0 */
/* search.c - which tensors hold an element or a box of a head. */
#include "head.h"

#include "checked.h"
#include "fail.h"

#include <stdlib.h>
#include <string.h>

static hry_status check_elements(const hry_head *head, hry_error *err)
{
    if (head->info.is_torn)
        return HRY_FAIL(err, HRY_ERR_TRUNCATED,
                        "a torn composite: %lu members of %lu, or fewer inside",
                        (unsigned long)head->info.member_count,
                        (unsigned long)head->info.declared_count);
    if (head->index == NULL)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "composite rule 0x%02x: such a head has no elements",
                        head->info.rule);
    return HRY_OK;
}

/* ---- one element ---- */

hry_status hry_head_find(const hry_head *head, const uint64_t *index, uint64_t *tensor,
                         uint64_t *local, hry_error *err)
{
    uint64_t at[HRY_MAX_RANK], start[HRY_MAX_RANK], size[HRY_MAX_RANK];
    const uint32_t rank = head->info.rank;
    for (uint32_t k = 0; k < rank; k++) {
        if (index[k] >= head->shape[k])
            return HRY_FAIL(err, HRY_ERR_RANGE, "index[%lu]: %llu, the dimension has %llu",
                            (unsigned long)k, (unsigned long long)index[k],
                            (unsigned long long)head->shape[k]);
        at[k] = index[k];
    }
    for (;;) {
        uint32_t number = 0;
        HRY_TRY(check_elements(head, err));
        if (head->info.rule == HRY_PARTITION) {
            HRY_TRY(hry_box_index_find(head->index, at, &number, err));
            hry_box_index_get(head->index, number, start, size);
            for (uint32_t k = 0; k < rank; k++)
                at[k] -= start[k];
        }
        const hry_head *inside = hry_head_inside(head, number);
        if (inside == NULL) {
            *tensor = head->members[number];
            for (uint32_t k = 0; k < rank; k++)
                local[k] = at[k];
            return HRY_OK;
        }
        head = inside;
    }
}

/* ---- a box ---- */

/* A box of a head, and where it is in the box that was asked for. */
typedef struct query {
    const hry_head *head;
    const uint64_t *start, *count, *at;
    hry_part_visit visit;
    void *ctx;
} query;

/* Corrections that meet the box. */
typedef struct hits {
    uint32_t *number; /* owned */
    uint32_t count, room;
} hits;

static hry_status search(const query *q, hry_error *err);

/* What of the box lies in member `number`. */
static hry_status visit_member(const query *q, uint32_t number, hry_error *err)
{
    const hry_head *head = q->head, *inside = hry_head_inside(head, number);
    const uint32_t rank = head->info.rank;
    uint64_t start[HRY_MAX_RANK], size[HRY_MAX_RANK];
    hry_part part = {.tensor = head->members[number],
                     .rule = head->info.rule,
                     .combine = number > 0 && head->info.rule == HRY_OVERLAY
                                    ? head->info.combine
                                    : HRY_COMBINE_NONE};
    hry_box_index_get(head->index, number, start, size);
    for (uint32_t k = 0; k < rank; k++) {
        const uint64_t low = q->start[k] > start[k] ? q->start[k] : start[k];
        const uint64_t a = q->start[k] + q->count[k], b = start[k] + size[k];
        part.at[k] = q->at[k] + (low - q->start[k]);
        part.start[k] = low - start[k];
        part.count[k] = (a < b ? a : b) - low;
    }
    if (inside == NULL)
        return q->visit(q->ctx, &part, err);
    const query deeper = {.head = inside,
                          .start = part.start,
                          .count = part.count,
                          .at = part.at,
                          .visit = q->visit,
                          .ctx = q->ctx};
    return search(&deeper, err);
}

static hry_status part_of_partition(void *ctx, uint32_t number, hry_error *err)
{
    return visit_member(ctx, number, err);
}

static hry_status keep_hit(void *ctx, uint32_t number, hry_error *err)
{
    hits *h = ctx;
    if (h->count == h->room) {
        const uint64_t room = h->room == 0 ? 16 : (uint64_t)h->room * 2;
        size_t size;
        uint32_t *grown = checked_array(room, sizeof *grown, &size) && room <= UINT32_MAX
                              ? realloc(h->number, size)
                              : NULL;
        if (grown == NULL)
            return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %llu corrections",
                            (unsigned long long)room);
        h->number = grown;
        h->room = (uint32_t)room;
    }
    h->number[h->count++] = number;
    return HRY_OK;
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The base is member 0, and so the first. */
static hry_status search_overlay(const query *q, hry_error *err)
{
    hits h = {.number = NULL};
    hry_status status =
        hry_box_index_search(q->head->index, q->start, q->count, keep_hit, &h, err);
    if (h.count > 1)
        qsort(h.number, h.count, sizeof *h.number, ascending);
    for (uint32_t i = 0; i < h.count && status == HRY_OK; i++)
        status = visit_member(q, h.number[i], err);
    free(h.number);
    return status;
}

/* Recursion is as deep as heads are nested, 64 at most. */
static hry_status search(const query *q, hry_error *err)
{
    HRY_TRY(check_elements(q->head, err));
    if (q->head->info.rule == HRY_OVERLAY)
        return search_overlay(q, err);
    query passed = *q;
    return hry_box_index_search(q->head->index, q->start, q->count, part_of_partition,
                                &passed, err);
}

hry_status hry_head_search(const hry_head *head, const uint64_t *start,
                           const uint64_t *count, hry_part_visit visit, void *ctx,
                           hry_error *err)
{
    static const uint64_t origin[HRY_MAX_RANK];
    for (uint32_t k = 0; k < head->info.rank; k++)
        if (!range_inside(start[k], count[k], head->shape[k]))
            return HRY_FAIL(err, HRY_ERR_RANGE,
                            "axis %lu: %llu elements from %llu on, the dimension has %llu",
                            (unsigned long)k, (unsigned long long)count[k],
                            (unsigned long long)start[k],
                            (unsigned long long)head->shape[k]);
    const query q = {.head = head,
                     .start = start,
                     .count = count,
                     .at = origin,
                     .visit = visit,
                     .ctx = ctx};
    return search(&q, err);
}
