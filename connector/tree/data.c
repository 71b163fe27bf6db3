/* SPDX-License-Identifier: Apache-2.0 */
/* data.c - where a dataset's bytes are, and moving them. */
#include "checked.h"
#include "fail.h"
#include "foreign.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

enum { FILL_CHUNK = 1 << 20 };

hry_status hvol_space_count(const hvol_space *space, uint64_t *count, hry_error *err)
{
    uint64_t n = space->cls == HVOL_NULL ? 0 : 1;
    for (uint32_t i = 0; i < space->rank; i++)
        if (space->dims[i] == 0)
            n = 0;
    for (uint32_t i = 0; i < space->rank && n != 0; i++)
        if (!checked_mul(n, space->dims[i], &n))
            return HRY_FAIL(err, HRY_ERR_RANGE, "number of elements passes 2^64");
    *count = n;
    return HRY_OK;
}

hry_status hvol_data_size(const hvol_dataset *dataset, uint64_t *size, hry_error *err)
{
    uint64_t count;
    HRY_TRY(hvol_space_count(&dataset->space, &count, err));
    if (!checked_mul(count, dataset->element.size, size))
        return HRY_FAIL(err, HRY_ERR_RANGE, "%llu elements of %llu bytes pass 2^64 bytes",
                        (unsigned long long)count,
                        (unsigned long long)dataset->element.size);
    return HRY_OK;
}

/* All strides between elements zero: how a dataset nobody has written yet is stored. */
static bool is_unwritten(const hry_descriptor *d, const hvol_element *element)
{
    if (d->layout_tag != HRY_STRIDED || d->rank <= element->rank)
        return false;
    for (uint32_t i = 0; i < d->rank - element->rank; i++)
        if (d->fields.strides[i] != 0)
            return false;
    return true;
}

hry_status hvol_data_resolve(hvol_tree *tree, hvol_node *node, hry_error *err)
{
    hvol_dataset *ds = &node->u.dataset;
    hvol_storage *s = &ds->storage;
    if (s->place != HVOL_UNRESOLVED)
        return HRY_OK;
    hry_descriptor d;
    uint64_t size;
    HRY_TRY(hry_file_descriptor(tree->store->file, s->entry, &d, err));
    HRY_TRY(hvol_data_size(ds, &size, err));
    s->layout_tag = d.layout_tag;
    if (d.buffer_count > 0) {
        HRY_TRY(hry_file_buffer(tree->store->file, s->entry, &d, 0, &s->base, err));
        s->base_size = d.buffers[0].byte_size;
        s->offset = s->base + d.byte_offset;
    }
    if (is_unwritten(&d, &ds->element) && ds->type != NULL) {
        s->place = HVOL_UNWRITTEN;
        return HRY_OK;
    }
    if (ds->chunks != NULL)
        return hvol_chunks_resolve(tree, ds, &d, err);
    if (ds->foreign || hvol_is_foreign(&d)) {
        ds->foreign = true;
        s->place = HVOL_IN_FILE;
        return HRY_OK;
    }
    if (d.layout_tag == HRY_ROW_MAJOR && size > s->base_size - d.byte_offset)
        return HRY_FAIL(
            err, HRY_ERR_CORRUPT, "catalog says %llu bytes of data, the tensor has %llu",
            (unsigned long long)size, (unsigned long long)(s->base_size - d.byte_offset));
    s->place = HVOL_IN_FILE;
    return HRY_OK;
}

/* `size` bytes of fill value from element boundary `offset` on. */
void hvol_fill(const hvol_dataset *ds, uint64_t offset, uint8_t *dst, size_t size)
{
    if (ds->fill == NULL) {
        memset(dst, 0, size);
        return;
    }
    const size_t period = ds->fill->size, phase = (size_t)(offset % period);
    size_t done = 0;
    while (done < size && done < period) { /* one period, turned by the phase */
        const size_t at = (phase + done) % period;
        const size_t n = period - at < size - done ? period - at : size - done;
        memcpy(dst + done, ds->fill->data + at, n < period - done ? n : period - done);
        done += n < period - done ? n : period - done;
    }
    while (done < size) { /* then double what is there */
        const size_t n = done < size - done ? done : size - done;
        memcpy(dst + done, dst, n);
        done += n;
    }
}

/* Write the fill value over `size` bytes of the file at `at`, whole elements. */
static hry_status fill_range(hvol_tree *tree, const hvol_dataset *ds, uint64_t at,
                             uint64_t size, hry_error *err)
{
    const size_t period = ds->fill->size;
    size_t chunk = period > FILL_CHUNK ? period : FILL_CHUNK / period * period;
    if (size < chunk)
        chunk = (size_t)size;
    uint8_t *buffer = malloc(chunk + 1);
    if (buffer == NULL)
        return HRY_NO_MEMORY(err, chunk);
    hry_status status = HRY_OK;
    hvol_fill(ds, 0, buffer, chunk);
    for (uint64_t done = 0; done < size && status == HRY_OK;) {
        const size_t n = size - done < chunk ? (size_t)(size - done) : chunk;
        status = hvol_store_write(tree->store, at + done, buffer, n, err);
        done += n;
    }
    free(buffer);
    return status;
}

/* Each of several processes fills its share, whole elements of it. */
static hry_status fill_share(hvol_tree *tree, const hvol_dataset *ds, uint64_t size,
                             hry_error *err)
{
    const hvol_store *store = tree->store;
    const uint64_t elements = size / ds->element.size;
    const uint64_t each = elements / store->ranks + (elements % store->ranks != 0);
    uint64_t from = each * store->rank, to = from + each;
    if (from > elements)
        from = elements;
    if (to > elements)
        to = elements;
    const hry_status status =
        fill_range(tree, ds, ds->storage.offset + from * ds->element.size,
                   (to - from) * ds->element.size, err);
    return hvol_store_meet(tree->store, status, err);
}

static hry_status allocate_extent(hvol_tree *tree, hvol_dataset *ds, uint64_t size,
                                  bool whole, hry_error *err)
{
    hvol_storage *s = &ds->storage;
    HRY_TRY(hvol_store_extent(tree->store, hvol_descriptor_length(ds), size, s, err));
    s->layout_tag = HRY_ROW_MAJOR;
    s->place = HVOL_IN_FILE;
    tree->dirty = true;
    if (whole || ds->fill == NULL || ds->fill_never)
        return HRY_OK;
    return fill_share(tree, ds, size, err);
}

/* Every chunk gets its place at once where several processes must agree on it. */
static hry_status allocate_all_chunks(hvol_tree *tree, hvol_dataset *ds, hry_error *err)
{
    uint64_t counts[HVOL_MAX_RANK];
    hvol_chunks *c = ds->chunks;
    const uint64_t total = hvol_grid(ds, counts);
    for (uint64_t key = 0; key < total; key++) {
        hvol_chunk *chunk = hvol_chunk_find(c, key);
        if (chunk != NULL)
            continue;
        HRY_TRY(hvol_chunk_add(c, key, &chunk, err));
        chunk->size = chunk->room = (uint32_t)c->bytes;
        if (c->base != 0 && key < c->base_count)
            chunk->offset = c->base + key * c->bytes;
        else
            HRY_TRY(hvol_store_allocate(tree->store, c->bytes, 8, &chunk->offset, err));
        if (ds->fill != NULL && !ds->fill_never &&
            key % tree->store->ranks == tree->store->rank)
            HRY_TRY(fill_range(tree, ds, chunk->offset, c->bytes, err));
    }
    tree->dirty = true;
    return ds->fill == NULL ? HRY_OK : hvol_store_meet(tree->store, HRY_OK, err);
}

static hry_status allocate_chunks(hvol_tree *tree, hvol_dataset *ds, hvol_coverage coverage,
                                  hry_error *err)
{
    tree->dirty = true;
    ds->storage.place = HVOL_IN_FILE;
    if (coverage != HVOL_SOME || tree->store->ranks > 1)
        HRY_TRY(hvol_chunks_reserve(tree, ds, err));
    ds->chunks->overwriting = coverage == HVOL_ALL;
    return tree->store->ranks > 1 ? allocate_all_chunks(tree, ds, err) : HRY_OK;
}

hry_status hvol_data_allocate(hvol_tree *tree, hvol_node *node, hvol_coverage coverage,
                              hry_error *err)
{
    hvol_dataset *ds = &node->u.dataset;
    hvol_storage *s = &ds->storage;
    uint64_t size;
    HRY_TRY(hvol_data_resolve(tree, node, err));
    if (ds->chunks != NULL)
        return allocate_chunks(tree, ds, coverage, err);
    if (s->place != HVOL_UNWRITTEN)
        return HRY_OK;
    HRY_TRY(hvol_data_size(ds, &size, err));
    if (size == 0)
        return HRY_OK;
    if (tree->store->ranks > 1 || size > HVOL_SMALL_LIMIT)
        return allocate_extent(tree, ds, size, coverage == HVOL_ALL, err);
    if ((s->bytes = malloc((size_t)size)) == NULL)
        return HRY_NO_MEMORY(err, size);
    hvol_fill(ds, 0, s->bytes, (size_t)size);
    s->place = HVOL_IN_MEMORY;
    hvol_row_outdated(ds);
    tree->dirty = true;
    return HRY_OK;
}

hry_status hvol_data_allocate_early(hvol_tree *tree, hvol_node *node, hry_error *err)
{
    hvol_dataset *ds = &node->u.dataset;
    if (ds->chunks == NULL)
        return hvol_data_allocate(tree, node, HVOL_SOME, err);
    if (ds->chunks->filtered) /* how large chunks get is known when they are written */
        return HRY_OK;
    HRY_TRY(allocate_chunks(tree, ds, HVOL_MUCH, err));
    return allocate_all_chunks(tree, ds, err);
}

hry_status hvol_data_stored_size(hvol_tree *tree, hvol_node *node, uint64_t *size,
                                 hry_error *err)
{
    hvol_dataset *ds = &node->u.dataset;
    HRY_TRY(hvol_data_resolve(tree, node, err));
    *size = 0;
    if (ds->chunks != NULL) {
        HRY_TRY(hvol_chunks_flush(tree, ds, false, err));
        for (uint64_t i = 0; i < ds->chunks->capacity; i++)
            if (ds->chunks->slots[i].offset != 0)
                *size += ds->chunks->slots[i].size;
        return HRY_OK;
    }
    return ds->storage.place == HVOL_UNWRITTEN ? HRY_OK : hvol_data_size(ds, size, err);
}

static hry_status check_range(const hvol_dataset *ds, uint64_t offset, size_t size,
                              hry_error *err)
{
    uint64_t total;
    HRY_TRY(hvol_data_size(ds, &total, err));
    if (!range_inside(offset, size, total))
        return HRY_FAIL(err, HRY_ERR_RANGE, "bytes %llu+%zu of data of %llu bytes",
                        (unsigned long long)offset, size, (unsigned long long)total);
    return HRY_OK;
}

hry_status hvol_data_read(hvol_tree *tree, hvol_node *node, uint64_t offset, void *dst,
                          size_t size, hry_error *err)
{
    const hvol_dataset *ds = &node->u.dataset;
    HRY_TRY(hvol_data_resolve(tree, node, err));
    HRY_TRY(check_range(ds, offset, size, err));
    if (ds->foreign)
        return hvol_foreign_read(tree, &node->u.dataset, offset, dst, size, err);
    if (ds->chunks != NULL && ds->storage.place != HVOL_UNWRITTEN)
        return hvol_chunks_read(tree, &node->u.dataset, offset, dst, size, err);
    if (ds->storage.place == HVOL_IN_FILE)
        return hvol_store_read(tree->store, ds->storage.offset + offset, dst, size, err);
    if (ds->storage.place == HVOL_IN_MEMORY)
        memcpy(dst, ds->storage.bytes + offset, size);
    else
        hvol_fill(ds, offset, dst, size);
    return HRY_OK;
}

hry_status hvol_data_write(hvol_tree *tree, hvol_node *node, uint64_t offset,
                           const void *src, size_t size, hry_error *err)
{
    const hvol_dataset *ds = &node->u.dataset;
    HRY_TRY(check_range(ds, offset, size, err));
    if (ds->foreign)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "a tensor of layout '%s' that HDF5 did not write is read-only",
                        hry_layout_name(ds->storage.layout_tag));
    if (ds->chunks != NULL)
        return hvol_chunks_write(tree, &node->u.dataset, offset, src, size, err);
    if (ds->storage.place == HVOL_IN_FILE)
        return hvol_store_write(tree->store, ds->storage.offset + offset, src, size, err);
    memcpy(ds->storage.bytes + offset, src, size);
    return HRY_OK;
}
