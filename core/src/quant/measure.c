/* SPDX-License-Identifier: Apache-2.0 */
/* measure.c - one pass over a tensor's logical elements (hry/statistics.h). */
#include "hry/statistics.h"

#include "hry/convert.h"
#include "hry/quant.h"
#include "hry/region.h"

#include "fail.h"
#include "moments.h"
#include "pieces.h"

#include <math.h>
#include <stdlib.h>

#define ROOM 4096 /* ELEMENTS of a piece */
#define WIDEST 16 /* BYTES of an element */
#define GIVEN 3   /* 4, 8 and 16 neighbours, and then those of a given pattern */
#define GROUPS 4

typedef struct pass {
    const hry_tensor *tensor;
    hry_moments moments;
    hry_groups groups[GROUPS];
    hry_pieces piece;
    union {
        uint8_t codes[ROOM * WIDEST];
        float reals[ROOM];
    };
    double values[ROOM * 2]; /* complex: both parts */
} pass;

static bool is_sparse(uint8_t layout_tag)
{
    return layout_tag == HRY_COO || layout_tag == HRY_CSR || layout_tag == HRY_CSC ||
           layout_tag == HRY_CSF;
}

static bool is_complex(uint8_t type_tag)
{
    return type_tag == HRY_COMPLEX64 || type_tag == HRY_COMPLEX128;
}

/* The piece's values; of complex ones both parts. */
static hry_status read_piece(pass *s, hry_error *err)
{
    const hry_pieces *p = &s->piece;
    if (!(s->tensor->descriptor->flags & HRY_HAS_QUANTIZATION)) {
        HRY_TRY(hry_region_read(s->tensor, p->start, p->count, s->codes, err));
        return hry_to_double(hry_type_of(s->tensor->descriptor), s->codes, s->values,
                             (size_t)p->elements, err);
    }
    HRY_TRY(hry_dequantize(s->tensor, p->start, p->count, s->reals, err));
    for (uint64_t i = 0; i < p->elements; i++)
        s->values[i] = (double)s->reals[i];
    return HRY_OK;
}

/* Pieces hold whole rows or a part of one. */
static void count_groups(pass *s, const double *values)
{
    const hry_pieces *p = &s->piece;
    const uint32_t rank = p->rank;
    const uint64_t row = rank == 0 ? 1 : p->count[rank - 1];
    const bool ends = rank == 0 || p->start[rank - 1] + row == p->high[rank - 1];
    for (uint32_t g = 0; g < GROUPS; g++)
        for (uint64_t at = 0; at < p->elements; at += row) {
            if (s->groups[g].most >= s->groups[g].m)
                break;
            hry_groups_add(&s->groups[g], values + at, (size_t)row, ends);
        }
}

static hry_status run(pass *s, hry_error *err)
{
    static const uint64_t start[HRY_MAX_RANK] = {0};
    const hry_descriptor *d = s->tensor->descriptor;
    uint64_t count;
    HRY_TRY(hry_descriptor_count(d, &count, err));
    if (d->opaque || d->layout_tag == HRY_COMPOSITE || hry_region_element(d) > WIDEST)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "type 0x%02X, layout 0x%02X: numbers of one tensor needed",
                        d->type_tag, d->layout_tag);
    if (!hry_pieces_begin(&s->piece, d->rank, start, d->shape, ROOM, ROOM))
        return HRY_OK;
    do {
        HRY_TRY(read_piece(s, err));
        const size_t n = (size_t)s->piece.elements;
        if (is_complex(d->type_tag))
            hry_moments_add_pairs(&s->moments, s->values, n, s->values);
        else
            hry_moments_add(&s->moments, s->values, n);
        count_groups(s, s->values);
    } while (hry_pieces_next(&s->piece));
    return HRY_OK;
}

/* The sparsest of the patterns that hold and fit the last axis. */
static void set_pattern(const pass *s, hry_statistics *out)
{
    for (uint32_t g = 0; g < GIVEN; g++) {
        const hry_groups *here = &s->groups[g];
        if (here->most == 0 || 2 * here->most > here->m)
            continue;
        if ((out->computed_mask & HRY_STAT_NM) &&
            here->most * out->nm_m >= out->nm_n * here->m)
            continue;
        out->computed_mask |= HRY_STAT_NM;
        out->nm_n = (uint8_t)here->most;
        out->nm_m = (uint8_t)here->m;
    }
}

static void set_values(const hry_moments *m, hry_statistics *out)
{
    const double stddev = sqrt(m->squares / (double)m->count);
    out->computed_mask |= HRY_STAT_RANGE;
    out->min = m->min;
    out->max = m->max;
    out->abs_max = fmax(fabs(m->min), fabs(m->max));
    if (!isfinite(m->mean) || !isfinite(stddev))
        return;
    out->computed_mask |= HRY_STAT_MOMENTS;
    out->mean = m->mean;
    out->stddev = stddev;
}

static void collect(const pass *s, hry_statistics *out)
{
    const hry_descriptor *d = s->tensor->descriptor;
    const hry_moments *m = &s->moments;
    *out = (hry_statistics){.computed_mask = HRY_STAT_NNZ | HRY_STAT_SPECIAL,
                            .nnz = is_sparse(d->layout_tag) ? d->fields.sparse.nnz : m->nnz,
                            .has_nan = m->has_nan,
                            .has_inf = m->has_inf};
    if (m->count == 0)
        return;
    out->computed_mask |= HRY_STAT_SPARSITY;
    out->sparsity_ratio = (double)(m->count - out->nnz) / (double)m->count;
    if (!is_complex(d->type_tag) && !m->has_nan && !m->has_inf)
        set_values(m, out);
    set_pattern(s, out);
}

/* One pass; `given` neighbours are counted too, when not 0. */
static hry_status compute(const hry_tensor *t, uint8_t given, hry_statistics *out,
                          uint64_t *most, hry_error *err)
{
    pass *s = malloc(sizeof *s);
    if (s == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for statistics");
    s->tensor = t;
    s->moments = (hry_moments){0};
    const uint32_t rank = t->descriptor->rank;
    const uint64_t row = rank == 0 ? 1 : t->descriptor->shape[rank - 1];
    for (uint32_t g = 0; g < GIVEN; g++)
        s->groups[g] = (hry_groups){.m = row % (4u << g) == 0 ? 4u << g : 0};
    s->groups[GIVEN] = (hry_groups){.m = given};
    const hry_status status = run(s, err);
    if (status == HRY_OK) {
        collect(s, out);
        *most = s->groups[GIVEN].most;
    }
    free(s);
    return status;
}

hry_status hry_statistics_compute(const hry_tensor *t, hry_statistics *out, hry_error *err)
{
    uint64_t most;
    return compute(t, 0, out, &most, err);
}

static bool near(double a, double b, double scale)
{
    return fabs(a - b) <= 1e-5 * scale;
}

hry_status hry_statistics_compare(const hry_tensor *t, uint32_t *wrong, hry_error *err)
{
    const hry_statistics *given = &t->descriptor->statistics;
    hry_statistics is;
    uint64_t most;
    if (t->descriptor->opaque || !(t->descriptor->flags & HRY_HAS_STATISTICS))
        return HRY_FAIL(err, HRY_ERR_ARG, "a tensor with statistics needed");
    const bool pattern = given->computed_mask & HRY_STAT_NM;
    HRY_TRY(compute(t, pattern ? given->nm_m : 0, &is, &most, err));
    uint32_t bad = 0;
    if (given->nnz != is.nnz)
        bad |= HRY_STAT_NNZ;
    if (!near(given->sparsity_ratio, is.sparsity_ratio, 1))
        bad |= HRY_STAT_SPARSITY;
    if ((is.computed_mask & HRY_STAT_RANGE) &&
        (given->min != is.min || given->max != is.max || given->abs_max != is.abs_max))
        bad |= HRY_STAT_RANGE;
    if ((is.computed_mask & HRY_STAT_MOMENTS) &&
        (!near(given->mean, is.mean, is.abs_max) ||
         !near(given->stddev, is.stddev, is.abs_max)))
        bad |= HRY_STAT_MOMENTS;
    if (pattern && most > given->nm_n)
        bad |= HRY_STAT_NM;
    if (given->has_nan != is.has_nan || given->has_inf != is.has_inf)
        bad |= HRY_STAT_SPECIAL;
    *wrong = bad & given->computed_mask;
    return HRY_OK;
}
