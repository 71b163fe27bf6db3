/* SPDX-License-Identifier: Apache-2.0 */
/* plan_run.c - dequantizing runs and boxes of codes by a plan (plan.h). */
#include "plan.h"

#include "hry/convert.h"

#include <string.h>

#define AHEAD 256 /* parameters loaded when one is needed */

static const void *advance(const hry_plan *plan, const void *codes, uint64_t count)
{
    return (const uint8_t *)codes + count * plan->kernel.width;
}

static void load_scales(const hry_plan *plan, uint64_t first, uint64_t step, uint64_t count,
                        hry_plan_scratch *s)
{
    const size_t size = hry_plan_scale_size(plan);
    const uint8_t *stored = plan->scales + first * size;
    for (uint64_t i = 0; step != 1 && i < count; i++)
        memcpy(s->stored + i * size, stored + i * step * size, size);
    /* Each of the types a scale may have becomes float32. */
    (void)hry_to_float(hry_type_builtin(plan->scale_type), step == 1 ? stored : s->stored,
                       s->scales, (size_t)count, NULL);
}

static void load_zeros(const hry_plan *plan, uint64_t first, uint64_t step, uint64_t count,
                       hry_plan_scratch *s)
{
    for (uint64_t i = 0; i < count; i++) {
        if (plan->zeros == NULL) {
            s->zeros[i] = plan->q->scheme == HRY_QUANT_PER_TENSOR ? plan->q->zero_point : 0;
            continue;
        }
        const uint8_t *p = plan->zeros + 4 * (first + i * step);
        s->zeros[i] = (int32_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 |
                                (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
    }
}

/* Parameters first + (i % period) * step for i < count <= HRY_PLAN_RUN. */
static void load(const hry_plan *plan, uint64_t first, uint64_t step, uint64_t period,
                 uint64_t count, hry_plan_scratch *s)
{
    if (s->first == first && s->step == step && s->period == period && s->length >= count)
        return;
    const uint64_t once = count < period ? count : period;
    if (plan->scales == NULL)
        s->scales[0] = plan->q->scale;
    else
        load_scales(plan, first, step, once, s);
    load_zeros(plan, first, step, once, s);
    for (uint64_t i = once; i < count; i++) {
        s->scales[i] = s->scales[i - once];
        s->zeros[i] = s->zeros[i - once];
    }
    s->first = first;
    s->step = step;
    s->period = period;
    s->length = count;
}

void hry_plan_load(const hry_plan *plan, uint64_t first, uint64_t step, uint64_t count,
                   hry_plan_scratch *scratch)
{
    load(plan, first, step, plan->scales == NULL ? 1 : HRY_PLAN_RUN, count, scratch);
}

/* Where parameter i is in the arrays; those that follow are loaded with it. */
static size_t find(const hry_plan *plan, uint64_t i, hry_plan_scratch *s)
{
    if (plan->scales == NULL) {
        hry_plan_load(plan, 0, 1, 1, s);
        return 0;
    }
    if (s->step != 1 || s->period != HRY_PLAN_RUN || i < s->first ||
        i - s->first >= s->length) {
        const uint64_t left = plan->count - i;
        hry_plan_load(plan, i, 1, left < AHEAD ? left : AHEAD, s);
    }
    return (size_t)(i - s->first);
}

/* All elements share one parameter. */
static void same(const hry_plan *plan, uint64_t parameter, const void *codes, size_t count,
                 hry_plan_scratch *s, float *out)
{
    const size_t i = find(plan, parameter, s);
    hry_kernel_same(&plan->kernel, codes, count, s->scales[i], s->zeros[i], out);
}

static void each(const hry_plan *plan, uint64_t first, uint64_t step, const void *codes,
                 size_t count, hry_plan_scratch *scratch, float *out)
{
    while (count > 0) {
        const size_t n = count < HRY_PLAN_RUN ? count : HRY_PLAN_RUN;
        hry_plan_load(plan, first, step, n, scratch);
        hry_kernel_each(&plan->kernel, codes, n, scratch->scales, scratch->zeros, out);
        first += n * step;
        codes = advance(plan, codes, n);
        out += n;
        count -= n;
    }
}

/* Blocks along the last axis: one run of equal parameters after the other. */
static void blocks(const hry_plan *plan, uint64_t first, uint64_t at, const void *codes,
                   size_t count, hry_plan_scratch *s, float *out)
{
    while (count > 0) {
        const uint64_t left = plan->block - at % plan->block;
        const size_t n = left < count ? (size_t)left : count;
        same(plan, first + at / plan->block, codes, n, s, out);
        at += n;
        codes = advance(plan, codes, n);
        out += n;
        count -= n;
    }
}

/* The parameter's number but for what the last axis adds to it. */
static uint64_t first_parameter(const hry_plan *plan, const uint64_t *index)
{
    uint64_t first = 0;
    for (uint32_t k = 0; k + 1 < plan->rank; k++)
        first += k == plan->axis ? index[k] / plan->block : index[k] * plan->stride[k];
    return first;
}

void hry_plan_run(const hry_plan *plan, const uint64_t *index, const void *codes,
                  size_t count, hry_plan_scratch *scratch, float *out)
{
    if (plan->rank == 0) {
        same(plan, 0, codes, count, scratch, out);
        return;
    }
    const uint32_t last = plan->rank - 1;
    const uint64_t first = first_parameter(plan, index), step = plan->stride[last];
    if (plan->axis == last && plan->block == 1)
        each(plan, first + index[last], 1, codes, count, scratch, out);
    else if (plan->axis == last)
        blocks(plan, first, index[last], codes, count, scratch, out);
    else if (step == 0)
        same(plan, first, codes, count, scratch, out);
    else
        each(plan, first + index[last] * step, step, codes, count, scratch, out);
}

/* From which dimension on do all elements of a box share their parameter? */
static uint32_t shared_from(const hry_plan *plan)
{
    if (plan->rank == 0 || plan->axis >= plan->rank)
        return 0;
    uint32_t k = plan->rank;
    while (k > plan->axis + 1 && plan->stride[k - 1] == 0)
        k--;
    return k == plan->rank ? plan->rank - 1 : k;
}

/* Next row of the box below dimension `end`; false past the last one. */
static bool next_row(const uint64_t *start, const uint64_t *count, uint32_t end,
                     uint64_t *index)
{
    for (uint32_t k = end; k-- > 0;) {
        if (++index[k] < start[k] + count[k])
            return true;
        index[k] = start[k];
    }
    return false;
}

/* Many short rows with a parameter for each element of a row: one kernel call for all
 * rows whose parameters, repeated, fit the scratch. */
static void short_rows(const hry_plan *plan, uint64_t first, uint64_t row, uint64_t count,
                       const void *codes, hry_plan_scratch *scratch, float *out)
{
    const uint64_t most = HRY_PLAN_RUN / row * row;
    while (count > 0) {
        const uint64_t n = count < most ? count : most;
        load(plan, first, 1, row, n, scratch);
        hry_kernel_each(&plan->kernel, codes, (size_t)n, scratch->scales, scratch->zeros,
                        out);
        codes = advance(plan, codes, n);
        out += n;
        count -= n;
    }
}

void hry_plan_box(const hry_plan *plan, const uint64_t *start, const uint64_t *count,
                  const void *codes, hry_plan_scratch *scratch, uint64_t pitch, float *out)
{
    uint64_t index[HRY_MAX_RANK];
    uint64_t row = 1, all = 1;
    const uint32_t last = plan->rank == 0 ? 0 : plan->rank - 1;
    const bool gaps = plan->rank > 0 && pitch != count[last];
    const uint32_t end = gaps ? last : shared_from(plan);
    for (uint32_t k = 0; k < plan->rank; k++) {
        if (count[k] == 0)
            return;
        index[k] = start[k];
        row *= k >= end ? count[k] : 1;
        all *= count[k];
    }
    if (plan->axis == last && plan->block == 1 && !gaps && row <= HRY_PLAN_RUN) {
        short_rows(plan, start[last], row, all, codes, scratch, out);
        return;
    }
    do {
        hry_plan_run(plan, index, codes, (size_t)row, scratch, out);
        codes = advance(plan, codes, row);
        out += gaps ? pitch : row;
    } while (next_row(start, count, end, index));
}
