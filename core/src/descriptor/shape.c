/* SPDX-License-Identifier: Apache-2.0 */
/* shape.c - shape and byte_offset of a descriptor (format section 1). */
#include "layout/extent.h"
#include "sections.h"

hry_status hry_shape_decode(hry_cursor *c, hry_descriptor *d, hry_error *err)
{
    for (uint32_t k = 0; k < d->rank; k++)
        d->shape[k] = cur_u64(c);
    d->byte_offset = cur_u64(c);
    return cur_ok(c, "shape and byte_offset", err);
}

void hry_shape_encode(const hry_descriptor *d, hry_builder *b)
{
    for (uint32_t k = 0; k < d->rank; k++)
        bld_u64(b, d->shape[k]);
    bld_u64(b, d->byte_offset);
}

/* byte_offset is checked with buffer 0, which bounds it. */
hry_status hry_shape_check(const hry_descriptor *d, hry_error *err)
{
    uint64_t count;
    if (hry_is_dynamic(d) || hry_product(d->shape, d->rank, &count))
        return HRY_OK;
    const uint32_t k = hry_largest_dim(d);
    return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, hry_place_of_dim(k),
                       "shape[%u] is %llu: the element count does not fit 64 bits",
                       (unsigned)k, (unsigned long long)d->shape[k]);
}

hry_status hry_descriptor_count(const hry_descriptor *d, uint64_t *count, hry_error *err)
{
    if (d == NULL || count == NULL || d->rank > HRY_MAX_RANK)
        return HRY_FAIL(err, HRY_ERR_ARG, "a descriptor and a count are needed");
    for (uint32_t k = 0; k < d->rank; k++)
        if (d->shape[k] == HRY_DYNAMIC)
            return HRY_FAIL_AT(err, HRY_ERR_RANGE, hry_place_of_dim(k),
                               "shape[%u] is dynamic, a count needs sizes", (unsigned)k);
    uint64_t n;
    if (!hry_product(d->shape, d->rank, &n))
        return HRY_FAIL_AT(err, HRY_ERR_RANGE, hry_place_of_dim(hry_largest_dim(d)),
                           "the element count does not fit 64 bits");
    *count = n;
    return HRY_OK;
}
