/* SPDX-License-Identifier: Apache-2.0 */
/* diff_values.c - see diff_values.h. */
#include "diff_values.h"

#include "progress.h"

#include <math.h>
#include <string.h>

enum { PIECES_KEPT = 64 };

/* Element i as a complex number. */
static void number_at(const struct values *v, size_t i, double out[2])
{
    const double *reals = v->numbers;
    out[1] = 0;
    switch (v->kind) {
    case VALUE_REAL:
        out[0] = reals[i];
        return;
    case VALUE_COMPLEX:
        out[0] = reals[2 * i];
        out[1] = reals[2 * i + 1];
        return;
    case VALUE_SIGNED:
        out[0] = (double)((const int64_t *)v->numbers)[i];
        return;
    case VALUE_WIDE:
        hry_to_double(v->type, (const uint8_t *)v->read + 16 * i, out, 1, NULL);
        return;
    default:
        out[0] = (double)((const uint64_t *)v->numbers)[i];
    }
}

/* How far two parts are from each other; 0 when they are the same. */
static double distance(double a, double b, const struct tolerance *t)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b) && !t->nan_differs ? 0 : INFINITY;
    if (a == b)
        return 0;
    if (isinf(a) || isinf(b))
        return INFINITY;
    const double apart = fabs(a - b);
    return apart <= t->absolute + t->relative * fabs(b) ? 0 : apart;
}

static bool is_integer(const struct values *v)
{
    return v->kind == VALUE_SIGNED || v->kind == VALUE_UNSIGNED || v->kind == VALUE_BOOL;
}

/* Bit for bit, where that means the same: integers of one kind, or wide floats. */
static bool is_identical(const struct values *a, const struct values *b, size_t i)
{
    if (a->kind == VALUE_WIDE && b->kind == VALUE_WIDE)
        return memcmp((const uint8_t *)a->read + 16 * i, (const uint8_t *)b->read + 16 * i,
                      16) == 0;
    const uint64_t x = ((const uint64_t *)a->numbers)[i],
                   y = ((const uint64_t *)b->numbers)[i];
    const bool is_signed = a->kind == VALUE_SIGNED || b->kind == VALUE_SIGNED;
    return x == y && (a->kind == b->kind || !is_signed || (int64_t)x >= 0);
}

/* Those that a double may hide the difference of. */
static bool needs_bits(const struct values *a, const struct values *b)
{
    return (is_integer(a) && is_integer(b)) ||
           (a->kind == VALUE_WIDE && b->kind == VALUE_WIDE);
}

static double apart(const struct values *a, const struct values *b, size_t i,
                    const struct tolerance *t)
{
    double x[2], y[2];
    number_at(a, i, x);
    number_at(b, i, y);
    const double re = distance(x[0], y[0], t), im = distance(x[1], y[1], t);
    const double both = im == 0 ? re : hypot(re, im);
    const bool is_exact = t->absolute == 0 && t->relative == 0;
    if (both == 0 && is_exact && needs_bits(a, b) && !is_identical(a, b, i) &&
        !(isnan(x[0]) || x[0] == 0))
        return is_integer(a) ? 1 : fabs(x[0]) * 0x1p-113;
    return both;
}

static void index_of(const struct box *box, uint32_t rank, size_t i, uint64_t *index)
{
    for (uint32_t k = rank; k-- > 0;) {
        index[k] = box->start[k] + i % box->count[k];
        i /= box->count[k];
    }
}

static void note(struct difference *d, const struct source *a, const struct source *b,
                 const struct box *box, size_t i, double far)
{
    const uint32_t rank = a->values.rank;
    if (far > d->largest || d->count == 0) {
        d->largest = far;
        index_of(box, rank, i, d->at);
    }
    d->count++;
    if (d->kept == d->limit)
        return;
    index_of(box, rank, i, d->first[d->kept].index);
    value_json(&a->values, i, d->first[d->kept].a);
    value_json(&b->values, i, d->first[d->kept].b);
    d->kept++;
}

/* Whole pieces are most often the same to the bit. */
static bool is_same_piece(const struct source *a, const struct source *b, size_t count,
                          const struct tolerance *t)
{
    const struct values *v = &a->values, *w = &b->values;
    return !t->nan_differs && v->type.tag == w->type.tag && v->type.extension == NULL &&
           v->element == w->element && memcmp(v->read, w->read, count * v->element) == 0;
}

static hry_status compare_piece(struct source *a, struct source *b, const struct box *box,
                                const struct tolerance *t, struct difference *out,
                                hry_error *err)
{
    const size_t count = (size_t)box_size(box, a->values.rank);
    hry_status status = values_fetch(&a->values, box, err);
    if (status == HRY_OK)
        status = values_fetch(&b->values, box, err);
    if (status != HRY_OK || is_same_piece(a, b, count, t))
        return status;
    status = values_numbers(&a->values, count, err);
    if (status == HRY_OK)
        status = values_numbers(&b->values, count, err);
    for (size_t i = 0; status == HRY_OK && i < count; i++) {
        const double far = apart(&a->values, &b->values, i, t);
        if (far != 0)
            note(out, a, b, box, i, far);
    }
    return status;
}

int diff_values(struct source *a, struct source *b, const struct tolerance *t, size_t limit,
                struct difference *out)
{
    struct boxes boxes = boxes_of(a->values.rank, a->values.shape, VALUES_PIECE);
    const struct box *box;
    hry_status status = HRY_OK;
    hry_error err;
    *out = (struct difference){.limit = limit < DIFF_KEPT ? limit : DIFF_KEPT};
    source_count(a, &out->total);
    struct progress bar = progress_of(out->total);
    uint64_t done = 0, pieces = 0;
    while (status == HRY_OK && (box = boxes_next(&boxes)) != NULL) {
        status = compare_piece(a, b, box, t, out, &err);
        progress_show(&bar, done += box_size(box, a->values.rank));
        if (++pieces % PIECES_KEPT == 0) {
            input_release(a->input);
            input_release(b->input);
        }
    }
    progress_end(&bar);
    return status == HRY_OK ? EXIT_OK : source_error(a, &err);
}
