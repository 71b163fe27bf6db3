/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/box_index.h - which of many boxes hold an element or meet a box, found without
 * looking at them all. Knows nothing of tensors: programs that keep a table of boxes of
 * their own can use it, and hry/composite.h does.
 */
#ifndef HRY_BOX_INDEX_H
#define HRY_BOX_INDEX_H

#include "hry/descriptor.h"

HRY_BEGIN

/* `count` boxes of `rank` axes: box i is size[i * rank + k] long from start[i * rank + k]
 * on, on every axis k, in ELEMENTS. Both arrays may be NULL when rank or count is 0. */
typedef struct hry_boxes {
    uint32_t rank, count;
    const uint64_t *start, *size;
} hry_boxes;

/* Immutable once made: several threads may ask at once. */
typedef struct hry_box_index hry_box_index;

/*
 * An index over a copy of the boxes, which may overlap. Takes O(n log n) time. Memory is
 * about 24 + 24 * a BYTES a box, where `a` counts the axes on which boxes differ.
 *
 * HRY_ERR_ARG    rank above HRY_MAX_RANK
 * HRY_ERR_RANGE  a box ends beyond 2^64 - 1
 * HRY_ERR_NOMEM
 */
HRY_API hry_status hry_box_index_new(const hry_boxes *boxes, hry_box_index **out,
                                     hry_error *err);

/* NULL is allowed. */
HRY_API void hry_box_index_free(hry_box_index *index);

HRY_API uint32_t hry_box_index_count(const hry_box_index *index);

/* Box `i` (below the count) into start[rank] and size[rank]. */
HRY_API void hry_box_index_get(const hry_box_index *index, uint32_t i, uint64_t *start,
                               uint64_t *size);

/*
 * A box that holds the element at `point`, of `rank` numbers; any one of several. Takes
 * O(log n) time where boxes do not overlap much. HRY_ERR_NOTFOUND when none does.
 */
HRY_API hry_status hry_box_index_find(const hry_box_index *index, const uint64_t *point,
                                      uint32_t *i, hry_error *err);

/* Anything but HRY_OK ends the search and becomes its result. */
typedef hry_status (*hry_box_visit)(void *ctx, uint32_t i, hry_error *err);

/*
 * Visit, in no particular order, every box that has an element in common with the box of
 * size[k] elements from start[k] on. Takes O(log n + hits) time where boxes do not overlap
 * much. Parts of the asked box that no index can reach meet nothing.
 */
HRY_API hry_status hry_box_index_search(const hry_box_index *index, const uint64_t *start,
                                        const uint64_t *size, hry_box_visit visit,
                                        void *ctx, hry_error *err);

/*
 * Do any two boxes have an element in common? Exact, in about O(n log n) time. When true,
 * a < b are two such boxes; both may be NULL.
 */
HRY_API bool hry_box_index_overlap(const hry_box_index *index, uint32_t *a, uint32_t *b);

HRY_END

#endif
