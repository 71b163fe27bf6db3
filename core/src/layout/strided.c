/* SPDX-License-Identifier: Apache-2.0 */
/* strided.c - any signed stride per dimension, in elements (format section 3). */
#include "extent.h"
#include "layout.h"

#include <stdio.h>

size_t hry_strided_size(const hry_descriptor *d)
{
    return (size_t)8 * d->rank;
}

hry_status hry_strided_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d,
                              hry_error *err)
{
    (void)mode;
    for (uint32_t k = 0; k < d->rank; k++)
        d->fields.strides[k] = cur_i64(c);
    return cur_ok(c, "strides", err);
}

void hry_strided_encode(const hry_descriptor *d, hry_builder *b)
{
    for (uint32_t k = 0; k < d->rank; k++)
        bld_i64(b, d->fields.strides[k]);
}

/* The dimension that reaches farthest. */
static uint32_t farthest_dim(const hry_descriptor *d)
{
    uint32_t farthest = 0;
    uint64_t best = 0;
    for (uint32_t k = 0; k < d->rank; k++) {
        hry_span one = {0, 0};
        (void)hry_span_widen(&one, d->shape[k], d->fields.strides[k]);
        const uint64_t reach = (uint64_t)one.high - (uint64_t)one.low;
        if (reach > best) {
            best = reach;
            farthest = k;
        }
    }
    return farthest;
}

/* Without gaps the strides are right and the buffer is too small. */
static bool is_compact(const hry_descriptor *d, hry_span span)
{
    uint64_t count;
    return hry_product(d->shape, d->rank, &count) &&
           (uint64_t)span.high - (uint64_t)span.low < count;
}

hry_status hry_strided_check(const hry_descriptor *d, const hry_places *p, hry_error *err)
{
    hry_span span = {0, 0};
    if (hry_is_dynamic(d) || hry_is_empty(d))
        return HRY_OK;
    for (uint32_t k = 0; k < d->rank; k++)
        if (!hry_span_widen(&span, d->shape[k], d->fields.strides[k]))
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, p->fields + (size_t)8 * k,
                               "strides[%u] is %lld: element offsets do not fit 64 bits",
                               (unsigned)k, (long long)d->fields.strides[k]);
    if (is_compact(d, span))
        return hry_check_span(
            d, p, span, (hry_culprit){"buffer[0].byte_size", hry_place_of_buffer(p, 0)},
            err);
    char name[24];
    const uint32_t k = farthest_dim(d);
    snprintf(name, sizeof name, "strides[%u]", (unsigned)k);
    return hry_check_span(d, p, span, (hry_culprit){name, p->fields + (size_t)8 * k}, err);
}
