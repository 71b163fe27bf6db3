/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/statistics.h - a tensor's statistics section (format section 1) from its data, and
 * whether a given one agrees with the data.
 */
#ifndef HRY_STATISTICS_H
#define HRY_STATISTICS_H

#include "hry/tensor.h"

HRY_BEGIN

/*
 * Compute all statistics that the tensor has, in one pass over its logical elements:
 * quantized ones dequantized, booleans as 0 and 1, what a sparse layout does not store
 * as 0. out->computed_mask says which are set; all other fields are 0.
 *
 * nnz       elements that are not 0; NaN is none of 0. Of a sparse layout: its own nnz.
 * sparsity  of the rest; not set for an empty tensor
 * range     least, greatest and greatest absolute value; and
 * moments   mean and population standard deviation: set only when there are elements,
 *           all of them are finite, and they are not complex
 * N:M       4, 8 or 16 neighbours along the last axis, a multiple of that, of which at
 *           most half are not 0: the sparsest such pattern, when one holds
 * special   is any element (or part of a complex one) a NaN, or infinite?
 *
 * 64-bit integers and float128 are rounded to double.
 *
 * HRY_ERR_UNSUPPORTED  composite heads, private types that hry_convert() does not know
 * HRY_ERR_NOMEM        and the errors of hry_region_read() and hry_dequantize()
 */
HRY_API hry_status hry_statistics_compute(const hry_tensor *t, hry_statistics *out,
                                          hry_error *err);

/*
 * Compare the statistics in the tensor's descriptor, which has some, with its data.
 *
 * wrong  the bits of computed_mask (HRY_STAT_...) whose fields do not agree; 0 when all
 *        do. The section is advisory, so this is a finding, not an error. Moments may
 *        differ by what float32 arithmetic would; a given N:M only has to hold. Range and
 *        moments of data with NaN or infinity are not judged.
 *
 * HRY_ERR_ARG  the descriptor has no statistics; and as hry_statistics_compute()
 */
HRY_API hry_status hry_statistics_compare(const hry_tensor *t, uint32_t *wrong,
                                          hry_error *err);

HRY_END

#endif
