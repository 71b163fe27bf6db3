/* SPDX-License-Identifier: Apache-2.0 */
/* node.c - objects: their table, their counts, their end. */
#define _XOPEN_SOURCE 700
#include "fail.h"
#include "foreign.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Where `id` is, or would be put. */
static uint64_t slot_of(const hvol_tree *tree, uint64_t id)
{
    const uint64_t mask = tree->slot_count - 1;
    uint64_t i = id * 0x9E3779B97F4A7C15u >> 16 & mask;
    while (tree->slots[i] != NULL && tree->slots[i]->id != id)
        i = (i + 1) & mask;
    return i;
}

static hry_status grow(hvol_tree *tree, hry_error *err)
{
    hvol_node **old = tree->slots;
    const uint64_t old_count = tree->slot_count;
    const uint64_t count = old_count == 0 ? 64 : old_count * 2;
    hvol_node **slots = calloc(count, sizeof(hvol_node *));
    if (slots == NULL)
        return HRY_NO_MEMORY(err, count * sizeof(hvol_node *));
    tree->slots = slots;
    tree->slot_count = count;
    for (uint64_t i = 0; i < old_count; i++)
        if (old[i] != NULL)
            slots[slot_of(tree, old[i]->id)] = old[i];
    free(old);
    return HRY_OK;
}

hry_status hvol_node_restore(hvol_tree *tree, hvol_kind kind, uint64_t id, hvol_node **out,
                             hry_error *err)
{
    if (tree->node_count >= tree->slot_count / 4 * 3)
        HRY_TRY(grow(tree, err));
    hvol_node *node = calloc(1, sizeof *node);
    if (node == NULL)
        return HRY_NO_MEMORY(err, sizeof *node);
    node->id = id;
    node->kind = kind;
    hvol_names_init(&node->attrs);
    if (kind == HVOL_GROUP)
        hvol_names_init(&node->u.links);
    if (kind == HVOL_DATASET)
        node->u.dataset.storage = (hvol_storage){.entry = UINT64_MAX};
    tree->slots[slot_of(tree, id)] = node;
    tree->node_count++;
    if (id >= tree->next_id)
        tree->next_id = id + 1;
    *out = node;
    return HRY_OK;
}

hry_status hvol_node_new(hvol_tree *tree, hvol_kind kind, hvol_node **out, hry_error *err)
{
    HRY_TRY(hvol_node_restore(tree, kind, tree->next_id, out, err));
    (*out)->opens = 1;
    tree->dirty = true;
    return HRY_OK;
}

hvol_node *hvol_node_by_id(const hvol_tree *tree, uint64_t id)
{
    return tree->slot_count == 0 ? NULL : tree->slots[slot_of(tree, id)];
}

/* Take a node out of the table, moving up what its place kept away from home. */
static void remove_slot(hvol_tree *tree, const hvol_node *node)
{
    const uint64_t mask = tree->slot_count - 1;
    uint64_t hole = slot_of(tree, node->id);
    tree->slots[hole] = NULL;
    tree->node_count--;
    for (uint64_t i = (hole + 1) & mask; tree->slots[i] != NULL; i = (i + 1) & mask) {
        hvol_node *moved = tree->slots[i];
        tree->slots[i] = NULL;
        tree->slots[slot_of(tree, moved->id)] = moved;
    }
}

void hvol_node_retain(hvol_node *node)
{
    node->opens++;
}

static void free_node(hvol_tree *tree, hvol_node *node)
{
    hvol_named *item;
    remove_slot(tree, node);
    while ((item = hvol_names_at(&node->attrs, false, false, 0)) != NULL)
        hvol_attr_remove(tree, (hvol_attr *)item);
    if (node->kind == HVOL_GROUP)
        while ((item = hvol_names_at(&node->u.links, false, false, 0)) != NULL)
            hvol_link_remove(tree, (hvol_link *)item);
    if (node->kind == HVOL_DATASET) {
        free(node->u.dataset.storage.bytes);
        hvol_chunks_free(node->u.dataset.chunks);
        hvol_heap_free(node->u.dataset.heap);
        hvol_view_free(node->u.dataset.view);
        hvol_node_unlink(tree, node->u.dataset.named_type);
    }
    free(node->comment);
    free(node);
}

/*
 * Dropping a group drops what only it links to, and so on down: a node that dies while
 * another is being freed waits in tree->dying, so that depth costs no stack.
 */
static void drop_if_unused(hvol_tree *tree, hvol_node *node)
{
    if (node->opens != 0 || node->links != 0)
        return;
    node->next_dying = tree->dying;
    tree->dying = node;
    tree->dirty = true;
    if (tree->dropping)
        return;
    tree->dropping = true;
    while ((node = tree->dying) != NULL) {
        tree->dying = node->next_dying;
        free_node(tree, node);
    }
    tree->dropping = false;
}

void hvol_node_release(hvol_tree *tree, hvol_node *node)
{
    node->opens--;
    drop_if_unused(tree, node);
}

void hvol_node_unlink(hvol_tree *tree, hvol_node *node)
{
    if (node == NULL)
        return;
    node->links--;
    tree->dirty = true;
    drop_if_unused(tree, node);
}

void hvol_node_touch(hvol_tree *tree, hvol_node *node)
{
    tree->dirty = true;
    if (!node->track_times)
        return;
    const int64_t now = (int64_t)time(NULL);
    node->times[1] = now;
    node->times[2] = now;
    if (node->times[3] == 0) {
        node->times[0] = now;
        node->times[3] = now;
    }
}

size_t hvol_node_path(const hvol_tree *tree, const hvol_node *node, char *buffer,
                      size_t size)
{
    size_t length = 0;
    uint64_t steps = 0;
    if (node == tree->root) {
        if (size > 1)
            memcpy(buffer, "/", 2);
        else if (size == 1)
            buffer[0] = '\0';
        return 1;
    }
    for (const hvol_node *n = node; n != tree->root; n = n->home->group) {
        if (n->home == NULL || steps++ > tree->node_count)
            return 0;
        length += n->home->named.name_length + 1;
    }
    size_t end = length;
    for (const hvol_node *n = node; n != tree->root; n = n->home->group) {
        const hvol_named *name = &n->home->named;
        end -= name->name_length + 1;
        for (size_t i = 0; i <= name->name_length && end + i + 1 < size; i++)
            buffer[end + i] = i == 0 ? '/' : name->name[i - 1];
    }
    if (size > 0)
        buffer[length < size ? length : size - 1] = '\0';
    return length;
}
