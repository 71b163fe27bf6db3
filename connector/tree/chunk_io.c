/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_io.c - row-major data read and written where they lie in chunks. */
#include "fail.h"
#include "tree.h"

#include <string.h>

/* A position in the data, walked in row-major order. */
typedef struct chunk_walk {
    const hvol_dataset *ds;
    uint32_t rank;
    uint64_t at[HVOL_MAX_RANK];
    uint64_t counts[HVOL_MAX_RANK];
} chunk_walk;

static void begin(chunk_walk *w, const hvol_dataset *ds, uint64_t element)
{
    w->ds = ds;
    w->rank = ds->space.rank;
    hvol_grid(ds, w->counts);
    for (uint32_t i = w->rank; i-- > 0;) {
        w->at[i] = element % ds->space.dims[i];
        element /= ds->space.dims[i];
    }
}

/* The chunk here, the element in it, and how many follow in one row of both. */
static uint64_t here(const chunk_walk *w, uint64_t *key, uint64_t *inside)
{
    const uint64_t *chunk = w->ds->chunks->dims;
    const uint32_t last = w->rank - 1;
    *key = 0;
    *inside = 0;
    for (uint32_t i = 0; i < w->rank; i++) {
        *key = *key * w->counts[i] + w->at[i] / chunk[i];
        *inside = *inside * chunk[i] + w->at[i] % chunk[i];
    }
    const uint64_t in_chunk = chunk[last] - w->at[last] % chunk[last];
    const uint64_t in_row = w->ds->space.dims[last] - w->at[last];
    return in_chunk < in_row ? in_chunk : in_row;
}

static void advance(chunk_walk *w, uint64_t n)
{
    w->at[w->rank - 1] += n;
    for (uint32_t i = w->rank - 1; i > 0 && w->at[i] == w->ds->space.dims[i]; i--) {
        w->at[i] = 0;
        w->at[i - 1]++;
    }
}

/* One direction: `to` for reading, `from` for writing. */
static hry_status move(hvol_tree *tree, hvol_dataset *ds, uint64_t offset, uint8_t *to,
                       const uint8_t *from, size_t size, hry_error *err)
{
    const size_t element = (size_t)ds->element.size;
    uint64_t left = size / element;
    chunk_walk w;
    begin(&w, ds, offset / element);
    while (left > 0) {
        uint64_t key, inside, n = here(&w, &key, &inside);
        uint8_t *data;
        if (n > left)
            n = left;
        HRY_TRY(hvol_chunk_pin(tree, ds, key, from != NULL, &data, err));
        const size_t bytes = (size_t)n * element;
        if (from != NULL) {
            memcpy(data + inside * element, from, bytes);
            from += bytes;
        } else {
            memcpy(to, data + inside * element, bytes);
            to += bytes;
        }
        advance(&w, n);
        left -= n;
    }
    return HRY_OK;
}

/*
 * Where other processes write other parts of the same chunk, each moves just its own bytes
 * from or to where the chunk lies.
 */
static hry_status move_through(hvol_tree *tree, hvol_dataset *ds, uint64_t offset,
                               uint8_t *to, const uint8_t *from, size_t size,
                               hry_error *err)
{
    const size_t element = (size_t)ds->element.size;
    uint64_t left = size / element;
    chunk_walk w;
    begin(&w, ds, offset / element);
    while (left > 0) {
        uint64_t key, inside, n = here(&w, &key, &inside);
        if (n > left)
            n = left;
        const hvol_chunk *chunk = hvol_chunk_find(ds->chunks, key);
        if (chunk == NULL)
            return HRY_FAIL(err, HRY_ERR_CORRUPT, "chunk %llu has no place in the file",
                            (unsigned long long)key);
        const uint64_t at = chunk->offset + inside * element;
        const size_t bytes = (size_t)n * element;
        if (from != NULL) {
            HRY_TRY(hvol_store_write(tree->store, at, from, bytes, err));
            from += bytes;
        } else {
            HRY_TRY(hvol_store_read(tree->store, at, to, bytes, err));
            to += bytes;
        }
        advance(&w, n);
        left -= n;
    }
    return HRY_OK;
}

hry_status hvol_chunks_read(hvol_tree *tree, hvol_dataset *ds, uint64_t offset, void *dst,
                            size_t size, hry_error *err)
{
    if (tree->store->ranks > 1 && tree->store->writable)
        return move_through(tree, ds, offset, dst, NULL, size, err);
    return move(tree, ds, offset, dst, NULL, size, err);
}

hry_status hvol_chunks_write(hvol_tree *tree, hvol_dataset *ds, uint64_t offset,
                             const void *src, size_t size, hry_error *err)
{
    if (tree->store->ranks > 1)
        return move_through(tree, ds, offset, NULL, src, size, err);
    return move(tree, ds, offset, NULL, src, size, err);
}
