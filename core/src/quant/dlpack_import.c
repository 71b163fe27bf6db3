/* SPDX-License-Identifier: Apache-2.0 */
/* dlpack_import.c - taking over a DLPack producer's tensor (hry/dlpack.h). */
#include "dlpack_type.h"

#include "checked.h"
#include "fail.h"

#include <string.h>

/* A DLPack tensor after checking: shape and strides widened, extent known. */
typedef struct taken {
    const hry_dl_tensor *tensor;
    uint64_t shape[HRY_MAX_RANK];
    int64_t strides[HRY_MAX_RANK];
    int64_t low, high; /* element offsets of the box, 0 and -1 when empty */
    uint32_t bits;     /* of one element as the producer stores it        */
    uint8_t type_tag;
    bool row_major;
    bool padded; /* one byte per element of a narrower type         */
} taken;

static hry_status take_shape(const hry_dl_tensor *t, taken *k, hry_error *err)
{
    uint64_t count = 1;
    bool empty = false;
    if (t->rank < 0 || (t->rank > 0 && t->shape == NULL))
        return HRY_FAIL(err, HRY_ERR_ARG, "rank %d: not negative, and a shape, needed",
                        t->rank);
    if (t->rank > HRY_MAX_RANK)
        return HRY_FAIL(err, HRY_ERR_RANGE, "rank %d: at most %d needed", t->rank,
                        HRY_MAX_RANK);
    for (int32_t i = 0; i < t->rank; i++) {
        if (t->shape[i] < 0)
            return HRY_FAIL(err, HRY_ERR_ARG, "dimension %d of %lld: not negative needed",
                            i, (long long)t->shape[i]);
        k->shape[i] = (uint64_t)t->shape[i];
        empty |= t->shape[i] == 0;
        if (!empty && !checked_mul(count, k->shape[i], &count))
            return HRY_FAIL(err, HRY_ERR_RANGE, "the element count does not fit 64 bits");
    }
    k->high = -1;
    if (empty || count > INT64_MAX)
        return empty
                   ? HRY_OK
                   : HRY_FAIL(err, HRY_ERR_RANGE, "the element count does not fit 64 bits");
    hry_dl_row_major((uint32_t)t->rank, k->shape, k->strides);
    k->row_major = true;
    for (int32_t i = 0; t->strides != NULL && i < t->rank; i++) {
        k->row_major = k->row_major && (t->strides[i] == k->strides[i] || k->shape[i] == 1);
        k->strides[i] = k->shape[i] == 1 ? k->strides[i] : t->strides[i];
    }
    return hry_dl_extent((uint32_t)t->rank, k->shape, k->strides, &k->low, &k->high, err);
}

static hry_status take(const hry_dl_tensor *t, bool padded, taken *k, hry_error *err)
{
    *k = (taken){.tensor = t};
    if (t->device.type != HRY_DL_CPU)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "DLPack device %d: the CPU (1) needed",
                        t->device.type);
    HRY_TRY(hry_dl_type_tag(t->type, &k->type_tag, err));
    k->padded = k->type_tag == HRY_BOOL || (t->type.bits < 8 && padded);
    k->bits = k->padded ? 8 : t->type.bits;
    HRY_TRY(take_shape(t, k, err));
    if (k->high >= 0 && t->data == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "no data for a tensor with elements");
    if (k->bits < 8 && k->high >= 0 && !k->row_major)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "strides of packed %u-bit elements: row-major needed", k->bits);
    uint64_t span;
    if (k->high >= 0 && (!checked_mul((uint64_t)(k->high - k->low) + 1, k->bits, &span) ||
                         span > INT64_MAX))
        return HRY_FAIL(err, HRY_ERR_RANGE, "the bytes of the tensor do not fit 64 bits");
    return HRY_OK;
}

/* Bytes from the first used one to the end of the last used one. */
static uint64_t span_of(const taken *k)
{
    const uint64_t bits = (uint64_t)(k->high - k->low + 1) * k->bits;
    return k->high < 0 ? 0 : bits / 8 + (bits % 8 != 0);
}

static const uint8_t *lowest(const taken *k)
{
    const uint8_t *first = (const uint8_t *)k->tensor->data + k->tensor->byte_offset;
    return k->high < 0 ? NULL : first + k->low * (int64_t)(k->bits / 8);
}

/*
 * Where a shared buffer begins: the producer's data pointer, or the lowest element when
 * that lies below. NULL when it does not have the alignment the format asks for.
 */
static const uint8_t *shared_base(const taken *k)
{
    const uint8_t *low = lowest(k), *base = k->tensor->data;
    if ((uintptr_t)low < (uintptr_t)base || (uintptr_t)base % HRY_BUFFER_ALIGNMENT != 0)
        base = low;
    return (uintptr_t)base % HRY_BUFFER_ALIGNMENT == 0 ? base : NULL;
}

static hry_status describe(const taken *k, uint64_t size, uint64_t byte_offset, bool dense,
                           hry_descriptor *d, hry_error *err)
{
    const uint32_t rank = (uint32_t)k->tensor->rank;
    HRY_TRY(hry_descriptor_dense(k->type_tag, rank, k->shape, d, err));
    d->buffers[0].byte_size = size;
    d->byte_offset = byte_offset;
    if (dense || k->high < 0)
        return HRY_OK;
    d->layout_tag = HRY_STRIDED;
    memcpy(d->fields.strides, k->strides, rank * sizeof *k->strides);
    return HRY_OK;
}

static hry_status import_copy(const taken *k, hry_descriptor *d, hry_shared_buffer **data,
                              hry_error *err)
{
    int64_t strides[HRY_MAX_RANK];
    const uint32_t rank = (uint32_t)k->tensor->rank;
    HRY_TRY(describe(k, 0, 0, true, d, err));
    const uint32_t bits = hry_descriptor_bits(d);
    uint64_t count;
    HRY_TRY(hry_descriptor_count(d, &count, err));
    const uint64_t size = hry_packed_size(count, bits);
    d->buffers[0].byte_size = size;
    HRY_TRY(hry_buffer_new(size, 0, data, err));
    uint8_t *bytes = hry_buffer_edit(*data);
    if (k->high < 0)
        return HRY_OK;
    bytes[size - 1] = 0; /* unused high bits */
    hry_dl_row_major(rank, k->shape, strides);
    const hry_dl_place from = {
        .base = (uint8_t *)k->tensor->data + k->tensor->byte_offset,
        .strides = k->strides,
        .bits = k->bits < 8 ? k->bits : 0,
    };
    const hry_dl_place to = {
        .base = bytes, .strides = strides, .bits = bits < 8 ? bits : 0};
    hry_dl_copy(rank, k->shape, k->bits / 8, &from, &to);
    return HRY_OK;
}

/* What the two structs have in common, for taking over. */
typedef struct owner {
    bool read_only;
    hry_release release;
    void *self;
} owner;

static hry_status import_shared(const taken *k, const owner *own, hry_descriptor *d,
                                hry_shared_buffer **data, hry_error *err)
{
    const uint8_t *base = shared_base(k);
    const uint8_t *first = (const uint8_t *)k->tensor->data + k->tensor->byte_offset;
    const uint64_t skipped = k->high < 0 ? 0 : (uint64_t)(lowest(k) - base);
    const uint64_t byte_offset = k->high < 0 ? 0 : (uint64_t)(first - base);
    uint64_t size;
    if (!checked_add(skipped, span_of(k), &size))
        return HRY_FAIL(err, HRY_ERR_RANGE, "byte offset %llu: does not fit 64 bits",
                        (unsigned long long)k->tensor->byte_offset);
    HRY_TRY(describe(k, size, byte_offset, k->row_major, d, err));
    const hry_wrap how = {
        .read_only = own->read_only, .release = own->release, .ctx = own->self};
    return hry_buffer_wrap((void *)(uintptr_t)(k->high < 0 ? NULL : base), size, &how, data,
                           err);
}

static hry_status import(const taken *k, const owner *own, uint32_t flags,
                         hry_descriptor *d, hry_shared_buffer **data, hry_error *err)
{
    hry_descriptor described;
    hry_shared_buffer *buffer;
    const bool share = !k->padded && (k->high < 0 || shared_base(k) != NULL);
    if (!share && (flags & HRY_DLPACK_NO_COPY))
        return HRY_FAIL(err, HRY_ERR_ARG, "%s: to be shared without a copy, %s needed",
                        k->padded ? "one byte per element" : "address of the data",
                        k->padded ? "packed bits are" : "alignment to 64 bytes is");
    HRY_TRY(share ? import_shared(k, own, &described, &buffer, err)
                  : import_copy(k, &described, &buffer, err));
    if (!share)
        own->release(own->self, NULL);
    *d = described;
    *data = buffer;
    return HRY_OK;
}

static void release_versioned(void *ctx, void *data)
{
    hry_dl_versioned *self = ctx;
    (void)data;
    if (self->deleter != NULL)
        self->deleter(self);
}

static void release_old(void *ctx, void *data)
{
    hry_dl_managed *self = ctx;
    (void)data;
    if (self->deleter != NULL)
        self->deleter(self);
}

hry_status hry_dlpack_import(hry_dl_versioned *from, uint32_t flags, hry_descriptor *d,
                             hry_shared_buffer **data, hry_error *err)
{
    taken k;
    if (from->version.major != HRY_DL_VERSION_MAJOR)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "DLPack version %u: version %d needed",
                        from->version.major, HRY_DL_VERSION_MAJOR);
    HRY_TRY(take(&from->tensor, from->flags & HRY_DL_SUBBYTE_PADDED, &k, err));
    const owner own = {from->flags & HRY_DL_READ_ONLY, release_versioned, from};
    return import(&k, &own, flags, d, data, err);
}

hry_status hry_dlpack_import_old(hry_dl_managed *from, uint32_t flags, hry_descriptor *d,
                                 hry_shared_buffer **data, hry_error *err)
{
    taken k;
    HRY_TRY(take(&from->tensor, false, &k, err));
    const owner own = {false, release_old, from};
    return import(&k, &own, flags, d, data, err);
}
