/* SPDX-License-Identifier: Apache-2.0 */
/* parameters.c - what schemes with parameter buffers check alike (format section 5). */
#include "parameters.h"

#include "checked.h"
#include "layout/layout.h"
#include "quant.h"

hry_status hry_check_axis(const hry_descriptor *d, size_t at, hry_error *err)
{
    const uint32_t axis = d->quantization.axis;
    if (axis >= d->rank)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + HRY_QUANT_AT_AXIS,
                           "quantization axis is %u, the rank is %u", (unsigned)axis,
                           (unsigned)d->rank);
    if (d->shape[axis] == HRY_DYNAMIC && d->layout_tag != HRY_BLOCK_PAGED)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, hry_place_of_dim(axis),
                           "shape[%u] is dynamic, but it is the quantization axis",
                           (unsigned)axis);
    return HRY_OK;
}

hry_status hry_check_no_pages(const hry_descriptor *d, size_t at, hry_error *err)
{
    if (d->layout_tag != HRY_BLOCK_PAGED)
        return HRY_OK;
    return HRY_FAIL_AT(
        err, HRY_ERR_UNSUPPORTED, at + HRY_QUANT_AT_SCHEME,
        "quantization.scheme %u on a block_paged tensor, only 1, 2 and 3 are",
        d->quantization.scheme);
}

hry_status hry_check_block(const hry_descriptor *d, size_t at, uint32_t min, uint32_t max,
                           hry_error *err)
{
    const uint32_t block = d->quantization.block;
    if (is_power_of_two(block) && block >= min && block <= max)
        return HRY_OK;
    return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + HRY_QUANT_AT_BLOCK,
                       "quantization block is %u, must be a power of two from %u to %u",
                       (unsigned)block, (unsigned)min, (unsigned)max);
}

hry_status hry_check_block_fits(const hry_descriptor *d, size_t at, hry_error *err)
{
    const hry_quantization *q = &d->quantization;
    const uint64_t size = d->shape[q->axis];
    if (size == 0 || q->block <= size)
        return HRY_OK;
    return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + HRY_QUANT_AT_BLOCK,
                       "quantization block is %u, above shape[%u] of %llu",
                       (unsigned)q->block, (unsigned)q->axis, (unsigned long long)size);
}

hry_status hry_check_symmetric(const hry_descriptor *d, size_t at, size_t at_zero,
                               hry_error *err)
{
    const hry_quantization *q = &d->quantization;
    const bool is_symmetric = (q->flags & HRY_QUANT_SYMMETRIC) != 0;
    if (is_symmetric && q->zero_buffer != HRY_NO_BUFFER)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + HRY_QUANT_AT_FLAGS,
                           "quantization is symmetric, but names zero points in buffer %u",
                           (unsigned)q->zero_buffer);
    if (!is_symmetric && q->zero_buffer == HRY_NO_BUFFER)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at_zero,
                           "quantization is not symmetric, but names no zero points");
    return HRY_OK;
}

bool hry_quant_blocks(const hry_descriptor *d, uint64_t *count)
{
    const hry_quantization *q = &d->quantization;
    uint64_t blocks = 1;
    bool fits = true;
    for (uint32_t k = 0; k < d->rank; k++) {
        const uint64_t size = d->shape[k];
        if (size == HRY_DYNAMIC)
            return false;
        const uint64_t steps =
            k == q->axis ? size / q->block + (size % q->block != 0) : size;
        if (steps == 0) {
            *count = 0;
            return true;
        }
        fits = fits && checked_mul(blocks, steps, &blocks);
    }
    *count = blocks;
    return fits;
}

hry_status hry_check_parameter(const hry_descriptor *d, const hry_parameter *parameter,
                               const hry_parameter *other, hry_error *err)
{
    const uint32_t own = hry_layout_buffers(hry_layout_by_tag(d->layout_tag), d->rank);
    if (parameter->buffer < own || parameter->buffer >= d->buffer_count)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, parameter->at,
                           "quantization %s is %u, must be %u to %u", parameter->name,
                           (unsigned)parameter->buffer, (unsigned)own,
                           (unsigned)d->buffer_count - 1);
    if (other != NULL && other->buffer == parameter->buffer)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, parameter->at,
                           "quantization %s is %u, as is %s", parameter->name,
                           (unsigned)parameter->buffer, other->name);
    return HRY_OK;
}

hry_status hry_check_parameter_size(const hry_descriptor *d, const hry_places *p,
                                    const hry_parameter *parameter, uint64_t count,
                                    hry_error *err)
{
    const uint32_t i = parameter->buffer;
    uint64_t needed;
    if (checked_mul(count, parameter->item, &needed) && d->buffers[i].byte_size == needed)
        return HRY_OK;
    return HRY_FAIL_AT(
        err, HRY_ERR_CORRUPT, hry_place_of_buffer(p, i),
        "buffer[%u].byte_size is %llu, must hold %llu parameters of %u bytes", (unsigned)i,
        (unsigned long long)d->buffers[i].byte_size, (unsigned long long)count,
        (unsigned)parameter->item);
}
