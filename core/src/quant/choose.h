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

/* The code of a finite value, in its low bits. */
uint32_t hry_choose_code(const hry_choice *c, const hry_chosen *p, float value);

#endif
