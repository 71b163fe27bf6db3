/* SPDX-License-Identifier: Apache-2.0 */
/* load.c - the tree of an existing file: its catalog, or plain tensors as datasets. */
#include "catalog.h"
#include "checked.h"
#include "fail.h"
#include "foreign.h"

#include <stdlib.h>
#include <string.h>

/* Where the catalog's bytes are, by its tensor. */
static hry_status read_catalog(hvol_tree *tree, uint64_t row, uint8_t **bytes, size_t *size,
                               hry_error *err)
{
    hry_descriptor d;
    uint64_t offset;
    hry_file *file = tree->store->file;
    HRY_TRY(hry_file_descriptor(file, row, &d, err));
    if (d.type_tag != HRY_UINT8 || d.layout_tag != HRY_ROW_MAJOR || d.rank != 1)
        return HRY_FAIL(err, HRY_ERR_CORRUPT,
                        "tensor '" HVOL_CATALOG_NAME "' is not a row-major uint8 vector");
    HRY_TRY(
        hry_file_buffer(file, row, &d, 0, &offset, err)); /* proves it lies in the file */
    tree->store->catalog = (hvol_hole){offset, d.buffers[0].byte_size};
    *size = (size_t)d.shape[0];
    if ((*bytes = malloc(*size + 1)) == NULL)
        return HRY_NO_MEMORY(err, *size);
    const hry_status status =
        hry_file_read(file, offset + d.byte_offset, *bytes, *size, err);
    if (status != HRY_OK)
        free(*bytes);
    return status;
}

static hry_status load_catalog(hvol_tree *tree, uint64_t row, hry_error *err)
{
    uint8_t *bytes;
    size_t size;
    HRY_TRY(read_catalog(tree, row, &bytes, &size, err));
    const hry_status status = hvol_catalog_decode(tree, bytes, size, err);
    free(bytes);
    return status;
}

/* A plain tensor's dataspace and element. */
static hry_status describe_plain(const hry_descriptor *d, hvol_dataset *ds, hry_error *err)
{
    const uint32_t bits = d->opaque ? 0 : hry_descriptor_bits(d);
    if (d->layout_tag == HRY_COMPOSITE && d->fields.composite.rule == HRY_GROUP)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "a group of tensors has no elements");
    if (d->rank > HVOL_MAX_RANK)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "rank %u is above HDF5's %d", d->rank,
                        HVOL_MAX_RANK);
    ds->space.cls = d->rank == 0 ? HVOL_SCALAR : HVOL_SIMPLE;
    ds->space.rank = d->rank;
    for (uint32_t i = 0; i < d->rank; i++) {
        if (d->shape[i] == HRY_DYNAMIC)
            return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "dimension %u is dynamic", i);
        ds->space.dims[i] = ds->space.max[i] = d->shape[i];
    }
    ds->element.type_tag = d->type_tag;
    ds->element.extension = d->extension_type;
    ds->element.size = bits < 8 ? 1 : (bits + 7) / 8;
    ds->foreign = hvol_is_foreign(d);
    if (ds->foreign)
        hvol_foreign_element(d, &ds->element);
    return HRY_OK;
}

/* The group of all but the last component of a tensor's name, made as needed. */
static hry_status make_groups(hvol_tree *tree, const char **name, size_t *length,
                              hvol_node **group, hry_error *err)
{
    const char *slash;
    *group = tree->root;
    while ((slash = memchr(*name, '/', *length)) != NULL) {
        const size_t n = (size_t)(slash - *name);
        if (n > 0) {
            hvol_link *link = hvol_link_find(*group, *name, n);
            hvol_node *node = link != NULL ? link->target : NULL;
            if (link == NULL) {
                HRY_TRY(hvol_node_new(tree, HVOL_GROUP, &node, err));
                node->opens = 0;
                HRY_TRY(hvol_link_add(tree, *group, *name, n, 1, HVOL_LINK_HARD, node, NULL,
                                      0, NULL, err));
            }
            if (node->kind != HVOL_GROUP)
                return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "'%.*s' is a tensor and a group",
                                (int)n, *name);
            *group = node;
        }
        *length -= n + 1;
        *name = slash + 1;
    }
    return *length > 0 ? HRY_OK
                       : HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "name ends with a slash");
}

static hry_status add_plain(hvol_tree *tree, uint64_t row, const hry_entry *entry,
                            hry_error *err)
{
    hry_descriptor d;
    hvol_node *group, *node;
    hvol_dataset ds = {0};
    const char *name = entry->name;
    size_t length = entry->name_length;
    HRY_TRY(hry_file_descriptor(tree->store->file, row, &d, err));
    if (memchr(name, '\0', length) != NULL)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "name has a NUL in it");
    HRY_TRY(describe_plain(&d, &ds, err));
    HRY_TRY(make_groups(tree, &name, &length, &group, err));
    if (hvol_link_find(group, name, length) != NULL)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "'%.*s' is a tensor and a group",
                        (int)length, name);
    HRY_TRY(hvol_node_new(tree, HVOL_DATASET, &node, err));
    node->opens = 0;
    ds.storage = (hvol_storage){.place = HVOL_UNRESOLVED, .entry = row};
    node->u.dataset = ds;
    return hvol_link_add(tree, group, name, length, 1, HVOL_LINK_HARD, node, NULL, 0, NULL,
                         err);
}

/* The hidden signature tensor stays where it is. */
static hry_status keep_signature(hvol_tree *tree, hry_error *err)
{
    hvol_store *store = tree->store;
    store->signature_storage.entry = UINT64_MAX;
    const hry_status found =
        hry_file_find(store->file, HVOL_SIGNATURE_NAME, sizeof HVOL_SIGNATURE_NAME - 1,
                      &store->signature_storage.entry, err);
    store->signature = found == HRY_OK;
    return found == HRY_ERR_NOTFOUND ? HRY_OK : found;
}

static hry_status keep_row(hvol_tree *tree, uint64_t row, hry_error *err)
{
    if ((tree->kept_count & (tree->kept_count - 1)) == 0) { /* full at powers of two */
        const uint64_t capacity = tree->kept_count == 0 ? 1 : tree->kept_count * 2;
        uint64_t *kept = realloc(tree->kept, capacity * sizeof *kept);
        if (kept == NULL)
            return HRY_NO_MEMORY(err, capacity * sizeof *kept);
        tree->kept = kept;
    }
    tree->kept[tree->kept_count++] = row;
    return HRY_OK;
}

/*
 * Tensors that no dataset of the catalog stands for become datasets of their own. What HDF5
 * cannot show (a rank above 32, say) is left out of the tree, not of the file.
 */
static hry_status load_plain(hvol_tree *tree, const uint8_t *known, hry_error *err)
{
    const uint64_t count = hry_file_count(tree->store->file);
    for (uint64_t row = 0; row < count; row++) {
        hry_entry entry;
        HRY_TRY(hry_file_entry(tree->store->file, row, &entry, err));
        if (known[row] || (entry.name_length > 6 && memcmp(entry.name, ".hdf5/", 6) == 0))
            continue;
        hry_status status = add_plain(tree, row, &entry, err);
        if (status == HRY_ERR_UNSUPPORTED)
            status = keep_row(tree, row, err);
        if (status != HRY_OK)
            return status;
    }
    return HRY_OK;
}

static void mark_known(const hvol_tree *tree, uint8_t *known)
{
    for (uint64_t i = 0; i < tree->slot_count; i++) {
        const hvol_node *node = tree->slots[i];
        if (node == NULL || node->kind != HVOL_DATASET)
            continue;
        const hvol_dataset *ds = &node->u.dataset;
        if (ds->storage.entry != UINT64_MAX)
            known[ds->storage.entry] = 1;
        if (ds->heap != NULL && ds->heap->storage.entry != UINT64_MAX)
            known[ds->heap->storage.entry] = 1;
    }
}

hry_status hvol_tree_fill(hvol_tree *tree, hry_error *err)
{
    uint64_t row;
    hry_status status;
    const hry_file *file = tree->store->file;
    if (hry_file_find(file, HVOL_CATALOG_NAME, sizeof HVOL_CATALOG_NAME - 1, &row, NULL) ==
        HRY_OK) {
        HRY_TRY(load_catalog(tree, row, err));
    } else {
        HRY_TRY(hvol_node_restore(tree, HVOL_GROUP, tree->next_id, &tree->root, err));
        tree->root->links = 1;
    }
    uint8_t *known = calloc(1, (size_t)hry_file_count(file) + 1);
    if (known == NULL)
        return HRY_NO_MEMORY(err, hry_file_count(file));
    mark_known(tree, known);
    status = load_plain(tree, known, err);
    free(known);
    if (status == HRY_OK)
        status = keep_signature(tree, err);
    return status;
}
