/* SPDX-License-Identifier: Apache-2.0 */
/* per_channel.c - one scale and zero point per index of an axis (section 5, scheme 2). */
#include "descriptor/wire.h"
#include "parameters.h"
#include "quant.h"

/* Bytes from the start of the section. */
enum { AT_SCALE_BUFFER = 12, AT_ZERO_BUFFER = 16, AT_SCALE_TYPE = 20, RESERVED = 3 };

hry_status hry_per_channel_decode(hry_cursor *c, hry_quantization *q, hry_error *err)
{
    q->axis = cur_u32(c);
    q->scale_buffer = cur_u32(c);
    q->zero_buffer = cur_u32(c);
    q->scale_type = cur_u8(c);
    return wire_zeros(c, RESERVED, "per_channel", err);
}

void hry_per_channel_encode(const hry_quantization *q, hry_builder *b)
{
    bld_u32(b, q->axis);
    bld_u32(b, q->scale_buffer);
    bld_u32(b, q->zero_buffer);
    bld_u8(b, q->scale_type);
    bld_zeros(b, RESERVED);
}

hry_status hry_per_channel_check(const hry_descriptor *d, const hry_places *p, size_t at,
                                 hry_error *err)
{
    const hry_quantization *q = &d->quantization;
    const hry_parameter scale = {"scale_buffer", q->scale_buffer, at + AT_SCALE_BUFFER, 4};
    const hry_parameter zero = {"zero_point_buffer", q->zero_buffer, at + AT_ZERO_BUFFER,
                                4};
    HRY_TRY(hry_check_axis(d, at, err));
    if (d->layout_tag == HRY_BLOCK_PAGED && q->axis == 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + HRY_QUANT_AT_AXIS,
                           "quantization axis is 0, the paged one has no channels");
    if (q->scale_type != HRY_FLOAT32)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_SCALE_TYPE,
                           "quantization scale_type is 0x%02x, must be float32",
                           q->scale_type);
    HRY_TRY(hry_check_symmetric(d, at, zero.at, err));
    HRY_TRY(hry_check_parameter(d, &scale, NULL, err));
    const uint64_t channels = d->shape[q->axis];
    const bool is_known = channels != HRY_DYNAMIC;
    if (is_known)
        HRY_TRY(hry_check_parameter_size(d, p, &scale, channels, err));
    if (q->zero_buffer == HRY_NO_BUFFER)
        return HRY_OK;
    HRY_TRY(hry_check_parameter(d, &zero, &scale, err));
    return is_known ? hry_check_parameter_size(d, p, &zero, channels, err) : HRY_OK;
}
