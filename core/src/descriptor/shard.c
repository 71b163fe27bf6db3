/* SPDX-License-Identifier: Apache-2.0 */
/* shard.c - the shard section: where a tensor lies in its parent (format section 1). */
#include "sections.h"

size_t hry_shard_size(const hry_descriptor *d)
{
    return (size_t)16 * d->rank;
}

hry_status hry_shard_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d, hry_error *err)
{
    (void)mode;
    for (uint32_t k = 0; k < d->rank; k++)
        d->shard.parent_shape[k] = cur_u64(c);
    for (uint32_t k = 0; k < d->rank; k++)
        d->shard.offset[k] = cur_u64(c);
    return cur_ok(c, "shard", err);
}

void hry_shard_encode(const hry_descriptor *d, hry_builder *b)
{
    for (uint32_t k = 0; k < d->rank; k++)
        bld_u64(b, d->shard.parent_shape[k]);
    for (uint32_t k = 0; k < d->rank; k++)
        bld_u64(b, d->shard.offset[k]);
}

static hry_status check_dim(const hry_descriptor *d, size_t at, uint32_t k, hry_error *err)
{
    const uint64_t size = d->shape[k];
    const uint64_t parent = d->shard.parent_shape[k], offset = d->shard.offset[k];
    const size_t at_parent = at + (size_t)8 * k,
                 at_offset = at_parent + (size_t)8 * d->rank;
    if (size == HRY_DYNAMIC)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, hry_place_of_dim(k),
                           "shape[%u] is dynamic, a shard needs a size", (unsigned)k);
    if (parent == HRY_DYNAMIC)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at_parent,
                           "parent_shape[%u] is dynamic, a shard needs a size",
                           (unsigned)k);
    if (size > parent)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at_parent,
                           "parent_shape[%u] is %llu, below the shard's %llu", (unsigned)k,
                           (unsigned long long)parent, (unsigned long long)size);
    if (offset > parent - size)
        return HRY_FAIL_AT(
            err, HRY_ERR_CORRUPT, at_offset,
            "shard_offset[%u] is %llu: with size %llu it leaves the parent's "
            "%llu",
            (unsigned)k, (unsigned long long)offset, (unsigned long long)size,
            (unsigned long long)parent);
    return HRY_OK;
}

hry_status hry_shard_check(const hry_descriptor *d, const hry_places *p, hry_error *err)
{
    for (uint32_t k = 0; k < d->rank; k++)
        HRY_TRY(check_dim(d, p->section[HRY_SECTION_SHARD], k, err));
    return HRY_OK;
}
