/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c - see choose.h. */
#include "choose.h"

#include "hry/convert.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The codes to use. 32-bit ones keep every difference to a zero point within 32 bits. */
static void code_range(hry_choice *c)
{
    c->low = hry_integer_min(c->type);
    c->high = hry_integer_max(c->type);
    if (c->type->tag == HRY_UINT32)
        c->high = INT32_MAX;
    if (c->type->tag == HRY_INT32 && !c->symmetric) {
        c->low /= 2;
        c->high /= 2;
    }
    if (c->scheme == HRY_QUANT_MXFP || (c->symmetric && c->low < 0))
        c->low = -c->high;
}

hry_choice hry_choice_of(const hry_plan *plan, uint8_t type_tag, bool symmetric)
{
    const hry_dtype *type = hry_dtype_by_tag(type_tag);
    hry_choice c = {.type = type,
                    .width = plan->kernel.width,
                    .scheme = plan->q->scheme,
                    .scale_type = plan->scale_type,
                    .symmetric = symmetric};
    if (type->cls != HRY_CLASS_FLOAT) {
        code_range(&c);
        c.greatest = (double)c.high;
        return c;
    }
    for (uint32_t code = 0; code <= plan->kernel.mask; code++)
        if (isfinite(plan->table[code]) && plan->table[code] > c.greatest)
            c.greatest = plan->table[code];
    return c;
}

/* The nearest scale that can be stored, never 0 and never infinite. */
static float storable(uint8_t scale_type, double scale)
{
    const double least = scale_type == HRY_FLOAT16 ? 0x1p-24 : (double)FLT_MIN;
    const double most = scale_type == HRY_FLOAT16    ? 65504.0
                        : scale_type == HRY_BFLOAT16 ? 0x1.FEp127
                                                     : (double)FLT_MAX;
    const double kept = scale < least ? least : scale > most ? most : scale;
    const hry_type type = hry_type_builtin(scale_type);
    uint32_t stored;
    float rounded = 1;
    /* Between built-in floats: there is nothing to refuse. */
    (void)hry_from_double(&kept, type, &stored, 1, NULL);
    (void)hry_to_float(type, &stored, &rounded, 1, NULL);
    return rounded;
}

static hry_chosen choose_affine(const hry_choice *c, float low, float high)
{
    const double below = low, above = high;
    double scale = 1;
    if (low == 0 && high == 0)
        return (hry_chosen){.scale = 1};
    if (c->symmetric)
        scale = fmax(-below, above) / (double)c->high;
    else
        scale = (above - below) / (double)(c->high - c->low);
    hry_chosen p = {.scale = storable(c->scale_type, scale)};
    if (c->symmetric)
        return p;
    const double zero = (double)c->low - rint(below / (double)p.scale);
    p.zero = (int32_t)(zero > (double)c->high ? (double)c->high : zero);
    return p;
}

static hry_chosen choose_mxfp(const hry_choice *c, float absmax)
{
    if (absmax == 0)
        return (hry_chosen){.scale = 1};
    const int exponent = ilogb((double)absmax) - ilogb(c->greatest);
    return (hry_chosen){.scale = ldexpf(1, exponent < -126 ? -126 : exponent)};
}

hry_chosen hry_choose(const hry_choice *c, float low, float high)
{
    const float absmax = -low > high ? -low : high;
    if (c->scheme == HRY_QUANT_MXFP)
        return choose_mxfp(c, absmax);
    if (c->scheme == HRY_QUANT_NF4)
        return (hry_chosen){.scale = absmax == 0 ? 1 : absmax};
    return choose_affine(c, low, high);
}

void hry_choose_store(const hry_choice *c, const hry_chosen *p, uint64_t i, uint8_t *scales,
                      uint8_t *zeros)
{
    const uint32_t zero = (uint32_t)p->zero;
    const size_t size = hry_packed_size(1, hry_dtype_by_tag(c->scale_type)->bits);
    (void)hry_from_float(&p->scale, hry_type_builtin(c->scale_type), scales + i * size, 1,
                         NULL);
    for (size_t b = 0; zeros != NULL && b < 4; b++)
        zeros[4 * i + b] = (uint8_t)(zero >> (8 * b));
}

static uint8_t nearest_level(double x)
{
    unsigned code = 0;
    for (unsigned i = 0; i < 15; i++)
        code += x > ((double)hry_nf4_levels[i] + (double)hry_nf4_levels[i + 1]) / 2;
    return (uint8_t)code;
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* The nearest code whose number is finite: the ends of float32's range may lie less than
 * a step from codes that lie outside. */
static uint32_t nearest_integer(const hry_choice *c, const hry_chosen *p, double x)
{
    const int64_t zero = p->zero;
    int64_t steps = llrint(clamp(x, (double)(c->low - zero), (double)(c->high - zero)));
    while (isinf(p->scale * (float)steps))
        steps -= steps < 0 ? -1 : 1;
    return (uint32_t)(steps + zero);
}

static void integers(const hry_choice *c, const hry_chosen *parameters,
                     const hry_steps *steps, uint64_t at, size_t count, const double *x,
                     uint8_t *codes)
{
    const uint32_t mask = c->type->bits < 8 ? (1u << c->type->bits) - 1 : UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        const hry_chosen *p = &parameters[hry_step_at(steps, at + i)];
        const uint32_t code = nearest_integer(c, p, x[i]) & mask;
        for (uint32_t b = 0; b < c->width; b++)
            codes[i * c->width + b] = (uint8_t)(code >> (8 * b));
    }
}

hry_status hry_choose_codes(const hry_choice *c, const hry_chosen *parameters,
                            const hry_steps *steps, uint64_t at, const float *values,
                            size_t count, double *work, void *codes, hry_error *err)
{
    for (size_t i = 0; i < count; i++)
        work[i] = (double)values[i] / (double)parameters[hry_step_at(steps, at + i)].scale;
    if (c->scheme == HRY_QUANT_NF4) {
        for (size_t i = 0; i < count; i++)
            ((uint8_t *)codes)[i] = nearest_level(work[i]);
        return HRY_OK;
    }
    if (c->type->cls != HRY_CLASS_FLOAT) {
        integers(c, parameters, steps, at, count, work, codes);
        return HRY_OK;
    }
    for (size_t i = 0; i < count; i++) /* float8_e5m2 would become infinite */
        work[i] = clamp(work[i], -c->greatest, c->greatest);
    return hry_from_double(work, hry_type_builtin(c->type->tag), codes, count, err);
}
