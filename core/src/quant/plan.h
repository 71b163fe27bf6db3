/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - a tensor's quantization made ready for arithmetic on arrays of codes (format
 * section 5). Private to core/src.
 *
 * All schemes are one rule: the element at [i_0, .., i_n] uses parameter number
 *     sum over k of i_k * stride[k]  +  i_axis / block
 * where stride[axis] is 0, and what the scheme does not distinguish has stride 0.
 */
#ifndef HRY_PLAN_H
#define HRY_PLAN_H

#include "hry/tensor.h"
#include "kernel.h"

typedef struct hry_plan {
    const hry_quantization *q; /* of the descriptor the plan was made from           */
    uint32_t rank;
    uint64_t stride[HRY_MAX_RANK];
    uint32_t axis;         /* == rank: one parameter for all, per-tensor         */
    uint64_t block;        /* ELEMENTS along the axis                            */
    uint64_t count;        /* of parameters                                      */
    uint8_t scale_type;    /* type tag of the scales: float, or float8_e8m0      */
    const uint8_t *scales; /* borrowed; NULL: per-tensor                         */
    const uint8_t *zeros;  /* borrowed; NULL: all 0, or the plan's zero          */
    hry_kernel kernel;
    float table[256]; /* for schemes of MX floats                           */
} hry_plan;

/*
 * Make *out from a quantized tensor whose descriptor is valid. Proves that the parameter
 * buffers hold a parameter for every element; does not look at their values.
 *
 * out->kernel points into *out: it is not to be copied. Borrows from *t.
 */
hry_status hry_plan_of(const hry_tensor *t, hry_plan *out, hry_error *err);

/*
 * The first part of hry_plan_of(): which parameter belongs to which element, and how
 * many there are, before there are any buffers.
 */
hry_status hry_plan_place(const hry_descriptor *d, hry_plan *out, hry_error *err);

/* Bytes of one scale. */
size_t hry_plan_scale_size(const hry_plan *plan);

/* Scratch for parameters that differ from element to element. */
#define HRY_PLAN_RUN 4096
typedef struct hry_plan_scratch {
    /* What the arrays hold: parameters first + (i % period) * step for i < length. */
    uint64_t first, step, period, length;
    float scales[HRY_PLAN_RUN];
    int32_t zeros[HRY_PLAN_RUN];
    uint8_t stored[HRY_PLAN_RUN * sizeof(float)]; /* scales that do not lie together */
} hry_plan_scratch;

/* Load parameters first + i * step for i < count <= HRY_PLAN_RUN, which are below
 * plan->count unless the scheme is per-tensor. */
void hry_plan_load(const hry_plan *plan, uint64_t first, uint64_t step, uint64_t count,
                   hry_plan_scratch *scratch);

/*
 * Dequantize `count` elements that follow each other along the last axis of the tensor,
 * the first at `index` (rank entries; none for a scalar).
 *
 * scratch  scratch->length is 0 at first; kept between calls, it saves loading the same
 *          parameters again.
 */
void hry_plan_run(const hry_plan *plan, const uint64_t *index, const void *codes,
                  size_t count, hry_plan_scratch *scratch, float *out);

/*
 * Dequantize the box of count[k] elements from start[k] on, whose codes are row-major
 * without gaps, into `out`, where rows along the last axis begin `pitch` ELEMENTS apart.
 */
void hry_plan_box(const hry_plan *plan, const uint64_t *start, const uint64_t *count,
                  const void *codes, hry_plan_scratch *scratch, uint64_t pitch, float *out);

/* The 16 levels of NF4. */
extern const float hry_nf4_levels[16];

/* Least and greatest integer of a type that schemes may store. */
int64_t hry_integer_min(const hry_dtype *type);
int64_t hry_integer_max(const hry_dtype *type);

#endif
