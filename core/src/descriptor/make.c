/* SPDX-License-Identifier: Apache-2.0 */
/* make.c - a plain descriptor from type and shape, and small facts about one. */
#include "layout/extent.h"

#include <string.h>

enum { ALIGNMENT = 64 };

hry_status hry_descriptor_dense(uint8_t type_tag, uint32_t rank, const uint64_t *shape,
                                hry_descriptor *out, hry_error *err)
{
    const hry_dtype *type = hry_dtype_by_tag(type_tag);
    if (out == NULL || (shape == NULL && rank > 0))
        return HRY_FAIL(err, HRY_ERR_ARG, "shape and out must not be NULL");
    if (type == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "type_tag 0x%02x is no built-in type", type_tag);
    if (rank > HRY_MAX_RANK)
        return HRY_FAIL(err, HRY_ERR_ARG, "rank is %u, at most %d", (unsigned)rank,
                        HRY_MAX_RANK);

    uint64_t count = 0, size = 0;
    bool is_dynamic = false;
    for (uint32_t k = 0; k < rank; k++)
        is_dynamic = is_dynamic || shape[k] == HRY_DYNAMIC;
    if (!is_dynamic && (!hry_product(shape, rank, &count) ||
                        (size = hry_packed_size(count, type->bits)) == UINT64_MAX))
        return HRY_FAIL(err, HRY_ERR_RANGE,
                        "rank %u, %s: the size in bytes does not fit 64 bits",
                        (unsigned)rank, type->name);

    memset(out, 0, offsetof(hry_descriptor, buffers));
    out->version_major = 1;
    out->type_tag = type_tag;
    out->layout_tag = HRY_ROW_MAJOR;
    out->rank = rank;
    out->buffer_count = 1;
    for (uint32_t k = 0; k < rank; k++)
        out->shape[k] = shape[k];
    out->buffers[0] = (hry_buffer_info){.byte_size = size, .alignment = ALIGNMENT};
    return HRY_OK;
}

uint32_t hry_descriptor_bits(const hry_descriptor *d)
{
    if ((d->flags & HRY_HAS_EXTENSION_TYPE) != 0)
        return d->extension_type.bit_width;
    const hry_dtype *type = hry_dtype_by_tag(d->type_tag);
    return type != NULL ? type->bits : 0;
}

const char *hry_type_name(uint8_t type_tag)
{
    const hry_dtype *type = hry_dtype_by_tag(type_tag);
    if (type != NULL)
        return type->name;
    return type_tag >= 0xF0 && type_tag <= 0xFE ? "private" : "?";
}
