/* SPDX-License-Identifier: Apache-2.0 */
/* sort.h - entries of sparse tensors in order, by their indices. Private to core/src. */
#ifndef HRY_SORT_H
#define HRY_SORT_H

#include "hry/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Indices of `count` entries, `rank` numbers each, compared in the order of `modes`. */
typedef struct hry_entry_list {
    const uint64_t *index;
    uint64_t count;
    uint32_t rank;
    const uint32_t *modes; /* NULL: 0, 1, 2, ... */
} hry_entry_list;

/* Negative, 0, positive: entry `a` before, at, behind entry `b`. */
int hry_entry_compare(const hry_entry_list *list, uint64_t a, uint64_t b);

/*
 * Numbers of the entries in ascending order, from malloc and the caller's to free; equal
 * ones stay in their order. Linear when they are in order already.
 */
hry_status hry_entry_sort(const hry_entry_list *list, uint64_t **order, hry_error *err);

#endif
