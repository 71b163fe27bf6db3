/* SPDX-License-Identifier: Apache-2.0 */
/* indexed.c - boxes of sparse and block-paged tensors, by their index buffers. */
#include "indexed.h"

#include "checked.h"
#include "entries.h"
#include "fail.h"

#define BATCH 256

typedef struct batch {
    hry_mover *m;
    const uint64_t *start;
    const int64_t *step;
    uint32_t rank;
    uint32_t filled;
    uint64_t stored; /* values of the array, not zero, that have an entry */
    int64_t at[BATCH], to[BATCH];
} batch;

static void flush(batch *b)
{
    b->m->ops->pairs(b->m, b->at, b->to, b->filled);
    b->filled = 0;
}

static int64_t array_index(const batch *b, const uint64_t *index)
{
    int64_t to = 0;
    for (uint32_t k = 0; k < b->rank; k++)
        to += (int64_t)(index[k] - b->start[k]) * b->step[k];
    return to;
}

static hry_status move_entry(void *ctx, uint64_t position, const uint64_t *index)
{
    batch *b = ctx;
    b->at[b->filled] = (int64_t)position;
    b->to[b->filled] = array_index(b, index);
    if (++b->filled == BATCH)
        flush(b);
    return HRY_OK;
}

static bool is_zero(const hry_mover *m, uint64_t i)
{
    if (m->bytes == 0)
        return (m->array[i] & ((1U << m->bits) - 1)) == 0;
    uint8_t any = 0;
    for (uint32_t b = 0; b < m->bytes; b++)
        any |= m->array[i * m->bytes + b];
    return any == 0;
}

static hry_status count_entry(void *ctx, uint64_t position, const uint64_t *index)
{
    batch *b = ctx;
    (void)position;
    b->stored += !is_zero(b->m, (uint64_t)array_index(b, index));
    return HRY_OK;
}

/* Every value of the array that is not zero needs a stored entry to go to. */
static hry_status check_writable(const hry_entry_walk *w, batch *b, uint64_t total,
                                 hry_error *err)
{
    hry_entry_walk counting = *w;
    counting.visit = count_entry;
    HRY_TRY(hry_entries(&counting, err));
    uint64_t needed = 0;
    for (uint64_t i = 0; i < total; i++)
        needed += !is_zero(b->m, i);
    if (needed > b->stored)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "%llu values that are not zero, the sparse layout stores %llu of "
                        "their elements",
                        (unsigned long long)needed, (unsigned long long)b->stored);
    return HRY_OK;
}

static hry_status sparse(const hry_tensor *t, const uint64_t *start, const uint64_t *count,
                         hry_mover *m, bool write, hry_error *err)
{
    const hry_descriptor *d = t->descriptor;
    int64_t step[HRY_MAX_RANK];
    uint64_t size;
    batch b = {.m = m, .start = start, .step = step, .rank = d->rank};
    const hry_entry_walk w = {t, start, count, move_entry, &b};
    if (!hry_box_steps(d->rank, count, step))
        return HRY_FAIL(err, HRY_ERR_RANGE, "a box of more than 2^63 elements");
    HRY_TRY(hry_region_size(d, count, &size, err));
    if (d->fields.sparse.nnz > INT64_MAX)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "nnz %llu",
                        (unsigned long long)d->fields.sparse.nnz);
    if (d->fields.sparse.nnz > 0)
        HRY_TRY(hry_mover_prove(m, 0, (int64_t)d->fields.sparse.nnz - 1, err));
    if (write)
        HRY_TRY(check_writable(&w, &b, size / hry_region_element(d), err));
    else
        memset(m->array, 0, (size_t)size);
    HRY_TRY(hry_entries(&w, err));
    flush(&b);
    return HRY_OK;
}

typedef struct token_box {
    const hry_tensor *t;
    const uint64_t *start, *count;
    hry_mover *m;
    hry_pages pages;
    int64_t step[3];
} token_box;

/* Tokens first .. first + n - 1 of a sequence, page by page; array from `to`. */
static hry_status move_tokens(const token_box *b, uint64_t sequence, uint64_t first,
                              uint64_t n, int64_t to, hry_error *err)
{
    const hry_descriptor *d = b->t->descriptor;
    const uint64_t page_size = d->fields.paged.page_size;
    const uint64_t page_shape[3] = {page_size, d->shape[1], d->shape[2]};
    int64_t stride[3];
    if (!hry_dense_strides(3, page_shape, true, 1, stride))
        return HRY_FAIL(err, HRY_ERR_RANGE, "a page of more than 2^63 elements");
    while (n > 0) {
        uint64_t page;
        int64_t at;
        HRY_TRY(hry_pages_token(b->t, &b->pages, sequence, first, &page, err));
        const uint64_t in_page = page_size - first % page_size;
        const uint64_t run = n < in_page ? n : in_page;
        const uint64_t count[3] = {run, b->count[1], b->count[2]};
        int64_t row;
        if (!checked_mul_i64((int64_t)page, (int64_t)page_size, &row) ||
            !checked_add_i64(row, (int64_t)(first % page_size), &row) ||
            !checked_mul_i64(row, stride[0], &at) ||
            !checked_add_i64(at, (int64_t)b->start[1] * stride[1] + (int64_t)b->start[2],
                             &at))
            return HRY_FAIL(err, HRY_ERR_RANGE, "page %llu is beyond 63 bits",
                            (unsigned long long)page);
        HRY_TRY(hry_move_box(b->m, 3, count, at, stride, to, b->step, err));
        first += run;
        to += (int64_t)run * b->step[0];
        n -= run;
    }
    return HRY_OK;
}

static hry_status paged(const hry_tensor *t, const uint64_t *start, const uint64_t *count,
                        hry_mover *m, bool write, hry_error *err)
{
    token_box b = {.t = t, .start = start, .count = count, .m = m};
    (void)write;
    if (!hry_box_steps(3, count, b.step))
        return HRY_FAIL(err, HRY_ERR_RANGE, "a box of more than 2^63 elements");
    HRY_TRY(hry_pages_load(t, &b.pages, err));
    hry_status status = HRY_OK;
    uint64_t begin = 0; /* flat token the sequence starts at */
    for (uint64_t s = 0; s < t->descriptor->fields.paged.num_seqs; s++) {
        const uint64_t end = begin + b.pages.tokens[s];
        const uint64_t low = begin > start[0] ? begin : start[0];
        const uint64_t stop = start[0] + count[0];
        const uint64_t high = end < stop ? end : stop;
        if (low < high)
            status = move_tokens(&b, s, low - begin, high - low,
                                 (int64_t)(low - start[0]) * b.step[0], err);
        if (status != HRY_OK)
            break;
        begin = end;
    }
    hry_pages_free(&b.pages);
    return status;
}

hry_status hry_indexed_copy(const hry_tensor *t, const uint64_t *start,
                            const uint64_t *count, hry_mover *m, bool write, hry_error *err)
{
    const uint8_t tag = t->descriptor->layout_tag;
    if (!hry_layout_is_sparse(tag) && tag != HRY_BLOCK_PAGED)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "layout 0x%02x has no elements to copy",
                        (unsigned)tag);
    for (uint32_t k = 0; k < t->descriptor->rank; k++)
        if (count[k] == 0)
            return HRY_OK;
    if (t->descriptor->byte_offset != 0)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "byte_offset %llu in an indexed layout",
                        (unsigned long long)t->descriptor->byte_offset);
    m->storage = t->buffers[0].writable;
    return tag == HRY_BLOCK_PAGED ? paged(t, start, count, m, write, err)
                                  : sparse(t, start, count, m, write, err);
}
