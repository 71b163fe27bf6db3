/* SPDX-License-Identifier: Apache-2.0 */
/* member.h - descriptors of heads and members for tests. */
#ifndef TEST_MEMBER_H
#define TEST_MEMBER_H

#include "hry/descriptor.h"

#include <stdlib.h>
#include <string.h>

/* float32, without data. */
static inline hry_descriptor head_of(uint8_t rule, uint32_t members, uint32_t rank,
                                     const uint64_t *shape)
{
    hry_descriptor d;
    if (hry_descriptor_dense(HRY_FLOAT32, 0, NULL, &d, NULL) != HRY_OK)
        abort();
    d.layout_tag = HRY_COMPOSITE;
    d.buffer_count = 0;
    d.rank = rank;
    memcpy(d.shape, shape, rank * sizeof *shape);
    d.fields.composite = (hry_composite){.rule = rule, .member_count = members};
    if (rule == HRY_OVERLAY)
        d.fields.composite.combine = HRY_COMBINE_REPLACE;
    return d;
}

static inline void shard_into(hry_descriptor *d, const hry_descriptor *head,
                              const uint64_t *start)
{
    d->flags |= HRY_HAS_SHARD;
    memcpy(d->shard.parent_shape, head->shape, head->rank * sizeof *start);
    memcpy(d->shard.offset, start, head->rank * sizeof *start);
}

/* A float32 tensor of `size` at `start` of the head. */
static inline hry_descriptor member_of(const hry_descriptor *head, const uint64_t *start,
                                       const uint64_t *size)
{
    hry_descriptor d;
    if (hry_descriptor_dense(HRY_FLOAT32, head->rank, size, &d, NULL) != HRY_OK)
        abort();
    shard_into(&d, head, start);
    return d;
}

/* The same for an overlay. */
static inline hry_descriptor role_of(const hry_descriptor *head, uint8_t role,
                                     const uint64_t *start, const uint64_t *size)
{
    hry_descriptor d = member_of(head, start, size);
    d.flags |= HRY_HAS_COMPOSITE_MEMBER;
    d.member_role = role;
    return d;
}

#endif
