/* SPDX-License-Identifier: Apache-2.0 */
/* csf.c - compressed sparse fibres: a tree with one level per axis (format section 3). */
#include "descriptor/wire.h"
#include "layout.h"
#include "sparse.h"

enum { AT_MODE_ORDER = 8, RESERVED = 8 };

size_t hry_csf_size(const hry_descriptor *d)
{
    return AT_MODE_ORDER + (size_t)4 * d->rank + RESERVED;
}

hry_status hry_csf_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d, hry_error *err)
{
    (void)mode;
    d->fields.sparse.nnz = cur_u64(c);
    for (uint32_t k = 0; k < d->rank; k++)
        d->fields.sparse.mode_order[k] = cur_u32(c);
    return wire_zeros(c, RESERVED, "csf", err);
}

void hry_csf_encode(const hry_descriptor *d, hry_builder *b)
{
    bld_u64(b, d->fields.sparse.nnz);
    for (uint32_t k = 0; k < d->rank; k++)
        bld_u32(b, d->fields.sparse.mode_order[k]);
    bld_zeros(b, RESERVED);
}

static hry_status check_mode_order(const hry_descriptor *d, const hry_places *p,
                                   hry_error *err)
{
    uint64_t seen = 0;
    for (uint32_t k = 0; k < d->rank; k++) {
        const uint32_t axis = d->fields.sparse.mode_order[k];
        if (axis >= d->rank || (seen & UINT64_C(1) << axis) != 0)
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT,
                               p->fields + AT_MODE_ORDER + (size_t)4 * k,
                               "mode_order[%u] is %u, must be a permutation of %u axes",
                               (unsigned)k, (unsigned)axis, (unsigned)d->rank);
        seen |= UINT64_C(1) << axis;
    }
    return HRY_OK;
}

/* Level L has buffers 1 + 2L (pos) and 2 + 2L (crd). */
static hry_status check_level(const hry_descriptor *d, const hry_places *p, uint32_t level,
                              hry_error *err)
{
    const uint32_t pos = 1 + 2 * level, crd = pos + 1;
    const uint64_t parents =
        level == 0 ? 1 : d->buffers[pos - 1].byte_size / HRY_INDEX_SIZE;
    HRY_TRY(hry_check_entries(d, p, pos, parents + 1, HRY_INDEX_SIZE, err));
    if (d->buffers[crd].byte_size % HRY_INDEX_SIZE != 0)
        return HRY_FAIL_AT(
            err, HRY_ERR_CORRUPT, hry_place_of_buffer(p, crd),
            "buffer[%u].byte_size is %llu, must hold whole entries of %d bytes",
            (unsigned)crd, (unsigned long long)d->buffers[crd].byte_size, HRY_INDEX_SIZE);
    return HRY_OK;
}

hry_status hry_csf_check(const hry_descriptor *d, const hry_places *p, hry_error *err)
{
    HRY_TRY(check_mode_order(d, p, err));
    for (uint32_t level = 0; level < d->rank; level++)
        HRY_TRY(check_level(d, p, level, err));
    return hry_check_nnz(d, p, 2 * d->rank, 1, err);
}
