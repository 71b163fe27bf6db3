/* SPDX-License-Identifier: Apache-2.0 */
/* extent.c - how far the elements of a tensor reach (format sections 2 and 3). */
#include "extent.h"

bool hry_is_dynamic(const hry_descriptor *d)
{
    for (uint32_t k = 0; k < d->rank; k++)
        if (d->shape[k] == HRY_DYNAMIC)
            return true;
    return false;
}

bool hry_is_empty(const hry_descriptor *d)
{
    for (uint32_t k = 0; k < d->rank; k++)
        if (d->shape[k] == 0)
            return true;
    return false;
}

uint32_t hry_largest_dim(const hry_descriptor *d)
{
    uint32_t largest = 0;
    for (uint32_t k = 1; k < d->rank; k++)
        if (d->shape[k] > d->shape[largest])
            largest = k;
    return largest;
}

bool hry_product(const uint64_t *shape, uint32_t rank, uint64_t *out)
{
    uint64_t product = 1;
    bool fits = true;
    for (uint32_t k = 0; k < rank; k++) {
        if (shape[k] == 0) {
            *out = 0;
            return true;
        }
        fits = fits && checked_mul(product, shape[k], &product);
    }
    *out = product;
    return fits;
}

uint64_t hry_stored_dim(const hry_descriptor *d, uint32_t k)
{
    const hry_quantization *q = &d->quantization;
    const uint64_t size = d->shape[k];
    uint64_t stored;
    if ((d->flags & HRY_HAS_QUANTIZATION) == 0 || d->opaque ||
        (q->scheme != HRY_QUANT_PER_BLOCK && q->scheme != HRY_QUANT_NF4) || q->axis != k)
        return size;
    return checked_align(size, q->block, &stored) ? stored : UINT64_MAX;
}

static hry_status fail_size(const hry_places *p, uint64_t needed, uint64_t size,
                            hry_error *err)
{
    return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, hry_place_of_buffer(p, 0),
                       "buffer[0].byte_size is %llu, the elements need %llu",
                       (unsigned long long)size, (unsigned long long)needed);
}

static hry_status fail_offset(const hry_descriptor *d, const hry_places *p, hry_error *err)
{
    return HRY_FAIL_AT(
        err, HRY_ERR_CORRUPT, p->byte_offset,
        "byte_offset is %llu: elements lie outside the %llu bytes of buffer[0]",
        (unsigned long long)d->byte_offset, (unsigned long long)d->buffers[0].byte_size);
}

hry_status hry_check_packed(const hry_descriptor *d, const hry_places *p, uint64_t count,
                            hry_error *err)
{
    const uint64_t size = d->buffers[0].byte_size;
    const uint64_t needed = hry_packed_size(count, hry_descriptor_bits(d));
    if (needed == UINT64_MAX) {
        const uint32_t k = hry_largest_dim(d);
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, hry_place_of_dim(k),
                           "shape[%u] is %llu: the size in bytes does not fit 64 bits",
                           (unsigned)k, (unsigned long long)d->shape[k]);
    }
    if (needed > size)
        return fail_size(p, needed, size, err);
    if (needed > 0 && needed > size - d->byte_offset)
        return fail_offset(d, p, err);
    return HRY_OK;
}

bool hry_span_widen(hry_span *span, uint64_t size, int64_t stride)
{
    int64_t reach;
    if (stride == 0 || size == 1)
        return true;
    if (size - 1 > INT64_MAX || !checked_mul_i64((int64_t)(size - 1), stride, &reach))
        return false;
    int64_t *end = reach < 0 ? &span->low : &span->high;
    return checked_add_i64(*end, reach, end);
}

/* Elements come in groups of whole bytes: group number, rounding down. */
static int64_t group_of(int64_t element, int64_t group)
{
    return element / group - (element % group < 0);
}

hry_status hry_check_span(const hry_descriptor *d, const hry_places *p, hry_span span,
                          hry_culprit culprit, hry_error *err)
{
    const uint32_t bits = hry_descriptor_bits(d);
    const int64_t group = bits == 6 ? 4 : bits < 8 ? 8 / bits : 1;
    const int64_t group_bytes = (int64_t)hry_packed_size((uint64_t)group, bits);
    const uint64_t size = d->buffers[0].byte_size;
    int64_t low, high, length;
    if (!checked_mul_i64(group_of(span.low, group), group_bytes, &low) ||
        low == INT64_MIN || !checked_add_i64(group_of(span.high, group), 1, &high) ||
        !checked_mul_i64(high, group_bytes, &high) || !checked_add_i64(high, -low, &length))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, culprit.at,
                           "%s: element offsets do not fit 64 bits", culprit.name);
    const uint64_t before = low < 0 ? (uint64_t)-low : 0;
    if (before <= d->byte_offset && (uint64_t)high <= size - d->byte_offset)
        return HRY_OK;
    if ((uint64_t)length <= size)
        return fail_offset(d, p, err);
    return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, culprit.at,
                       "%s: the elements reach over %llu bytes, buffer[0] has %llu",
                       culprit.name, (unsigned long long)length, (unsigned long long)size);
}
