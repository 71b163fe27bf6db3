/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunk_cache.c - chunks in memory. Direct-mapped: neighbours along the fastest dimensions
 * have different places, so that going through the data row by row loads each chunk once.
 */
#include "fail.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

enum { CACHE_BYTES = 64 << 20 }; /* at most, but for a single chunk that is larger */

/* Room for one row of chunks across the dataset, within the limit. */
static hry_status make_cache(hvol_dataset *ds, hry_error *err)
{
    hvol_chunks *c = ds->chunks;
    uint64_t counts[HVOL_MAX_RANK], row = 1, most = CACHE_BYTES / c->bytes;
    if (c->cache != NULL)
        return HRY_OK;
    hvol_grid(ds, counts);
    for (uint32_t i = 1; i < ds->space.rank; i++)
        row *= counts[i] == 0 ? 1 : counts[i];
    if (most == 0)
        most = 1;
    row = row < 8 ? 8 : row; /* some for accesses that jump */
    c->cache_slots = row < most ? row : most;
    c->cache = calloc(c->cache_slots, sizeof *c->cache);
    if (c->cache == NULL) {
        c->cache_slots = 0;
        return HRY_NO_MEMORY(err, row * sizeof *c->cache);
    }
    return HRY_OK;
}

/* Where a chunk goes: its part of the extent, its old place if that is large enough, or a
 * new one. */
static hry_status place(hvol_tree *tree, hvol_chunks *c, hvol_chunk *chunk, size_t size,
                        hry_error *err)
{
    const bool placed = chunk->offset != UINT64_MAX;
    const bool stays = placed && c->filtered && chunk->committed;
    if (placed && size <= chunk->room && !stays)
        return HRY_OK;
    if (placed && (c->base == 0 || chunk->key >= c->base_count))
        hvol_store_release(tree->store, chunk->offset, chunk->room);
    if (!placed && c->base != 0 && chunk->key < c->base_count) {
        chunk->offset = c->base + chunk->key * c->bytes;
    } else {
        const uint64_t alignment = size >= HVOL_PAGE ? tree->store->alignment : 8;
        HRY_TRY(hvol_store_allocate(tree->store, size, alignment, &chunk->offset, err));
    }
    chunk->room = (uint32_t)size;
    chunk->committed = false;
    c->changed = true;
    return HRY_OK;
}

hry_status hvol_chunk_store(hvol_tree *tree, hvol_dataset *ds, uint64_t key,
                            const void *bytes, size_t size, uint32_t mask, hry_error *err)
{
    hvol_chunks *c = ds->chunks;
    hvol_chunk *chunk;
    if (size > UINT32_MAX)
        return HRY_FAIL(err, HRY_ERR_RANGE, "chunk of %zu bytes; 4 GiB is too much", size);
    HRY_TRY(hvol_chunk_add(c, key, &chunk, err));
    HRY_TRY(place(tree, c, chunk, size, err));
    if (chunk->size != size || chunk->mask != mask)
        c->changed = true;
    chunk->size = (uint32_t)size;
    chunk->mask = mask;
    tree->dirty = tree->dirty || c->changed;
    return hvol_store_write(tree->store, chunk->offset, bytes, size, err);
}

static hry_status write_back(hvol_tree *tree, hvol_dataset *ds, hvol_cached *slot,
                             hry_error *err)
{
    hvol_chunks *c = ds->chunks;
    void *encoded = NULL;
    size_t size = (size_t)c->bytes;
    uint32_t mask = 0;
    if (!slot->dirty)
        return HRY_OK;
    if (c->filtered)
        HRY_TRY(c->codec->encode(c->codec_ctx, slot->data, (size_t)c->bytes, &encoded,
                                 &size, &mask, err));
    const hry_status status = hvol_chunk_store(
        tree, ds, slot->key, encoded != NULL ? encoded : slot->data, size, mask, err);
    free(encoded);
    slot->dirty = status != HRY_OK;
    return status;
}

hry_status hvol_chunk_load(hvol_tree *tree, const hvol_chunk *chunk, void **bytes,
                           hry_error *err)
{
    *bytes = malloc((size_t)chunk->size + 1);
    if (*bytes == NULL)
        return HRY_NO_MEMORY(err, chunk->size);
    const hry_status status =
        hvol_store_read(tree->store, chunk->offset, *bytes, chunk->size, err);
    if (status != HRY_OK)
        free(*bytes);
    return status;
}

static hry_status load(hvol_tree *tree, hvol_dataset *ds, const hvol_chunk *chunk,
                       uint8_t *data, hry_error *err)
{
    const hvol_chunks *c = ds->chunks;
    void *bytes;
    if (!c->filtered && chunk->size != c->bytes)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "chunk %llu has %u bytes, not %llu",
                        (unsigned long long)chunk->key, chunk->size,
                        (unsigned long long)c->bytes);
    if (!c->filtered)
        return hvol_store_read(tree->store, chunk->offset, data, chunk->size, err);
    HRY_TRY(hvol_chunk_load(tree, chunk, &bytes, err));
    const hry_status status = c->codec->decode(c->codec_ctx, bytes, chunk->size,
                                               chunk->mask, data, (size_t)c->bytes, err);
    free(bytes);
    return status;
}

hry_status hvol_chunk_pin(hvol_tree *tree, hvol_dataset *ds, uint64_t key, bool write,
                          uint8_t **out, hry_error *err)
{
    hvol_chunks *c = ds->chunks;
    HRY_TRY(make_cache(ds, err));
    hvol_cached *slot = &c->cache[key % c->cache_slots];
    if (!slot->used || slot->key != key) {
        if (slot->used)
            HRY_TRY(write_back(tree, ds, slot, err));
        slot->used = false;
        if (slot->data == NULL && (slot->data = malloc((size_t)c->bytes)) == NULL)
            return HRY_NO_MEMORY(err, c->bytes);
        const hvol_chunk *chunk = hvol_chunk_find(c, key);
        if (chunk != NULL && !(write && c->overwriting))
            HRY_TRY(load(tree, ds, chunk, slot->data, err));
        else
            hvol_fill(ds, 0, slot->data, (size_t)c->bytes);
        slot->key = key;
        slot->used = true;
        slot->dirty = false;
    }
    slot->dirty = slot->dirty || write;
    *out = slot->data;
    return HRY_OK;
}

/* In the order of keys, so that new chunks lie in the file as they do in the data. */
static int by_key(const void *a, const void *b)
{
    const hvol_cached *x = *(hvol_cached *const *)a, *y = *(hvol_cached *const *)b;
    return (x->key > y->key) - (x->key < y->key);
}

static hry_status write_all_back(hvol_tree *tree, hvol_dataset *ds, hry_error *err)
{
    hvol_chunks *c = ds->chunks;
    hry_status status = HRY_OK;
    uint64_t n = 0;
    hvol_cached **list = malloc((c->cache_slots + 1) * sizeof(hvol_cached *));
    if (list == NULL)
        return HRY_NO_MEMORY(err, c->cache_slots * sizeof(hvol_cached *));
    for (uint64_t i = 0; i < c->cache_slots; i++)
        if (c->cache[i].used && c->cache[i].dirty)
            list[n++] = &c->cache[i];
    qsort(list, n, sizeof(hvol_cached *), by_key);
    for (uint64_t i = 0; i < n && status == HRY_OK; i++)
        status = write_back(tree, ds, list[i], err);
    free(list);
    return status;
}

hry_status hvol_chunks_flush(hvol_tree *tree, hvol_dataset *ds, bool drop, hry_error *err)
{
    hvol_chunks *c = ds->chunks;
    if (c == NULL || c->cache == NULL)
        return HRY_OK;
    const hry_status status = write_all_back(tree, ds, err);
    if (status != HRY_OK || !drop)
        return status;
    for (uint64_t i = 0; i < c->cache_slots; i++)
        free(c->cache[i].data);
    free(c->cache);
    c->cache = NULL;
    c->cache_slots = 0;
    return HRY_OK;
}
