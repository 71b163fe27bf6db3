/* SPDX-License-Identifier: Apache-2.0 */
/* block_paged.c - sequences of tokens in shared pages (format section 3). */
#include "descriptor/wire.h"
#include "layout.h"
#include "sparse.h"

enum { PAGE_POOL, BLOCK_TABLE, SEQ_PTR };

/* Bytes from the start of the fields. */
enum {
    AT_PAGE_SIZE = 0,
    AT_NUM_PAGES = 4,
    AT_PAGED_AXIS = 12,
    AT_KV_ROLE = 20,
    AT_INDEX_TYPE = 25,
    RESERVED = 6,
    SIZE = 32
};

enum { MAX_KV_ROLE = 2, MAX_INDEX_TYPE = 1 };

size_t hry_block_paged_size(const hry_descriptor *d)
{
    (void)d;
    return SIZE;
}

hry_status hry_block_paged_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d,
                                  hry_error *err)
{
    (void)mode;
    hry_block_paged *paged = &d->fields.paged;
    const size_t at = c->pos;
    paged->page_size = cur_u32(c);
    paged->num_pages = cur_u64(c);
    const uint32_t axis = cur_u32(c);
    paged->num_seqs = cur_u32(c);
    paged->kv_role = cur_u8(c);
    paged->layer = cur_u32(c);
    paged->index_type = cur_u8(c);
    HRY_TRY(wire_zeros(c, RESERVED, "block_paged", err));
    if (axis != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_PAGED_AXIS,
                           "paged_axis is %u, must be 0", (unsigned)axis);
    return HRY_OK;
}

void hry_block_paged_encode(const hry_descriptor *d, hry_builder *b)
{
    const hry_block_paged *paged = &d->fields.paged;
    bld_u32(b, paged->page_size);
    bld_u64(b, paged->num_pages);
    bld_u32(b, 0);
    bld_u32(b, paged->num_seqs);
    bld_u8(b, paged->kv_role);
    bld_u32(b, paged->layer);
    bld_u8(b, paged->index_type);
    bld_zeros(b, RESERVED);
}

static hry_status check_fields(const hry_block_paged *paged, size_t at, hry_error *err)
{
    if (paged->page_size == 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_PAGE_SIZE,
                           "page_size is 0, must be at least 1");
    if (paged->kv_role > MAX_KV_ROLE)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_KV_ROLE,
                           "kv_role is %u, must be 0, 1 or 2", paged->kv_role);
    if (paged->index_type > MAX_INDEX_TYPE)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_INDEX_TYPE,
                           "index type is %u, must be 0 or 1", paged->index_type);
    return HRY_OK;
}

static hry_status check_pool(const hry_descriptor *d, const hry_places *p, hry_error *err)
{
    const hry_block_paged *paged = &d->fields.paged;
    const uint64_t shape[] = {paged->num_pages, paged->page_size, d->shape[1], d->shape[2]};
    uint64_t count;
    if (d->shape[1] == HRY_DYNAMIC || d->shape[2] == HRY_DYNAMIC)
        return HRY_OK;
    const uint64_t needed = hry_product(shape, 4, &count)
                                ? hry_packed_size(count, hry_descriptor_bits(d))
                                : UINT64_MAX;
    if (needed == UINT64_MAX || needed > d->buffers[PAGE_POOL].byte_size)
        return HRY_FAIL_AT(
            err, HRY_ERR_CORRUPT, p->fields + AT_NUM_PAGES,
            "num_pages is %llu, the pool of %llu bytes does not hold as many",
            (unsigned long long)paged->num_pages,
            (unsigned long long)d->buffers[PAGE_POOL].byte_size);
    return HRY_OK;
}

hry_status hry_block_paged_check(const hry_descriptor *d, const hry_places *p,
                                 hry_error *err)
{
    const hry_block_paged *paged = &d->fields.paged;
    HRY_TRY(check_fields(paged, p->fields, err));
    HRY_TRY(check_pool(d, p, err));

    const uint32_t item = paged->index_type == 0 ? 4 : 8;
    const uint64_t entries = d->buffers[BLOCK_TABLE].byte_size / item;
    HRY_TRY(hry_check_entries(d, p, BLOCK_TABLE, entries, item, err));
    HRY_TRY(hry_check_entries(d, p, SEQ_PTR, (uint64_t)paged->num_seqs + 1, item, err));

    const uint64_t tokens = d->shape[0];
    if (tokens != HRY_DYNAMIC && tokens != 0 && (tokens - 1) / paged->page_size >= entries)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, hry_place_of_dim(0),
                           "shape[0] is %llu tokens, the block table has %llu pages of %u",
                           (unsigned long long)tokens, (unsigned long long)entries,
                           (unsigned)paged->page_size);
    return HRY_OK;
}
