/* SPDX-License-Identifier: Apache-2.0 */
/* coverage.h - an element that boxes leave out. Private to core/src/composite. */
#ifndef HRY_COVERAGE_H
#define HRY_COVERAGE_H

#include "hry/box_index.h"

/*
 * Boxes inside a shape, no two of which overlap, with fewer elements than the shape has
 * (below 2^64): `point` becomes an element that is in none. Linear in the number of boxes
 * for each of the at most 64 halvings.
 */
hry_status hry_boxes_gap(const hry_boxes *boxes, const uint64_t *shape, uint64_t *point,
                         hry_error *err);

/* What stops the elements of a gap: a box beside `point`, or none. */
typedef struct hry_gap_edge {
    bool found;
    bool behind; /* the box begins behind the gap; else it ends before it */
    uint32_t box, axis;
} hry_gap_edge;

/* The nearest box behind `point` along the last axis that has one, else before it. */
hry_gap_edge hry_boxes_edge(const hry_boxes *boxes, const uint64_t *point);

#endif
