/* SPDX-License-Identifier: Apache-2.0 */
/* same_type.h - are two private element types one? Private to core/src. */
#ifndef HRY_SAME_TYPE_H
#define HRY_SAME_TYPE_H

#include "hry/descriptor.h"

static inline bool same_extension_type(const hry_extension_type *a,
                                       const hry_extension_type *b)
{
    return a->bit_width == b->bit_width && a->packing == b->packing &&
           a->is_float == b->is_float && a->is_signed == b->is_signed &&
           a->sign_bits == b->sign_bits && a->exponent_bits == b->exponent_bits &&
           a->mantissa_bits == b->mantissa_bits && a->exponent_bias == b->exponent_bias &&
           a->has_nan == b->has_nan && a->has_inf == b->has_inf;
}

#endif
