/* SPDX-License-Identifier: Apache-2.0 */
/* hilbert.c - the Hilbert curve over a cube of side 2^order (format section 3). */
#include "extent.h"
#include "layout.h"

enum { AT_RANK = 4, SIZE = 8, MAX_ORDER = 63 };

size_t hry_hilbert_size(const hry_descriptor *d)
{
    (void)d;
    return SIZE;
}

hry_status hry_hilbert_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d,
                              hry_error *err)
{
    (void)mode;
    const size_t at = c->pos;
    d->fields.hilbert_order = cur_u32(c);
    const uint32_t rank = cur_u32(c);
    HRY_TRY(cur_ok(c, "hilbert fields", err));
    if (rank != d->rank)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_RANK,
                           "hilbert_rank is %u, the tensor's rank is %u", (unsigned)rank,
                           (unsigned)d->rank);
    return HRY_OK;
}

void hry_hilbert_encode(const hry_descriptor *d, hry_builder *b)
{
    bld_u32(b, d->fields.hilbert_order);
    bld_u32(b, d->rank);
}

hry_status hry_hilbert_check(const hry_descriptor *d, const hry_places *p, hry_error *err)
{
    const uint32_t order = d->fields.hilbert_order;
    if (order == 0 || order > MAX_ORDER)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, p->fields,
                           "hilbert_order is %u, must be 1 to %d", (unsigned)order,
                           MAX_ORDER);
    for (uint32_t k = 0; k < d->rank; k++)
        if (d->shape[k] != HRY_DYNAMIC && d->shape[k] != UINT64_C(1) << order)
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, hry_place_of_dim(k),
                               "shape[%u] is %llu, must be 2^%u", (unsigned)k,
                               (unsigned long long)d->shape[k], (unsigned)order);
    uint64_t count;
    if (hry_is_dynamic(d) || !hry_product(d->shape, d->rank, &count))
        return HRY_OK;
    return hry_check_packed(d, p, count, err);
}
