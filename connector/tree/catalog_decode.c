/* SPDX-License-Identifier: Apache-2.0 */
/* catalog_decode.c - bytes to the tree: docs/catalog.md, in its order. Every number is
 * proven before it counts, indexes or allocates. */
#include "catalog.h"
#include "cursor.h"

#include "hry/crc32c.h"

#include <stdlib.h>

static hry_status get_blob(const hvol_tree *tree, hry_cursor *c, const char *what,
                           hvol_blob **out, hry_error *err)
{
    const uint32_t number = cur_u32(c);
    HRY_TRY(cur_ok(c, what, err));
    if (number > tree->blobs.count)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, c->pos - 4, "catalog: %s is blob %u of %u",
                           what, number, tree->blobs.count);
    *out = number == 0 ? NULL : tree->blobs.by_index[number - 1];
    return HRY_OK;
}

/* A string of the catalog: borrowed from it, not NUL-terminated. */
static hry_status get_string(hry_cursor *c, const char *what, const char **out,
                             size_t *size, hry_error *err)
{
    const uint32_t n = cur_u32(c);
    *out = (const char *)cur_take(c, n);
    *size = n;
    return cur_ok(c, what, err);
}

static hry_status get_space(hry_cursor *c, hvol_space *space, hry_error *err)
{
    const uint8_t cls = cur_u8(c);
    space->rank = cur_u8(c);
    HRY_TRY(cur_ok(c, "dataspace", err));
    if (cls > HVOL_NULL || space->rank > HVOL_MAX_RANK ||
        (cls == HVOL_SIMPLE) != (space->rank > 0))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, c->pos - 2,
                           "catalog: dataspace of class %u and rank %u", cls, space->rank);
    space->cls = (hvol_space_class)cls;
    for (uint32_t i = 0; i < space->rank; i++)
        space->dims[i] = cur_u64(c);
    for (uint32_t i = 0; i < space->rank; i++)
        space->max[i] = cur_u64(c);
    HRY_TRY(cur_ok(c, "dataspace", err));
    uint64_t count;
    return hvol_space_count(space, &count, err);
}

/* A committed type that something uses; its record may come later. */
static hry_status get_named_type(const hvol_tree *tree, hry_cursor *c, hvol_node **out,
                                 hry_error *err)
{
    const uint64_t id = cur_u64(c);
    HRY_TRY(cur_ok(c, "committed type", err));
    hvol_node *node = id == 0 ? NULL : hvol_node_by_id(tree, id);
    if (id != 0 && (node == NULL || node->kind != HVOL_TYPE))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, c->pos - 8,
                           "catalog: object %llu is no committed type",
                           (unsigned long long)id);
    if (node != NULL)
        node->seen_links++;
    *out = node;
    return HRY_OK;
}

typedef struct named_fields {
    const char *name;
    size_t length;
    uint8_t cset;
    uint64_t order;
} named_fields;

static hry_status get_named(hry_cursor *c, const hvol_names *set, named_fields *f,
                            hry_error *err)
{
    HRY_TRY(get_string(c, "name", &f->name, &f->length, err));
    f->cset = cur_u8(c);
    f->order = cur_u64(c);
    HRY_TRY(cur_ok(c, "name", err));
    if (f->length == 0 || memchr(f->name, '\0', f->length) != NULL)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, c->pos,
                           "catalog: empty name or NUL in it");
    if (hvol_names_find(set, f->name, f->length) != NULL)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, c->pos, "catalog: name '%.*s' twice",
                           (int)f->length, f->name);
    return HRY_OK;
}

static hry_status get_attr_data(hry_cursor *c, hvol_attr *attr, hry_error *err)
{
    if (cur_u8(c) == 0)
        return cur_ok(c, "attribute", err);
    const uint64_t size = cur_u64(c);
    if (!cur_fits(c, size, 1))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, c->pos,
                           "catalog: attribute of %llu bytes, %zu left",
                           (unsigned long long)size, cur_left(c));
    const uint8_t *bytes = cur_take(c, (size_t)size);
    attr->size = (size_t)size;
    attr->data = malloc(attr->size + 1);
    if (attr->data == NULL)
        return HRY_NO_MEMORY(err, attr->size);
    memcpy(attr->data, bytes, attr->size);
    return HRY_OK;
}

static hry_status get_attr_heap(hry_cursor *c, hvol_attr *attr, hry_error *err)
{
    const uint64_t size = cur_u64(c);
    uint64_t offset;
    if (!cur_fits(c, size, 1))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, c->pos,
                           "catalog: heap of %llu bytes, %zu left",
                           (unsigned long long)size, cur_left(c));
    const uint8_t *bytes = cur_take(c, (size_t)size);
    if (size == 0)
        return cur_ok(c, "attribute", err);
    HRY_TRY(hvol_heap_new(HRY_UINT8, 1, &attr->heap, err));
    /* the first byte is the one a heap begins with */
    return hvol_heap_put(attr->heap, NULL, bytes + 1, (size_t)size - 1, &offset, err);
}

static hry_status get_attr(hvol_tree *tree, hry_cursor *c, hvol_node *node, hry_error *err)
{
    named_fields f;
    hvol_attr *attr;
    HRY_TRY(get_named(c, &node->attrs, &f, err));
    char *name = strndup(f.name, f.length);
    if (name == NULL)
        return HRY_NO_MEMORY(err, f.length);
    const hry_status status = hvol_attr_new(tree, node, name, f.cset, &attr, err);
    free(name);
    if (status != HRY_OK)
        return status;
    attr->opens = 0;
    attr->named.order = f.order;
    HRY_TRY(get_blob(tree, c, "attribute type", &attr->type, err));
    if (attr->type == NULL)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, c->pos - 4,
                           "catalog: attribute without type");
    HRY_TRY(get_named_type(tree, c, &attr->named_type, err));
    HRY_TRY(get_space(c, &attr->space, err));
    HRY_TRY(get_blob(tree, c, "attribute properties", &attr->plist, err));
    HRY_TRY(get_attr_data(c, attr, err));
    return get_attr_heap(c, attr, err);
}

static hry_status get_attrs(hvol_tree *tree, hry_cursor *c, hvol_node *node, hry_error *err)
{
    const uint64_t count = cur_u64(c);
    const uint64_t next_order = cur_u64(c);
    HRY_TRY(cur_ok(c, "attributes", err));
    for (uint64_t i = 0; i < count; i++) {
        const hry_status status = get_attr(tree, c, node, err);
        if (status != HRY_OK)
            return status;
    }
    node->attrs.next_order = next_order;
    return HRY_OK;
}

static hry_status get_hard(hvol_tree *tree, hry_cursor *c, hvol_node *group,
                           const named_fields *f, hvol_link **out, hry_error *err)
{
    const bool home = cur_u8(c) != 0;
    const uint64_t id = cur_u64(c);
    HRY_TRY(cur_ok(c, "hard link", err));
    hvol_node *target = hvol_node_by_id(tree, id);
    if (target == NULL)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, c->pos - 8,
                           "catalog: '%.*s' leads to no object", (int)f->length, f->name);
    const uint32_t links = target->links; /* its record says how many */
    HRY_TRY(hvol_link_add(tree, group, f->name, f->length, f->cset, HVOL_LINK_HARD, target,
                          NULL, 0, out, err));
    target->links = links;
    target->seen_links++;
    if (home)
        target->home = *out;
    return HRY_OK;
}

static hry_status get_link(hvol_tree *tree, hry_cursor *c, hvol_node *group, hry_error *err)
{
    named_fields f;
    hvol_link *link;
    const char *value;
    size_t size;
    HRY_TRY(get_named(c, &group->u.links, &f, err));
    if (memchr(f.name, '/', f.length) != NULL)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, c->pos, "catalog: '/' in a link's name");
    const uint8_t kind = cur_u8(c);
    HRY_TRY(cur_ok(c, "link", err));
    if (kind == HVOL_LINK_HARD) {
        HRY_TRY(get_hard(tree, c, group, &f, &link, err));
    } else {
        HRY_TRY(get_string(c, "link value", &value, &size, err));
        if (kind == HVOL_LINK_SOFT &&
            (size < 1 || memchr(value, '\0', size) != value + size - 1))
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, c->pos,
                               "catalog: soft link's value has no end");
        if (kind > HVOL_LINK_SOFT && kind < HVOL_LINK_EXTERNAL)
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, c->pos, "catalog: link of kind %u",
                               kind);
        HRY_TRY(hvol_link_add(tree, group, f.name, f.length, f.cset, kind, NULL, value,
                              size, &link, err));
    }
    link->named.order = f.order;
    return HRY_OK;
}

static hry_status get_group(hvol_tree *tree, hry_cursor *c, hvol_node *node, hry_error *err)
{
    const uint64_t count = cur_u64(c);
    const uint64_t next_order = cur_u64(c);
    HRY_TRY(cur_ok(c, "group", err));
    for (uint64_t i = 0; i < count; i++)
        HRY_TRY(get_link(tree, c, node, err));
    node->u.links.next_order = next_order;
    return HRY_OK;
}

static hry_status get_element(hry_cursor *c, hvol_element *e, hry_error *err)
{
    e->type_tag = cur_u8(c);
    e->size = cur_u64(c);
    e->rank = cur_u8(c);
    HRY_TRY(cur_ok(c, "element", err));
    if (e->rank > HVOL_MAX_RANK || e->size == 0 || e->size > INT64_MAX)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, c->pos,
                           "catalog: element of rank %u, %llu bytes", e->rank,
                           (unsigned long long)e->size);
    for (uint32_t i = 0; i < e->rank; i++)
        e->dims[i] = cur_u64(c);
    return cur_ok(c, "element", err);
}

/* 0: contiguous; 1: chunks; 2: chunks with filters. */
static hry_status get_chunks(hry_cursor *c, hvol_dataset *ds, hry_error *err)
{
    uint64_t dims[HVOL_MAX_RANK];
    const uint8_t kind = cur_u8(c);
    HRY_TRY(cur_ok(c, "chunks", err));
    if (kind > 2 || (kind != 0 && ds->space.rank == 0))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, c->pos - 1, "catalog: storage of kind %u",
                           kind);
    if (kind == 0)
        return HRY_OK;
    for (uint32_t i = 0; i < ds->space.rank; i++)
        dims[i] = cur_u64(c);
    HRY_TRY(cur_ok(c, "chunks", err));
    HRY_TRY(hvol_chunks_new(ds, dims, &ds->chunks, err));
    ds->chunks->filtered = kind == 2;
    return HRY_OK;
}

static hry_status find_heap(const hvol_tree *tree, const char *name, size_t length,
                            hvol_heap *heap, hry_error *err)
{
    hry_descriptor d;
    hry_file *file = tree->store->file;
    HRY_TRY(hry_file_find(file, name, length, &heap->storage.entry, err));
    HRY_TRY(hry_file_descriptor(file, heap->storage.entry, &d, err));
    if (d.buffer_count != 1)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "heap '%.*s' has %u buffers", (int)length,
                        name, d.buffer_count);
    HRY_TRY(hry_file_buffer(file, heap->storage.entry, &d, 0, &heap->storage.base, err));
    if (heap->size > d.buffers[0].byte_size)
        return HRY_FAIL(err, HRY_ERR_CORRUPT,
                        "heap '%.*s' of %llu bytes, catalog says %llu", (int)length, name,
                        (unsigned long long)d.buffers[0].byte_size,
                        (unsigned long long)heap->size);
    heap->storage.base_size = heap->room = heap->tail_at = heap->size;
    return HRY_OK;
}

static hry_status get_heap(const hvol_tree *tree, hry_cursor *c, hvol_dataset *ds,
                           hry_error *err)
{
    const char *name;
    size_t length;
    const uint64_t unit = cur_u64(c);
    if (unit == 0)
        return cur_ok(c, "heap", err);
    const uint8_t tag = cur_u8(c);
    const uint64_t size = cur_u64(c), lasting = cur_u64(c);
    HRY_TRY(get_string(c, "heap's name", &name, &length, err));
    if (unit > 16 || size % unit != 0 || lasting > size)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, c->pos,
                           "catalog: heap of %llu bytes in units of %llu",
                           (unsigned long long)size, (unsigned long long)unit);
    HRY_TRY(hvol_heap_new(tag, unit, &ds->heap, err));
    ds->heap->size = size;
    ds->heap->lasting = lasting;
    return size == 0 ? HRY_OK : find_heap(tree, name, length, ds->heap, err);
}

static hry_status find_tensor(hvol_tree *tree, const char *name, size_t length,
                              hvol_dataset *ds, hry_error *err)
{
    if (length == 0)
        return HRY_OK;
    HRY_TRY(hry_file_find(tree->store->file, name, length, &ds->storage.entry, err));
    ds->storage.place = HVOL_UNRESOLVED;
    return HRY_OK;
}

static hry_status get_dataset(hvol_tree *tree, hry_cursor *c, hvol_dataset *ds,
                              hry_error *err)
{
    const char *name;
    size_t length;
    HRY_TRY(get_string(c, "tensor name", &name, &length, err));
    HRY_TRY(get_blob(tree, c, "dataset type", &ds->type, err));
    HRY_TRY(get_named_type(tree, c, &ds->named_type, err));
    HRY_TRY(get_space(c, &ds->space, err));
    HRY_TRY(get_blob(tree, c, "fill value", &ds->fill, err));
    ds->fill_never = cur_u8(c) != 0;
    HRY_TRY(get_element(c, &ds->element, err));
    if (ds->fill != NULL && ds->fill->size != ds->element.size)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, c->pos, "catalog: fill value of %zu bytes",
                           ds->fill->size);
    HRY_TRY(get_chunks(c, ds, err));
    HRY_TRY(get_heap(tree, c, ds, err));
    return find_tensor(tree, name, length, ds, err);
}

/* The fields every record begins with. */
typedef struct record_head {
    uint64_t id;
    uint8_t kind, flags;
    uint32_t links;
    hry_cursor body;
} record_head;

static hry_status get_head(hry_cursor *c, record_head *head, hry_error *err)
{
    const uint64_t length = cur_u64(c);
    if (!cur_fits(c, length, 1))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, c->pos,
                           "catalog: record of %llu bytes, %zu left",
                           (unsigned long long)length, cur_left(c));
    head->body =
        (hry_cursor){.data = c->data, .pos = c->pos, .size = c->pos + (size_t)length};
    cur_take(c, (size_t)length);
    head->id = cur_u64(&head->body);
    head->kind = cur_u8(&head->body);
    head->flags = cur_u8(&head->body);
    head->links = cur_u32(&head->body);
    HRY_TRY(cur_ok(&head->body, "object record", err));
    if (head->kind > HVOL_TYPE || head->id == 0 || head->id == UINT64_MAX)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, head->body.pos,
                           "catalog: object %llu of kind %u", (unsigned long long)head->id,
                           head->kind);
    return HRY_OK;
}

/* First pass: every object exists before anything refers to it. */
static hry_status make_objects(hvol_tree *tree, hry_cursor c, uint64_t count,
                               hry_error *err)
{
    for (uint64_t i = 0; i < count; i++) {
        record_head head;
        hvol_node *node;
        HRY_TRY(get_head(&c, &head, err));
        if (hvol_node_by_id(tree, head.id) != NULL)
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, head.body.pos,
                               "catalog: object %llu twice", (unsigned long long)head.id);
        HRY_TRY(hvol_node_restore(tree, (hvol_kind)head.kind, head.id, &node, err));
        node->links = head.links;
    }
    return HRY_OK;
}

static hry_status get_comment(hry_cursor *c, hvol_node *node, hry_error *err)
{
    const char *text;
    size_t size;
    HRY_TRY(get_string(c, "comment", &text, &size, err));
    node->comment = strndup(text, size);
    return node->comment == NULL ? HRY_NO_MEMORY(err, size) : HRY_OK;
}

static hry_status fill_object(hvol_tree *tree, record_head *head, hry_error *err)
{
    hry_cursor *c = &head->body;
    hvol_node *node = hvol_node_by_id(tree, head->id);
    node->track_times = (head->flags & HVOL_REC_TRACKS_TIMES) != 0;
    for (int i = 0; i < 4 && (head->flags & HVOL_REC_HAS_TIMES) != 0; i++)
        node->times[i] = cur_i64(c);
    if ((head->flags & HVOL_REC_HAS_PLIST) != 0)
        HRY_TRY(get_blob(tree, c, "creation properties", &node->plist, err));
    if ((head->flags & HVOL_REC_HAS_COMMENT) != 0)
        HRY_TRY(get_comment(c, node, err));
    HRY_TRY(get_attrs(tree, c, node, err));
    if (node->kind == HVOL_GROUP)
        return get_group(tree, c, node, err);
    if (node->kind == HVOL_DATASET)
        return get_dataset(tree, c, &node->u.dataset, err);
    HRY_TRY(get_blob(tree, c, "type", &node->u.type, err));
    return node->u.type != NULL ? HRY_OK
                                : HRY_FAIL_AT(err, HRY_ERR_CORRUPT, c->pos,
                                              "catalog: committed type is empty");
}

static hry_status get_blobs(hvol_tree *tree, hry_cursor *c, hry_error *err)
{
    const uint32_t count = cur_u32(c);
    HRY_TRY(cur_ok(c, "blobs", err));
    for (uint32_t i = 0; i < count; i++) {
        const char *bytes;
        size_t size;
        hvol_blob *blob;
        HRY_TRY(get_string(c, "blob", &bytes, &size, err));
        HRY_TRY(hvol_blobs_intern(&tree->blobs, bytes, size, &blob, err));
        if (blob->index != i)
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, c->pos, "catalog: blob %u twice", i);
    }
    return HRY_OK;
}

static hry_status check_header(hry_cursor *c, hry_error *err)
{
    const uint8_t *magic = cur_take(c, 8);
    const uint32_t version = cur_u32(c), crc = cur_u32(c);
    const uint64_t length = cur_u64(c);
    HRY_TRY(cur_ok(c, "catalog header", err));
    if (memcmp(magic, "HRYHDF5C", 8) != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, 0, "catalog: magic is not HRYHDF5C");
    if (version != HVOL_CATALOG_VERSION)
        return HRY_FAIL_AT(err, HRY_ERR_UNSUPPORTED, 8, "catalog: version %u, can read %d",
                           version, HVOL_CATALOG_VERSION);
    if (length > cur_left(c))
        return HRY_FAIL_AT(err, HRY_ERR_TRUNCATED, 16,
                           "catalog: length %llu, %zu bytes there",
                           (unsigned long long)length, cur_left(c));
    c->size = c->pos + (size_t)length;
    const uint32_t found = hry_crc32c(0, c->data + c->pos, (size_t)length);
    if (found != crc)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, 12,
                           "catalog: checksum 0x%08x, bytes have 0x%08x", crc, found);
    return HRY_OK;
}

/* Links counted from both ends must agree, or deleting would free what is still in use. */
static hry_status check_links(const hvol_tree *tree, hry_error *err)
{
    for (uint64_t i = 0; i < tree->slot_count; i++) {
        const hvol_node *n = tree->slots[i];
        if (n != NULL && n->links < n->seen_links)
            return HRY_FAIL(err, HRY_ERR_CORRUPT,
                            "catalog: object %llu has %u links, not %u",
                            (unsigned long long)n->id, n->seen_links, n->links);
    }
    return HRY_OK;
}

hry_status hvol_catalog_decode(hvol_tree *tree, const void *bytes, size_t size,
                               hry_error *err)
{
    hry_cursor c = cur_over(bytes, size);
    HRY_TRY(check_header(&c, err));
    const uint64_t next_id = cur_u64(&c), root = cur_u64(&c);
    const size_t plist_at = c.pos;
    cur_u32(&c); /* file properties: a blob, read again once the blobs are there */
    HRY_TRY(cur_ok(&c, "catalog", err));
    HRY_TRY(get_blobs(tree, &c, err));
    hry_cursor again = {.data = c.data, .size = c.size, .pos = plist_at};
    HRY_TRY(get_blob(tree, &again, "file properties", &tree->file_plist, err));
    const uint64_t count = cur_u64(&c);
    HRY_TRY(cur_ok(&c, "objects", err));
    HRY_TRY(make_objects(tree, c, count, err));
    for (uint64_t i = 0; i < count; i++) {
        record_head head;
        HRY_TRY(get_head(&c, &head, err));
        HRY_TRY(fill_object(tree, &head, err));
    }
    tree->root = hvol_node_by_id(tree, root);
    if (tree->root == NULL || tree->root->kind != HVOL_GROUP)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "catalog: root object %llu is no group",
                        (unsigned long long)root);
    if (next_id > tree->next_id)
        tree->next_id = next_id;
    return check_links(tree, err);
}
