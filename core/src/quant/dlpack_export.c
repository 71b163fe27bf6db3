/* SPDX-License-Identifier: Apache-2.0 */
/* dlpack_export.c - offering a dense tensor to DLPack consumers (hry/dlpack.h). */
#include "dlpack_type.h"

#include "checked.h"
#include "fail.h"

#include <stdlib.h>

/* What the consumer's pointers point into; freed by the deleter. */
typedef struct offer {
    union {
        hry_dl_versioned versioned;
        hry_dl_managed old;
    } as;
    hry_shared_buffer *data;
    int64_t shape[HRY_MAX_RANK];
    int64_t strides[HRY_MAX_RANK];
    hry_dl_tensor tensor;
    bool copied;
} offer;

static void offer_free(offer *o)
{
    if (o == NULL)
        return;
    hry_buffer_free(o->data);
    free(o);
}

static void delete_versioned(hry_dl_versioned *self)
{
    offer_free(self->ctx);
}

static void delete_old(hry_dl_managed *self)
{
    offer_free(self->ctx);
}

static hry_status check_expressible(const hry_descriptor *d, hry_error *err)
{
    if (d->flags & HRY_HAS_QUANTIZATION)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "a quantized tensor: DLPack has none");
    if (d->layout_tag != HRY_ROW_MAJOR && d->layout_tag != HRY_COLUMN_MAJOR &&
        d->layout_tag != HRY_STRIDED)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "layout 0x%02X: DLPack has only what strides describe",
                        d->layout_tag);
    if (d->buffer_count == 0 || d->buffers[0].device != 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "device %u: the CPU needed",
                        d->buffer_count == 0 ? 0u : d->buffers[0].device);
    for (uint32_t k = 0; k < d->rank; k++)
        if (d->shape[k] > INT64_MAX)
            return HRY_FAIL(err, HRY_ERR_RANGE,
                            "dimension %u of %llu: at most 2^63-1 needed", k,
                            (unsigned long long)d->shape[k]);
    uint64_t count;
    return hry_descriptor_count(d, &count, err);
}

/* Strides of the three layouts, in ELEMENTS; the count is known to fit. */
static void strides_of(const hry_descriptor *d, int64_t *strides)
{
    int64_t step = 1;
    if (d->layout_tag == HRY_ROW_MAJOR)
        hry_dl_row_major(d->rank, d->shape, strides);
    for (uint32_t k = 0; k < d->rank; k++) {
        if (d->layout_tag == HRY_STRIDED)
            strides[k] = d->fields.strides[k];
        if (d->layout_tag != HRY_COLUMN_MAJOR)
            continue;
        strides[k] = step;
        step *= (int64_t)d->shape[k];
    }
}

/* Do all elements lie inside `data`? For packed types in units of one element. */
static hry_status check_inside(const hry_descriptor *d, const int64_t *strides,
                               const hry_shared_buffer *data, hry_error *err)
{
    int64_t low, high;
    uint64_t bits, end;
    const uint32_t width = hry_descriptor_bits(d);
    const uint64_t size = hry_buffer_size(data);
    for (uint32_t k = 0; k < d->rank; k++)
        if (d->shape[k] == 0)
            return HRY_OK;
    HRY_TRY(hry_dl_extent(d->rank, d->shape, strides, &low, &high, err));
    const uint64_t below = low < 0 ? 0 - (uint64_t)low : 0;
    if (!checked_mul(below, width, &bits) || bits / 8 + (bits % 8 != 0) > d->byte_offset)
        return HRY_FAIL(err, HRY_ERR_RANGE, "element offset %lld: before the buffer begins",
                        (long long)low);
    if (!checked_mul((uint64_t)high + 1, width, &bits) ||
        !checked_add(bits / 8 + (bits % 8 != 0), d->byte_offset, &end) || end > size)
        return HRY_FAIL(err, HRY_ERR_RANGE,
                        "element offset %lld: past the buffer's %llu bytes",
                        (long long)high, (unsigned long long)size);
    return HRY_OK;
}

/* DLPack's bool is one byte per element. */
static hry_status unpack_bool(const hry_descriptor *d, offer *o, hry_shared_buffer *data,
                              hry_error *err)
{
    uint64_t count;
    int64_t strides[HRY_MAX_RANK];
    HRY_TRY(hry_descriptor_count(d, &count, err));
    HRY_TRY(hry_buffer_new(count, 0, &o->data, err));
    hry_dl_row_major(d->rank, d->shape, strides);
    const uint8_t *bytes = hry_buffer_data(data);
    const hry_dl_place from = {
        .base = (void *)(uintptr_t)bytes, /* only read from */
        .first = (int64_t)d->byte_offset * 8,
        .strides = o->strides,
        .bits = 1,
    };
    const hry_dl_place to = {.base = hry_buffer_edit(o->data), .strides = strides};
    hry_dl_copy(d->rank, d->shape, 1, &from, &to);
    for (uint32_t k = 0; k < d->rank; k++)
        o->strides[k] = strides[k];
    o->copied = true;
    return HRY_OK;
}

static hry_status offer_fill(offer *o, const hry_descriptor *d, hry_shared_buffer *data,
                             hry_error *err)
{
    HRY_TRY(check_expressible(d, err));
    hry_dl_type type;
    HRY_TRY(hry_dl_type_of(d->type_tag, &type, err));
    if (type.bits < 8 && d->layout_tag != HRY_ROW_MAJOR)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "layout 0x%02X of %u-bit elements: row-major needed", d->layout_tag,
                        type.bits);
    strides_of(d, o->strides);
    HRY_TRY(check_inside(d, o->strides, data, err));
    for (uint32_t k = 0; k < d->rank; k++)
        o->shape[k] = (int64_t)d->shape[k];
    if (d->type_tag == HRY_BOOL)
        HRY_TRY(unpack_bool(d, o, data, err));
    else
        o->data = hry_buffer_share(data);
    const void *bytes = hry_buffer_data(o->data);
    o->tensor = (hry_dl_tensor){
        .data = (void *)(uintptr_t)bytes, /* DLPack knows no const: see the flags */
        .device = {.type = HRY_DL_CPU},
        .rank = (int32_t)d->rank,
        .type = type,
        .shape = o->shape,
        .strides = o->strides,
        .byte_offset = o->copied ? 0 : d->byte_offset,
    };
    return HRY_OK;
}

static hry_status offer_new(const hry_descriptor *d, hry_shared_buffer *data, offer **out,
                            hry_error *err)
{
    offer *o = calloc(1, sizeof *o);
    if (o == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a DLPack tensor");
    const hry_status status = offer_fill(o, d, data, err);
    if (status != HRY_OK)
        offer_free(o);
    else
        *out = o;
    return status;
}

static bool is_read_only(const offer *o)
{
    return hry_buffer_size(o->data) > 0 && hry_buffer_edit(o->data) == NULL;
}

hry_status hry_dlpack_export(const hry_descriptor *d, hry_shared_buffer *data,
                             hry_dl_versioned **out, hry_error *err)
{
    offer *o;
    HRY_TRY(offer_new(d, data, &o, err));
    o->as.versioned = (hry_dl_versioned){
        .version = {HRY_DL_VERSION_MAJOR, HRY_DL_VERSION_MINOR},
        .ctx = o,
        .deleter = delete_versioned,
        .flags =
            (is_read_only(o) ? HRY_DL_READ_ONLY : 0u) | (o->copied ? HRY_DL_IS_COPIED : 0u),
        .tensor = o->tensor,
    };
    *out = &o->as.versioned;
    return HRY_OK;
}

hry_status hry_dlpack_export_old(const hry_descriptor *d, hry_shared_buffer *data,
                                 hry_dl_managed **out, hry_error *err)
{
    offer *o;
    HRY_TRY(offer_new(d, data, &o, err));
    if (is_read_only(o)) {
        offer_free(o);
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "a read-only buffer: only the versioned struct can say so");
    }
    o->as.old = (hry_dl_managed){.tensor = o->tensor, .ctx = o, .deleter = delete_old};
    *out = &o->as.old;
    return HRY_OK;
}
