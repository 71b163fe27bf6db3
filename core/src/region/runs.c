/* SPDX-License-Identifier: Apache-2.0 */
/* runs.c - the mover that moves nothing: it reports where the elements are, joined. */
#include "mover.h"

hry_status hry_run_end(hry_mover *m)
{
    if (m->status == HRY_OK && m->pending.count > 0)
        m->status = m->visit(m->ctx, &m->pending, m->err);
    m->pending.count = 0;
    return m->status;
}

/* A single element joins with any step; two runs only with the same one. */
static bool join(hry_mover *m, const hry_run *run)
{
    hry_run *last = &m->pending;
    if (last->count == 0 || run->byte != last->byte + last->count * m->bytes ||
        run->first <= last->first)
        return false;
    const uint64_t gap = run->first - (last->first + (last->count - 1) * last->step);
    const uint64_t step = last->count > 1 ? last->step : gap;
    if (gap != step || (run->count > 1 && run->step != step))
        return false;
    last->step = step;
    last->count += run->count;
    return true;
}

static void emit(hry_mover *m, int64_t at, int64_t to, uint64_t count, uint64_t step)
{
    const hry_run run = {.byte = m->byte_offset + (uint64_t)(at * (int64_t)m->bytes),
                         .count = count,
                         .first = (uint64_t)to,
                         .step = step};
    if (m->status != HRY_OK || join(m, &run))
        return;
    if (hry_run_end(m) == HRY_OK)
        m->pending = run;
}

static void run_rect(hry_mover *m, const hry_rect *r)
{
    /* Along the axis that storage is contiguous on, the inner one where there is none. */
    const int inner = r->stride[1] != 1 && r->stride[0] == 1 ? 0 : 1;
    const bool contiguous = r->stride[inner] == 1;
    for (uint64_t i = 0; i < r->count[!inner] && m->status == HRY_OK; i++) {
        const int64_t at = r->at + (int64_t)i * r->stride[!inner];
        const int64_t to = r->to + (int64_t)i * r->step[!inner];
        const int64_t step = r->step[inner];
        if (contiguous) {
            emit(m, at, to, r->count[inner], r->count[inner] > 1 ? (uint64_t)step : 1);
            continue;
        }
        for (uint64_t j = 0; j < r->count[inner]; j++)
            emit(m, at + (int64_t)j * r->stride[inner], to + (int64_t)j * step, 1, 1);
    }
}

static void run_terms(hry_mover *m, int64_t at, const int64_t *terms, int64_t to,
                      uint64_t n)
{
    for (uint64_t j = 0; j < n; j++)
        emit(m, at + terms[j], to + (int64_t)j, 1, 1);
}

static void run_pairs(hry_mover *m, const int64_t *at, const int64_t *to, uint64_t n)
{
    for (uint64_t j = 0; j < n; j++)
        emit(m, at[j], to[j], 1, 1);
}

const hry_mover_ops hry_run_ops = {run_rect, NULL, run_terms, run_pairs};
