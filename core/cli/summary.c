/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c - see summary.h. */
#include "summary.h"

#include "pass.h"

#include <math.h>

static double number_at(const struct values *v, size_t i)
{
    switch (v->kind) {
    case VALUE_REAL:
        return ((const double *)v->numbers)[i];
    case VALUE_COMPLEX:
        return hypot(((const double *)v->numbers)[2 * i],
                     ((const double *)v->numbers)[2 * i + 1]);
    case VALUE_SIGNED:
        return (double)((const int64_t *)v->numbers)[i];
    case VALUE_WIDE: {
        double value = 0;
        hry_to_double(v->type, (const uint8_t *)v->read + 16 * i, &value, 1, NULL);
        return value;
    }
    default:
        return (double)((const uint64_t *)v->numbers)[i];
    }
}

/* Join the moments of `count` more numbers (Chan, Golub and LeVeque). */
static void join(struct summary *s, uint64_t count, double mean, double squares)
{
    if (count == 0)
        return;
    const double n = (double)s->finite, m = (double)count, difference = mean - s->mean;
    s->mean += difference * (m / (n + m));
    s->sum_of_squares += squares + difference * difference * (n * (m / (n + m)));
    s->finite += count;
}

static void widen(struct summary *s, double value)
{
    s->min = value < s->min ? value : s->min;
    s->max = value > s->max ? value : s->max;
}

/* Counts what is not finite and leaves the rest at the front of `numbers`. */
static size_t sort_out(struct summary *s, const struct values *v, double *numbers,
                       size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const double value = number_at(v, i);
        s->nans += isnan(value) != 0;
        s->infinities += isinf(value) != 0;
        s->zeros += value == 0;
        if (isfinite(value))
            numbers[kept++] = value;
    }
    return kept;
}

static bool add_piece(void *ctx, const struct source *source, const struct box *box,
                      size_t count)
{
    struct summary *s = ctx;
    double numbers[VALUES_PIECE];
    double sum = 0, squares = 0;
    (void)box;
    const size_t kept = sort_out(s, &source->values, numbers, count);
    s->count += count;
    for (size_t i = 0; i < kept; i++) {
        sum += numbers[i];
        widen(s, numbers[i]);
        histogram_add(&s->histogram, numbers[i], 1);
    }
    const double mean = kept > 0 ? sum / (double)kept : 0;
    for (size_t i = 0; i < kept; i++)
        squares += (numbers[i] - mean) * (numbers[i] - mean);
    join(s, kept, mean, squares);
    return true;
}

/* ---- sparse tensors ---- */

/* Elements that are not stored are so many zeros. */
static void add_zeros(struct summary *s, uint64_t count)
{
    if (count == 0)
        return;
    s->count += count;
    s->zeros += count;
    widen(s, 0);
    histogram_add(&s->histogram, 0, count);
    join(s, count, 0, 0);
}

static bool is_sparse(const struct source *s)
{
    const hry_descriptor *d = &s->what.d;
    return s->head == NULL && !s->is_part && d->layout_tag >= HRY_COO &&
           d->layout_tag <= HRY_CSF && (d->flags & HRY_HAS_QUANTIZATION) == 0;
}

/* The stored entries as an array of one axis, and the rest as zeros. */
static int pass_over_stored(struct source *s, const struct consumer *consumer,
                            uint64_t total)
{
    const uint64_t stored = s->what.d.fields.sparse.nnz;
    struct source entries = {.input = s->input, .what = s->what};
    hry_descriptor *d = &entries.what.d;
    hry_error err;
    d->layout_tag = HRY_ROW_MAJOR;
    d->rank = 1;
    d->shape[0] = stored;
    d->buffer_count = 1;
    entries.data.tensor = (hry_tensor){.descriptor = d, .buffers = s->data.buffers};
    entries.slice = slice_all(1, d->shape);
    int code;
    if (values_open(&entries.data.tensor, true, &entries.slice, &entries.values, &err) !=
        HRY_OK)
        code = source_error(s, &err);
    else
        code = pass(&entries, consumer);
    source_close(&entries);
    add_zeros(consumer->ctx, total - stored);
    return code;
}

int summary_of(struct source *s, size_t bins, struct summary *out)
{
    const struct consumer consumer = {
        .piece = add_piece, .ctx = out, .needs_numbers = true};
    uint64_t total;
    *out = (struct summary){
        .min = INFINITY, .max = -INFINITY, .histogram = histogram_of(bins)};
    const bool is_countable = source_count(s, &total);
    return is_sparse(s) && is_countable ? pass_over_stored(s, &consumer, total)
                                        : pass(s, &consumer);
}

double summary_deviation(const struct summary *s)
{
    return s->finite > 1 ? sqrt(s->sum_of_squares / (double)s->finite) : 0;
}
