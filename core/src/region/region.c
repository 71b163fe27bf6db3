/* SPDX-License-Identifier: Apache-2.0 */
/* region.c - boxes of dense tensors: checks, then the walk with the right mover. */
#include "hry/region.h"

#include "checked.h"
#include "fail.h"
#include "indexed.h"
#include "into.h"
#include "mover.h"

uint32_t hry_region_element(const hry_descriptor *d)
{
    const uint32_t bits = hry_descriptor_bits(d);
    return bits / 8 + (bits % 8 != 0);
}

hry_status hry_region_size(const hry_descriptor *d, const uint64_t *count, uint64_t *size,
                           hry_error *err)
{
    uint64_t n = hry_region_element(d);
    if (n == 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "type 0x%02x has no known width",
                        (unsigned)d->type_tag);
    bool fits = true;
    bool empty = false;
    for (uint32_t k = 0; k < d->rank; k++) {
        empty = empty || count[k] == 0;
        fits = fits && checked_mul(n, count[k], &n);
    }
    if (!fits && !empty)
        return HRY_FAIL(err, HRY_ERR_RANGE, "a box of more than 2^64 bytes");
    *size = empty ? 0 : n;
    return HRY_OK;
}

static hry_status check_box(const hry_descriptor *d, const uint64_t *start,
                            const uint64_t *count, bool *empty, hry_error *err)
{
    *empty = false;
    for (uint32_t k = 0; k < d->rank; k++) {
        if (d->shape[k] == HRY_DYNAMIC)
            return HRY_FAIL(err, HRY_ERR_RANGE, "dimension %u is dynamic", (unsigned)k);
        if (!range_inside(start[k], count[k], d->shape[k]))
            return HRY_FAIL(err, HRY_ERR_RANGE,
                            "axis %u: %llu elements from %llu on, the dimension has %llu",
                            (unsigned)k, (unsigned long long)count[k],
                            (unsigned long long)start[k], (unsigned long long)d->shape[k]);
        *empty = *empty || count[k] == 0;
    }
    uint64_t size;
    return hry_region_size(d, count, &size, err);
}

static hry_status copy(const hry_tensor *t, const uint64_t *start, const uint64_t *count,
                       uint8_t *array, const int64_t *step, bool write, hry_error *err)
{
    const hry_descriptor *d = t->descriptor;
    bool empty;
    HRY_TRY(check_box(d, start, count, &empty, err));
    if (d->buffer_count == 0 || d->opaque)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "layout 0x%02x keeps no elements",
                        (unsigned)d->layout_tag);
    hry_mover m = {.array = array,
                   .step = step,
                   .bits = hry_descriptor_bits(d),
                   .bytes = hry_descriptor_bits(d) < 8 ? 0 : hry_region_element(d),
                   .byte_offset = d->byte_offset,
                   .size = t->buffers[0].size};
    m.ops = hry_mover_for(m.bits, write);
    if (!hry_layout_is_dense(d->layout_tag))
        return hry_indexed_copy(t, start, count, &m, write, err);
    if (empty)
        return HRY_OK;
    hry_map map;
    HRY_TRY(hry_map_init(d, &map, err));
    if (d->byte_offset > m.size)
        return HRY_FAIL(err, HRY_ERR_RANGE, "byte_offset %llu in a buffer of %llu bytes",
                        (unsigned long long)d->byte_offset, (unsigned long long)m.size);
    m.storage = (uint8_t *)t->buffers[0].writable + d->byte_offset;
    return hry_walk(&m, &map, start, count, err);
}

hry_status hry_region_read(const hry_tensor *t, const uint64_t *start,
                           const uint64_t *count, void *dst, hry_error *err)
{
    return copy(t, start, count, dst, NULL, false, err);
}

hry_status hry_region_write(const hry_tensor *t, const uint64_t *start,
                            const uint64_t *count, const void *src, hry_error *err)
{
    if (!t->writable)
        return HRY_FAIL(err, HRY_ERR_ARG, "the tensor's memory is not writable");
    return copy(t, start, count, (uint8_t *)(uintptr_t)src, NULL, true, err);
}

hry_status hry_region_read_into(const hry_tensor *t, const uint64_t *start,
                                const uint64_t *count, void *dst, const int64_t *step,
                                hry_error *err)
{
    return copy(t, start, count, dst, step, false, err);
}

hry_status hry_region_runs(const hry_descriptor *d, const uint64_t *start,
                           const uint64_t *count, hry_run_visit visit, void *ctx,
                           hry_error *err)
{
    return hry_region_runs_into(d, start, count, NULL, visit, ctx, err);
}

hry_status hry_region_runs_into(const hry_descriptor *d, const uint64_t *start,
                                const uint64_t *count, const int64_t *step,
                                hry_run_visit visit, void *ctx, hry_error *err)
{
    hry_map map;
    bool empty;
    HRY_TRY(hry_map_init(d, &map, err));
    HRY_TRY(check_box(d, start, count, &empty, err));
    if (map.bytes == 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "elements of %u bits have no byte runs",
                        (unsigned)map.bits);
    if (empty)
        return HRY_OK;
    hry_mover m = {.ops = &hry_run_ops,
                   .step = step,
                   .bits = map.bits,
                   .bytes = map.bytes,
                   .byte_offset = d->byte_offset,
                   .size = d->buffer_count > 0 ? d->buffers[0].byte_size : 0,
                   .visit = visit,
                   .ctx = ctx,
                   .status = HRY_OK,
                   .err = err};
    HRY_TRY(hry_walk(&m, &map, start, count, err));
    return hry_run_end(&m);
}
