/* SPDX-License-Identifier: Apache-2.0 */
/* transcode_plan.c - sizes of the buffers a tensor needs in another layout. */
#include "address/map.h"
#include "checked.h"
#include "fail.h"
#include "layout/extent.h"
#include "transcode.h"

/* Widen by what one axis reaches over all levels, tiles at the edges whole. */
static bool widen_axis(const hry_map *map, uint32_t k, uint64_t size, hry_span *span)
{
    for (uint32_t l = 0; l < map->levels; l++) {
        const uint64_t side = map->tile[l][k];
        if (!hry_span_widen(span, size / side + (size % side != 0), map->stride[l][k]))
            return false;
        size = side;
    }
    return hry_span_widen(span, size, map->stride[map->levels][k]);
}

static bool reach(const hry_descriptor *d, const hry_map *map, hry_span *span)
{
    const bool plain = d->layout_tag == HRY_ROW_MAJOR || d->layout_tag == HRY_COLUMN_MAJOR;
    uint32_t bits = 0;
    *span = (hry_span){0, 0};
    if (map->kind == HRY_MAP_STRIDES) {
        for (uint32_t k = 0; k < d->rank; k++)
            if (!widen_axis(map, k, plain ? hry_stored_dim(d, k) : d->shape[k], span))
                return false;
        return true;
    }
    for (uint32_t k = 0; k < d->rank; k++)
        bits += map->kind == HRY_MAP_HILBERT ? map->order : d->fields.morton_bits[k];
    span->high = (int64_t)((UINT64_C(1) << bits) - 1);
    return bits < 63;
}

static hry_status check_strides(const hry_descriptor *d, hry_error *err)
{
    for (uint32_t k = 0; k < d->rank && d->layout_tag == HRY_STRIDED; k++)
        if (d->fields.strides[k] == 0 && d->shape[k] > 1)
            return HRY_FAIL(err, HRY_ERR_ARG,
                            "strides[%u] is 0: %llu elements in one place", (unsigned)k,
                            (unsigned long long)d->shape[k]);
    return HRY_OK;
}

hry_status hry_plan_dense(hry_descriptor *d, hry_error *err)
{
    const uint32_t bits = hry_descriptor_bits(d);
    const uint64_t group = bits == 6 ? 4 : bits < 8 ? 8 / bits : 1;
    hry_map map;
    hry_span span;
    d->byte_offset = 0;
    d->buffers[0].byte_size = 0;
    HRY_TRY(check_strides(d, err));
    HRY_TRY(hry_map_init(d, &map, err));
    if (hry_is_empty(d))
        return HRY_OK;
    if (!reach(d, &map, &span) || span.high == INT64_MAX || span.low == INT64_MIN)
        return HRY_FAIL(err, HRY_ERR_RANGE, "the layout reaches beyond 2^63 elements");
    const uint64_t before = (uint64_t)-span.low;
    const uint64_t groups = before / group + (before % group != 0);
    const uint64_t after = hry_packed_size((uint64_t)span.high + 1, bits);
    if (!checked_mul(groups, hry_packed_size(group, bits), &d->byte_offset) ||
        after == UINT64_MAX ||
        !checked_add(d->byte_offset, after, &d->buffers[0].byte_size))
        return HRY_FAIL(err, HRY_ERR_RANGE, "the layout needs more than 2^64 bytes");
    return HRY_OK;
}

hry_status hry_plan_paged(hry_descriptor *d, hry_error *err)
{
    hry_block_paged *f = &d->fields.paged;
    const uint64_t width = f->index_type == 0 ? 4 : 8;
    uint64_t elements;
    if (d->rank != 3 || f->page_size == 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "pages of %u tokens for a tensor of rank %u",
                        (unsigned)f->page_size, (unsigned)d->rank);
    f->num_seqs = 1;
    f->num_pages = d->shape[0] / f->page_size + (d->shape[0] % f->page_size != 0);
    if (f->index_type == 0 && f->num_pages > UINT32_MAX)
        return HRY_FAIL(err, HRY_ERR_RANGE, "%llu pages need indices of 64 bits",
                        (unsigned long long)f->num_pages);
    if (!checked_mul(f->num_pages, f->page_size, &elements) ||
        !checked_mul(elements, d->shape[1], &elements) ||
        !checked_mul(elements, d->shape[2], &elements) ||
        !checked_mul(f->num_pages, width, &d->buffers[1].byte_size))
        return HRY_FAIL(err, HRY_ERR_RANGE, "pages of more than 2^64 elements");
    d->buffers[0].byte_size = hry_packed_size(elements, hry_descriptor_bits(d));
    d->buffers[2].byte_size = 2 * width;
    if (d->buffers[0].byte_size == UINT64_MAX)
        return HRY_FAIL(err, HRY_ERR_RANGE, "pages of more than 2^64 bytes");
    return HRY_OK;
}
