/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_table.c - which chunks there are, and where. */
#include "checked.h"
#include "fail.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

hry_status hvol_chunks_new(const hvol_dataset *ds, const uint64_t *dims, hvol_chunks **out,
                           hry_error *err)
{
    uint64_t bytes = ds->element.size;
    for (uint32_t i = 0; i < ds->space.rank; i++)
        if (dims[i] == 0 || !checked_mul(bytes, dims[i], &bytes) || bytes > UINT32_MAX)
            return HRY_FAIL(
                err, HRY_ERR_RANGE, "chunk dimension %u is %llu: chunks need %s", i,
                (unsigned long long)dims[i], dims[i] == 0 ? "elements" : "less than 4 GiB");
    hvol_chunks *chunks = calloc(1, sizeof *chunks);
    if (chunks == NULL)
        return HRY_NO_MEMORY(err, sizeof *chunks);
    memcpy(chunks->dims, dims, ds->space.rank * sizeof *dims);
    chunks->bytes = bytes;
    chunks->table.entry = UINT64_MAX;
    *out = chunks;
    return HRY_OK;
}

void hvol_chunks_free(hvol_chunks *chunks)
{
    if (chunks == NULL)
        return;
    for (uint64_t i = 0; i < chunks->cache_slots; i++)
        free(chunks->cache[i].data);
    if (chunks->codec != NULL)
        chunks->codec->free(chunks->codec_ctx);
    free(chunks->cache);
    free(chunks->order);
    free(chunks->slots);
    free(chunks);
}

uint64_t hvol_grid(const hvol_dataset *ds, uint64_t *counts)
{
    uint64_t total = 1;
    for (uint32_t i = 0; i < ds->space.rank; i++) {
        const uint64_t chunk = ds->chunks->dims[i];
        counts[i] = ds->space.dims[i] / chunk + (ds->space.dims[i] % chunk != 0);
        total *= counts[i]; /* at most the number of elements, which fits */
    }
    return total;
}

static uint64_t slot_of(const hvol_chunks *c, uint64_t key)
{
    uint64_t i = key * 0x9E3779B97F4A7C15u >> 17 & (c->capacity - 1);
    while (c->slots[i].offset != 0 && c->slots[i].key != key)
        i = (i + 1) & (c->capacity - 1);
    return i;
}

static hry_status grow(hvol_chunks *c, hry_error *err)
{
    hvol_chunk *old = c->slots;
    const uint64_t old_capacity = c->capacity;
    const uint64_t capacity = old_capacity == 0 ? 16 : old_capacity * 2;
    hvol_chunk *slots = calloc(capacity, sizeof *slots);
    if (slots == NULL)
        return HRY_NO_MEMORY(err, capacity * sizeof *slots);
    c->slots = slots;
    c->capacity = capacity;
    for (uint64_t i = 0; i < old_capacity; i++)
        if (old[i].offset != 0)
            slots[slot_of(c, old[i].key)] = old[i];
    free(old);
    return HRY_OK;
}

hvol_chunk *hvol_chunk_find(const hvol_chunks *c, uint64_t key)
{
    if (c->capacity == 0)
        return NULL;
    hvol_chunk *chunk = &c->slots[slot_of(c, key)];
    return chunk->offset == 0 ? NULL : chunk;
}

hry_status hvol_chunk_add(hvol_chunks *c, uint64_t key, hvol_chunk **out, hry_error *err)
{
    if (c->count >= c->capacity / 4 * 3)
        HRY_TRY(grow(c, err));
    hvol_chunk *chunk = &c->slots[slot_of(c, key)];
    if (chunk->offset == 0) {
        *chunk = (hvol_chunk){.key = key, .offset = UINT64_MAX};
        c->count++;
        c->changed = true;
    }
    *out = chunk;
    return HRY_OK;
}

hry_status hvol_chunks_reserve(hvol_tree *tree, hvol_dataset *ds, hry_error *err)
{
    uint64_t counts[HVOL_MAX_RANK], size;
    hvol_chunks *c = ds->chunks;
    const uint64_t total = hvol_grid(ds, counts);
    if (c->base != 0 || c->count != 0 || c->filtered || total == 0)
        return HRY_OK;
    if (!checked_mul(total, c->bytes, &size))
        return HRY_FAIL(err, HRY_ERR_RANGE, "%llu chunks do not fit a file",
                        (unsigned long long)total);
    HRY_TRY(hvol_store_extent(tree->store, hvol_descriptor_length(ds), size, &ds->storage,
                              err));
    c->base = ds->storage.base;
    c->base_count = total;
    return HRY_OK;
}

bool hvol_chunks_regular(const hvol_dataset *ds)
{
    uint64_t counts[HVOL_MAX_RANK];
    const hvol_chunks *c = ds->chunks;
    const uint64_t total = hvol_grid(ds, counts);
    if (c->filtered || c->base == 0 || c->count != total || total > c->base_count)
        return false;
    for (uint64_t i = 0; i < c->capacity; i++)
        if (c->slots[i].offset != 0 &&
            c->slots[i].offset != c->base + c->slots[i].key * c->bytes)
            return false;
    return true;
}

/* ---- changing the extent ---- */

static void unravel(uint64_t key, const uint64_t *counts, uint32_t rank, uint64_t *at)
{
    for (uint32_t i = rank; i-- > 0;) {
        at[i] = key % counts[i];
        key /= counts[i];
    }
}

/* Every chunk under its key in the new grid; those outside are dropped. */
static hry_status rekey(hvol_chunks *c, const uint64_t *old_counts,
                        const uint64_t *new_counts, uint32_t rank, hry_error *err)
{
    hvol_chunk *old = c->slots;
    const uint64_t capacity = c->capacity;
    hvol_chunk *slots = capacity == 0 ? NULL : calloc(capacity, sizeof *slots);
    if (capacity != 0 && slots == NULL)
        return HRY_NO_MEMORY(err, capacity * sizeof *slots);
    c->slots = slots;
    c->count = 0;
    for (uint64_t i = 0; i < capacity; i++) {
        uint64_t at[HVOL_MAX_RANK], key = 0;
        bool inside = old[i].offset != 0;
        if (!inside)
            continue;
        unravel(old[i].key, old_counts, rank, at);
        for (uint32_t k = 0; k < rank; k++) {
            inside = inside && at[k] < new_counts[k];
            key = key * new_counts[k] + at[k];
        }
        if (!inside)
            continue;
        hvol_chunk *slot = &c->slots[slot_of(c, key)];
        *slot = old[i];
        slot->key = key;
        c->count++;
    }
    free(old);
    c->changed = true;
    return HRY_OK;
}

/* Fill what a chunk has outside the dataset, so that growing again shows no old data. */
static hry_status clear_outside(hvol_tree *tree, hvol_dataset *ds, const uint64_t *at,
                                hry_error *err)
{
    const hvol_chunks *c = ds->chunks;
    const uint32_t rank = ds->space.rank;
    const size_t element = (size_t)ds->element.size;
    const uint64_t elements = c->bytes / element;
    uint64_t counts[HVOL_MAX_RANK], key = 0, in[HVOL_MAX_RANK] = {0};
    hvol_grid(ds, counts);
    for (uint32_t k = 0; k < rank; k++)
        key = key * counts[k] + at[k];
    uint8_t *data;
    HRY_TRY(hvol_chunk_pin(tree, ds, key, true, &data, err));
    for (uint64_t i = 0; i < elements; i++) {
        bool outside = false;
        for (uint32_t k = 0; k < rank; k++)
            outside = outside || at[k] * c->dims[k] + in[k] >= ds->space.dims[k];
        if (outside)
            hvol_fill(ds, 0, data + i * element, element);
        for (uint32_t k = rank; k-- > 0 && ++in[k] == c->dims[k];)
            in[k] = 0;
    }
    return HRY_OK;
}

static hry_status clear_cut(hvol_tree *tree, hvol_dataset *ds, hry_error *err)
{
    hvol_chunks *c = ds->chunks;
    uint64_t counts[HVOL_MAX_RANK], at[HVOL_MAX_RANK];
    hvol_grid(ds, counts);
    for (uint64_t i = 0; i < c->capacity; i++) {
        bool cut = false;
        if (c->slots[i].offset == 0)
            continue;
        unravel(c->slots[i].key, counts, ds->space.rank, at);
        for (uint32_t k = 0; k < ds->space.rank; k++)
            cut = cut || (at[k] + 1) * c->dims[k] > ds->space.dims[k];
        if (cut)
            HRY_TRY(clear_outside(tree, ds, at, err));
    }
    return HRY_OK;
}

hry_status hvol_chunks_resize(hvol_tree *tree, hvol_dataset *ds, const uint64_t *dims,
                              hry_error *err)
{
    uint64_t before[HVOL_MAX_RANK], after[HVOL_MAX_RANK];
    bool shrinks = false, same_order = true;
    HRY_TRY(hvol_chunks_flush(tree, ds, true, err));
    hvol_grid(ds, before);
    for (uint32_t i = 0; i < ds->space.rank; i++)
        shrinks = shrinks || dims[i] < ds->space.dims[i];
    memcpy(ds->space.dims, dims, ds->space.rank * sizeof *dims);
    hvol_grid(ds, after);
    for (uint32_t i = 1; i < ds->space.rank; i++)
        same_order = same_order && after[i] == before[i];
    tree->dirty = true;
    hvol_chunks_forget_order(ds->chunks);
    if (!same_order)
        ds->chunks->base = 0; /* the chunks of the extent are in another order now */
    if (!same_order || after[0] < before[0])
        HRY_TRY(rekey(ds->chunks, before, after, ds->space.rank, err));
    hvol_row_outdated(ds);
    return shrinks ? clear_cut(tree, ds, err) : HRY_OK;
}
