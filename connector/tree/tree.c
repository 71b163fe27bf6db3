/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c - making and ending a tree. */
#include "tree.h"

#include "fail.h"
#include "foreign.h"

#include <stdlib.h>

static hry_status new_tree(hvol_store *store, hvol_tree **out, hry_error *err)
{
    hvol_tree *tree = calloc(1, sizeof *tree);
    if (tree == NULL) {
        hvol_store_free(store);
        return HRY_NO_MEMORY(err, sizeof *tree);
    }
    tree->store = store;
    tree->next_id = 1;
    *out = tree;
    return HRY_OK;
}

hry_status hvol_tree_new(hvol_store *store, hvol_tree **out, hry_error *err)
{
    hvol_tree *tree;
    HRY_TRY(new_tree(store, &tree, err));
    const hry_status status = hvol_node_restore(tree, HVOL_GROUP, 1, &tree->root, err);
    if (status != HRY_OK) {
        hvol_tree_free(tree);
        return status;
    }
    tree->root->links = 1; /* the container's own */
    tree->dirty = true;
    *out = tree;
    return HRY_OK;
}

hry_status hvol_tree_load(hvol_store *store, hvol_tree **out, hry_error *err)
{
    hvol_tree *tree;
    HRY_TRY(new_tree(store, &tree, err));
    const hry_status status = hvol_tree_fill(tree, err);
    if (status != HRY_OK) {
        hvol_tree_free(tree);
        return status;
    }
    tree->dirty = false;
    *out = tree;
    return HRY_OK;
}

static void free_all(hvol_names *set, void (*release)(hvol_named *))
{
    hvol_named *item;
    while ((item = hvol_names_at(set, false, false, 0)) != NULL) {
        hvol_names_remove(set, item);
        release(item);
    }
}

static void free_attr(hvol_named *item)
{
    free(((hvol_attr *)item)->data);
    hvol_heap_free(((hvol_attr *)item)->heap);
    free(item->name);
    free(item);
}

static void free_link(hvol_named *item)
{
    free(((hvol_link *)item)->value);
    free(item->name);
    free(item);
}

/* Counts are not kept: everything goes. */
static void free_node(hvol_node *node)
{
    free_all(&node->attrs, free_attr);
    if (node->kind == HVOL_GROUP)
        free_all(&node->u.links, free_link);
    if (node->kind == HVOL_DATASET) {
        free(node->u.dataset.storage.bytes);
        hvol_chunks_free(node->u.dataset.chunks);
        hvol_heap_free(node->u.dataset.heap);
        hvol_view_free(node->u.dataset.view);
    }
    free(node->comment);
    free(node);
}

void hvol_tree_free(hvol_tree *tree)
{
    if (tree == NULL)
        return;
    for (uint64_t i = 0; i < tree->slot_count; i++)
        if (tree->slots[i] != NULL)
            free_node(tree->slots[i]);
    free(tree->slots);
    free(tree->kept);
    hvol_blobs_free(&tree->blobs);
    hvol_store_free(tree->store);
    free(tree);
}
