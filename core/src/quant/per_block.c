/* SPDX-License-Identifier: Apache-2.0 */
/* per_block.c - one scale and zero point per block of an axis (section 5, scheme 3). */
#include "checked.h"
#include "descriptor/wire.h"
#include "parameters.h"
#include "quant.h"

/* Bytes from the start of the section. */
enum { AT_SCALE_BUFFER = 16, AT_ZERO_BUFFER = 20, AT_SCALE_TYPE = 24, RESERVED = 3 };

enum { MIN_BLOCK = 2 };

hry_status hry_per_block_decode(hry_cursor *c, hry_quantization *q, hry_error *err)
{
    q->axis = cur_u32(c);
    q->block = cur_u32(c);
    q->scale_buffer = cur_u32(c);
    q->zero_buffer = cur_u32(c);
    q->scale_type = cur_u8(c);
    return wire_zeros(c, RESERVED, "per_block", err);
}

void hry_per_block_encode(const hry_quantization *q, hry_builder *b)
{
    bld_u32(b, q->axis);
    bld_u32(b, q->block);
    bld_u32(b, q->scale_buffer);
    bld_u32(b, q->zero_buffer);
    bld_u8(b, q->scale_type);
    bld_zeros(b, RESERVED);
}

/* Pages are the blocks. */
static hry_status check_pages(const hry_descriptor *d, size_t at, hry_error *err)
{
    const hry_quantization *q = &d->quantization;
    if (q->axis != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + HRY_QUANT_AT_AXIS,
                           "quantization axis is %u, must be the paged one, 0",
                           (unsigned)q->axis);
    if (q->block != d->fields.paged.page_size)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + HRY_QUANT_AT_BLOCK,
                           "quantization block is %u, the page size is %u",
                           (unsigned)q->block, (unsigned)d->fields.paged.page_size);
    return HRY_OK;
}

/* How many parameters; false when that is not known yet. */
static bool count_of(const hry_descriptor *d, uint64_t *count)
{
    if (d->layout_tag != HRY_BLOCK_PAGED)
        return hry_quant_blocks(d, count);
    return checked_mul(d->fields.paged.num_pages, d->fields.paged.page_size, count);
}

hry_status hry_per_block_check(const hry_descriptor *d, const hry_places *p, size_t at,
                               hry_error *err)
{
    const hry_quantization *q = &d->quantization;
    const uint32_t scale_size = q->scale_type == HRY_FLOAT32 ? 4 : 2;
    const hry_parameter scale = {"scale_buffer", q->scale_buffer, at + AT_SCALE_BUFFER,
                                 scale_size};
    const hry_parameter zero = {"zero_point_buffer", q->zero_buffer, at + AT_ZERO_BUFFER,
                                4};
    uint64_t count;
    HRY_TRY(hry_check_axis(d, at, err));
    HRY_TRY(d->layout_tag == HRY_BLOCK_PAGED ? check_pages(d, at, err)
                                             : hry_check_block_fits(d, at, err));
    HRY_TRY(hry_check_block(d, at, MIN_BLOCK, UINT32_MAX, err));
    if (q->scale_type < HRY_FLOAT16 || q->scale_type > HRY_FLOAT32)
        return HRY_FAIL_AT(
            err, HRY_ERR_CORRUPT, at + AT_SCALE_TYPE,
            "quantization scale_type is 0x%02x, must be float16, bfloat16 or "
            "float32",
            q->scale_type);
    HRY_TRY(hry_check_symmetric(d, at, zero.at, err));
    HRY_TRY(hry_check_parameter(d, &scale, NULL, err));
    const bool is_known = count_of(d, &count);
    if (is_known)
        HRY_TRY(hry_check_parameter_size(d, p, &scale, count, err));
    if (q->zero_buffer == HRY_NO_BUFFER)
        return HRY_OK;
    HRY_TRY(hry_check_parameter(d, &zero, &scale, err));
    return is_known ? hry_check_parameter_size(d, p, &zero, count, err) : HRY_OK;
}
