/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c - see choose.h. */
#include "choose.h"

#include "number.h"

#include <float.h>
#include <math.h>

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
    if (scale_type == HRY_FLOAT32)
        return (float)kept;
    const hry_dtype *type = hry_dtype_by_tag(scale_type);
    return hry_small_decode(type, hry_small_encode(type, kept));
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

static void store(uint32_t bits, size_t width, uint8_t *at)
{
    for (size_t i = 0; i < width; i++, bits >>= 8)
        at[i] = (uint8_t)bits;
}

void hry_choose_store(const hry_choice *c, const hry_chosen *p, uint64_t i, uint8_t *scales,
                      uint8_t *zeros)
{
    uint32_t bits;
    memcpy(&bits, &p->scale, sizeof bits);
    if (c->scale_type == HRY_FLOAT8_E8M0)
        store(bits >> 23, 1, scales + i);
    else if (c->scale_type == HRY_FLOAT32)
        store(bits, 4, scales + 4 * i);
    else
        store(hry_small_encode(hry_dtype_by_tag(c->scale_type), (double)p->scale), 2,
              scales + 2 * i);
    if (zeros != NULL)
        store((uint32_t)p->zero, 4, zeros + 4 * i);
}

static uint32_t nearest_level(double x)
{
    uint32_t code = 0;
    for (uint32_t i = 0; i < 15; i++)
        code += x > ((double)hry_nf4_levels[i] + (double)hry_nf4_levels[i + 1]) / 2;
    return code;
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

uint32_t hry_choose_code(const hry_choice *c, const hry_chosen *p, float value)
{
    const double x = (double)value / (double)p->scale;
    if (c->scheme == HRY_QUANT_NF4)
        return nearest_level(x);
    if (c->type->cls == HRY_CLASS_FLOAT)
        return hry_small_encode(c->type, clamp(x, -c->greatest, c->greatest));
    return nearest_integer(c, p, x);
}
