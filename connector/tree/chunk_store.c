/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_store.c - the table of chunks as bytes, and back. */
#include "builder.h"
#include "checked.h"
#include "cursor.h"
#include "fail.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

enum { ROW = 24 }; /* key, offset, size, mask */

static int by_key(const void *a, const void *b)
{
    const hvol_chunk *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

hry_status hvol_chunk_table_encode(const hvol_chunks *c, uint8_t **bytes, size_t *size,
                                   hry_error *err)
{
    hry_builder b = {0};
    uint64_t n = 0;
    hvol_chunk *rows = malloc((c->count + 1) * sizeof *rows);
    if (rows == NULL)
        return HRY_NO_MEMORY(err, c->count * sizeof *rows);
    for (uint64_t i = 0; i < c->capacity; i++)
        if (c->slots[i].offset != 0) {
            c->slots[i].committed = true;
            rows[n++] = c->slots[i];
        }
    qsort(rows, n, sizeof *rows, by_key);
    for (uint64_t i = 0; i < n; i++) {
        bld_u64(&b, rows[i].key);
        bld_u64(&b, rows[i].offset);
        bld_u32(&b, rows[i].size);
        bld_u32(&b, rows[i].mask);
    }
    free(rows);
    *bytes = b.data;
    *size = b.size;
    return bld_ok(&b, "table of chunks", err);
}

/* Every chunk must lie in the file and in the grid. */
static hry_status take_row(const hvol_tree *tree, hvol_chunks *c, hry_cursor *in,
                           uint64_t total, hry_error *err)
{
    hvol_chunk *chunk;
    const uint64_t key = cur_u64(in), offset = cur_u64(in);
    const uint32_t size = cur_u32(in), mask = cur_u32(in);
    if (key >= total || offset == 0 || !range_inside(offset, size, tree->store->end))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, in->pos - ROW,
                           "chunk %llu of %llu at %llu, %u bytes, in a file of %llu",
                           (unsigned long long)key, (unsigned long long)total,
                           (unsigned long long)offset, size,
                           (unsigned long long)tree->store->end);
    HRY_TRY(hvol_chunk_add(c, key, &chunk, err));
    *chunk = (hvol_chunk){.key = key,
                          .offset = offset,
                          .size = size,
                          .room = size,
                          .mask = mask,
                          .committed = true};
    return HRY_OK;
}

static hry_status read_table(hvol_tree *tree, hvol_dataset *ds, hry_error *err)
{
    uint64_t counts[HVOL_MAX_RANK];
    const hvol_storage *s = &ds->storage;
    const uint64_t total = hvol_grid(ds, counts);
    uint8_t *bytes = malloc((size_t)s->base_size + 1); /* proven to lie in the file */
    if (bytes == NULL)
        return HRY_NO_MEMORY(err, s->base_size);
    hry_status status =
        hvol_store_read(tree->store, s->base, bytes, (size_t)s->base_size, err);
    hry_cursor in = cur_over(bytes, (size_t)s->base_size);
    while (status == HRY_OK && cur_left(&in) >= ROW)
        status = take_row(tree, ds->chunks, &in, total, err);
    free(bytes);
    return status;
}

static hry_status take_tiles(hvol_dataset *ds, const hry_descriptor *d, hry_error *err)
{
    uint64_t counts[HVOL_MAX_RANK];
    hvol_chunks *c = ds->chunks;
    const uint64_t total = hvol_grid(ds, counts);
    for (uint32_t i = 0; i < ds->space.rank; i++)
        if (d->rank < ds->space.rank || d->shape[i] != ds->space.dims[i] ||
            d->fields.tiled.level[0].tile_shape[i] != c->dims[i])
            return HRY_FAIL(err, HRY_ERR_CORRUPT,
                            "catalog and tiles differ in dimension %u", i);
    c->base = ds->storage.offset;
    c->base_count = total;
    for (uint64_t key = 0; key < total; key++) {
        hvol_chunk *chunk;
        HRY_TRY(hvol_chunk_add(c, key, &chunk, err));
        chunk->offset = c->base + key * c->bytes;
        chunk->size = chunk->room = (uint32_t)c->bytes;
    }
    return HRY_OK;
}

hry_status hvol_chunks_resolve(hvol_tree *tree, hvol_dataset *ds, const hry_descriptor *d,
                               hry_error *err)
{
    hvol_chunks *c = ds->chunks;
    hry_status status;
    if (d->layout_tag == HRY_TILED && !c->filtered) {
        status = take_tiles(ds, d, err);
    } else if (d->layout_tag == HVOL_LAYOUT_CHUNKS &&
               d->fields.extension.id == HVOL_LAYOUT_ID) {
        status = read_table(tree, ds, err);
        c->table = ds->storage; /* the row of the index is the table's */
        ds->storage.entry = UINT64_MAX;
    } else if (ds->storage.base_size == 0) {
        status = HRY_OK; /* no elements */
    } else {
        status = HRY_FAIL(err, HRY_ERR_CORRUPT, "chunked dataset stored as '%s'",
                          hry_layout_name(d->layout_tag));
    }
    c->changed = false;
    if (status == HRY_OK)
        ds->storage.place = HVOL_IN_FILE;
    return status;
}
