/* SPDX-License-Identifier: Apache-2.0 */
/* like.c - layouts that a server can make of a tensor. */
#include "stream/like.h"

#include "checked.h"
#include "hry/region.h"
#include "layout/extent.h"

#include <string.h>

enum { TILE = 16, PAGE = 16, GENERIC_ROLE = 2, CODE_BITS = 40 };

static uint32_t bits_for(uint64_t size)
{
    uint32_t bits = 1;
    while (bits < 64 && size > UINT64_C(1) << bits)
        bits++;
    return bits;
}

static bool like_strided(const hry_descriptor *d, hry_layout_fields *f)
{
    int64_t stride = 1;
    for (uint32_t k = d->rank; k-- > 0;) {
        f->strides[k] = stride;
        if (d->shape[k] > INT64_MAX ||
            !checked_mul_i64(stride, (int64_t)d->shape[k], &stride))
            return false;
    }
    return d->rank > 0;
}

static bool like_tiled(const hry_descriptor *d, hry_layout_fields *f)
{
    hry_tile_level *level = &f->tiled.level[0];
    f->tiled.depth = 1;
    level->outer = level->inner = HRY_ROW_MAJOR;
    for (uint32_t k = 0; k < d->rank; k++) {
        const uint64_t side = d->shape[k] < TILE ? d->shape[k] : TILE;
        level->tile_shape[k] = side > 0 ? side : 1;
    }
    return d->rank > 0;
}

/* Equal counts of bits, so that codes have no gaps. */
static bool like_morton(const hry_descriptor *d, hry_layout_fields *f)
{
    uint32_t bits = 1;
    for (uint32_t k = 0; k < d->rank; k++)
        bits = bits_for(d->shape[k]) > bits ? bits_for(d->shape[k]) : bits;
    for (uint32_t k = 0; k < d->rank; k++)
        f->morton_bits[k] = bits;
    return d->rank > 0 && bits * d->rank <= CODE_BITS;
}

static bool like_hilbert(const hry_descriptor *d, hry_layout_fields *f)
{
    const uint32_t order = d->rank > 0 ? bits_for(d->shape[0]) : 0;
    for (uint32_t k = 0; k < d->rank; k++)
        if (order > CODE_BITS || d->shape[k] != UINT64_C(1) << order)
            return false;
    f->hilbert_order = order;
    return d->rank >= 2 && order * d->rank <= CODE_BITS;
}

static bool like_csf(const hry_descriptor *d, hry_layout_fields *f)
{
    for (uint32_t k = 0; k < d->rank; k++)
        f->sparse.mode_order[k] = k;
    return d->rank >= 3;
}

static bool like_paged(const hry_descriptor *d, hry_layout_fields *f)
{
    f->paged = (hry_block_paged){
        .page_size = PAGE, .kv_role = GENERIC_ROLE, .layer = UINT32_MAX, .index_type = 1};
    return d->rank == 3;
}

static bool like_plain(const hry_descriptor *d, hry_layout_fields *f)
{
    (void)d;
    (void)f;
    return true;
}

static bool like_ranked(const hry_descriptor *d, hry_layout_fields *f)
{
    (void)f;
    return d->rank > 0;
}

static bool like_matrix(const hry_descriptor *d, hry_layout_fields *f)
{
    (void)f;
    return d->rank == 2;
}

bool hry_like(const hry_descriptor *d, uint8_t layout_tag, hry_descriptor *like)
{
    static bool (*const makers[])(const hry_descriptor *, hry_layout_fields *) = {
        [HRY_ROW_MAJOR] = like_plain, [HRY_COLUMN_MAJOR] = like_ranked,
        [HRY_STRIDED] = like_strided, [HRY_TILED] = like_tiled,
        [HRY_MORTON] = like_morton,   [HRY_COO] = like_ranked,
        [HRY_CSR] = like_matrix,      [HRY_CSC] = like_matrix,
        [HRY_CSF] = like_csf,         [HRY_BLOCK_PAGED] = like_paged,
        [HRY_HILBERT] = like_hilbert,
    };
    memset(like, 0, sizeof *like);
    like->layout_tag = layout_tag;
    const bool is_known =
        layout_tag < sizeof makers / sizeof *makers && makers[layout_tag] != NULL;
    return is_known && !hry_is_dynamic(d) && makers[layout_tag](d, &like->fields);
}

static bool is_sparse(uint8_t tag)
{
    return tag == HRY_COO || tag == HRY_CSR || tag == HRY_CSC || tag == HRY_CSF;
}

uint64_t hry_like_bound(const hry_descriptor *d, uint8_t layout_tag)
{
    uint64_t entries, size;
    if (!is_sparse(layout_tag))
        return 0;
    if (is_sparse(d->layout_tag))
        entries = d->fields.sparse.nnz;
    else if (hry_descriptor_count(d, &entries, NULL) != HRY_OK)
        return UINT64_MAX;
    const uint64_t each = (uint64_t)8 * d->rank + hry_region_element(d);
    return checked_mul(entries, each, &size) ? size : UINT64_MAX;
}
