/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - what only the data can show: sizes and values (format sections 2 and 3). */
#include "check.h"

#include "address/map.h"
#include "checked.h"
#include "fail.h"
#include "hry/region.h"
#include "region/entries.h"
#include "slabs.h"

static hry_status check_sizes(const hry_tensor *t, hry_error *err)
{
    const hry_descriptor *d = t->descriptor;
    for (uint32_t b = 0; b < d->buffer_count; b++) {
        const uint64_t need = d->buffers[b].byte_size;
        if (t->buffers[b].size < need || (need > 0 && t->buffers[b].bytes == NULL))
            return HRY_FAIL_AT(err, HRY_ERR_TRUNCATED, t->buffers[b].size,
                               "buffer[%u]: %llu bytes, its handle says %llu", (unsigned)b,
                               (unsigned long long)t->buffers[b].size,
                               (unsigned long long)need);
    }
    return HRY_OK;
}

/* Elements stored without gaps from byte_offset on; 0 where the layout leaves gaps. */
static uint64_t contiguous(const hry_descriptor *d)
{
    if (hry_layout_is_sparse(d->layout_tag))
        return d->fields.sparse.nnz;
    uint64_t n = 1;
    const bool plain = d->layout_tag == HRY_ROW_MAJOR || d->layout_tag == HRY_COLUMN_MAJOR;
    const bool in_blocks =
        (d->flags & HRY_HAS_QUANTIZATION) != 0 && d->quantization.block > 0;
    for (uint32_t k = 0; k < d->rank; k++)
        if (!checked_mul(n, d->shape[k], &n))
            return 0;
    return plain && !in_blocks ? n : 0;
}

/* The bits after the last element, up to the end of its byte or group, are 0. */
static hry_status check_padding(const hry_tensor *t, uint32_t bits, hry_error *err)
{
    const hry_descriptor *d = t->descriptor;
    const uint64_t n = contiguous(d);
    const uint64_t group = bits == 6 ? 4 : 8 / bits;
    const uint64_t rest = n % group * bits; /* bits used in the last group */
    if (rest == 0)
        return HRY_OK;
    uint64_t at = d->byte_offset + n / group * (bits == 6 ? 3 : 1) + rest / 8;
    const uint64_t end = d->byte_offset + hry_packed_size(n, bits);
    if (end > t->buffers[0].size)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "buffer[0]: %llu bytes needed",
                        (unsigned long long)end);
    const uint8_t *bytes = t->buffers[0].bytes;
    for (uint32_t used = (uint32_t)(rest % 8); at < end; at++, used = 0)
        if (bytes[at] >> used != 0)
            return HRY_FAIL_AT(
                err, HRY_ERR_CORRUPT, at,
                "buffer[0]: byte 0x%02x, bits from %u on belong to no element",
                (unsigned)bytes[at], (unsigned)used);
    return HRY_OK;
}

static bool is_no_scale(uint8_t code, hry_mode mode)
{
    return code == 0xFF || (code == 0 && mode == HRY_STRICT);
}

static hry_status bad_scale(uint64_t at, uint8_t code, hry_error *err)
{
    return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at, "buffer[0]: 0x%02x is no float8_e8m0",
                       (unsigned)code);
}

static hry_status check_scales_box(const hry_tensor *t, const hry_slabs *s, hry_mode mode,
                                   const uint8_t *codes, hry_error *err)
{
    for (uint64_t i = 0; i < s->size; i++) {
        if (!is_no_scale(codes[i], mode))
            continue;
        uint64_t index[HRY_MAX_RANK];
        uint64_t rest = i;
        for (uint32_t k = s->rank; k-- > 0; rest /= s->count[k])
            index[k] = s->start[k] + rest % s->count[k];
        hry_place place;
        HRY_TRY(hry_element_place(t->descriptor, s->rank, index, &place, err));
        return bad_scale(place.byte, codes[i], err);
    }
    return HRY_OK;
}

/*
 * The box of elements to look at. Repeated ones need it once: axes of stride 0 are cut.
 * false when still more elements are left than there are bytes.
 */
static bool distinct(const hry_tensor *t, uint64_t *shape)
{
    const hry_descriptor *d = t->descriptor;
    uint64_t count = 1;
    for (uint32_t k = 0; k < d->rank; k++) {
        const bool repeats = d->layout_tag == HRY_STRIDED && d->fields.strides[k] == 0;
        shape[k] = repeats && d->shape[k] > 0 ? 1 : d->shape[k];
        if (!checked_mul(count, shape[k], &count))
            return false;
    }
    return count <= t->buffers[0].size;
}

/* float8_e8m0: element by element, since bytes between elements may be anything. */
static hry_status check_scales(const hry_tensor *t, hry_mode mode, hry_error *err)
{
    const hry_descriptor *d = t->descriptor;
    if (hry_layout_is_sparse(d->layout_tag)) {
        const uint8_t *bytes = t->buffers[0].bytes;
        for (uint64_t i = 0; i < d->fields.sparse.nnz && i < t->buffers[0].size; i++)
            if (is_no_scale(bytes[i], mode))
                return bad_scale(i, bytes[i], err);
        return HRY_OK;
    }
    uint8_t codes[4096];
    uint64_t shape[HRY_MAX_RANK];
    hry_slabs s;
    if (!hry_layout_is_dense(d->layout_tag) || !distinct(t, shape) ||
        !slabs_first(&s, d->rank, shape, sizeof codes))
        return HRY_OK;
    do {
        HRY_TRY(hry_region_read(t, s.start, s.count, codes, err));
        HRY_TRY(check_scales_box(t, &s, mode, codes, err));
    } while (slabs_next(&s));
    return HRY_OK;
}

hry_status hry_check_values(const hry_tensor *t, hry_mode mode, hry_error *err)
{
    const hry_descriptor *d = t->descriptor;
    const uint32_t bits = hry_descriptor_bits(d);
    for (uint32_t k = 0; k < d->rank; k++)
        if (d->shape[k] == HRY_DYNAMIC)
            return HRY_OK;
    if (d->type_tag == HRY_FLOAT8_E8M0)
        return check_scales(t, mode, err);
    return bits > 0 && bits < 8 && mode == HRY_STRICT ? check_padding(t, bits, err)
                                                      : HRY_OK;
}

hry_status hry_tensor_check(const hry_tensor *t, hry_mode mode, hry_error *err)
{
    typedef hry_status (*check_layout)(const hry_tensor *t, hry_error *err);
    static const check_layout layouts[] = {
        [HRY_COO] = hry_check_coo,           [HRY_CSR] = hry_check_csr,
        [HRY_CSC] = hry_check_csc,           [HRY_CSF] = hry_check_csf,
        [HRY_BLOCK_PAGED] = hry_check_paged,
    };
    const uint8_t tag = t->descriptor->layout_tag;
    HRY_TRY(check_sizes(t, err));
    if (t->descriptor->opaque || t->descriptor->buffer_count == 0)
        return HRY_OK;
    if (tag < sizeof layouts / sizeof *layouts && layouts[tag] != NULL)
        HRY_TRY(layouts[tag](t, err));
    return hry_check_values(t, mode, err);
}
