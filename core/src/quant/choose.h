/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose.h - the writing half of the schemes (format section 5): parameters for a range of
 * values, and codes for values under a parameter. Private to core/src/quant.
 */
#ifndef HRY_CHOOSE_H
#define HRY_CHOOSE_H

#include "plan.h"

/* What a scheme and a type can hold. */
typedef struct hry_choice {
    const hry_dtype *type;
    uint32_t width; /* BYTES of a code */
    uint8_t scheme;
    uint8_t scale_type;
    bool symmetric;
    int64_t low, high; /* integers: least and greatest code                        */
    double greatest;   /* MXFP: of the type's finite numbers                       */
} hry_choice;

typedef struct hry_chosen {
    float scale; /* exactly as stored */
    int32_t zero;
} hry_chosen;

hry_choice hry_choice_of(const hry_plan *plan, uint8_t type_tag, bool symmetric);

/* For values in [low, high], which holds 0. */
hry_chosen hry_choose(const hry_choice *c, float low, float high);

/* Store parameter i, little-endian; zeros may be NULL. */
void hry_choose_store(const hry_choice *c, const hry_chosen *p, uint64_t i, uint8_t *scales,
                      uint8_t *zeros);

/* Which parameter element i of a row has: number first + ((i * step) >> shift). */
typedef struct hry_steps {
    uint64_t first, step;
    uint32_t shift;
} hry_steps;

static inline uint64_t hry_step_at(const hry_steps *s, uint64_t i)
{
    return s->first + ((i * s->step) >> s->shift);
}

/*
 * Codes of `count` finite values, which are the elements of a row from its element `at`
 * on, as hry_region_read() gives them. `parameters` are all; `work` has room for `count`.
 */
hry_status hry_choose_codes(const hry_choice *c, const hry_chosen *parameters,
                            const hry_steps *steps, uint64_t at, const float *values,
                            size_t count, double *work, void *codes, hry_error *err);

#endif
