/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ordset.h - an ordered set of items that carry their own node: a treap with subtree
 * counts, so that insert, remove, find and "the n-th" are all O(log n).
 */
#ifndef HVOL_ORDSET_H
#define HVOL_ORDSET_H

#include <stddef.h>
#include <stdint.h>

/* Embedded in the item; zero when in no set. */
typedef struct hvol_ord {
    struct hvol_ord *left, *right;
    uint64_t count;    /* of the subtree, this node included */
    uint32_t priority; /* the smaller, the nearer to the root */
} hvol_ord;

/* < 0, 0, > 0 as `a` comes before, is, comes after `b`. */
typedef int (*hvol_ord_compare)(const hvol_ord *a, const hvol_ord *b);

/* An empty set is zero but for `compare`. The set owns nothing. */
typedef struct hvol_ordset {
    hvol_ord *root;
    hvol_ord_compare compare;
    uint32_t seed; /* of the priorities */
} hvol_ordset;

static inline uint64_t hvol_ordset_count(const hvol_ordset *set)
{
    return set->root == NULL ? 0 : set->root->count;
}

/* `item` must be in no set and equal to no item of this one. */
void hvol_ordset_insert(hvol_ordset *set, hvol_ord *item);

/* `item` must be in the set. */
void hvol_ordset_remove(hvol_ordset *set, hvol_ord *item);

/* The item equal to `key`, or NULL. */
hvol_ord *hvol_ordset_find(const hvol_ordset *set, const hvol_ord *key);

/* The n-th item from the front, or NULL past the end. */
hvol_ord *hvol_ordset_at(const hvol_ordset *set, uint64_t n);

#endif
