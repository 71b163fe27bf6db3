/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy.h - copies of objects with all that is in them, within a container or into another.
 * What has several links below the start has as many in the copy.
 */
#ifndef HVOL_COPY_H
#define HVOL_COPY_H

#include "tree.h"

typedef struct hvol_copy_rules {
    bool shallow;       /* of groups below the start only themselves, empty */
    bool expand_soft;   /* soft links that lead somewhere become copies of what is there */
    bool without_attrs; /* no attributes */
    /* Where an external link leads, to be copied; HRY_ERR_NOTFOUND: keep the link. NULL:
     * keep all. The object must stay until the copy ends. */
    hry_status (*external)(void *ctx, hvol_tree *tree, hvol_link *link,
                           hvol_tree **out_tree, hvol_node **out, hry_error *err);
    /* A committed type of the destination to be used instead of a copy, or NULL. NULL:
     * always copy. */
    hvol_node *(*merge)(void *ctx, hvol_tree *to, const hvol_node *type);
    /* Do values of this type name objects? In another container they would name others,
     * and are left unwritten. */
    bool (*names_objects)(void *ctx, hvol_blob *type);
    void *ctx;
} hvol_copy_rules;

/* A copy of `node` in the tree `to`, without a link and open once for the caller. On
 * failure nothing of it stays. */
hry_status hvol_copy(hvol_tree *from, hvol_node *node, hvol_tree *to,
                     const hvol_copy_rules *rules, hvol_node **out, hry_error *err);

#endif
