/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap.h - bytes of variable-length elements: appended, never moved, found by offset.
 * An element holds (count, offset); offsets count units, and 0 is "nothing", so that a
 * heap begins with one unit of zeros. Storing over an element leaves the old bytes behind.
 */
#ifndef HVOL_HEAP_H
#define HVOL_HEAP_H

#include "store.h"

typedef struct hvol_heap {
    uint8_t type_tag;     /* of core: what one unit is */
    uint64_t unit;        /* BYTES of it */
    uint64_t size;        /* BYTES in use, whole units */
    uint64_t lasting;     /* BYTES at the beginning that clearing leaves */
    uint64_t room;        /* BYTES that the extent in the file has */
    hvol_storage storage; /* where what left memory is; base 0: nothing did */
    uint8_t *tail;        /* bytes from tail_at on; owned */
    uint64_t tail_at;
    size_t tail_room;
    uint8_t *window; /* bytes read ahead, from window_at on; owned */
    uint64_t window_at;
    size_t window_size;
    bool changed; /* the file does not have all of it */
} hvol_heap;

/* An empty heap whose units are elements of a core type: `unit` BYTES each. */
hry_status hvol_heap_new(uint8_t type_tag, uint64_t unit, hvol_heap **out, hry_error *err);
/* NULL is allowed. */
void hvol_heap_free(hvol_heap *heap);

/*
 * Append `size` bytes; *offset in UNITS, never 0. `store` may be NULL: then all of it stays
 * in memory, from heap->tail on, as for attributes.
 */
hry_status hvol_heap_put(hvol_heap *heap, hvol_store *store, const void *bytes, size_t size,
                         uint64_t *offset, hry_error *err);

/* HRY_ERR_CORRUPT when `offset` (in UNITS) and `size` (in BYTES) are not in the heap. */
hry_status hvol_heap_get(hvol_heap *heap, const hvol_store *store, uint64_t offset,
                         void *dst, size_t size, hry_error *err);

/* Everything but what lasts is not needed any more. */
hry_status hvol_heap_clear(hvol_heap *heap, hvol_store *store, hry_error *err);

/* Write the tail to the file; the heap has no bytes in memory after it. */
hry_status hvol_heap_flush(hvol_heap *heap, hvol_store *store, hry_error *err);

#endif
