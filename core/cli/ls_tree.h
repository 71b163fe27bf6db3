/* SPDX-License-Identifier: Apache-2.0 */
/* ls_tree.h - a listing as rows of a table, a level or all levels below each other. */
#ifndef LS_TREE_H
#define LS_TREE_H

#include "listing.h"
#include "table.h"

struct tree {
    const struct input *input;
    const struct listing *listing;
    struct table *table;
    bool details, is_recursive, has_lines; /* has_lines: drawn, else blanks */
};

/* Rows for the leaves from `i` to `end`, whose paths are equal up to `from`. */
void ls_tree(const struct tree *t, uint64_t i, uint64_t end, size_t from);

#endif
