/* SPDX-License-Identifier: Apache-2.0 */
/* quant_check.c - are the parameters in a quantized tensor's buffers fit for use? */
#include "hry/quant.h"

#include "fail.h"
#include "plan.h"

#include <math.h>
#include <stdlib.h>

static hry_status bad_scale(const hry_plan *plan, uint64_t i, const char *needed,
                            hry_error *err)
{
    const uint64_t byte = i * hry_plan_scale_size(plan);
    return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, byte,
                       "scale %llu, buffer[%u] byte %llu: %g, %s needed",
                       (unsigned long long)i, plan->q->scale_buffer,
                       (unsigned long long)byte, (double)hry_plan_scale(plan, i), needed);
}

static hry_status check_scales(const hry_plan *plan, hry_error *err)
{
    const bool nf4 = plan->q->scheme == HRY_QUANT_NF4;
    for (uint64_t i = 0; i < plan->count; i++) {
        const float scale = hry_plan_scale(plan, i);
        if (nf4 && (!isfinite(scale) || scale < 0))
            return bad_scale(plan, i, "finite and not negative", err);
        if (!nf4 && (!isfinite(scale) || scale == 0))
            return bad_scale(plan, i, "finite and not 0", err);
    }
    return HRY_OK;
}

static hry_status check_exponents(const hry_plan *plan, hry_mode mode, hry_error *err)
{
    for (uint64_t i = 0; i < plan->count; i++)
        if (plan->scales[i] == 0xFF || (mode == HRY_STRICT && plan->scales[i] == 0))
            return HRY_FAIL_AT(
                err, HRY_ERR_CORRUPT, i, "scale, buffer[%u] byte %llu: %u, 1 to 254 needed",
                plan->q->scale_buffer, (unsigned long long)i, plan->scales[i]);
    return HRY_OK;
}

static hry_status check_zeros(const hry_plan *plan, const hry_dtype *type, hry_error *err)
{
    const int64_t low = hry_integer_min(type), high = hry_integer_max(type);
    for (uint64_t i = 0; plan->zeros != NULL && i < plan->count; i++) {
        const int32_t zero = hry_plan_zero(plan, i);
        if (zero < low || zero > high)
            return HRY_FAIL_AT(
                err, HRY_ERR_CORRUPT, 4 * i,
                "zero point %llu, buffer[%u] byte %llu: %d, %lld to %lld needed",
                (unsigned long long)i, plan->q->zero_buffer, (unsigned long long)(4 * i),
                zero, (long long)low, (long long)high);
    }
    return HRY_OK;
}

hry_status hry_quant_check(const hry_tensor *t, hry_mode mode, hry_error *err)
{
    const hry_descriptor *d = t->descriptor;
    hry_plan plan;
    if (d->opaque || !(d->flags & HRY_HAS_QUANTIZATION))
        return HRY_OK;
    HRY_TRY(hry_plan_of(t, &plan, err));
    if (plan.scales == NULL) /* per-tensor: the descriptor's own rules cover it */
        return HRY_OK;
    HRY_TRY(plan.scale_type == HRY_FLOAT8_E8M0 ? check_exponents(&plan, mode, err)
                                               : check_scales(&plan, err));
    return check_zeros(&plan, hry_dtype_by_tag(d->type_tag), err);
}
