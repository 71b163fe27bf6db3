/* SPDX-License-Identifier: Apache-2.0 */
/* notes.c - see notes.h. */
#include "notes.h"

#include "words.h"

/* Notes so far, and whether to be short. */
struct notes {
    struct text *text;
    size_t begin;
    bool is_short;
};

static struct text *next(struct notes *n)
{
    if (n->text->size > n->begin)
        text_add(n->text, "; ");
    return n->text;
}

static void unknown(struct notes *n, const hry_descriptor *d)
{
    if (d->opaque || d->layout_tag >= 0xF0)
        text_add(next(n), "unknown to this version");
}

static void composite(struct notes *n, const hry_descriptor *d)
{
    const hry_composite *c = &d->fields.composite;
    if (d->layout_tag != HRY_COMPOSITE || d->opaque)
        return;
    const char *combine = word_of_combine(c->combine);
    text_add(next(n), "%s of %lu%s%s", word_of_rule(c->rule),
             (unsigned long)c->member_count, combine != NULL ? ", " : "",
             combine != NULL ? combine : "");
}

static void sparse(struct notes *n, const hry_descriptor *d)
{
    const bool is_sparse = d->layout_tag >= HRY_COO && d->layout_tag <= HRY_CSF;
    if (is_sparse && !d->opaque)
        text_add(next(n), "%llu stored", (unsigned long long)d->fields.sparse.nnz);
}

static void paged(struct notes *n, const hry_descriptor *d)
{
    const hry_block_paged *p = &d->fields.paged;
    if (d->layout_tag == HRY_BLOCK_PAGED && !d->opaque)
        text_add(next(n), "%lu sequence%s in %llu pages of %lu", (unsigned long)p->num_seqs,
                 p->num_seqs == 1 ? "" : "s", (unsigned long long)p->num_pages,
                 (unsigned long)p->page_size);
}

static void quantization(struct notes *n, const hry_descriptor *d)
{
    const hry_quantization *q = &d->quantization;
    if ((d->flags & HRY_HAS_QUANTIZATION) == 0 || d->opaque)
        return;
    const char *scheme = word_of_scheme(q->scheme);
    struct text *t = next(n);
    if (scheme == NULL)
        text_add(t, "quantized 0x%02x", q->scheme);
    else
        text_add(t, "quantized %s", scheme);
    if (n->is_short || scheme == NULL)
        return;
    if (q->scheme == HRY_QUANT_PER_TENSOR)
        text_add(t, " scale %g zero %ld", (double)q->scale, (long)q->zero_point);
    else
        text_add(t, " axis %lu", (unsigned long)q->axis);
    if (q->scheme >= HRY_QUANT_PER_BLOCK)
        text_add(t, " block %lu", (unsigned long)q->block);
}

static void shard(struct notes *n, const hry_descriptor *d)
{
    if ((d->flags & HRY_HAS_SHARD) == 0 || d->opaque)
        return;
    struct text *t = next(n);
    text_add(t, "shard of ");
    text_add_shape(t, d->shard.parent_shape, d->rank);
    if (n->is_short)
        return;
    text_add(t, " at ");
    text_add_shape(t, d->shard.offset, d->rank);
}

static void member(struct notes *n, const hry_descriptor *d)
{
    if ((d->flags & HRY_HAS_COMPOSITE_MEMBER) != 0 && !d->opaque)
        text_add(next(n), "%s", word_of_role(d->member_role));
}

static void statistics(struct notes *n, const hry_descriptor *d)
{
    if ((d->flags & HRY_HAS_STATISTICS) != 0 && !d->opaque && !n->is_short)
        text_add(next(n), "statistics");
}

static void device(struct notes *n, const hry_descriptor *d)
{
    if (d->buffer_count == 0 || d->buffers[0].device == 0)
        return;
    const char *word = word_of_device(d->buffers[0].device);
    if (word != NULL)
        text_add(next(n), "%s", word);
    else
        text_add(next(n), "device 0x%02x", d->buffers[0].device);
}

void notes_add(struct text *t, const hry_descriptor *d, bool is_short)
{
    static void (*const notes[])(struct notes * n, const hry_descriptor *d) = {
        unknown, composite, sparse, paged, quantization, shard, member, statistics, device,
    };
    struct notes n = {t, t->size, is_short};
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        notes[i](&n, d);
}

uint64_t notes_total_size(const hry_descriptor *d)
{
    uint64_t total = 0;
    for (uint32_t b = 0; b < d->buffer_count; b++) {
        if (d->buffers[b].byte_size > UINT64_MAX - total)
            return UINT64_MAX;
        total += d->buffers[b].byte_size;
    }
    return total;
}
