/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quantize.c - from float32 to a quantized tensor (hry/quant.h): ranges of all blocks
 * first, then parameters, then codes and how far they are from the values.
 */
#include "hry/quant.h"

#include "hry/pack.h"

#include "checked.h"
#include "choose.h"
#include "fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct hry_quantized {
    hry_descriptor descriptor;
    hry_buffer buffers[3]; /* codes, scales, zero points; owned */
    hry_tensor tensor;
    hry_quantize_error error;
};

/* A row along the last axis. */
typedef struct row {
    uint64_t index[HRY_MAX_RANK];
    hry_steps steps;  /* which parameters its elements have              */
    uint64_t length;  /* in ELEMENTS                                     */
    uint64_t storage; /* its first element in storage, padding counted   */
} row;

typedef struct job {
    const float *values;
    hry_quantized *out;
    hry_plan plan;
    hry_choice choice;
    bool per_tensor, symmetric;
    uint64_t count;                /* of parameters                        */
    uint64_t padded[HRY_MAX_RANK]; /* the shape in storage                 */
    float *low, *high;             /* of the values under each parameter   */
    hry_chosen *parameters;
    double sum; /* of squared differences               */
    hry_plan_scratch scratch;
    uint32_t codes[HRY_PLAN_RUN];
    double work[HRY_PLAN_RUN];
    float back[HRY_PLAN_RUN];
} job;

static bool is_block_scheme(const hry_quantization *q)
{
    return q->scheme >= HRY_QUANT_PER_BLOCK && q->scheme <= HRY_QUANT_MXFP;
}

static hry_status describe(job *j, uint32_t rank, const uint64_t *shape, uint8_t type_tag,
                           const hry_quantization *how, hry_error *err)
{
    hry_descriptor *d = &j->out->descriptor;
    HRY_TRY(hry_descriptor_dense(type_tag, rank, shape, d, err));
    j->per_tensor = how->scheme == HRY_QUANT_PER_TENSOR;
    j->symmetric = how->flags & HRY_QUANT_SYMMETRIC;
    d->flags = HRY_HAS_QUANTIZATION;
    d->quantization = (hry_quantization){.scheme = how->scheme,
                                         .version = 1,
                                         .flags = j->per_tensor ? 0 : how->flags,
                                         .scale = 1,
                                         .axis = how->axis,
                                         .block = how->block,
                                         .scale_buffer = 1,
                                         .zero_buffer = HRY_NO_BUFFER,
                                         .scale_type = HRY_FLOAT32};
    if (how->scheme == HRY_QUANT_PER_BLOCK)
        d->quantization.scale_type = how->scale_type;
    if (j->per_tensor)
        d->quantization.axis = d->quantization.scale_buffer = 0;
    return hry_plan_place(d, &j->plan, err);
}

/* Sizes of the buffers, the padding of a partial last block included. */
static hry_status size_buffers(job *j, hry_error *err)
{
    hry_descriptor *d = &j->out->descriptor;
    uint64_t elements = 1, scales, zeros;
    for (uint32_t k = 0; k < d->rank; k++) {
        j->padded[k] = d->shape[k];
        if (is_block_scheme(&d->quantization) && k == j->plan.axis &&
            is_power_of_two(j->plan.block) &&
            !checked_align(d->shape[k], j->plan.block, &j->padded[k]))
            return HRY_FAIL(err, HRY_ERR_RANGE, "axis %u padded to blocks does not fit", k);
        if (!checked_mul(elements, j->padded[k], &elements))
            return HRY_FAIL(err, HRY_ERR_RANGE,
                            "the padded element count does not fit 64 bits");
    }
    d->buffers[0].byte_size = hry_packed_size(elements, hry_descriptor_bits(d));
    j->count = j->per_tensor ? 1 : j->plan.count;
    if (j->per_tensor)
        return HRY_OK;
    if (!checked_mul(j->count, hry_plan_scale_size(&j->plan), &scales) ||
        !checked_mul(j->count, 4, &zeros))
        return HRY_FAIL(err, HRY_ERR_RANGE,
                        "the bytes of the parameters do not fit 64 bits");
    d->buffers[1] = (hry_buffer_info){.byte_size = scales, .alignment = 64};
    d->buffer_count = 2;
    const uint8_t scheme = d->quantization.scheme;
    if ((scheme == HRY_QUANT_PER_CHANNEL || scheme == HRY_QUANT_PER_BLOCK) &&
        !j->symmetric) {
        d->buffers[2] = (hry_buffer_info){.byte_size = zeros, .alignment = 64};
        d->buffer_count = 3;
        d->quantization.zero_buffer = 2;
    }
    return HRY_OK;
}

static hry_status allocate(job *j, hry_error *err)
{
    hry_quantized *q = j->out;
    size_t n;
    for (uint32_t b = 0; b < q->descriptor.buffer_count; b++) {
        const uint64_t size = q->descriptor.buffers[b].byte_size;
        uint64_t rounded;
        if (!checked_align(size, 64, &rounded) || rounded > SIZE_MAX / 2)
            return HRY_FAIL(err, HRY_ERR_NOMEM, "buffer %u: no memory for %llu bytes", b,
                            (unsigned long long)size);
        q->buffers[b].writable = aligned_alloc(64, (size_t)(rounded > 0 ? rounded : 64));
        if (q->buffers[b].writable == NULL)
            return HRY_FAIL(err, HRY_ERR_NOMEM, "buffer %u: no memory for %llu bytes", b,
                            (unsigned long long)size);
        memset(q->buffers[b].writable, 0, (size_t)rounded);
        q->buffers[b].size = size;
    }
    if (!checked_array(j->count, sizeof *j->parameters, &n))
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %llu parameters",
                        (unsigned long long)j->count);
    j->low = calloc((size_t)j->count + 1, sizeof *j->low);
    j->high = calloc((size_t)j->count + 1, sizeof *j->high);
    j->parameters = malloc(n + sizeof *j->parameters);
    if (j->low == NULL || j->high == NULL || j->parameters == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %llu parameters",
                        (unsigned long long)j->count);
    q->tensor =
        (hry_tensor){.descriptor = &q->descriptor, .buffers = q->buffers, .writable = true};
    return HRY_OK;
}

static void row_place(const job *j, row *r)
{
    const hry_plan *plan = &j->plan;
    const uint32_t rank = plan->rank, last = rank == 0 ? 0 : rank - 1;
    r->storage = 0;
    r->steps.first = 0;
    for (uint32_t k = 0; k < last; k++) {
        r->steps.first +=
            k == plan->axis ? r->index[k] / plan->block : r->index[k] * plan->stride[k];
        r->storage = (r->storage + r->index[k]) * j->padded[k + 1];
    }
    r->steps.step = rank == 0 ? 0 : plan->stride[last];
    r->steps.shift = 0;
    if (rank > 0 && plan->axis == last) {
        r->steps.step = 1;
        r->steps.shift = (uint32_t)__builtin_ctzll(plan->block);
    }
}

static hry_status
each_row(job *j, hry_status (*visit)(job *, const row *, const float *, hry_error *),
         hry_error *err)
{
    const hry_descriptor *d = &j->out->descriptor;
    row r = {.length = d->rank == 0 ? 1 : d->shape[d->rank - 1]};
    const float *values = j->values;
    for (uint32_t k = 0; k < d->rank; k++)
        if (d->shape[k] == 0)
            return HRY_OK;
    for (;;) {
        row_place(j, &r);
        HRY_TRY(visit(j, &r, values, err));
        values += r.length;
        uint32_t k = d->rank == 0 ? 0 : d->rank - 1;
        while (k-- > 0 && ++r.index[k] == d->shape[k])
            r.index[k] = 0;
        if (k == UINT32_MAX)
            return HRY_OK;
    }
}

static hry_status find_range(job *j, const row *r, const float *values, hry_error *err)
{
    for (uint64_t i = 0; i < r->length; i++) {
        const uint64_t p = hry_step_at(&r->steps, i);
        if (!isfinite(values[i]))
            return HRY_FAIL(err, HRY_ERR_RANGE, "value %llu: %g, finite needed",
                            (unsigned long long)(values - j->values) + i,
                            (double)values[i]);
        j->low[p] = values[i] < j->low[p] ? values[i] : j->low[p];
        j->high[p] = values[i] > j->high[p] ? values[i] : j->high[p];
    }
    return HRY_OK;
}

static hry_status choose_all(job *j, hry_error *err)
{
    hry_quantized *q = j->out;
    for (uint64_t i = 0; i < j->count; i++) {
        if (j->symmetric && j->choice.low == 0 && j->low[i] < 0)
            return HRY_FAIL(err, HRY_ERR_ARG,
                            "least value %g: symmetric unsigned codes need >= 0",
                            (double)j->low[i]);
        j->parameters[i] = hry_choose(&j->choice, j->low[i], j->high[i]);
        if (!j->per_tensor)
            hry_choose_store(&j->choice, &j->parameters[i], i, q->buffers[1].writable,
                             q->buffers[2].writable);
    }
    if (j->per_tensor) {
        q->descriptor.quantization.scale = j->parameters[0].scale;
        q->descriptor.quantization.zero_point = j->parameters[0].zero;
    }
    return HRY_OK;
}

static hry_status store_codes(job *j, uint64_t storage, size_t count, hry_error *err)
{
    const uint32_t bits = hry_descriptor_bits(&j->out->descriptor);
    uint8_t *data = j->out->buffers[0].writable;
    if (bits < 8)
        return hry_pack(bits, (const uint8_t *)j->codes, count, data, storage, err);
    memcpy(data + storage * (bits / 8), j->codes, count * (bits / 8));
    return HRY_OK;
}

/* Encode `count` values of a row from its element `at` on, and measure the difference. */
static hry_status encode_part(job *j, const row *r, uint64_t at, size_t count,
                              const float *values, hry_error *err)
{
    const hry_plan *plan = &j->plan;
    double worst = j->out->error.max_abs;
    row part = *r;
    HRY_TRY(hry_choose_codes(&j->choice, j->parameters, &r->steps, at, values, count,
                             j->work, j->codes, err));
    HRY_TRY(store_codes(j, r->storage + at, count, err));
    if (plan->rank > 0)
        part.index[plan->rank - 1] = at;
    hry_plan_run(plan, part.index, j->codes, count, &j->scratch, j->back);
    for (size_t i = 0; i < count; i++) {
        const double miss = fabs((double)j->back[i] - (double)values[i]);
        worst = miss > worst ? miss : worst;
        j->sum += miss * miss;
    }
    j->out->error.max_abs = worst;
    return HRY_OK;
}

static hry_status encode_row(job *j, const row *r, const float *values, hry_error *err)
{
    for (uint64_t at = 0; at < r->length; at += HRY_PLAN_RUN) {
        const uint64_t left = r->length - at;
        const size_t n = left < HRY_PLAN_RUN ? (size_t)left : HRY_PLAN_RUN;
        HRY_TRY(encode_part(j, r, at, n, values + at, err));
    }
    return HRY_OK;
}

static hry_status quantize(job *j, hry_error *err)
{
    const hry_descriptor *d = &j->out->descriptor;
    uint64_t elements;
    HRY_TRY(hry_descriptor_validate(d, err));
    HRY_TRY(hry_descriptor_count(d, &elements, err));
    HRY_TRY(allocate(j, err));
    HRY_TRY(hry_plan_of(&j->out->tensor, &j->plan, err));
    j->choice = hry_choice_of(&j->plan, d->type_tag, j->symmetric);
    HRY_TRY(each_row(j, find_range, err));
    HRY_TRY(choose_all(j, err));
    HRY_TRY(each_row(j, encode_row, err));
    j->out->error.rms = elements == 0 ? 0 : sqrt(j->sum / (double)elements);
    return HRY_OK;
}

hry_status hry_quantize(const float *values, uint32_t rank, const uint64_t *shape,
                        uint8_t type_tag, const hry_quantization *how, hry_quantized **out,
                        hry_error *err)
{
    hry_status status = HRY_ERR_NOMEM;
    job *j = calloc(1, sizeof *j);
    hry_quantized *q = calloc(1, sizeof *q);
    if (j == NULL || q == NULL) {
        status = HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for quantization");
        goto done;
    }
    j->values = values;
    j->out = q;
    status = describe(j, rank, shape, type_tag, how, err);
    if (status == HRY_OK)
        status = size_buffers(j, err);
    if (status == HRY_OK)
        status = quantize(j, err);
    if (status == HRY_OK) {
        *out = q;
        q = NULL;
    }
done:
    if (j != NULL) {
        free(j->low);
        free(j->high);
        free(j->parameters);
    }
    free(j);
    hry_quantized_free(q);
    return status;
}

void hry_quantized_free(hry_quantized *quantized)
{
    if (quantized == NULL)
        return;
    for (uint32_t b = 0; b < 3; b++)
        free(quantized->buffers[b].writable);
    free(quantized);
}

const hry_tensor *hry_quantized_tensor(const hry_quantized *quantized)
{
    return &quantized->tensor;
}

hry_quantize_error hry_quantized_error(const hry_quantized *quantized)
{
    return quantized->error;
}
