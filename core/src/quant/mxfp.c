/* SPDX-License-Identifier: Apache-2.0 */
/* mxfp.c - a power-of-two scale per block of small floats (section 5, scheme 5). */
#include "parameters.h"
#include "quant.h"

enum { AT_SCALE_BUFFER = 16 }; /* bytes from the start of the section */

enum { MIN_BLOCK = 16, MAX_BLOCK = 2048, SCALE_SIZE = 1 };

hry_status hry_mxfp_decode(hry_cursor *c, hry_quantization *q, hry_error *err)
{
    q->axis = cur_u32(c);
    q->block = cur_u32(c);
    q->scale_buffer = cur_u32(c);
    q->zero_buffer = HRY_NO_BUFFER;
    q->scale_type = HRY_FLOAT8_E8M0;
    return cur_ok(c, "mxfp", err);
}

void hry_mxfp_encode(const hry_quantization *q, hry_builder *b)
{
    bld_u32(b, q->axis);
    bld_u32(b, q->block);
    bld_u32(b, q->scale_buffer);
}

hry_status hry_mxfp_check(const hry_descriptor *d, const hry_places *p, size_t at,
                          hry_error *err)
{
    const hry_quantization *q = &d->quantization;
    const hry_parameter scale = {"scale_buffer", q->scale_buffer, at + AT_SCALE_BUFFER,
                                 SCALE_SIZE};
    uint64_t count;
    HRY_TRY(hry_check_no_pages(d, at, err));
    HRY_TRY(hry_check_axis(d, at, err));
    HRY_TRY(hry_check_block(d, at, MIN_BLOCK, MAX_BLOCK, err));
    const uint64_t size = d->shape[q->axis];
    if (size == 0 || size % q->block != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, hry_place_of_dim(q->axis),
                           "shape[%u] is %llu, must be a positive multiple of the block %u",
                           (unsigned)q->axis, (unsigned long long)size, (unsigned)q->block);
    HRY_TRY(hry_check_parameter(d, &scale, NULL, err));
    return hry_quant_blocks(d, &count) ? hry_check_parameter_size(d, p, &scale, count, err)
                                       : HRY_OK;
}
