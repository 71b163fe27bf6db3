/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_index.c - index buffers of sparse and paged layouts (format section 3): bounds,
 * order, duplicates. err->offset is a byte of the buffer that the message names.
 */
#include "check.h"
#include "checked.h"
#include "fail.h"
#include "region/entries.h"
#include "sort.h"

#include <stdlib.h>

/* Number `i` of buffer `b`, an index into a dimension of `size`. */
static hry_status check_bound(const hry_indices *a, uint32_t b, uint64_t i, uint64_t size,
                              hry_error *err)
{
    if (index_at(a, i) < size)
        return HRY_OK;
    return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, i * a->width,
                       "buffer[%u]: index %llu where there are %llu", (unsigned)b,
                       (unsigned long long)index_at(a, i), (unsigned long long)size);
}

/* `count` positions from 0 to `end`, none less than the one before. */
static hry_status check_positions(const hry_indices *a, uint32_t b, uint64_t count,
                                  uint64_t end, hry_error *err)
{
    uint64_t last = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t v = index_at(a, i);
        if (v > end || v < last || (i == 0 && v != 0))
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, i * a->width,
                               "buffer[%u]: position %llu, %llu to %llu needed",
                               (unsigned)b, (unsigned long long)v, (unsigned long long)last,
                               (unsigned long long)(i == 0 ? 0 : end));
        last = v;
    }
    if (last != end)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, (count - 1) * a->width,
                           "buffer[%u]: the last position is %llu, not %llu", (unsigned)b,
                           (unsigned long long)last, (unsigned long long)end);
    return HRY_OK;
}

/* Numbers first .. last - 1 ascend strictly, inside a dimension of `size`. */
static hry_status check_siblings(const hry_indices *a, uint32_t b, uint64_t first,
                                 uint64_t last, uint64_t size, hry_error *err)
{
    for (uint64_t i = first; i < last; i++) {
        HRY_TRY(check_bound(a, b, i, size, err));
        if (i > first && index_at(a, i) <= index_at(a, i - 1))
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, i * a->width,
                               "buffer[%u]: index %llu after %llu, not ascending",
                               (unsigned)b, (unsigned long long)index_at(a, i),
                               (unsigned long long)index_at(a, i - 1));
    }
    return HRY_OK;
}

static hry_status duplicate(const hry_indices *a, uint64_t entry, uint32_t rank,
                            hry_error *err)
{
    return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, entry * rank * a->width,
                       "buffer[1]: entry %llu has the index of another",
                       (unsigned long long)entry);
}

static int coo_compare(const hry_indices *a, uint32_t rank, uint64_t x, uint64_t y)
{
    for (uint32_t k = 0; k < rank; k++) {
        const uint64_t i = index_at(a, x * rank + k);
        const uint64_t j = index_at(a, y * rank + k);
        if (i != j)
            return i < j ? -1 : 1;
    }
    return 0;
}

/* Unsorted: sorted by number, duplicates are neighbours. */
static hry_status check_unsorted(const hry_indices *a, uint64_t nnz, uint32_t rank,
                                 hry_error *err)
{
    size_t size;
    uint64_t *index =
        checked_array(a->count + 1, sizeof *index, &size) ? malloc(size) : NULL;
    if (index == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory to sort %llu entries",
                        (unsigned long long)nnz);
    if (a->count > 0)
        memcpy(index, a->bytes, (size_t)a->count * sizeof *index);
    const hry_entry_list list = {.index = index, .count = nnz, .rank = rank};
    uint64_t *order = NULL;
    hry_status status = hry_entry_sort(&list, &order, err);
    for (uint64_t e = 1; status == HRY_OK && e < nnz; e++)
        if (hry_entry_compare(&list, order[e - 1], order[e]) == 0)
            status = duplicate(a, order[e], rank, err);
    free(order);
    free(index);
    return status;
}

hry_status hry_check_coo(const hry_tensor *t, hry_error *err)
{
    const hry_descriptor *d = t->descriptor;
    const uint64_t nnz = d->fields.sparse.nnz;
    uint64_t need;
    hry_indices a;
    if (!checked_mul(nnz, d->rank, &need))
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "nnz %llu: indices beyond 64 bits",
                        (unsigned long long)nnz);
    HRY_TRY(hry_index_buffer(t, 1, 8, need, &a, err));
    bool ascending = true;
    for (uint64_t e = 0; e < nnz && d->rank > 0; e++) {
        for (uint32_t k = 0; k < d->rank; k++)
            HRY_TRY(check_bound(&a, 1, e * d->rank + k, d->shape[k], err));
        const int order = e > 0 ? coo_compare(&a, d->rank, e - 1, e) : -1;
        if (order == 0)
            return duplicate(&a, e, d->rank, err);
        ascending = ascending && order < 0;
        if (!ascending && d->fields.sparse.is_sorted)
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, e * d->rank * a.width,
                               "buffer[1]: is_sorted is set, entry %llu is not in order",
                               (unsigned long long)e);
    }
    return ascending ? HRY_OK : check_unsorted(&a, nnz, d->rank, err);
}

static hry_status check_compressed(const hry_tensor *t, uint32_t major, hry_error *err)
{
    const hry_descriptor *d = t->descriptor;
    const uint64_t nnz = d->fields.sparse.nnz;
    hry_indices at;
    hry_indices ptr;
    if (d->rank != 2 || d->shape[major] == UINT64_MAX)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "rank %u of a compressed matrix",
                        (unsigned)d->rank);
    HRY_TRY(hry_index_buffer(t, 1, 8, nnz, &at, err));
    HRY_TRY(hry_index_buffer(t, 2, 8, d->shape[major] + 1, &ptr, err));
    HRY_TRY(check_positions(&ptr, 2, d->shape[major] + 1, nnz, err));
    for (uint64_t i = 0; i < d->shape[major]; i++)
        HRY_TRY(check_siblings(&at, 1, index_at(&ptr, i), index_at(&ptr, i + 1),
                               d->shape[1 - major], err));
    return HRY_OK;
}

hry_status hry_check_csr(const hry_tensor *t, hry_error *err)
{
    return check_compressed(t, 0, err);
}

hry_status hry_check_csc(const hry_tensor *t, hry_error *err)
{
    return check_compressed(t, 1, err);
}

hry_status hry_check_csf(const hry_tensor *t, hry_error *err)
{
    const hry_descriptor *d = t->descriptor;
    uint64_t parents = 1;
    for (uint32_t l = 0; l < d->rank; l++) {
        const uint32_t axis = d->fields.sparse.mode_order[l];
        hry_indices pos;
        hry_indices crd;
        if (axis >= d->rank)
            return HRY_FAIL(err, HRY_ERR_CORRUPT, "mode_order[%u] is %u of rank %u",
                            (unsigned)l, (unsigned)axis, (unsigned)d->rank);
        HRY_TRY(hry_index_buffer(t, 1 + 2 * l, 8, parents + 1, &pos, err));
        HRY_TRY(hry_index_buffer(t, 2 + 2 * l, 8, 0, &crd, err));
        HRY_TRY(check_positions(&pos, 1 + 2 * l, parents + 1, crd.count, err));
        for (uint64_t n = 0; n < parents; n++)
            HRY_TRY(check_siblings(&crd, 2 + 2 * l, index_at(&pos, n),
                                   index_at(&pos, n + 1), d->shape[axis], err));
        parents = crd.count;
    }
    if (parents != d->fields.sparse.nnz)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, parents * 8,
                           "buffer[%u]: %llu entries, nnz is %llu", (unsigned)(2 * d->rank),
                           (unsigned long long)parents,
                           (unsigned long long)d->fields.sparse.nnz);
    return HRY_OK;
}

hry_status hry_check_paged(const hry_tensor *t, hry_error *err)
{
    const hry_block_paged *f = &t->descriptor->fields.paged;
    hry_pages p;
    HRY_TRY(hry_pages_open(t, &p, err));
    for (uint64_t i = 0; i < p.table.count; i++)
        HRY_TRY(check_bound(&p.table, 1, i, f->num_pages, err));
    HRY_TRY(check_positions(&p.seq_ptr, 2, (uint64_t)f->num_seqs + 1, p.table.count, err));
    const uint64_t tokens = t->descriptor->shape[0];
    const uint64_t pages = tokens / f->page_size + (tokens % f->page_size != 0);
    if (tokens != HRY_DYNAMIC && pages > p.table.count)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, f->num_seqs * p.seq_ptr.width,
                           "buffer[2]: %llu pages in all, %llu tokens need %llu",
                           (unsigned long long)p.table.count, (unsigned long long)tokens,
                           (unsigned long long)pages);
    return HRY_OK;
}
