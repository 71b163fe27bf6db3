/* SPDX-License-Identifier: Apache-2.0 */
/* describe.c - a dataset's descriptor, from its dataspace, element and storage. */
#include "fail.h"
#include "tree.h"

#include <string.h>

/* Dimensions of the tensor: the dataspace's, then the element's; a null space is [0]. */
static uint32_t tensor_rank(const hvol_dataset *ds)
{
    return (ds->space.cls == HVOL_NULL ? 1 : ds->space.rank) + ds->element.rank;
}

/* Zero strides repeat one stored element; scalars and empty tensors need none. */
static bool repeats(const hvol_dataset *ds)
{
    return ds->storage.place == HVOL_UNWRITTEN && tensor_rank(ds) > ds->element.rank;
}

uint32_t hvol_descriptor_length(const hvol_dataset *ds)
{
    /* header, shape, byte_offset, buffer count, one handle (format section 1) */
    uint32_t length = 20 + 8 * tensor_rank(ds) + 8 + 1 + 16;
    if (ds->element.type_tag >= 0xF0)
        length += 20;
    return length;
}

static hry_status fill_strides(const hvol_dataset *ds, hry_descriptor *d, hry_error *err)
{
    int64_t stride = 1;
    for (uint32_t i = d->rank; i-- > 0;) {
        const bool inside = i >= d->rank - ds->element.rank;
        d->fields.strides[i] = inside ? stride : 0;
        if (inside && __builtin_mul_overflow(stride, (int64_t)d->shape[i], &stride))
            return HRY_FAIL(err, HRY_ERR_RANGE, "element size passes 2^63");
    }
    return HRY_OK;
}

hry_status hvol_describe(const hvol_dataset *ds, hry_descriptor *out, hry_error *err)
{
    const hvol_storage *s = &ds->storage;
    uint64_t count;
    hry_descriptor *d = out;
    HRY_TRY(hvol_space_count(&ds->space, &count, err));
    memset(d, 0, offsetof(hry_descriptor, shape));
    d->version_major = 1;
    d->type_tag = ds->element.type_tag;
    d->layout_tag = HRY_ROW_MAJOR;
    if (d->type_tag >= 0xF0) {
        d->flags |= HRY_HAS_EXTENSION_TYPE;
        d->extension_type = ds->element.extension;
    }
    d->rank = tensor_rank(ds);
    const uint32_t outer = d->rank - ds->element.rank;
    for (uint32_t i = 0; i < outer; i++)
        d->shape[i] = ds->space.cls == HVOL_NULL ? 0 : ds->space.dims[i];
    for (uint32_t i = 0; i < ds->element.rank; i++)
        d->shape[outer + i] = ds->element.dims[i];
    d->buffer_count = 1;
    d->buffers[0] = (hry_buffer_info){.byte_size = count == 0 ? 0 : s->base_size,
                                      .alignment = HVOL_PAGE};
    d->byte_offset = count == 0 ? 0 : s->offset - s->base;
    if (count != 0 && repeats(ds)) {
        d->layout_tag = HRY_STRIDED;
        return fill_strides(ds, d, err);
    }
    return HRY_OK;
}
