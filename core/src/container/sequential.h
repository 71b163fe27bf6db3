/* SPDX-License-Identifier: Apache-2.0 */
/* sequential.h - what a sequential reader holds. Private to core/src/container. */
#ifndef HRY_SEQUENTIAL_H
#define HRY_SEQUENTIAL_H

#include "container/container.h"
#include "hry/reader.h"
#include "io/window.h"

/* One tensor that came, for the index to be held to. */
typedef struct hry_seen {
    uint64_t descriptor_offset, data_offset, data_length;
    uint32_t descriptor_length;
} hry_seen;

/*
 * Invariant: while tensors come, `left` bytes of the current one's buffers are to be read,
 * `in_buffer` of them of the current buffer, and `next` is where the last of them ends.
 */
struct hry_reader {
    hry_window window;
    hry_mode mode;
    uint64_t footer_limit;
    hry_file_info info;
    bool broken;

    hry_builder descriptor; /* bytes of the current one, which borrows from them */
    uint64_t sizes[HRY_MAX_BUFFERS];
    uint32_t buffer;
    uint64_t in_buffer, left, next;
    hry_builder seen; /* of hry_seen */

    hry_index index; /* from here on: filled at the end */
    hry_kv_list kv;
    uint32_t *order; /* owned: the index row of each tensor that came; NULL before */
};

static inline size_t hry_seen_count(const hry_reader *r)
{
    return r->seen.size / sizeof(hry_seen);
}

/* The window is past the last tensor: take the rest of the file and check it. */
hry_status hry_reader_end(hry_reader *reader, hry_error *err);

#endif
