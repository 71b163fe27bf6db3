/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_list.c - chunks by their position in the data, for those who ask for the n-th, and
 * chunks as they are stored, for those who bring or take the bytes. */
#include "fail.h"
#include "tree.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void hvol_chunks_forget_order(hvol_chunks *c)
{
    free(c->order);
    c->order = NULL;
    c->ordered = 0;
}

/* Sorted once, until a chunk comes or goes. */
static hry_status put_in_order(hvol_chunks *c, hry_error *err)
{
    uint64_t n = 0;
    if (c->order != NULL && c->ordered == c->count)
        return HRY_OK;
    hvol_chunks_forget_order(c);
    if ((c->order = malloc((c->count + 1) * sizeof *c->order)) == NULL)
        return HRY_NO_MEMORY(err, c->count * sizeof *c->order);
    for (uint64_t i = 0; i < c->capacity; i++)
        if (c->slots[i].offset != 0)
            c->order[n++] = c->slots[i].key;
    qsort(c->order, n, sizeof *c->order, by_value);
    c->ordered = n;
    return HRY_OK;
}

hry_status hvol_chunk_nth(hvol_chunks *c, uint64_t n, const hvol_chunk **out,
                          hry_error *err)
{
    if (n >= c->count)
        return HRY_FAIL(err, HRY_ERR_RANGE, "chunk %llu of %llu", (unsigned long long)n,
                        (unsigned long long)c->count);
    HRY_TRY(put_in_order(c, err));
    *out = hvol_chunk_find(c, c->order[n]);
    return HRY_OK;
}

hry_status hvol_chunk_key(const hvol_dataset *ds, const uint64_t *at, uint64_t *key,
                          hry_error *err)
{
    uint64_t counts[HVOL_MAX_RANK];
    hvol_grid(ds, counts);
    *key = 0;
    for (uint32_t i = 0; i < ds->space.rank; i++) {
        if (at[i] >= ds->space.dims[i])
            return HRY_FAIL(err, HRY_ERR_RANGE, "chunk at %llu in dimension %u of %llu",
                            (unsigned long long)at[i], i,
                            (unsigned long long)ds->space.dims[i]);
        *key = *key * counts[i] + at[i] / ds->chunks->dims[i];
    }
    return HRY_OK;
}

void hvol_chunk_origin(const hvol_dataset *ds, uint64_t key, uint64_t *at)
{
    uint64_t counts[HVOL_MAX_RANK];
    hvol_grid(ds, counts);
    for (uint32_t i = ds->space.rank; i-- > 0;) {
        at[i] = key % counts[i] * ds->chunks->dims[i];
        key /= counts[i];
    }
}

hry_status hvol_chunk_replace(hvol_tree *tree, hvol_node *node, uint64_t key,
                              const void *bytes, size_t size, uint32_t mask, hry_error *err)
{
    hvol_dataset *ds = &node->u.dataset;
    hvol_chunks *c = ds->chunks;
    if (tree->store->ranks > 1)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "chunks cannot be written directly by several ranks");
    if (!c->filtered && size != c->bytes)
        return HRY_FAIL(err, HRY_ERR_ARG, "%zu bytes for an unfiltered chunk of %llu", size,
                        (unsigned long long)c->bytes);
    HRY_TRY(hvol_data_allocate(tree, node, HVOL_SOME, err));
    if (c->cache != NULL) { /* what is in memory of it is out of date */
        hvol_cached *slot = &c->cache[key % c->cache_slots];
        if (slot->used && slot->key == key)
            slot->used = slot->dirty = false;
    }
    return hvol_chunk_store(tree, ds, key, bytes, size, mask, err);
}
