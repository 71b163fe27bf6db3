/* SPDX-License-Identifier: Apache-2.0 */
/* visit.c - see visit.h. A stack of its own: depth costs memory, not the C stack. */
#include "visit.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

/* A group being visited. */
typedef struct level {
    hvol_node *group; /* retained */
    uint64_t next;    /* position of the next link */
    size_t path;      /* length of the path to the group */
} level;

typedef struct visit {
    hvol_tree *tree;
    const hvol_visit_order *order;
    void *ctx;
    level *levels; /* owned */
    size_t depth, level_capacity;
    char *path; /* owned */
    size_t path_capacity;
    uint64_t *seen; /* ids met, open addressing; owned */
    size_t seen_count, seen_capacity;
} visit;

static size_t seen_slot(const visit *v, uint64_t id)
{
    size_t i = (size_t)(id * 0x9E3779B97F4A7C15u >> 20) & (v->seen_capacity - 1);
    while (v->seen[i] != 0 && v->seen[i] != id)
        i = (i + 1) & (v->seen_capacity - 1);
    return i;
}

static hry_status grow_seen(visit *v, hry_error *err)
{
    uint64_t *old = v->seen;
    const size_t count = v->seen_capacity, capacity = count == 0 ? 64 : count * 2;
    uint64_t *seen = calloc(capacity, sizeof *seen);
    if (seen == NULL)
        return HRY_NO_MEMORY(err, capacity * sizeof *seen);
    v->seen = seen;
    v->seen_capacity = capacity;
    for (size_t i = 0; i < count; i++)
        if (old[i] != 0)
            v->seen[seen_slot(v, old[i])] = old[i];
    free(old);
    return HRY_OK;
}

/* Remember an object; *fresh tells whether it is new. */
static hry_status meet(visit *v, const hvol_node *node, bool *fresh, hry_error *err)
{
    if (v->seen_count >= v->seen_capacity / 2)
        HRY_TRY(grow_seen(v, err));
    const size_t slot = seen_slot(v, node->id);
    *fresh = v->seen[slot] == 0;
    v->seen[slot] = node->id;
    v->seen_count += *fresh;
    return HRY_OK;
}

static hry_status push(visit *v, hvol_node *group, size_t path, hry_error *err)
{
    if (v->depth == v->level_capacity) {
        const size_t capacity = v->level_capacity == 0 ? 16 : v->level_capacity * 2;
        level *levels = realloc(v->levels, capacity * sizeof *levels);
        if (levels == NULL)
            return HRY_NO_MEMORY(err, capacity * sizeof *levels);
        v->levels = levels;
        v->level_capacity = capacity;
    }
    hvol_node_retain(group);
    v->levels[v->depth++] = (level){.group = group, .path = path};
    return HRY_OK;
}

/* The path of a link of the current group; its length through *length. */
static hry_status set_path(visit *v, const hvol_named *name, size_t *length, hry_error *err)
{
    const size_t base = v->levels[v->depth - 1].path, slash = base > 0;
    *length = base + slash + name->name_length;
    if (*length + 1 > v->path_capacity) {
        const size_t capacity = (*length + 1) * 2;
        char *path = realloc(v->path, capacity);
        if (path == NULL)
            return HRY_NO_MEMORY(err, capacity);
        v->path = path;
        v->path_capacity = capacity;
    }
    if (slash)
        v->path[base] = '/';
    memcpy(v->path + base + slash, name->name, name->name_length + 1);
    return HRY_OK;
}

static hvol_link *next_link(visit *v)
{
    level *top = &v->levels[v->depth - 1];
    const bool by_order = v->order->by_order && v->order->keeps_order(v->ctx, top->group);
    return (hvol_link *)hvol_names_at(&top->group->u.links, by_order, v->order->backwards,
                                      top->next++);
}

/* One link: tell the visitor, and enter the group behind it. */
static hry_status one_link(visit *v, hvol_link *link, hvol_visitor visitor, int *result,
                           hry_error *err)
{
    size_t length;
    bool fresh = false;
    hvol_node *target = link->target;
    HRY_TRY(set_path(v, &link->named, &length, err));
    if (target != NULL) {
        HRY_TRY(meet(v, target, &fresh, err));
        hvol_node_retain(target); /* the visitor may remove the link */
    }
    *result = visitor(v->ctx, v->path, link, fresh);
    hry_status status = HRY_OK;
    if (*result == 0 && fresh && target->kind == HVOL_GROUP)
        status = push(v, target, length, err);
    if (target != NULL)
        hvol_node_release(v->tree, target);
    return status;
}

hry_status hvol_visit(hvol_tree *tree, hvol_node *start, const hvol_visit_order *order,
                      hvol_visitor visitor, void *ctx, int *result, hry_error *err)
{
    visit v = {.tree = tree, .order = order, .ctx = ctx};
    bool fresh;
    *result = 0;
    hry_status status = meet(&v, start, &fresh, err);
    if (status == HRY_OK && start->kind == HVOL_GROUP)
        status = push(&v, start, 0, err);
    while (status == HRY_OK && v.depth > 0 && *result == 0) {
        hvol_link *link = next_link(&v);
        if (link != NULL)
            status = one_link(&v, link, visitor, result, err);
        else
            hvol_node_release(tree, v.levels[--v.depth].group);
    }
    while (v.depth > 0)
        hvol_node_release(tree, v.levels[--v.depth].group);
    free(v.levels);
    free(v.path);
    free(v.seen);
    return status;
}
