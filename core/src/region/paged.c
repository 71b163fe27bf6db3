/* SPDX-License-Identifier: Apache-2.0 */
/* paged.c - which page holds a token of a block-paged tensor (format section 3). */
#include "checked.h"
#include "entries.h"
#include "fail.h"

#include <stdlib.h>

hry_status hry_pages_open(const hry_tensor *t, hry_pages *out, hry_error *err)
{
    const hry_descriptor *d = t->descriptor;
    const hry_block_paged *f = &d->fields.paged;
    const uint32_t width = f->index_type == 0 ? 4 : 8;
    if (d->layout_tag != HRY_BLOCK_PAGED || d->opaque || d->rank != 3 || f->page_size == 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "not a block-paged tensor");
    out->tokens = NULL;
    HRY_TRY(hry_index_buffer(t, 1, width, 0, &out->table, err));
    return hry_index_buffer(t, 2, width, (uint64_t)f->num_seqs + 1, &out->seq_ptr, err);
}

void hry_pages_free(hry_pages *p)
{
    free(p->tokens);
    p->tokens = NULL;
}

/* Pages of sequence `s`, proven to be slots of the table. */
static hry_status slots_of(const hry_pages *p, uint64_t s, uint64_t *first, uint64_t *n,
                           hry_error *err)
{
    const uint64_t begin = index_at(&p->seq_ptr, s);
    const uint64_t end = index_at(&p->seq_ptr, s + 1);
    if (begin > end || end > p->table.count)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, s * p->seq_ptr.width,
                           "buffer[2]: pages %llu to %llu of %llu",
                           (unsigned long long)begin, (unsigned long long)end,
                           (unsigned long long)p->table.count);
    *first = begin;
    *n = end - begin;
    return HRY_OK;
}

static hry_status given_tokens(const hry_tensor *t, const hry_pages *p, uint64_t *tokens,
                               hry_error *err)
{
    const hry_block_paged *f = &t->descriptor->fields.paged;
    uint64_t total = 0;
    for (uint64_t s = 0; s < f->num_seqs; s++) {
        uint64_t first;
        uint64_t n;
        HRY_TRY(slots_of(p, s, &first, &n, err));
        tokens[s] = t->sequence_tokens[s];
        const uint64_t pages = tokens[s] / f->page_size + (tokens[s] % f->page_size != 0);
        if (pages > n)
            return HRY_FAIL(err, HRY_ERR_ARG, "sequence %llu: %llu tokens, but %llu pages",
                            (unsigned long long)s, (unsigned long long)tokens[s],
                            (unsigned long long)n);
        if (!checked_add(total, tokens[s], &total))
            return HRY_FAIL(err, HRY_ERR_ARG, "sequence lengths beyond 64 bits");
    }
    if (total != t->descriptor->shape[0])
        return HRY_FAIL(
            err, HRY_ERR_ARG, "sequence lengths: %llu tokens, the shape has %llu",
            (unsigned long long)total, (unsigned long long)t->descriptor->shape[0]);
    return HRY_OK;
}

/*
 * All pages of a sequence are full but the last, which has at least one token. The
 * slots left free must then be none, all that can be, or all in one sequence.
 */
static hry_status derived_tokens(const hry_tensor *t, const hry_pages *p, uint64_t *tokens,
                                 hry_error *err)
{
    const hry_block_paged *f = &t->descriptor->fields.paged;
    uint64_t full = 0;
    uint64_t used = 0; /* sequences with pages */
    for (uint64_t s = 0; s < f->num_seqs; s++) {
        uint64_t first;
        uint64_t n;
        HRY_TRY(slots_of(p, s, &first, &n, err));
        if (!checked_mul(n, f->page_size, &tokens[s]) ||
            !checked_add(full, tokens[s], &full))
            return HRY_FAIL(err, HRY_ERR_CORRUPT, "pages of more than 2^64 tokens");
        used += n > 0;
    }
    const uint64_t total = t->descriptor->shape[0];
    const uint64_t most = used * (f->page_size - UINT64_C(1));
    if (total > full)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "%llu tokens in pages of %llu",
                        (unsigned long long)total, (unsigned long long)full);
    const uint64_t spare = full - total;
    if (used > 1 && spare != 0 && spare != most)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "the file does not say how the %llu tokens of %llu sequences are "
                        "distributed: their lengths are needed",
                        (unsigned long long)total, (unsigned long long)used);
    for (uint64_t s = 0; s < f->num_seqs && used > 0; s++)
        tokens[s] -= tokens[s] > 0 ? spare / used : 0;
    return HRY_OK;
}

static hry_status find_tokens(const hry_tensor *t, const hry_pages *p, uint64_t *tokens,
                              hry_error *err)
{
    return t->sequence_tokens != NULL ? given_tokens(t, p, tokens, err)
                                      : derived_tokens(t, p, tokens, err);
}

hry_status hry_paged_tokens(const hry_tensor *t, uint64_t *tokens, hry_error *err)
{
    hry_pages p;
    HRY_TRY(hry_pages_open(t, &p, err));
    return find_tokens(t, &p, tokens, err);
}

hry_status hry_pages_load(const hry_tensor *t, hry_pages *out, hry_error *err)
{
    HRY_TRY(hry_pages_open(t, out, err));
    /* seq_ptr holds num_seqs + 1 numbers in memory, so this is no unproven size. */
    out->tokens = calloc((size_t)t->descriptor->fields.paged.num_seqs + 1, 8);
    if (out->tokens == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for the lengths of %u sequences",
                        (unsigned)t->descriptor->fields.paged.num_seqs);
    const hry_status status = find_tokens(t, out, out->tokens, err);
    if (status != HRY_OK)
        hry_pages_free(out);
    return status;
}

hry_status hry_pages_token(const hry_tensor *t, const hry_pages *p, uint64_t sequence,
                           uint64_t token, uint64_t *page, hry_error *err)
{
    const hry_block_paged *f = &t->descriptor->fields.paged;
    uint64_t first;
    uint64_t n;
    HRY_TRY(slots_of(p, sequence, &first, &n, err));
    const uint64_t slot = token / f->page_size;
    if (slot >= n)
        return HRY_FAIL(err, HRY_ERR_RANGE, "token %llu of a sequence of %llu pages",
                        (unsigned long long)token, (unsigned long long)n);
    *page = index_at(&p->table, first + slot);
    if (*page >= f->num_pages)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, (first + slot) * p->table.width,
                           "buffer[1]: page %llu of %llu", (unsigned long long)*page,
                           (unsigned long long)f->num_pages);
    return HRY_OK;
}
