/* SPDX-License-Identifier: Apache-2.0 */
/* ordset.c - the treap. Iterative: its depth is random, but never trusted to the stack. */
#include "ordset.h"

static uint64_t count_of(const hvol_ord *n)
{
    return n == NULL ? 0 : n->count;
}

/* xorshift32: priorities need to look random, not to be secret. */
static uint32_t next_priority(hvol_ordset *set)
{
    uint32_t x = set->seed != 0 ? set->seed : 0x9E3779B9u;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    set->seed = x;
    return x;
}

/* How many items of `tree` come before `key`. */
static uint64_t rank_of(const hvol_ordset *set, const hvol_ord *tree, const hvol_ord *key)
{
    uint64_t before = 0;
    while (tree != NULL) {
        if (set->compare(tree, key) < 0) {
            before += 1 + count_of(tree->left);
            tree = tree->right;
        } else {
            tree = tree->left;
        }
    }
    return before;
}

/* Split `tree` into what comes before `key` and what comes after. */
static void split(const hvol_ordset *set, hvol_ord *tree, const hvol_ord *key,
                  hvol_ord **before, hvol_ord **after)
{
    uint64_t smaller = rank_of(set, tree, key); /* of the subtree still to be split */
    while (tree != NULL) {
        hvol_ord *n = tree;
        if (set->compare(n, key) < 0) {
            n->count = smaller;
            smaller -= 1 + count_of(n->left);
            *before = n;
            before = &n->right;
            tree = n->right;
        } else {
            n->count -= smaller;
            *after = n;
            after = &n->left;
            tree = n->left;
        }
    }
    *before = NULL;
    *after = NULL;
}

void hvol_ordset_insert(hvol_ordset *set, hvol_ord *item)
{
    hvol_ord **at = &set->root;
    item->priority = next_priority(set);
    while (*at != NULL && (*at)->priority <= item->priority) {
        (*at)->count++;
        at = set->compare(item, *at) < 0 ? &(*at)->left : &(*at)->right;
    }
    split(set, *at, item, &item->left, &item->right);
    item->count = 1 + count_of(item->left) + count_of(item->right);
    *at = item;
}

/* Everything in `left` comes before everything in `right`. */
static hvol_ord *merge(hvol_ord *left, hvol_ord *right)
{
    hvol_ord *root = NULL, **at = &root;
    while (left != NULL && right != NULL) {
        if (left->priority <= right->priority) {
            left->count += right->count;
            *at = left;
            at = &left->right;
            left = left->right;
        } else {
            right->count += left->count;
            *at = right;
            at = &right->left;
            right = right->left;
        }
    }
    *at = left != NULL ? left : right;
    return root;
}

void hvol_ordset_remove(hvol_ordset *set, hvol_ord *item)
{
    hvol_ord **at = &set->root;
    while (*at != item) {
        (*at)->count--;
        at = set->compare(item, *at) < 0 ? &(*at)->left : &(*at)->right;
    }
    *at = merge(item->left, item->right);
    *item = (hvol_ord){0};
}

hvol_ord *hvol_ordset_find(const hvol_ordset *set, const hvol_ord *key)
{
    hvol_ord *n = set->root;
    while (n != NULL) {
        const int order = set->compare(key, n);
        if (order == 0)
            return n;
        n = order < 0 ? n->left : n->right;
    }
    return NULL;
}

hvol_ord *hvol_ordset_at(const hvol_ordset *set, uint64_t n)
{
    hvol_ord *at = set->root;
    while (at != NULL) {
        const uint64_t before = count_of(at->left);
        if (n == before)
            return at;
        if (n < before) {
            at = at->left;
        } else {
            n -= before + 1;
            at = at->right;
        }
    }
    return NULL;
}
