/* SPDX-License-Identifier: Apache-2.0 */
/* link.c - the edges of the tree. */
#include "fail.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

hvol_link *hvol_link_find(const hvol_node *group, const char *name, size_t length)
{
    return (hvol_link *)hvol_names_find(&group->u.links, name, length);
}

static void free_link(hvol_link *link)
{
    free(link->named.name);
    free(link->value);
    free(link);
}

static hry_status fill_link(hvol_link *link, const char *name, size_t length,
                            const void *value, size_t value_size, hry_error *err)
{
    HRY_TRY(hvol_named_set(&link->named, name, length, err));
    if (value_size == 0)
        return HRY_OK;
    if ((link->value = malloc(value_size)) == NULL)
        return HRY_NO_MEMORY(err, value_size);
    memcpy(link->value, value, value_size);
    link->value_size = value_size;
    return HRY_OK;
}

hry_status hvol_link_add(hvol_tree *tree, hvol_node *group, const char *name, size_t length,
                         uint8_t cset, uint8_t kind, hvol_node *target, const void *value,
                         size_t value_size, hvol_link **out, hry_error *err)
{
    if (hvol_link_find(group, name, length) != NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "name already exists: '%.*s'", (int)length, name);
    hvol_link *link = calloc(1, sizeof *link);
    if (link == NULL)
        return HRY_NO_MEMORY(err, sizeof *link);
    const hry_status status = fill_link(link, name, length, value, value_size, err);
    if (status != HRY_OK) {
        free_link(link);
        return status;
    }
    link->group = group;
    link->kind = kind;
    link->named.cset = cset;
    if (kind == HVOL_LINK_HARD) {
        link->target = target;
        target->links++;
        if (target->home == NULL)
            target->home = link;
    }
    hvol_names_insert(&group->u.links, &link->named);
    tree->dirty = true;
    if (out != NULL)
        *out = link;
    return HRY_OK;
}

void hvol_link_remove(hvol_tree *tree, hvol_link *link)
{
    hvol_names_remove(&link->group->u.links, &link->named);
    tree->dirty = true;
    hvol_node *target = link->target;
    if (target != NULL && target->home == link)
        target->home = NULL;
    free_link(link);
    hvol_node_unlink(tree, target);
}
