/* SPDX-License-Identifier: Apache-2.0 */
/* catalog_encode.c - the tree as bytes: docs/catalog.md, in its order. */
#include "catalog.h"

#include "hry/crc32c.h"

/* Blob numbers are stored from 1 on; 0 is none. */
static void put_blob(hry_builder *b, const hvol_blob *blob)
{
    bld_u32(b, blob == NULL ? 0 : blob->index + 1);
}

static void put_string(hry_builder *b, const void *bytes, size_t size)
{
    bld_u32(b, (uint32_t)size);
    bld_bytes(b, bytes, size);
}

static void put_space(hry_builder *b, const hvol_space *space)
{
    bld_u8(b, (uint8_t)space->cls);
    bld_u8(b, (uint8_t)space->rank);
    for (uint32_t i = 0; i < space->rank; i++)
        bld_u64(b, space->dims[i]);
    for (uint32_t i = 0; i < space->rank; i++)
        bld_u64(b, space->max[i]);
}

static void put_named(hry_builder *b, const hvol_named *named)
{
    put_string(b, named->name, named->name_length);
    bld_u8(b, named->cset);
    bld_u64(b, named->order);
}

static void put_attr(hry_builder *b, const hvol_attr *attr)
{
    put_named(b, &attr->named);
    put_blob(b, attr->type);
    bld_u64(b, attr->named_type == NULL ? 0 : attr->named_type->id);
    put_space(b, &attr->space);
    put_blob(b, attr->plist);
    bld_u8(b, attr->data != NULL);
    if (attr->data != NULL) {
        bld_u64(b, attr->size);
        bld_bytes(b, attr->data, attr->size);
    }
    bld_u64(b, attr->heap == NULL ? 0 : attr->heap->size);
    if (attr->heap != NULL)
        bld_bytes(b, attr->heap->tail, (size_t)attr->heap->size);
}

static void put_attrs(hry_builder *b, hvol_names *attrs)
{
    const uint64_t count = hvol_names_count(attrs);
    bld_u64(b, count);
    bld_u64(b, attrs->next_order);
    for (uint64_t i = 0; i < count; i++)
        put_attr(b, (const hvol_attr *)hvol_names_at(attrs, false, false, i));
}

static void put_link(hry_builder *b, const hvol_link *link)
{
    put_named(b, &link->named);
    bld_u8(b, link->kind);
    if (link->kind == HVOL_LINK_HARD) {
        bld_u8(b, link->target->home == link);
        bld_u64(b, link->target->id);
    } else {
        put_string(b, link->value, link->value_size);
    }
}

static void put_group(hry_builder *b, hvol_names *links)
{
    const uint64_t count = hvol_names_count(links);
    bld_u64(b, count);
    bld_u64(b, links->next_order);
    for (uint64_t i = 0; i < count; i++)
        put_link(b, (const hvol_link *)hvol_names_at(links, false, false, i));
}

/* A heap's tensor is named after its dataset; unit 0: there is none. */
static void put_heap(hry_builder *b, const hvol_heap *heap, const hvol_tensor_name *name)
{
    bld_u64(b, heap == NULL ? 0 : heap->unit);
    if (heap == NULL)
        return;
    bld_u8(b, heap->type_tag);
    bld_u64(b, heap->size);
    bld_u64(b, heap->lasting);
    put_string(b, name->heap, heap->size == 0 ? 0 : name->heap_length);
}

static void put_dataset(hry_builder *b, const hvol_dataset *ds,
                        const hvol_tensor_name *name)
{
    put_string(b, name->name, name->length);
    put_blob(b, ds->type);
    bld_u64(b, ds->named_type == NULL ? 0 : ds->named_type->id);
    put_space(b, &ds->space);
    put_blob(b, ds->fill);
    bld_u8(b, ds->fill_never);
    bld_u8(b, ds->element.type_tag);
    bld_u64(b, ds->element.size);
    bld_u8(b, ds->element.rank);
    for (uint32_t i = 0; i < ds->element.rank; i++)
        bld_u64(b, ds->element.dims[i]);
    bld_u8(b, ds->chunks == NULL ? 0 : ds->chunks->filtered ? 2 : 1);
    for (uint32_t i = 0; i < ds->space.rank && ds->chunks != NULL; i++)
        bld_u64(b, ds->chunks->dims[i]);
    put_heap(b, ds->heap, name);
}

static uint8_t record_flags(const hvol_node *node)
{
    uint8_t flags = 0;
    if (node->track_times)
        flags |= HVOL_REC_TRACKS_TIMES;
    for (int i = 0; i < 4; i++)
        if (node->times[i] != 0)
            flags |= HVOL_REC_HAS_TIMES;
    if (node->plist != NULL)
        flags |= HVOL_REC_HAS_PLIST;
    if (node->comment != NULL)
        flags |= HVOL_REC_HAS_COMMENT;
    return flags;
}

static void put_object(hry_builder *b, hvol_node *node, const hvol_tensor_name *name)
{
    const size_t at = b->size;
    const uint8_t flags = record_flags(node);
    bld_u64(b, 0); /* length of the record behind it, patched below */
    bld_u64(b, node->id);
    bld_u8(b, (uint8_t)node->kind);
    bld_u8(b, flags);
    bld_u32(b, node->links);
    for (int i = 0; i < 4 && (flags & HVOL_REC_HAS_TIMES) != 0; i++)
        bld_i64(b, node->times[i]);
    if ((flags & HVOL_REC_HAS_PLIST) != 0)
        put_blob(b, node->plist);
    if ((flags & HVOL_REC_HAS_COMMENT) != 0)
        put_string(b, node->comment, strlen(node->comment));
    put_attrs(b, &node->attrs);
    if (node->kind == HVOL_GROUP)
        put_group(b, &node->u.links);
    else if (node->kind == HVOL_DATASET)
        put_dataset(b, &node->u.dataset, name);
    else
        put_blob(b, node->u.type);
    bld_patch(b, at, b->size - at - 8, 8);
}

hry_status hvol_catalog_encode(const hvol_tree *tree, hvol_node *const *nodes,
                               const hvol_tensor_name *names, uint64_t count,
                               hry_builder *out, hry_error *err)
{
    hry_builder *b = out;
    bld_bytes(b, "HRYHDF5C", 8);
    bld_u32(b, HVOL_CATALOG_VERSION);
    bld_u32(b, 0); /* checksum of what follows the header, patched below */
    bld_u64(b, 0); /* length of it */
    bld_u64(b, tree->next_id);
    bld_u64(b, tree->root->id);
    put_blob(b, tree->file_plist);
    bld_u32(b, tree->blobs.count);
    for (uint32_t i = 0; i < tree->blobs.count; i++)
        put_string(b, tree->blobs.by_index[i]->data, tree->blobs.by_index[i]->size);
    bld_u64(b, count);
    for (uint64_t i = 0; i < count; i++)
        put_object(b, nodes[i], &names[i]);
    HRY_TRY(bld_ok(b, "catalog", err));
    const size_t length = b->size - HVOL_CATALOG_HEADER;
    bld_patch(b, 12, hry_crc32c(0, b->data + HVOL_CATALOG_HEADER, length), 4);
    bld_patch(b, 16, length, 8);
    return HRY_OK;
}
