/* SPDX-License-Identifier: Apache-2.0 */
/* visit.h - every link below a group, each group entered once. */
#ifndef HVOL_VISIT_H
#define HVOL_VISIT_H

#include "tree.h"

/*
 * Called for each link: `path` from the start, without a leading slash; `fresh` says that
 * the object behind a hard link is met for the first time. Non-zero ends the visit.
 */
typedef int (*hvol_visitor)(void *ctx, const char *path, hvol_link *link, bool fresh);

typedef struct hvol_visit_order {
    bool by_order; /* creation order, where a group keeps it */
    bool backwards;
    bool (*keeps_order)(void *ctx, const hvol_node *group);
} hvol_visit_order;

/*
 * Depth first. The visitor may change the tree: positions are looked up anew at each
 * step. *result is what the visitor returned last. HRY_ERR_NOMEM.
 */
hry_status hvol_visit(hvol_tree *tree, hvol_node *start, const hvol_visit_order *order,
                      hvol_visitor visitor, void *ctx, int *result, hry_error *err);

#endif
