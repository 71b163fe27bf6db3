/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gather.h - between runs and a contiguous block of elements: in the user's memory, and in
 * the file, where runs that lie close together are read at once.
 */
#ifndef HVOL_GATHER_H
#define HVOL_GATHER_H

#include "runs.h"
#include "tree/tree.h"

/* The next `n` elements of `size` bytes each of `runs` over `base`, to `dst`. */
hry_status hvol_mem_gather(hvol_runs *runs, const void *base, uint64_t n, size_t size,
                           void *dst, hry_error *err);
hry_status hvol_mem_scatter(hvol_runs *runs, void *base, uint64_t n, size_t size,
                            const void *src, hry_error *err);

/* A dataset being read or written run by run; zero but for tree and node at the start. */
typedef struct hvol_file_side {
    hvol_tree *tree;
    hvol_node *node;
    uint8_t *window;    /* bytes of the data from window_at on; owned */
    uint64_t window_at; /* in BYTES */
    size_t window_size; /* valid bytes */
    bool window_dirty;  /* to be written back */
} hvol_file_side;

hry_status hvol_file_gather(hvol_file_side *side, hvol_runs *runs, uint64_t n, size_t size,
                            void *dst, hry_error *err);
hry_status hvol_file_scatter(hvol_file_side *side, hvol_runs *runs, uint64_t n, size_t size,
                             const void *src, hry_error *err);

/* Writes back what is pending and frees the window; returns `status` if that failed. */
hry_status hvol_file_side_end(hvol_file_side *side, hry_status status, hry_error *err);

#endif
