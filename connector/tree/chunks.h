/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunks.h - chunked datasets: where each chunk lies, a cache of chunks in memory, and
 * reading and writing through it. A chunk is found by its key, its row-major position in
 * the grid of chunks. Edge chunks are stored whole.
 */
#ifndef HVOL_CHUNKS_H
#define HVOL_CHUNKS_H

#include "space.h"

#include "store.h"

#include <stddef.h>

struct hvol_dataset;
struct hvol_node;
struct hvol_tree;

/* The private layout of a tensor whose buffer is a table of chunks (docs/catalog.md). */
#define HVOL_LAYOUT_CHUNKS 0xF1
#define HVOL_LAYOUT_ID 0x3546444859525248u /* "HRRYHDF5" */
#define HVOL_TABLE_VERSION 1

/* Where one chunk's bytes are. */
typedef struct hvol_chunk {
    uint64_t key;
    uint64_t offset; /* in the file; 0: an empty slot of the table */
    uint32_t size;   /* in BYTES as stored */
    uint32_t room;   /* BYTES that its place has */
    uint32_t mask;   /* filters that were left out, as HDF5 counts them */
    bool committed;  /* the file names its place: filtered bytes are not overwritten */
} hvol_chunk;

/* Filters between a chunk in memory and in the file; the h5 layer makes it. */
typedef struct hvol_codec {
    /* *out is malloc()ed and the caller's. */
    hry_status (*encode)(void *ctx, const void *raw, size_t raw_size, void **out,
                         size_t *size, uint32_t *mask, hry_error *err);
    hry_status (*decode)(void *ctx, const void *bytes, size_t size, uint32_t mask,
                         void *raw, size_t raw_size, hry_error *err);
    void (*free)(void *ctx);
} hvol_codec;

typedef struct hvol_cached {
    uint8_t *data; /* one chunk; owned */
    uint64_t key;
    bool used, dirty;
} hvol_cached;

typedef struct hvol_chunks {
    uint64_t dims[HVOL_MAX_RANK]; /* of a chunk, in ELEMENTS */
    uint64_t bytes;               /* of a chunk in memory */
    bool filtered;                /* needs a codec to be read or written */
    const hvol_codec *codec;      /* NULL until the dataset is used */
    void *codec_ctx;
    hvol_chunk *slots; /* open addressing by key; owned */
    uint64_t count, capacity;
    uint64_t *order; /* keys in order, `ordered` of them; owned, or NULL */
    uint64_t ordered;
    uint64_t base, base_count; /* an extent for the first chunks in order; 0: none */
    hvol_cached *cache;        /* direct-mapped by key; owned */
    uint64_t cache_slots;
    bool overwriting;   /* what is there needs no reading: all is being written */
    bool changed;       /* the table is not what the file has */
    hvol_storage table; /* where the table lies, for irregular or filtered ones */
} hvol_chunks;

/* Chunks of `dims` (the dataset's rank) for elements of the dataset; HRY_ERR_RANGE when one
 * has 4 GiB or more. */
hry_status hvol_chunks_new(const struct hvol_dataset *dataset, const uint64_t *dims,
                           hvol_chunks **out, hry_error *err);
void hvol_chunks_free(hvol_chunks *chunks);

/* Number of chunks in each dimension of the grid, and in all. */
uint64_t hvol_grid(const struct hvol_dataset *dataset, uint64_t *counts);

/* The chunk with that key, or NULL when it was never written. */
hvol_chunk *hvol_chunk_find(const hvol_chunks *chunks, uint64_t key);
/* The same, made if missing; its place is not set then. */
hry_status hvol_chunk_add(hvol_chunks *chunks, uint64_t key, hvol_chunk **out,
                          hry_error *err);

/* The chunk in memory, until the next call: loaded, or fill values; `write`: to be changed.
 */
hry_status hvol_chunk_pin(struct hvol_tree *tree, struct hvol_dataset *dataset,
                          uint64_t key, bool write, uint8_t **out, hry_error *err);

/* Read or write `size` BYTES at `offset` of the row-major data. */
hry_status hvol_chunks_read(struct hvol_tree *tree, struct hvol_dataset *dataset,
                            uint64_t offset, void *dst, size_t size, hry_error *err);
hry_status hvol_chunks_write(struct hvol_tree *tree, struct hvol_dataset *dataset,
                             uint64_t offset, const void *src, size_t size, hry_error *err);

/* Write dirty chunks to the file; with `drop`, give up the cache's memory. */
hry_status hvol_chunks_flush(struct hvol_tree *tree, struct hvol_dataset *dataset,
                             bool drop, hry_error *err);

/* An extent for every chunk of the grid in order, if nothing has a place yet. */
hry_status hvol_chunks_reserve(struct hvol_tree *tree, struct hvol_dataset *dataset,
                               hry_error *err);

/* Change the extent; the dataset's space is `dims` afterwards. What is cut off is gone. */
hry_status hvol_chunks_resize(struct hvol_tree *tree, struct hvol_dataset *dataset,
                              const uint64_t *dims, hry_error *err);

/* What a loaded descriptor says: one tiled tensor, or a table of chunks to be read. */
hry_status hvol_chunks_resolve(struct hvol_tree *tree, struct hvol_dataset *dataset,
                               const hry_descriptor *d, hry_error *err);

/* The table as bytes, in the order of keys; *bytes is malloc()ed and the caller's. */
hry_status hvol_chunk_table_encode(const hvol_chunks *chunks, uint8_t **bytes, size_t *size,
                                   hry_error *err);

/* Do all chunks lie in the extent in order, so that the data are one tiled tensor? */
bool hvol_chunks_regular(const struct hvol_dataset *dataset);

/* The raw bytes of one chunk, for direct access; the caller frees *bytes. */
hry_status hvol_chunk_load(struct hvol_tree *tree, const hvol_chunk *chunk, void **bytes,
                           hry_error *err);
/* The n-th chunk that there is, by key; borrowed. HRY_ERR_RANGE past the last one. */
hry_status hvol_chunk_nth(hvol_chunks *chunks, uint64_t n, const hvol_chunk **out,
                          hry_error *err);
/* Keys changed their meaning. */
void hvol_chunks_forget_order(hvol_chunks *chunks);
/* The chunk that has element `at`, and the first element of a chunk. */
hry_status hvol_chunk_key(const struct hvol_dataset *dataset, const uint64_t *at,
                          uint64_t *key, hry_error *err);
void hvol_chunk_origin(const struct hvol_dataset *dataset, uint64_t key, uint64_t *at);
/* Give a chunk these stored bytes, whatever was there or in memory of it. */
hry_status hvol_chunk_replace(struct hvol_tree *tree, struct hvol_node *node, uint64_t key,
                              const void *bytes, size_t size, uint32_t mask,
                              hry_error *err);

/* Give a chunk these stored bytes. */
hry_status hvol_chunk_store(struct hvol_tree *tree, struct hvol_dataset *dataset,
                            uint64_t key, const void *bytes, size_t size, uint32_t mask,
                            hry_error *err);

#endif
