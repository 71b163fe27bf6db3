/* SPDX-License-Identifier: Apache-2.0 */
/* shards.h - a tensor cut into shards, and shards that must make up one (format section 7).
 * Private to core/src/stream. */
#ifndef HRY_SHARDS_H
#define HRY_SHARDS_H

#include "builder.h"
#include "hry/descriptor.h"

/*
 * Into how many slices of its first dimension, each one run of buffer 0, the tensor can be
 * cut: at most `most`, of `least` BYTES each at least. 1: it cannot or need not be.
 */
uint32_t hry_shard_count(const hry_descriptor *d, uint32_t most, uint64_t least);

/* The i-th of `count` slices, and where its bytes begin in buffer 0. */
void hry_shard_slice(const hry_descriptor *d, uint32_t count, uint32_t i,
                     hry_descriptor *out, uint64_t *base);

/* What shards of one tensor have in common, and their boxes. */
typedef struct hry_shard_set {
    uint32_t count; /* so far */
    uint8_t type_tag, layout_tag;
    uint32_t rank;
    hry_extension_type extension_type;
    uint64_t parent_shape[HRY_MAX_RANK];
    hry_builder start, size; /* owned: `rank` u64 for each */
} hry_shard_set;

/* HRY_ERR_CORRUPT when it is no shard of the tensor that the ones before belong to. */
hry_status hry_shard_set_add(hry_shard_set *set, const hry_descriptor *d, hry_error *err);

/* Do they cover the tensor exactly? HRY_ERR_CORRUPT. */
hry_status hry_shard_set_check(const hry_shard_set *set, hry_error *err);

void hry_shard_set_free(hry_shard_set *set);

#endif
