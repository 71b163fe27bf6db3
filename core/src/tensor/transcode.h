/* SPDX-License-Identifier: Apache-2.0 */
/* transcode.h - the parts of hry_transcode(). Private to core/src. */
#ifndef HRY_TRANSCODE_PARTS_H
#define HRY_TRANSCODE_PARTS_H

#include "builder.h"
#include "hry/transcode.h"

struct hry_transcoded {
    hry_descriptor d;
    hry_tensor tensor;
    hry_buffer buffers[HRY_MAX_BUFFERS]; /* owned, NULL where empty */
};

/* byte_offset and byte_size of the one buffer of a dense layout in `d`. */
hry_status hry_plan_dense(hry_descriptor *d, hry_error *err);

/* The pages of one sequence: fields and sizes of the three buffers. */
hry_status hry_plan_paged(hry_descriptor *d, hry_error *err);

/*
 * Validate what was planned and allocate all buffers, filled with zeros; the parameters
 * of the quantization of `src` follow the layout's own buffers.
 */
hry_status hry_transcoded_allocate(hry_transcoded *t, const hry_tensor *src, uint64_t limit,
                                   hry_error *err);

/* Stored entries: indices, rank numbers each, and values in whole bytes. */
typedef struct hry_entry_set {
    hry_builder index;
    hry_builder values;
    uint64_t count;
} hry_entry_set;

hry_status hry_entry_set_collect(const hry_tensor *src, hry_entry_set *set, hry_error *err);
void hry_entry_set_free(hry_entry_set *set);

/* Plan, allocate and fill a sparse `t` from the entries. */
hry_status hry_entry_set_build(const hry_entry_set *set, hry_transcoded *t,
                               const hry_tensor *src, uint64_t limit, hry_error *err);

/* Put the entries into a dense `t` that is allocated. */
hry_status hry_entry_set_scatter(const hry_entry_set *set, const hry_transcoded *t,
                                 hry_error *err);

#endif
