/* SPDX-License-Identifier: Apache-2.0 */
/* add.h - sums of elements of any type that has them. Private to core/src/composite. */
#ifndef HRY_ADD_H
#define HRY_ADD_H

#include "hry/convert.h"
#include "hry/error.h"

/*
 * dst[i] += src[i] in the type: floats and complex numbers rounded once, integers modulo
 * 2^width. Arrays are as hry/region.h gives them.
 *
 * HRY_ERR_UNSUPPORTED  bool, private integers of odd widths, private floats of more than 24
 *                      mantissa bits or that hry/convert.h does not know
 */
hry_status hry_add(hry_type type, void *dst, const void *src, size_t count, hry_error *err);

/* float128, which few machines add themselves. */
void hry_add_float128(uint8_t *dst, const uint8_t *src, size_t count);

#endif
