/* SPDX-License-Identifier: Apache-2.0 */
/* attr.c - attributes of objects. */
#include "fail.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

hvol_attr *hvol_attr_find(const hvol_node *node, const char *name)
{
    return (hvol_attr *)hvol_names_find(&node->attrs, name, strlen(name));
}

hry_status hvol_attr_new(hvol_tree *tree, hvol_node *node, const char *name, uint8_t cset,
                         hvol_attr **out, hry_error *err)
{
    if (hvol_attr_find(node, name) != NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "attribute already exists: '%s'", name);
    hvol_attr *attr = calloc(1, sizeof *attr);
    if (attr == NULL)
        return HRY_NO_MEMORY(err, sizeof *attr);
    const hry_status status = hvol_named_set(&attr->named, name, strlen(name), err);
    if (status != HRY_OK) {
        free(attr);
        return status;
    }
    attr->named.cset = cset;
    attr->owner = node;
    attr->opens = 1;
    hvol_names_insert(&node->attrs, &attr->named);
    tree->dirty = true;
    *out = attr;
    return HRY_OK;
}

static void free_attr(hvol_tree *tree, hvol_attr *attr)
{
    hvol_node_unlink(tree, attr->named_type);
    free(attr->named.name);
    free(attr->data);
    hvol_heap_free(attr->heap);
    free(attr);
}

void hvol_attr_remove(hvol_tree *tree, hvol_attr *attr)
{
    hvol_names_remove(&attr->owner->attrs, &attr->named);
    attr->owner = NULL;
    tree->dirty = true;
    if (attr->opens == 0)
        free_attr(tree, attr);
}

void hvol_attr_release(hvol_tree *tree, hvol_attr *attr)
{
    attr->opens--;
    if (attr->opens == 0 && attr->owner == NULL)
        free_attr(tree, attr);
}

hry_status hvol_attr_rename(hvol_tree *tree, hvol_attr *attr, const char *name,
                            hry_error *err)
{
    hvol_node *owner = attr->owner;
    if (strcmp(attr->named.name, name) == 0)
        return HRY_OK;
    if (hvol_attr_find(owner, name) != NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "attribute already exists: '%s'", name);
    hvol_names_remove(&owner->attrs, &attr->named);
    const hry_status status = hvol_named_set(&attr->named, name, strlen(name), err);
    hvol_names_restore(&owner->attrs, &attr->named);
    tree->dirty = true;
    return status;
}
