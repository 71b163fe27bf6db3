/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entries.h - index buffers of sparse and paged layouts, and the entries they list.
 * Private to core/src. Whatever the buffers say, reads stay inside them.
 */
#ifndef HRY_ENTRIES_H
#define HRY_ENTRIES_H

#include "hry/tensor.h"

#include <string.h>

/* An array of little-endian unsigned integers of 4 or 8 bytes. */
typedef struct hry_indices {
    const uint8_t *bytes;
    uint64_t count;
    uint32_t width;
} hry_indices;

static inline uint64_t index_at(const hry_indices *a, uint64_t i)
{
    if (a->width == 4) {
        uint32_t v;
        memcpy(&v, a->bytes + i * 4, 4);
        return v;
    }
    uint64_t v;
    memcpy(&v, a->bytes + i * 8, 8);
    return v;
}

/*
 * Buffer `b`, all of it: HRY_ERR_TRUNCATED when it is smaller than its handle says,
 * HRY_ERR_CORRUPT when it holds fewer than `need` numbers.
 */
hry_status hry_index_buffer(const hry_tensor *t, uint32_t b, uint32_t width, uint64_t need,
                            hry_indices *out, hry_error *err);

/* First of [low, high) whose number is not below `v`, in ascending numbers. */
uint64_t hry_index_search(const hry_indices *a, uint64_t low, uint64_t high, uint64_t v);

/* Anything but HRY_OK ends the visit. `index` has the tensor's rank. */
typedef hry_status (*hry_entry_visit)(void *ctx, uint64_t position, const uint64_t *index);

typedef struct hry_entry_walk {
    const hry_tensor *t;
    const uint64_t *start, *count; /* the box; not empty */
    hry_entry_visit visit;
    void *ctx;
} hry_entry_walk;

/* Visit the stored entries of a sparse tensor that lie in the box, in storage order. */
hry_status hry_entries(const hry_entry_walk *w, hry_error *err);

hry_status hry_coo_entries(const hry_entry_walk *w, hry_error *err);
hry_status hry_csr_entries(const hry_entry_walk *w, hry_error *err);
hry_status hry_csc_entries(const hry_entry_walk *w, hry_error *err);
hry_status hry_csf_entries(const hry_entry_walk *w, hry_error *err);

bool hry_layout_is_sparse(uint8_t layout_tag);

/* Pages of a block-paged tensor; `tokens` is owned, one entry for each sequence. */
typedef struct hry_pages {
    hry_indices table;   /* page of each slot      */
    hry_indices seq_ptr; /* slots of each sequence */
    uint64_t *tokens;
} hry_pages;

/* Buffers only; tokens stay NULL. */
hry_status hry_pages_open(const hry_tensor *t, hry_pages *out, hry_error *err);
/* With the tokens of each sequence: see hry_paged_tokens(). */
hry_status hry_pages_load(const hry_tensor *t, hry_pages *out, hry_error *err);
void hry_pages_free(hry_pages *p);

/* Element offset of the first element of `token` of a sequence, in buffer 0. */
hry_status hry_pages_token(const hry_tensor *t, const hry_pages *p, uint64_t sequence,
                           uint64_t token, uint64_t *page, hry_error *err);

#endif
