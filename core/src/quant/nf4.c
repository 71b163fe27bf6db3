/* SPDX-License-Identifier: Apache-2.0 */
/* nf4.c - 16 fixed levels and an absolute maximum per block (section 5, scheme 4). */
#include "parameters.h"
#include "quant.h"

enum { AT_SCALE_BUFFER = 16 }; /* bytes from the start of the section */

enum { MIN_BLOCK = 8, SCALE_SIZE = 4 };

hry_status hry_nf4_decode(hry_cursor *c, hry_quantization *q, hry_error *err)
{
    q->axis = cur_u32(c);
    q->block = cur_u32(c);
    q->scale_buffer = cur_u32(c);
    q->zero_buffer = HRY_NO_BUFFER;
    q->scale_type = HRY_FLOAT32;
    return cur_ok(c, "nf4", err);
}

void hry_nf4_encode(const hry_quantization *q, hry_builder *b)
{
    bld_u32(b, q->axis);
    bld_u32(b, q->block);
    bld_u32(b, q->scale_buffer);
}

hry_status hry_nf4_check(const hry_descriptor *d, const hry_places *p, size_t at,
                         hry_error *err)
{
    const hry_parameter scale = {"scale_buffer", d->quantization.scale_buffer,
                                 at + AT_SCALE_BUFFER, SCALE_SIZE};
    uint64_t count;
    HRY_TRY(hry_check_no_pages(d, at, err));
    HRY_TRY(hry_check_axis(d, at, err));
    HRY_TRY(hry_check_block(d, at, MIN_BLOCK, UINT32_MAX, err));
    HRY_TRY(hry_check_block_fits(d, at, err));
    HRY_TRY(hry_check_parameter(d, &scale, NULL, err));
    return hry_quant_blocks(d, &count) ? hry_check_parameter_size(d, p, &scale, count, err)
                                       : HRY_OK;
}
