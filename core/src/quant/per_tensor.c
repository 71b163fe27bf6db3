/* SPDX-License-Identifier: Apache-2.0 */
/* per_tensor.c - one scale and zero point for all (format section 5, scheme 1). */
#include "descriptor/wire.h"
#include "quant.h"

#include <math.h>

/* Bytes from the start of the section. */
enum { AT_SCALE = 8, AT_ZERO_POINT = 12, RESERVED = 4 };

hry_status hry_per_tensor_decode(hry_cursor *c, hry_quantization *q, hry_error *err)
{
    q->scale = cur_f32(c);
    q->zero_point = (int32_t)cur_u32(c);
    return wire_zeros(c, RESERVED, "per_tensor", err);
}

void hry_per_tensor_encode(const hry_quantization *q, hry_builder *b)
{
    bld_f32(b, q->scale);
    bld_u32(b, (uint32_t)q->zero_point);
    bld_zeros(b, RESERVED);
}

/* The least and greatest stored code. */
static void range_of(const hry_dtype *type, int64_t *min, int64_t *max)
{
    const bool is_signed = type->cls == HRY_CLASS_INT;
    const int64_t codes = INT64_C(1) << type->bits;
    *min = is_signed ? -codes / 2 : 0;
    *max = is_signed ? codes / 2 - 1 : codes - 1;
}

hry_status hry_per_tensor_check(const hry_descriptor *d, const hry_places *p, size_t at,
                                hry_error *err)
{
    (void)p;
    const hry_quantization *q = &d->quantization;
    int64_t min, max;
    range_of(hry_dtype_by_tag(d->type_tag), &min, &max);
    if (!isfinite(q->scale) || q->scale == 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_SCALE,
                           "quantization scale is %g, must be finite and not 0",
                           (double)q->scale);
    if (q->zero_point < min || q->zero_point > max)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_ZERO_POINT,
                           "quantization zero_point is %d, %s holds %lld to %lld",
                           (int)q->zero_point, hry_type_name(d->type_tag), (long long)min,
                           (long long)max);
    return HRY_OK;
}
