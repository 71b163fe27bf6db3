/* SPDX-License-Identifier: Apache-2.0 */
/*
 * box_tree.h - what a box index is made of: a tree of bounding boxes. Private to
 * core/src/composite.
 *
 * Only axes on which boxes differ are kept ("axes" here); the others are the same for all
 * boxes and checked once. A row is low[axes] then high[axes], high excluded. Rows lie in
 * the order of the tree: a node is a stretch of rows, its left half comes first. Boxes
 * without elements are in no node: they come last.
 */
#ifndef HRY_BOX_TREE_H
#define HRY_BOX_TREE_H

#include "hry/box_index.h"

/* Rows of a leaf, at most. */
#define HRY_BOX_LEAF 8

/* Every child has at least an eighth of its parent's rows, so 2^32 rows go this deep. */
#define HRY_BOX_DEPTH 176

typedef struct hry_box_node {
    uint32_t first, count; /* its rows                                               */
    uint32_t right;        /* its right child; the left one is the next node. 0: leaf */
} hry_box_node;

struct hry_box_index {
    uint32_t rank, count;
    uint32_t filled; /* boxes that have elements           */
    uint32_t axes;
    uint32_t axis[HRY_MAX_RANK];                    /* of the tensor, for each of `axes` */
    uint64_t low[HRY_MAX_RANK], high[HRY_MAX_RANK]; /* on axes where all are the same    */
    uint64_t *rows;                                 /* owned, as all below               */
    uint32_t *box;                                  /* of each row                       */
    uint32_t *row;                                  /* of each box                       */
    hry_box_node *nodes;
    uint64_t *bounds; /* of each node, like a row */
    uint32_t node_count, node_room;
};

static inline const uint64_t *hry_box_row(const hry_box_index *x, uint32_t row)
{
    return x->rows + (size_t)row * 2 * x->axes;
}

static inline const uint64_t *hry_box_bounds(const hry_box_index *x, uint32_t node)
{
    return x->bounds + (size_t)node * 2 * x->axes;
}

/* Have two rows an element in common, on the kept axes? */
static inline bool hry_rows_meet(const hry_box_index *x, const uint64_t *a,
                                 const uint64_t *b)
{
    const uint32_t n = x->axes;
    for (uint32_t k = 0; k < n; k++)
        if (a[k] >= b[n + k] || b[k] >= a[n + k])
            return false;
    return true;
}

/* Arrange rows, box and row into a tree; fills nodes and bounds. */
hry_status hry_box_tree_build(hry_box_index *x, hry_error *err);

/*
 * The work of the public functions of that name. *tested, which grows, counts the boxes
 * and bounds that were compared.
 */
hry_status hry_box_tree_search(const hry_box_index *x, const uint64_t *start,
                               const uint64_t *size, hry_box_visit visit, void *ctx,
                               uint64_t *tested, hry_error *err);
bool hry_box_tree_overlap(const hry_box_index *x, uint32_t *a, uint32_t *b,
                          uint64_t *tested);

#endif
