/* SPDX-License-Identifier: Apache-2.0 */
/* quant_check.c - are the parameters in a quantized tensor's buffers fit for use? */
#include "hry/quant.h"

#include "fail.h"
#include "plan.h"

#include <math.h>
#include <stdlib.h>

static hry_status bad_scale(const hry_plan *plan, uint64_t i, float scale,
                            const char *needed, hry_error *err)
{
    const uint64_t byte = i * hry_plan_scale_size(plan);
    return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, byte,
                       "scale %llu, buffer[%u] byte %llu: %g, %s needed",
                       (unsigned long long)i, plan->q->scale_buffer,
                       (unsigned long long)byte, (double)scale, needed);
}

static hry_status check_scale(const hry_plan *plan, uint64_t i, float scale, hry_error *err)
{
    const bool nf4 = plan->q->scheme == HRY_QUANT_NF4;
    if (nf4 && (!isfinite(scale) || scale < 0))
        return bad_scale(plan, i, scale, "finite and not negative", err);
    if (!nf4 && (!isfinite(scale) || scale == 0))
        return bad_scale(plan, i, scale, "finite and not 0", err);
    return HRY_OK;
}

static hry_status check_exponent(const hry_plan *plan, uint64_t i, hry_mode mode,
                                 hry_error *err)
{
    const uint8_t byte = plan->scales[i];
    if (byte == 0xFF || (mode == HRY_STRICT && byte == 0))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, i,
                           "scale, buffer[%u] byte %llu: %u, 1 to 254 needed",
                           plan->q->scale_buffer, (unsigned long long)i, byte);
    return HRY_OK;
}

static hry_status check_zero(const hry_plan *plan, const hry_dtype *type, uint64_t i,
                             int32_t zero, hry_error *err)
{
    const int64_t low = hry_integer_min(type), high = hry_integer_max(type);
    if (zero < low || zero > high)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, 4 * i,
                           "zero point %llu, buffer[%u] byte %llu: %d, %lld to %lld needed",
                           (unsigned long long)i, plan->q->zero_buffer,
                           (unsigned long long)(4 * i), zero, (long long)low,
                           (long long)high);
    return HRY_OK;
}

static hry_status check_all(const hry_plan *plan, const hry_dtype *type, hry_mode mode,
                            hry_plan_scratch *s, hry_error *err)
{
    for (uint64_t first = 0; first < plan->count; first += HRY_PLAN_RUN) {
        const uint64_t left = plan->count - first;
        const uint64_t n = left < HRY_PLAN_RUN ? left : HRY_PLAN_RUN;
        hry_plan_load(plan, first, 1, n, s);
        for (uint64_t i = 0; i < n; i++) {
            HRY_TRY(plan->scale_type == HRY_FLOAT8_E8M0
                        ? check_exponent(plan, first + i, mode, err)
                        : check_scale(plan, first + i, s->scales[i], err));
            if (plan->zeros != NULL)
                HRY_TRY(check_zero(plan, type, first + i, s->zeros[i], err));
        }
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
    hry_plan_scratch *scratch = malloc(sizeof *scratch);
    if (scratch == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for checking parameters");
    scratch->length = 0;
    const hry_status status =
        check_all(&plan, hry_dtype_by_tag(d->type_tag), mode, scratch, err);
    free(scratch);
    return status;
}
