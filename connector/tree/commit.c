/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commit.c - writing what changed: small data into shared pages, the catalog, descriptors,
 * then key-value section, index and trailer. Everything is encoded first and published in
 * one go, the trailer last.
 */
#include "catalog.h"
#include "checked.h"
#include "fail.h"

#include "hry/writer.h"
#include "utf8.h"

#include <stdio.h>
#include <stdlib.h>

/* A descriptor to be written: where it is in commit.descriptors. */
typedef struct fresh {
    hvol_storage *storage;
    size_t at, length;
} fresh;

typedef struct commit {
    hvol_tree *tree;
    hvol_node **nodes; /* all objects, by id; owned */
    hvol_tensor_name *names;
    uint64_t count;
    fresh *fresh; /* owned */
    uint64_t fresh_count;
    hry_builder text;  /* the tensor names */
    hry_builder pages; /* small data */
    uint64_t pages_at; /* offset of the pages in the file */
    hry_builder catalog;
    hvol_storage catalog_storage;
    hry_builder descriptors; /* all new ones, one after another */
    hvol_piece *pieces;      /* owned */
    size_t piece_count, piece_capacity;
    void **kept; /* memory that pieces point into; owned */
    size_t kept_count;
    hry_footer *footer;
} commit;

static hry_status add_piece(commit *c, uint64_t offset, const void *bytes, size_t size,
                            hry_error *err)
{
    if (c->piece_count == c->piece_capacity) {
        const size_t capacity = c->piece_capacity == 0 ? 64 : c->piece_capacity * 2;
        hvol_piece *pieces = realloc(c->pieces, capacity * sizeof *pieces);
        if (pieces == NULL)
            return HRY_NO_MEMORY(err, capacity * sizeof *pieces);
        c->pieces = pieces;
        c->piece_capacity = capacity;
    }
    c->pieces[c->piece_count++] = (hvol_piece){offset, bytes, size};
    return HRY_OK;
}

/* Own `memory` until the commit ends; frees it at once when that fails. */
static hry_status keep(commit *c, void *memory, hry_error *err)
{
    if ((c->kept_count & (c->kept_count - 1)) == 0) { /* full at powers of two */
        const size_t capacity = c->kept_count == 0 ? 1 : c->kept_count * 2;
        void **kept = realloc(c->kept, capacity * sizeof(void *));
        if (kept == NULL) {
            free(memory);
            return HRY_NO_MEMORY(err, capacity * sizeof(void *));
        }
        c->kept = kept;
    }
    c->kept[c->kept_count++] = memory;
    return HRY_OK;
}

static int by_id(const void *a, const void *b)
{
    const hvol_node *x = *(hvol_node *const *)a, *y = *(hvol_node *const *)b;
    return (x->id > y->id) - (x->id < y->id);
}

/* All objects that something links to, in the order they were made. */
static hry_status collect(commit *c, hry_error *err)
{
    const hvol_tree *tree = c->tree;
    c->nodes = calloc(tree->node_count + 1, sizeof(hvol_node *));
    c->names = calloc(tree->node_count + 1, sizeof *c->names);
    if (c->nodes == NULL || c->names == NULL)
        return HRY_NO_MEMORY(err, tree->node_count * sizeof(hvol_node *));
    for (uint64_t i = 0; i < tree->slot_count; i++)
        if (tree->slots[i] != NULL && tree->slots[i]->links > 0)
            c->nodes[c->count++] = tree->slots[i];
    qsort(c->nodes, c->count, sizeof(hvol_node *), by_id);
    return HRY_OK;
}

/* An object whose first link is gone is named by the next hard link that is met. */
static void find_homes(commit *c)
{
    for (uint64_t i = 0; i < c->count; i++) {
        hvol_node *group = c->nodes[i];
        if (group->kind != HVOL_GROUP)
            continue;
        const uint64_t n = hvol_names_count(&group->u.links);
        for (uint64_t k = 0; k < n; k++) {
            hvol_link *link = (hvol_link *)hvol_names_at(&group->u.links, false, false, k);
            if (link->target != NULL && link->target->home == NULL)
                link->target->home = link;
        }
    }
}

/* The tensor's name: the path without its slash, or `.hdf5/obj/<id>` where that cannot be.
 */
static hry_status name_one(commit *c, uint64_t i, hry_error *err)
{
    char number[40];
    const hvol_node *node = c->nodes[i];
    size_t length = hvol_node_path(c->tree, node, number, 0);
    const size_t at = c->text.size;
    char *text = length == 0 ? NULL : (char *)bld_take(&c->text, length + 1);
    if (text != NULL) {
        hvol_node_path(c->tree, node, text, length + 1);
        memmove(text, text + 1, --length);
        c->text.size = at + length;
    }
    if (text == NULL || length > UINT16_MAX ||
        hry_utf8_valid_prefix(text, length) != length ||
        (length >= 6 && memcmp(text, ".hdf5/", 6) == 0)) {
        c->text.size = at;
        length = (size_t)snprintf(number, sizeof number, ".hdf5/obj/%llu",
                                  (unsigned long long)node->id);
        bld_bytes(&c->text, number, length);
    }
    c->names[i].length = length; /* its place is known when the text stops moving */
    return bld_ok(&c->text, "tensor names", err);
}

/* The heap's tensor: the dataset's name and a suffix, unless something else has it. */
static hry_status name_heap(commit *c, uint64_t i, hry_error *err)
{
    static const char suffix[] = ".__vl";
    enum { SUFFIX = sizeof suffix - 1 };
    char number[48];
    const hvol_link *home = c->nodes[i]->home;
    const size_t length = c->names[i].length, at = c->text.size - length;
    size_t own = home == NULL ? 0 : home->named.name_length;
    char *text = (char *)bld_take(&c->text, length + SUFFIX);
    HRY_TRY(bld_ok(&c->text, "tensor names", err));
    memcpy(text, c->text.data + at, length);
    memcpy(text + length, suffix, SUFFIX);
    own = own > length ? length : own;
    if (length + SUFFIX > UINT16_MAX ||
        (home != NULL &&
         hvol_link_find(home->group, text + length - own, own + SUFFIX) != NULL)) {
        c->text.size -= length + SUFFIX;
        const int n = snprintf(number, sizeof number, ".hdf5/obj/%llu%s",
                               (unsigned long long)c->nodes[i]->id, suffix);
        bld_bytes(&c->text, number, (size_t)n);
        c->names[i].heap_length = (size_t)n;
    } else {
        c->names[i].heap_length = length + SUFFIX;
    }
    return bld_ok(&c->text, "tensor names", err);
}

static hry_status name_all(commit *c, hry_error *err)
{
    find_homes(c);
    for (uint64_t i = 0; i < c->count; i++) {
        if (c->nodes[i]->kind != HVOL_DATASET)
            continue;
        HRY_TRY(name_one(c, i, err));
        if (c->nodes[i]->u.dataset.heap != NULL)
            HRY_TRY(name_heap(c, i, err));
    }
    const char *at = (const char *)c->text.data;
    for (uint64_t i = 0; i < c->count; i++) {
        c->names[i].name = at;
        c->names[i].heap = at + c->names[i].length;
        at += c->names[i].length + c->names[i].heap_length;
    }
    return HRY_OK;
}

/* Does the index need a new place for this dataset's data? */
static bool needs_page(const hvol_dataset *ds)
{
    const hvol_storage *s = &ds->storage;
    if (s->place == HVOL_IN_MEMORY)
        return true;
    const bool unwritten =
        ds->chunks != NULL ? ds->chunks->count == 0 : s->place == HVOL_UNWRITTEN;
    return unwritten && s->place != HVOL_UNRESOLVED && s->entry == UINT64_MAX &&
           s->descriptor_offset == 0;
}

/* Put the bytes of a small dataset, or one fill value, on the current page. Until the
 * pages have a place, offset counts from the first of them and base_size is the size. */
static hry_status put_on_page(commit *c, hvol_dataset *ds, hry_error *err)
{
    const uint64_t page = c->tree->store->alignment;
    uint64_t size, count;
    HRY_TRY(hvol_data_size(ds, &size, err));
    HRY_TRY(hvol_space_count(&ds->space, &count, err));
    if (ds->storage.place != HVOL_IN_MEMORY)
        size = count == 0 ? 0 : ds->element.size;
    bld_align(&c->pages, 16);
    const uint64_t used = c->pages.size & (page - 1);
    if (used != 0 && size > page - used)
        bld_align(&c->pages, (size_t)page);
    ds->storage.offset = c->pages.size;
    ds->storage.base_size = size;
    if (ds->storage.bytes != NULL)
        bld_bytes(&c->pages, ds->storage.bytes, (size_t)size);
    else if (ds->fill != NULL && size > 0)
        bld_bytes(&c->pages, ds->fill->data, (size_t)size);
    else
        bld_zeros(&c->pages, (size_t)size);
    return bld_ok(&c->pages, "pages of small data", err);
}

/* The buffer of what lies on a page is the page, or more where it is larger. */
static void place_on_page(const commit *c, hvol_storage *s)
{
    const uint64_t page = c->tree->store->alignment;
    const uint64_t start = s->offset & ~(page - 1), need = s->offset - start + s->base_size;
    const uint64_t rest = c->pages.size - start, whole = rest < page ? rest : page;
    s->base = c->pages_at + start;
    s->base_size = whole < need ? need : whole;
    s->offset += c->pages_at;
}

/* Variable-length elements in memory go to the file. */
static hry_status flush_heaps(commit *c, hry_error *err)
{
    for (uint64_t i = 0; i < c->count; i++) {
        hvol_heap *heap = c->nodes[i]->u.dataset.heap;
        if (c->nodes[i]->kind != HVOL_DATASET || heap == NULL || !heap->changed)
            continue;
        HRY_TRY(hvol_heap_flush(heap, c->tree->store, err));
        heap->storage.base_size = heap->size;
        heap->storage.entry = UINT64_MAX;
        heap->storage.descriptor_offset = 0;
        heap->storage.descriptor_written = false;
    }
    return HRY_OK;
}

/* Chunks still in memory go to the file, and tables that changed are encoded. */
static hry_status flush_chunks(commit *c, hry_error *err)
{
    for (uint64_t i = 0; i < c->count; i++)
        if (c->nodes[i]->kind == HVOL_DATASET)
            HRY_TRY(hvol_chunks_flush(c->tree, &c->nodes[i]->u.dataset, false, err));
    return HRY_OK;
}

static hry_status place_table(commit *c, hvol_dataset *ds, hry_error *err)
{
    hvol_store *store = c->tree->store;
    hvol_storage *s = &ds->chunks->table;
    uint8_t *bytes;
    size_t size;
    HRY_TRY(hvol_chunk_table_encode(ds->chunks, &bytes, &size, err));
    if (s->base != 0)
        hvol_store_release(store, s->base, s->base_size);
    hry_status status = keep(c, bytes, err);
    if (status == HRY_OK)
        status = hvol_store_allocate(store, size, store->alignment, &s->base, err);
    if (status == HRY_OK)
        status = add_piece(c, s->base, bytes, size, err);
    s->offset = s->base;
    s->base_size = size;
    s->entry = UINT64_MAX;
    s->descriptor_offset = 0;
    s->descriptor_written = false;
    return status;
}

static hry_status place_tables(commit *c, hry_error *err)
{
    for (uint64_t i = 0; i < c->count; i++) {
        hvol_dataset *ds = &c->nodes[i]->u.dataset;
        if (c->nodes[i]->kind != HVOL_DATASET || ds->chunks == NULL || !ds->chunks->changed)
            continue;
        if (hvol_row(ds) != &ds->storage)
            HRY_TRY(place_table(c, ds, err));
    }
    return HRY_OK;
}

static hry_status pack_small(commit *c, hry_error *err)
{
    hvol_store *store = c->tree->store;
    bool any = false;
    for (uint64_t i = 0; i < c->count; i++) {
        hvol_dataset *ds = &c->nodes[i]->u.dataset;
        if (c->nodes[i]->kind != HVOL_DATASET || !needs_page(ds))
            continue;
        HRY_TRY(put_on_page(c, ds, err));
        any = true;
    }
    if (!any)
        return HRY_OK;
    store->in_order = false; /* descriptors of shared pages lie behind them */
    HRY_TRY(hvol_store_allocate(store, c->pages.size, store->alignment, &c->pages_at, err));
    for (uint64_t i = 0; i < c->count; i++)
        if (c->nodes[i]->kind == HVOL_DATASET && needs_page(&c->nodes[i]->u.dataset))
            place_on_page(c, &c->nodes[i]->u.dataset.storage);
    return add_piece(c, c->pages_at, c->pages.data, c->pages.size, err);
}

/* Encode a descriptor at the end of commit.descriptors. */
static hry_status put_descriptor(commit *c, const hry_descriptor *d, size_t *at,
                                 size_t *length, hry_error *err)
{
    bld_align(&c->descriptors, 8);
    *at = c->descriptors.size;
    const size_t size = hry_descriptor_size(d);
    uint8_t *out = bld_take(&c->descriptors, size);
    HRY_TRY(bld_ok(&c->descriptors, "descriptors", err));
    return hry_descriptor_encode(d, out, size, length, err);
}

static hry_status describe_heap(commit *c, hvol_heap *heap, hry_error *err)
{
    hry_descriptor d;
    fresh *f = &c->fresh[c->fresh_count++];
    const uint64_t count = heap->size / heap->unit;
    HRY_TRY(hry_descriptor_dense(heap->type_tag, 1, &count, &d, err));
    d.buffers[0].alignment = HVOL_PAGE;
    f->storage = &heap->storage;
    return put_descriptor(c, &d, &f->at, &f->length, err);
}

/* New descriptors: into the slot before the data where one was kept, else side by side. */
static hry_status describe_all(commit *c, hry_error *err)
{
    c->fresh = calloc(2 * c->count + 1, sizeof *c->fresh);
    if (c->fresh == NULL)
        return HRY_NO_MEMORY(err, c->count * sizeof *c->fresh);
    for (uint64_t i = 0; i < c->count; i++) {
        hvol_dataset *ds = &c->nodes[i]->u.dataset;
        hry_descriptor d;
        if (c->nodes[i]->kind != HVOL_DATASET)
            continue;
        if (ds->heap != NULL && ds->heap->changed && ds->heap->size > 0)
            HRY_TRY(describe_heap(c, ds->heap, err));
        hvol_storage *row = hvol_row(ds);
        if (row->entry != UINT64_MAX || row->descriptor_written)
            continue;
        fresh *f = &c->fresh[c->fresh_count++];
        f->storage = row;
        HRY_TRY(hvol_describe(ds, &d, err));
        HRY_TRY(put_descriptor(c, &d, &f->at, &f->length, err));
    }
    return HRY_OK;
}

static hry_status place_descriptors(commit *c, hry_error *err)
{
    uint64_t block;
    HRY_TRY(hvol_store_allocate(c->tree->store, c->descriptors.size, 8, &block, err));
    for (uint64_t i = 0; i < c->fresh_count; i++) {
        const fresh *f = &c->fresh[i];
        const bool slot = f->storage->descriptor_offset != 0;
        if (!slot)
            f->storage->descriptor_offset = block + f->at;
        f->storage->descriptor_length = (uint32_t)f->length;
        if (slot)
            HRY_TRY(add_piece(c, f->storage->descriptor_offset, c->descriptors.data + f->at,
                              f->length, err));
    }
    return add_piece(c, block, c->descriptors.data, c->descriptors.size, err);
}

/* The catalog: a uint8 vector whose descriptor lies right before it. */
static hry_status place_catalog(commit *c, hry_error *err)
{
    hry_descriptor d;
    size_t at, length;
    hvol_store *store = c->tree->store;
    HRY_TRY(hvol_catalog_encode(c->tree, c->nodes, c->names, c->count, &c->catalog, err));
    const uint64_t size = c->catalog.size;
    HRY_TRY(hry_descriptor_dense(HRY_UINT8, 1, &size, &d, err));
    d.buffers[0].alignment = store->alignment;
    HRY_TRY(put_descriptor(c, &d, &at, &length, err));
    c->fresh[c->fresh_count++] = (fresh){&c->catalog_storage, at, length};
    HRY_TRY(
        hvol_store_allocate(store, length, 8, &c->catalog_storage.descriptor_offset, err));
    HRY_TRY(
        hvol_store_allocate(store, size, store->alignment, &c->catalog_storage.base, err));
    c->catalog_storage.base_size = size;
    return add_piece(c, c->catalog_storage.base, c->catalog.data, c->catalog.size, err);
}

static hry_status list(commit *c, const char *name, size_t length, const hvol_storage *s,
                       hry_error *err)
{
    hry_entry entry = {0};
    if (s->entry != UINT64_MAX)
        HRY_TRY(hry_file_entry(c->tree->store->file, s->entry, &entry, err));
    else
        entry = (hry_entry){.descriptor_offset = s->descriptor_offset,
                            .descriptor_length = s->descriptor_length,
                            .data_offset = s->base,
                            .data_length = s->base_size};
    entry.name = name;
    entry.name_length = (uint16_t)length;
    return hry_footer_add(c->footer, &entry, err);
}

static hry_status list_all(commit *c, hry_error *err)
{
    const hvol_tree *tree = c->tree;
    for (uint64_t i = 0; i < c->count; i++) {
        hvol_dataset *ds = &c->nodes[i]->u.dataset;
        if (c->nodes[i]->kind != HVOL_DATASET)
            continue;
        HRY_TRY(list(c, c->names[i].name, c->names[i].length, hvol_row(ds), err));
        if (ds->heap != NULL && ds->heap->size > 0)
            HRY_TRY(list(c, c->names[i].heap, c->names[i].heap_length, &ds->heap->storage,
                         err));
    }
    for (uint64_t i = 0; i < tree->kept_count; i++) {
        hry_entry entry;
        HRY_TRY(hry_file_entry(tree->store->file, tree->kept[i], &entry, err));
        HRY_TRY(hry_footer_add(c->footer, &entry, err));
    }
    HRY_TRY(
        list(c, HVOL_CATALOG_NAME, sizeof HVOL_CATALOG_NAME - 1, &c->catalog_storage, err));
    if (!tree->store->signature)
        return HRY_OK;
    return list(c, HVOL_SIGNATURE_NAME, sizeof HVOL_SIGNATURE_NAME - 1,
                &tree->store->signature_storage, err);
}

static hry_status add_own_kv(hry_footer *footer, const hvol_store *store, hry_error *err)
{
    static const char writer[] = "hurray HDF5 connector " HRY_VERSION;
    const hry_kv name = {.key = "hurray.writer",
                         .key_length = 13,
                         .tag = HRY_KV_STRING,
                         .bytes = writer,
                         .length = sizeof writer - 1};
    const hry_kv order = {.key = "hurray.sequential",
                          .key_length = 17,
                          .tag = HRY_KV_BOOL,
                          .number.boolean = store->in_order};
    HRY_TRY(hry_footer_add_kv(footer, &name, err));
    return hry_footer_add_kv(footer, &order, err);
}

/* What the file said about itself stays, but for what we say. */
static hry_status keep_kv(hry_footer *footer, const hry_file *file, hry_error *err)
{
    const uint32_t count = file == NULL ? 0 : hry_file_kv_count(file);
    for (uint32_t i = 0; i < count; i++) {
        hry_kv kv;
        HRY_TRY(hry_file_kv(file, i, &kv, err));
        if (kv.key_length >= 7 && memcmp(kv.key, "hurray.", 7) == 0)
            continue;
        HRY_TRY(hry_footer_add_kv(footer, &kv, err));
    }
    return HRY_OK;
}

static hry_status publish(commit *c, hry_error *err)
{
    hvol_store *store = c->tree->store;
    const void *bytes;
    size_t size;
    uint64_t at;
    HRY_TRY(hry_footer_new(store->flags, &c->footer, err));
    HRY_TRY(list_all(c, err));
    HRY_TRY(add_own_kv(c->footer, store, err));
    HRY_TRY(keep_kv(c->footer, store->file, err));
    at = (store->end + 7) & ~(uint64_t)7; /* always the last of all */
    HRY_TRY(hry_footer_encode(c->footer, at, &bytes, &size, err));
    hvol_piece current;
    HRY_TRY(add_piece(c, at, bytes, size, err));
    store->end = at + size;
    hvol_guard_commit(store, (const uint8_t *)bytes + size - HVOL_TRAILER, &current);
    HRY_TRY(add_piece(c, current.offset, current.bytes, current.size, err));
    HRY_TRY(hvol_store_publish(store, c->pieces, c->piece_count, store->guard_end, err));
    store->committed = at + size;
    hvol_store_release(store, store->footer.offset, store->footer.size);
    store->footer = (hvol_hole){at, size};
    return HRY_OK;
}

/* What was in memory is in the file now. */
static void settle(commit *c)
{
    for (uint64_t i = 0; i < c->fresh_count; i++)
        c->fresh[i].storage->descriptor_written = true;
    for (uint64_t i = 0; i < c->count; i++) {
        hvol_storage *s = &c->nodes[i]->u.dataset.storage;
        if (c->nodes[i]->kind == HVOL_DATASET && c->nodes[i]->u.dataset.chunks != NULL)
            c->nodes[i]->u.dataset.chunks->changed = false;
        if (c->nodes[i]->kind == HVOL_DATASET && c->nodes[i]->u.dataset.heap != NULL)
            c->nodes[i]->u.dataset.heap->changed = false;
        if (c->nodes[i]->kind != HVOL_DATASET || s->place != HVOL_IN_MEMORY)
            continue;
        free(s->bytes);
        s->bytes = NULL;
        s->place = HVOL_IN_FILE;
        s->layout_tag = HRY_ROW_MAJOR;
    }
    hvol_store_release(c->tree->store, c->tree->store->catalog.offset,
                       c->tree->store->catalog.size);
    c->tree->store->catalog =
        (hvol_hole){c->catalog_storage.base, c->catalog_storage.base_size};
    hvol_holes_settle(&c->tree->store->holes);
    c->tree->store->in_order = false; /* what comes after this commit lies behind its end */
    c->tree->dirty = false;
}

hry_status hvol_tree_commit(hvol_tree *tree, hry_error *err)
{
    commit c = {.tree = tree, .catalog_storage.entry = UINT64_MAX};
    hry_status status = collect(&c, err);
    if (status == HRY_OK)
        status = flush_chunks(&c, err);
    if (status == HRY_OK)
        status = flush_heaps(&c, err);
    if (status == HRY_OK)
        status = name_all(&c, err);
    if (status == HRY_OK)
        status = pack_small(&c, err);
    if (status == HRY_OK)
        status = place_tables(&c, err);
    if (status == HRY_OK)
        status = describe_all(&c, err);
    if (status == HRY_OK)
        status = place_catalog(&c, err);
    if (status == HRY_OK)
        status = place_descriptors(&c, err);
    if (status == HRY_OK)
        status = publish(&c, err);
    if (status == HRY_OK)
        settle(&c);
    hry_footer_free(c.footer);
    bld_free(&c.text);
    bld_free(&c.pages);
    bld_free(&c.catalog);
    bld_free(&c.descriptors);
    free(c.nodes);
    free(c.names);
    free(c.fresh);
    for (size_t i = 0; i < c.kept_count; i++)
        free(c.kept[i]);
    free(c.kept);
    free(c.pieces);
    return status;
}
