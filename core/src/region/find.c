/* SPDX-License-Identifier: Apache-2.0 */
/* find.c - one element of a tensor of any layout (format section 3). */
#include "address/map.h"
#include "checked.h"
#include "entries.h"
#include "fail.h"

static hry_status in_values(const hry_tensor *t, uint64_t position, hry_found *found,
                            hry_error *err)
{
    const uint32_t bits = hry_descriptor_bits(t->descriptor);
    const hry_map map = {.bits = bits, .bytes = bits < 8 ? 0 : bits / 8 + (bits % 8 != 0)};
    hry_found f = {.stored = true, .position = position};
    if (bits == 0 || position > INT64_MAX ||
        !hry_map_place(&map, (int64_t)position, t->buffers[0].size, &f.place))
        return HRY_FAIL(
            err, HRY_ERR_RANGE, "stored element %llu lies outside the buffer of %llu bytes",
            (unsigned long long)position, (unsigned long long)t->buffers[0].size);
    *found = f;
    return HRY_OK;
}

static hry_status take_position(void *ctx, uint64_t position, const uint64_t *index)
{
    (void)index;
    *(uint64_t *)ctx = position;
    return HRY_OK;
}

static hry_status find_entry(const hry_tensor *t, const uint64_t *index, hry_found *found,
                             hry_error *err)
{
    uint64_t one[HRY_MAX_RANK];
    uint64_t position = UINT64_MAX;
    for (uint32_t k = 0; k < t->descriptor->rank; k++)
        one[k] = 1;
    const hry_entry_walk w = {t, index, one, take_position, &position};
    HRY_TRY(hry_entries(&w, err));
    if (position != UINT64_MAX)
        return in_values(t, position, found, err);
    *found = (hry_found){.stored = false};
    return HRY_OK;
}

static hry_status in_page(const hry_tensor *t, const hry_pages *p, uint64_t sequence,
                          const uint64_t index[3], hry_found *found, hry_error *err)
{
    const hry_descriptor *d = t->descriptor;
    const uint64_t page_size = d->fields.paged.page_size;
    uint64_t at;
    HRY_TRY(hry_pages_token(t, p, sequence, index[0], &at, err));
    if (!checked_mul(at, page_size, &at) || !checked_add(at, index[0] % page_size, &at) ||
        !checked_mul(at, d->shape[1], &at) || !checked_add(at, index[1], &at) ||
        !checked_mul(at, d->shape[2], &at) || !checked_add(at, index[2], &at))
        return HRY_FAIL(err, HRY_ERR_RANGE, "the element's offset is beyond 64 bits");
    return in_values(t, at, found, err);
}

static hry_status check_index(const hry_descriptor *d, uint32_t from, uint32_t rank,
                              const uint64_t *index, hry_error *err)
{
    if (rank != d->rank)
        return HRY_FAIL(err, HRY_ERR_ARG, "an index of rank %u into a tensor of rank %u",
                        (unsigned)rank, (unsigned)d->rank);
    for (uint32_t k = from; k < rank; k++)
        if (index[k] >= d->shape[k])
            return HRY_FAIL(err, HRY_ERR_RANGE, "index[%u] is %llu, the dimension has %llu",
                            (unsigned)k, (unsigned long long)index[k],
                            (unsigned long long)d->shape[k]);
    return HRY_OK;
}

hry_status hry_paged_find(const hry_tensor *t, uint32_t sequence, const uint64_t index[3],
                          hry_found *found, hry_error *err)
{
    hry_pages p;
    HRY_TRY(hry_pages_open(t, &p, err));
    HRY_TRY(check_index(t->descriptor, 1, 3, index, err));
    if (sequence >= t->descriptor->fields.paged.num_seqs)
        return HRY_FAIL(err, HRY_ERR_RANGE, "sequence %u of %u", (unsigned)sequence,
                        (unsigned)t->descriptor->fields.paged.num_seqs);
    return in_page(t, &p, sequence, index, found, err);
}

static hry_status find_token(const hry_tensor *t, const uint64_t *index, hry_found *found,
                             hry_error *err)
{
    hry_pages p;
    HRY_TRY(hry_pages_load(t, &p, err));
    uint64_t local[3] = {index[0], index[1], index[2]};
    uint64_t s = 0;
    while (local[0] >= p.tokens[s]) /* lengths add up to shape[0], above index[0] */
        local[0] -= p.tokens[s++];
    const hry_status status = in_page(t, &p, s, local, found, err);
    hry_pages_free(&p);
    return status;
}

hry_status hry_element_find(const hry_tensor *t, uint32_t rank, const uint64_t *index,
                            hry_found *found, hry_error *err)
{
    const hry_descriptor *d = t->descriptor;
    if (d->opaque)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "a tensor whose layout is not known");
    if (hry_layout_is_dense(d->layout_tag)) {
        hry_found f = {.stored = true};
        HRY_TRY(hry_element_place(d, rank, index, &f.place, err));
        *found = f;
        return HRY_OK;
    }
    HRY_TRY(check_index(d, 0, rank, index, err));
    if (hry_layout_is_sparse(d->layout_tag))
        return find_entry(t, index, found, err);
    if (d->layout_tag == HRY_BLOCK_PAGED)
        return find_token(t, index, found, err);
    return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "layout 0x%02x keeps no elements",
                    (unsigned)d->layout_tag);
}
