/* SPDX-License-Identifier: Apache-2.0 */
/* sample_store.h - a memory_store with what tests of conversations ask for. */
#ifndef SAMPLE_STORE_H
#define SAMPLE_STORE_H

#include "memory_store.h"

static inline hry_descriptor sample_dense(uint8_t type, uint32_t rank,
                                          const uint64_t *shape)
{
    hry_descriptor d;
    if (hry_descriptor_dense(type, rank, shape, &d, NULL) != HRY_OK)
        abort();
    return d;
}

static inline hry_descriptor sample_composite(uint8_t rule, uint8_t type, uint64_t size,
                                              uint32_t members)
{
    hry_descriptor d = sample_dense(type, 1, &size);
    d.layout_tag = HRY_COMPOSITE;
    d.buffer_count = 0;
    d.fields.composite = (hry_composite){.rule = rule, .member_count = members};
    return d;
}

static inline hry_descriptor sample_shard(uint8_t type, uint64_t parent, uint64_t offset,
                                          uint64_t size)
{
    hry_descriptor d = sample_dense(type, 1, &size);
    d.flags = HRY_HAS_SHARD;
    d.shard.parent_shape[0] = parent;
    d.shard.offset[0] = offset;
    return d;
}

/*
 * "plain" float32 [40, 25]; "scalar" int64; "empty" int8 [0]; "bits" bool [3, 7];
 * "sparse" a CSR [4, 5] of int8 with 3 entries; "group" of a partition of two, a scalar and
 * an empty group; "torn" a partition without its second member.
 */
static inline void sample_store(memory_store *m)
{
    static const uint64_t where[] = {0, 3, 2, 0, 2, 2, 3, 3}; /* columns, then rows */
    *m = (memory_store){.fuse = -1};
    hry_descriptor d = sample_dense(HRY_FLOAT32, 2, (uint64_t[]){40, 25});
    memory_add_tensor(memory_add(m, "plain"), &d, 0);
    d = sample_dense(HRY_INT64, 0, NULL);
    memory_add_tensor(memory_add(m, "scalar"), &d, 100);
    d = sample_dense(HRY_INT8, 1, (uint64_t[]){0});
    memory_add_tensor(memory_add(m, "empty"), &d, 0);
    d = sample_dense(HRY_BOOL, 2, (uint64_t[]){3, 7});
    memory_item *item = memory_add(m, "bits");
    memory_add_tensor(item, &d, 0x15);
    item->tensors[0].data.data[2] &= 0x1F;

    d = sample_dense(HRY_INT8, 2, (uint64_t[]){4, 5});
    d.layout_tag = HRY_CSR;
    d.fields.sparse.nnz = 3;
    d.buffer_count = 3;
    d.buffers[1] = d.buffers[2] = d.buffers[0];
    d.buffers[0].byte_size = 3;
    d.buffers[1].byte_size = 3 * 8;
    d.buffers[2].byte_size = 5 * 8;
    item = memory_add(m, "sparse");
    memory_add_tensor(item, &d, 1);
    memcpy(item->tensors[0].data.data + 3, where, sizeof where);

    item = memory_add(m, "group");
    d = sample_composite(HRY_GROUP, HRY_INT8, 1, 3);
    memory_add_tensor(item, &d, 0);
    d = sample_composite(HRY_PARTITION, HRY_INT16, 7, 2);
    memory_add_tensor(item, &d, 0);
    d = sample_shard(HRY_INT16, 7, 3, 4);
    memory_add_tensor(item, &d, 10);
    d = sample_shard(HRY_INT16, 7, 0, 3);
    memory_add_tensor(item, &d, 50);
    d = sample_dense(HRY_INT32, 0, NULL);
    memory_add_tensor(item, &d, 90);
    d = sample_composite(HRY_GROUP, HRY_INT8, 1, 0);
    memory_add_tensor(item, &d, 0);

    item = memory_add(m, "torn");
    d = sample_composite(HRY_PARTITION, HRY_INT16, 7, 2);
    memory_add_tensor(item, &d, 0);
    d = sample_shard(HRY_INT16, 7, 3, 4);
    memory_add_tensor(item, &d, 10);
}

#endif
