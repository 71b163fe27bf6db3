/* SPDX-License-Identifier: Apache-2.0 */
/* copy.c - see copy.h. Groups wait in a list until their links are copied, so that depth
 * costs no stack. */
#include "copy.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

/* An object met, and its copy. */
typedef struct pair {
    hvol_tree *tree; /* of `from` */
    hvol_node *from;
    hvol_node *to; /* retained */
    bool fill;     /* a group whose links are copied */
} pair;

typedef struct copying {
    hvol_tree *to;
    const hvol_copy_rules *rules;
    pair *pairs; /* owned */
    size_t count, capacity, next;
    size_t *slots; /* open addressing by `from`: index into pairs + 1; owned */
    size_t slot_count;
} copying;

static size_t slot_of(const copying *c, const hvol_node *node)
{
    size_t i = (size_t)((uintptr_t)node * 0x9E3779B97F4A7C15u >> 20) & (c->slot_count - 1);
    while (c->slots[i] != 0 && c->pairs[c->slots[i] - 1].from != node)
        i = (i + 1) & (c->slot_count - 1);
    return i;
}

static hry_status grow(copying *c, hry_error *err)
{
    const size_t capacity = c->capacity == 0 ? 32 : c->capacity * 2;
    pair *pairs = realloc(c->pairs, capacity * sizeof *pairs);
    if (pairs == NULL)
        return HRY_NO_MEMORY(err, capacity * sizeof *pairs);
    c->pairs = pairs;
    size_t *slots = calloc(capacity * 2, sizeof *slots);
    if (slots == NULL)
        return HRY_NO_MEMORY(err, capacity * 2 * sizeof *slots);
    free(c->slots);
    c->slots = slots;
    c->slot_count = capacity * 2;
    c->capacity = capacity;
    for (size_t i = 0; i < c->count; i++)
        c->slots[slot_of(c, c->pairs[i].from)] = i + 1;
    return HRY_OK;
}

static hry_status same_blob(copying *c, const hvol_blob *from, hvol_blob **to,
                            hry_error *err)
{
    *to = NULL;
    return from == NULL ? HRY_OK
                        : hvol_blobs_intern(&c->to->blobs, from->data, from->size, to, err);
}

static hry_status copy_node(copying *c, hvol_tree *tree, hvol_node *from, bool fill,
                            hvol_node **out, hry_error *err);

/* The committed type that a copy uses: the same one within a container. */
static hry_status same_type(copying *c, hvol_tree *tree, hvol_node *from, hvol_node **to,
                            hry_error *err)
{
    *to = from;
    if (from == NULL)
        return HRY_OK;
    if (tree != c->to)
        HRY_TRY(copy_node(c, tree, from, false, to, err));
    (*to)->links++;
    return HRY_OK;
}

/* ---- bytes ---- */

static hry_status copy_heap(const copying *c, const hvol_tree *tree, hvol_heap *from,
                            hvol_store *store, hvol_heap **out, hry_error *err)
{
    enum { STEP = 1 << 20 };
    uint64_t offset;
    HRY_TRY(hvol_heap_new(from->type_tag, from->unit, out, err));
    (void)c;
    uint8_t *buffer = malloc(STEP);
    hry_status status = buffer == NULL ? HRY_NO_MEMORY(err, STEP) : HRY_OK;
    for (uint64_t at = from->unit; at < from->size && status == HRY_OK;) {
        const uint64_t left = from->size - at;
        const size_t n = left < STEP ? (size_t)left : STEP;
        status = hvol_heap_get(from, tree->store, at / from->unit, buffer, n, err);
        if (status == HRY_OK)
            status = hvol_heap_put(*out, store, buffer, n, &offset, err);
        at += n;
    }
    (*out)->lasting = from->lasting;
    free(buffer);
    return status;
}

static hry_status copy_contiguous(copying *c, hvol_tree *tree, hvol_node *from,
                                  hvol_node *to, hry_error *err)
{
    enum { STEP = 4 << 20 };
    uint64_t size;
    HRY_TRY(hvol_data_size(&from->u.dataset, &size, err));
    HRY_TRY(hvol_data_allocate(c->to, to, HVOL_ALL, err));
    uint8_t *buffer = malloc(size < STEP ? (size_t)size + 1 : STEP);
    hry_status status = buffer == NULL ? HRY_NO_MEMORY(err, STEP) : HRY_OK;
    for (uint64_t at = 0; at < size && status == HRY_OK;) {
        const size_t n = size - at < STEP ? (size_t)(size - at) : STEP;
        status = hvol_data_read(tree, from, at, buffer, n, err);
        if (status == HRY_OK)
            status = hvol_data_write(c->to, to, at, buffer, n, err);
        at += n;
    }
    free(buffer);
    return status;
}

/* Chunks go over as they are stored, filtered or not. */
static hry_status copy_chunks(copying *c, hvol_tree *tree, hvol_dataset *from,
                              hvol_node *to, hry_error *err)
{
    HRY_TRY(hvol_chunks_flush(tree, from, false, err));
    HRY_TRY(hvol_data_allocate(c->to, to, HVOL_SOME, err));
    for (uint64_t i = 0; i < from->chunks->capacity; i++) {
        const hvol_chunk *chunk = &from->chunks->slots[i];
        void *bytes;
        if (chunk->offset == 0)
            continue;
        HRY_TRY(hvol_chunk_load(tree, chunk, &bytes, err));
        const hry_status status = hvol_chunk_store(c->to, &to->u.dataset, chunk->key, bytes,
                                                   chunk->size, chunk->mask, err);
        free(bytes);
        if (status != HRY_OK)
            return status;
    }
    return HRY_OK;
}

static hry_status copy_data(copying *c, hvol_tree *tree, hvol_node *from, hvol_node *to,
                            hry_error *err)
{
    const hvol_copy_rules *r = c->rules;
    hvol_dataset *ds = &from->u.dataset;
    HRY_TRY(hvol_data_resolve(tree, from, err));
    if (ds->storage.place == HVOL_UNWRITTEN)
        return HRY_OK;
    if (tree != c->to && ds->type != NULL && r->names_objects(r->ctx, ds->type))
        return HRY_OK;
    if (ds->chunks != NULL)
        return copy_chunks(c, tree, ds, to, err);
    return copy_contiguous(c, tree, from, to, err);
}

/* ---- objects ---- */

static hry_status copy_dataset(copying *c, hvol_tree *tree, hvol_node *from, hvol_node *to,
                               hry_error *err)
{
    hvol_dataset *a = &from->u.dataset, *b = &to->u.dataset;
    b->space = a->space;
    b->element = a->element;
    b->fill_never = a->fill_never;
    HRY_TRY(same_blob(c, a->type, &b->type, err));
    HRY_TRY(same_blob(c, a->fill, &b->fill, err));
    HRY_TRY(same_type(c, tree, a->named_type, &b->named_type, err));
    if (a->chunks != NULL) {
        HRY_TRY(hvol_chunks_new(b, a->chunks->dims, &b->chunks, err));
        b->chunks->filtered = a->chunks->filtered;
    }
    if (a->heap != NULL)
        HRY_TRY(copy_heap(c, tree, a->heap, c->to->store, &b->heap, err));
    return copy_data(c, tree, from, to, err);
}

static hry_status copy_attr_data(copying *c, hvol_tree *tree, hvol_attr *from,
                                 hvol_attr *to, hry_error *err)
{
    const hvol_copy_rules *r = c->rules;
    if (from->data == NULL || (tree != c->to && r->names_objects(r->ctx, from->type)))
        return HRY_OK;
    if ((to->data = malloc(from->size + 1)) == NULL)
        return HRY_NO_MEMORY(err, from->size);
    memcpy(to->data, from->data, from->size);
    to->size = from->size;
    return from->heap == NULL ? HRY_OK
                              : copy_heap(c, tree, from->heap, NULL, &to->heap, err);
}

static hry_status copy_attr(copying *c, hvol_tree *tree, hvol_attr *from, hvol_node *owner,
                            hry_error *err)
{
    hvol_attr *to;
    HRY_TRY(hvol_attr_new(c->to, owner, from->named.name, from->named.cset, &to, err));
    to->opens = 0;
    to->named.order = from->named.order;
    to->space = from->space;
    HRY_TRY(same_blob(c, from->type, &to->type, err));
    HRY_TRY(same_blob(c, from->plist, &to->plist, err));
    HRY_TRY(same_type(c, tree, from->named_type, &to->named_type, err));
    return copy_attr_data(c, tree, from, to, err);
}

static hry_status copy_attrs(copying *c, hvol_tree *tree, hvol_node *from, hvol_node *to,
                             hry_error *err)
{
    const uint64_t count = hvol_names_count(&from->attrs);
    for (uint64_t i = 0; i < count; i++)
        HRY_TRY(copy_attr(c, tree, (hvol_attr *)hvol_names_at(&from->attrs, true, false, i),
                          to, err));
    to->attrs.next_order = from->attrs.next_order;
    return HRY_OK;
}

static hry_status fill_node(copying *c, hvol_tree *tree, hvol_node *from, hvol_node *to,
                            hry_error *err)
{
    to->track_times = from->track_times;
    HRY_TRY(same_blob(c, from->plist, &to->plist, err));
    if (from->comment != NULL && (to->comment = strdup(from->comment)) == NULL)
        return HRY_NO_MEMORY(err, strlen(from->comment));
    hvol_node_touch(c->to, to);
    if (from->kind == HVOL_DATASET)
        HRY_TRY(copy_dataset(c, tree, from, to, err));
    if (from->kind == HVOL_TYPE)
        HRY_TRY(same_blob(c, from->u.type, &to->u.type, err));
    return c->rules->without_attrs ? HRY_OK : copy_attrs(c, tree, from, to, err);
}

/* The copy of an object, made if there is none; *out is borrowed. */
static hry_status copy_node(copying *c, hvol_tree *tree, hvol_node *from, bool fill,
                            hvol_node **out, hry_error *err)
{
    if (c->count == c->capacity)
        HRY_TRY(grow(c, err));
    const size_t slot = slot_of(c, from);
    if (c->slots[slot] != 0) {
        *out = c->pairs[c->slots[slot] - 1].to;
        return HRY_OK;
    }
    hvol_node *merged = NULL;
    if (from->kind == HVOL_TYPE && c->rules->merge != NULL)
        merged = c->rules->merge(c->rules->ctx, c->to, from);
    if (merged != NULL)
        hvol_node_retain(merged);
    else
        HRY_TRY(hvol_node_new(c->to, from->kind, &merged, err));
    c->pairs[c->count++] = (pair){.tree = tree, .from = from, .to = merged, .fill = fill};
    c->slots[slot] = c->count;
    *out = merged;
    const bool made = merged->links == 0 && hvol_names_count(&merged->attrs) == 0;
    return made ? fill_node(c, tree, from, merged, err) : HRY_OK;
}

/* ---- links ---- */

/* What a link leads to, if that is to be copied: *node is NULL where the link itself is. */
static hry_status target_of(copying *c, hvol_tree *tree, hvol_link *link, hvol_tree **in,
                            hvol_node **node, hry_error *err)
{
    unsigned left = 16;
    hvol_found found;
    *in = tree;
    *node = link->target;
    if (link->kind == HVOL_LINK_SOFT && c->rules->expand_soft &&
        hvol_walk(tree, link->group, link->value, 0, &left, &found, NULL) == HRY_OK) {
        *node = found.node;
        hvol_found_clear(&found);
    }
    if (link->kind != HVOL_LINK_EXTERNAL || c->rules->external == NULL)
        return HRY_OK;
    const hry_status status = c->rules->external(c->rules->ctx, tree, link, in, node, err);
    return status == HRY_ERR_NOTFOUND ? HRY_OK : status;
}

static hry_status copy_link(copying *c, const pair *group, hvol_link *link, hry_error *err)
{
    hvol_tree *in;
    hvol_node *node, *copy = NULL;
    hvol_link *added;
    const hvol_named *name = &link->named;
    HRY_TRY(target_of(c, group->tree, link, &in, &node, err));
    hvol_node *const to = group->to; /* pairs may move below */
    if (node != NULL)
        HRY_TRY(copy_node(c, in, node, !c->rules->shallow, &copy, err));
    const uint8_t kind = node != NULL ? HVOL_LINK_HARD : link->kind;
    HRY_TRY(hvol_link_add(c->to, to, name->name, name->name_length, name->cset, kind, copy,
                          node != NULL ? NULL : link->value,
                          node != NULL ? 0 : link->value_size, &added, err));
    added->named.order = name->order;
    return HRY_OK;
}

static hry_status copy_links(copying *c, size_t i, hry_error *err)
{
    hvol_node *from = c->pairs[i].from;
    const uint64_t count = hvol_names_count(&from->u.links);
    for (uint64_t k = 0; k < count; k++) {
        const pair group = c->pairs[i];
        hvol_link *link = (hvol_link *)hvol_names_at(&from->u.links, true, false, k);
        HRY_TRY(copy_link(c, &group, link, err));
    }
    c->pairs[i].to->u.links.next_order = from->u.links.next_order;
    return HRY_OK;
}

hry_status hvol_copy(hvol_tree *from, hvol_node *node, hvol_tree *to,
                     const hvol_copy_rules *rules, hvol_node **out, hry_error *err)
{
    copying c = {.to = to, .rules = rules};
    hry_status status = copy_node(&c, from, node, true, out, err);
    for (; status == HRY_OK && c.next < c.count; c.next++)
        if (c.pairs[c.next].from->kind == HVOL_GROUP && c.pairs[c.next].fill)
            status = copy_links(&c, c.next, err);
    if (status == HRY_OK)
        hvol_node_retain(*out);
    while (c.count > 0) /* what nothing links to goes away here */
        hvol_node_release(to, c.pairs[--c.count].to);
    free(c.pairs);
    free(c.slots);
    return status;
}
