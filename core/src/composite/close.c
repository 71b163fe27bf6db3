/* SPDX-License-Identifier: Apache-2.0 */
/*
 * close.c - what the format asks of all members together: those of a partition cover it
 * exactly (section 4). Boxes inside a shape that do not overlap do so when they have as
 * many elements as it has.
 */
#include "binder.h"
#include "coverage.h"

#include "descriptor/places.h"
#include "fail.h"

#include <stdio.h>

/* "[1, 2, 3]", cut short when it is too long. */
typedef struct index_text {
    char text[72];
} index_text;

static index_text text_of(uint32_t rank, const uint64_t *index)
{
    index_text t;
    size_t n = (size_t)snprintf(t.text, sizeof t.text, "[");
    for (uint32_t k = 0; k < rank && n < sizeof t.text; k++)
        n += (size_t)snprintf(t.text + n, sizeof t.text - n, "%s%llu", k > 0 ? ", " : "",
                              (unsigned long long)index[k]);
    if (n + 2 < sizeof t.text)
        snprintf(t.text + n, sizeof t.text - n, "]");
    else
        snprintf(t.text + sizeof t.text - 5, 5, "...]");
    return t;
}

static hry_status report_overlap(const hry_frame *f, uint32_t a, uint32_t b, hry_error *err)
{
    uint64_t common[HRY_MAX_RANK];
    for (uint32_t k = 0; k < f->rank; k++) {
        const uint64_t x = f->start[(size_t)a * f->rank + k];
        const uint64_t y = f->start[(size_t)b * f->rank + k];
        common[k] = x > y ? x : y;
    }
    const hry_member_place *place = &f->place[b];
    return HRY_FAIL_AT(err, HRY_ERR_CORRUPT,
                       place->at + place->shard + (uint64_t)8 * f->rank,
                       "shard_offset: member %lu overlaps member %lu, both hold element %s",
                       (unsigned long)b, (unsigned long)a, text_of(f->rank, common).text);
}

static hry_status report_gap(const hry_frame *f, const hry_boxes *boxes, hry_error *err)
{
    uint64_t point[HRY_MAX_RANK];
    HRY_TRY(hry_boxes_gap(boxes, f->shape, point, err));
    const index_text text = text_of(f->rank, point);
    const hry_gap_edge edge = hry_boxes_edge(boxes, point);
    const unsigned long k = edge.axis, member = edge.box;
    if (!edge.found)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, f->at_count,
                           "member_count: %lu, no member holds element %s",
                           (unsigned long)f->declared, text.text);
    const hry_member_place *place = &f->place[edge.box];
    if (edge.behind)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT,
                           place->at + place->shard + (uint64_t)8 * (f->rank + edge.axis),
                           "shard_offset[%lu]: member %lu leaves a gap before it, no "
                           "member holds element %s",
                           k, member, text.text);
    return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, place->at + hry_place_of_dim(edge.axis),
                       "shape[%lu]: member %lu leaves a gap behind it, no member holds "
                       "element %s",
                       k, member, text.text);
}

hry_status hry_frame_close(hry_frame *f, hry_error *err)
{
    if (!hry_rule_has_boxes(f->rule))
        return HRY_OK;
    const hry_boxes boxes = {
        .rank = f->rank, .count = f->count, .start = f->start, .size = f->size};
    uint32_t a, b;
    HRY_TRY(hry_box_index_new(&boxes, &f->index, err));
    if (f->rule != HRY_PARTITION)
        return HRY_OK;
    if (hry_box_index_overlap(f->index, &a, &b))
        return report_overlap(f, a, b, err);
    return f->covered == f->volume ? HRY_OK : report_gap(f, &boxes, err);
}
