/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c - from a descriptor to a plan, and its parameters (plan.h). */
#include "plan.h"

#include "hry/convert.h"

#include "checked.h"
#include "fail.h"

#include <string.h>

const float hry_nf4_levels[16] = {
    -1.0f,
    -0.6961928009986877f,
    -0.5250730514526367f,
    -0.39491748809814453f,
    -0.28444138169288635f,
    -0.18477343022823334f,
    -0.09105003625154495f,
    0.0f,
    0.07958029955625534f,
    0.16093020141124725f,
    0.24611230194568634f,
    0.33791524171829224f,
    0.44070982933044434f,
    0.5626170039176941f,
    0.7229568362236023f,
    1.0f,
};

int64_t hry_integer_min(const hry_dtype *type)
{
    return type->cls == HRY_CLASS_INT ? -((int64_t)1 << (type->bits - 1)) : 0;
}

int64_t hry_integer_max(const hry_dtype *type)
{
    return ((int64_t)1 << (type->bits - (type->cls == HRY_CLASS_INT ? 1 : 0))) - 1;
}

static hry_status kernel_init(const hry_dtype *type, uint8_t scheme, hry_plan *out,
                              hry_error *err)
{
    hry_kernel *k = &out->kernel;
    k->width = type->bits <= 8 ? 1 : type->bits / 8u;
    k->mask = type->bits >= 32 ? UINT32_MAX : (1u << type->bits) - 1;
    k->flip = type->cls == HRY_CLASS_INT ? 1u << (type->bits - 1) : 0;
    if (scheme == HRY_QUANT_NF4)
        k->table = hry_nf4_levels;
    if (type->cls != HRY_CLASS_FLOAT)
        return HRY_OK;
    uint8_t codes[256];
    for (uint32_t code = 0; code <= k->mask; code++)
        codes[code] = (uint8_t)code;
    k->table = out->table;
    return hry_to_float(hry_type_builtin(type->tag), codes, out->table, k->mask + 1, err);
}

/* Parameters of a block scheme: one row of blocks for each index of the other axes. */
static hry_status place_blocks(const hry_descriptor *d, hry_plan *out, hry_error *err)
{
    const uint64_t size = d->shape[out->axis];
    uint64_t step = size / out->block + (size % out->block != 0);
    for (uint32_t k = d->rank; k-- > 0;) {
        if (k == out->axis)
            continue;
        out->stride[k] = step;
        if (!checked_mul(step, d->shape[k], &step))
            return HRY_FAIL(err, HRY_ERR_RANGE,
                            "the number of blocks does not fit 64 bits");
    }
    out->count = step;
    return HRY_OK;
}

static uint8_t scale_type_of(const hry_quantization *q)
{
    if (q->scheme == HRY_QUANT_MXFP)
        return HRY_FLOAT8_E8M0;
    return q->scheme == HRY_QUANT_PER_BLOCK ? q->scale_type : HRY_FLOAT32;
}

size_t hry_plan_scale_size(const hry_plan *plan)
{
    return plan->scale_type == HRY_FLOAT8_E8M0 ? 1
           : plan->scale_type == HRY_FLOAT32   ? 4
                                               : 2;
}

/* Which parameter belongs to which element. */
static hry_status place(const hry_descriptor *d, hry_plan *out, hry_error *err)
{
    const hry_quantization *q = out->q;
    out->axis = q->scheme == HRY_QUANT_PER_TENSOR ? d->rank : q->axis;
    out->block = q->scheme == HRY_QUANT_PER_CHANNEL ? 1 : q->block;
    if (q->scheme == HRY_QUANT_PER_TENSOR)
        return HRY_OK;
    if (out->axis >= d->rank || out->block == 0)
        return HRY_FAIL(err, HRY_ERR_ARG,
                        "axis %u, block %llu: below rank %u, and not 0, needed", q->axis,
                        (unsigned long long)out->block, d->rank);
    for (uint32_t k = 0; k < d->rank; k++)
        if (d->shape[k] == HRY_DYNAMIC)
            return HRY_FAIL(err, HRY_ERR_RANGE, "dimension %u is dynamic: a size needed",
                            k);
    if (q->scheme != HRY_QUANT_PER_CHANNEL)
        return place_blocks(d, out, err);
    out->count = d->shape[out->axis];
    return HRY_OK;
}

/* On pages a block parameter belongs to a page slot, which plays the part of axis 0. */
static hry_status place_pages(const hry_descriptor *d, hry_plan *out, hry_error *err)
{
    if (d->layout_tag != HRY_BLOCK_PAGED || out->q->scheme != HRY_QUANT_PER_BLOCK)
        return HRY_OK;
    memset(out->stride, 0, sizeof out->stride);
    out->block = 1;
    if (!checked_mul(d->fields.paged.num_pages, d->fields.paged.page_size, &out->count))
        return HRY_FAIL(err, HRY_ERR_RANGE,
                        "the number of page slots does not fit 64 bits");
    return HRY_OK;
}

hry_status hry_plan_place(const hry_descriptor *d, hry_plan *out, hry_error *err)
{
    if (d->quantization.scheme < HRY_QUANT_PER_TENSOR ||
        d->quantization.scheme > HRY_QUANT_MXFP)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "quantization scheme 0x%02X: 1 to 5 known", d->quantization.scheme);
    *out = (hry_plan){.q = &d->quantization, .rank = d->rank};
    out->scale_type = scale_type_of(out->q);
    HRY_TRY(place(d, out, err));
    return place_pages(d, out, err);
}

static hry_status need(const hry_tensor *t, uint32_t b, const char *what, uint64_t size,
                       const uint8_t **out, hry_error *err)
{
    const hry_descriptor *d = t->descriptor;
    if (b == 0 || b >= d->buffer_count)
        return HRY_FAIL(err, HRY_ERR_ARG, "%s: buffer %u of %u", what, b, d->buffer_count);
    if (d->buffers[b].device != 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "%s: on device %u, the CPU needed", what,
                        d->buffers[b].device);
    if (t->buffers[b].size < size || (t->buffers[b].bytes == NULL && size > 0))
        return HRY_FAIL(err, HRY_ERR_TRUNCATED, "%s: buffer %u has %llu bytes, %llu needed",
                        what, b, (unsigned long long)t->buffers[b].size,
                        (unsigned long long)size);
    *out = t->buffers[b].bytes;
    return HRY_OK;
}

static hry_status find_parameters(const hry_tensor *t, hry_plan *out, hry_error *err)
{
    const hry_quantization *q = out->q;
    uint64_t size;
    if (q->scheme == HRY_QUANT_PER_TENSOR)
        return HRY_OK;
    if (!checked_mul(out->count, hry_plan_scale_size(out), &size))
        return HRY_FAIL(err, HRY_ERR_RANGE, "the bytes of the scales do not fit 64 bits");
    HRY_TRY(need(t, q->scale_buffer, "scales", size, &out->scales, err));
    const bool affine =
        q->scheme == HRY_QUANT_PER_CHANNEL || q->scheme == HRY_QUANT_PER_BLOCK;
    if (!affine || (q->flags & HRY_QUANT_SYMMETRIC))
        return HRY_OK;
    if (!checked_mul(out->count, 4, &size))
        return HRY_FAIL(err, HRY_ERR_RANGE,
                        "the bytes of the zero points do not fit 64 bits");
    return need(t, q->zero_buffer, "zero points", size, &out->zeros, err);
}

hry_status hry_plan_of(const hry_tensor *t, hry_plan *out, hry_error *err)
{
    const hry_descriptor *d = t->descriptor;
    const hry_dtype *type = hry_dtype_by_tag(d->type_tag);
    if (d->opaque || !(d->flags & HRY_HAS_QUANTIZATION))
        return HRY_FAIL(err, HRY_ERR_ARG, "a tensor with known quantization needed");
    if (type == NULL || type->bits > 32 ||
        (type->cls == HRY_CLASS_FLOAT && type->bits > 8) ||
        (d->quantization.scheme == HRY_QUANT_NF4 && type->tag != HRY_UINT4))
        return HRY_FAIL(err, HRY_ERR_ARG, "type 0x%02X: no storage of a quantized tensor",
                        d->type_tag);
    HRY_TRY(hry_plan_place(d, out, err));
    HRY_TRY(kernel_init(type, out->q->scheme, out, err));
    return find_parameters(t, out, err);
}
