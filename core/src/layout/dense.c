/* SPDX-License-Identifier: Apache-2.0 */
/* dense.c - row-major and column-major (format section 3): no fields, one packed buffer. */
#include "extent.h"
#include "layout.h"

hry_status hry_dense_check(const hry_descriptor *d, const hry_places *p, hry_error *err)
{
    uint64_t count = 1;
    bool fits = true;
    if (hry_is_dynamic(d) || hry_is_empty(d))
        return HRY_OK;
    for (uint32_t k = 0; k < d->rank; k++)
        fits = fits && checked_mul(count, hry_stored_dim(d, k), &count);
    return hry_check_packed(d, p, fits ? count : UINT64_MAX, err);
}
