/* SPDX-License-Identifier: Apache-2.0 */
/*
 * into.h - boxes of dense tensors that are part of a larger array. Private to core/src.
 *
 * step[k] is how far apart neighbours on axis k are in the array, in ELEMENTS; 1 for the
 * last axis. The caller proves that the box fits the array.
 */
#ifndef HRY_INTO_H
#define HRY_INTO_H

#include "hry/region.h"

/* hry_region_read() of a dense layout; `dst` is where the box's first element goes. */
hry_status hry_region_read_into(const hry_tensor *t, const uint64_t *start,
                                const uint64_t *count, void *dst, const int64_t *step,
                                hry_error *err);

/* hry_region_runs() with runs counted in the array, from the box's first element on. */
hry_status hry_region_runs_into(const hry_descriptor *d, const uint64_t *start,
                                const uint64_t *count, const int64_t *step,
                                hry_run_visit visit, void *ctx, hry_error *err);

#endif
