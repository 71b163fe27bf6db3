/* SPDX-License-Identifier: Apache-2.0 */
/* places.c - see places.h. */
#include "places.h"

enum { HEADER = 20, HANDLE = 16, STATISTICS = 72, EXTENSION_TYPE = 20, MEMBER = 16 };

uint32_t places_quantization_length(const hry_quantization *q)
{
    static const uint8_t lengths[] = {
        [HRY_QUANT_PER_TENSOR] = 16, [HRY_QUANT_PER_CHANNEL] = 20,
        [HRY_QUANT_PER_BLOCK] = 24,  [HRY_QUANT_NF4] = 16,
        [HRY_QUANT_MXFP] = 16,
    };
    return q->scheme < sizeof lengths ? lengths[q->scheme] : q->length;
}

static uint64_t size_if(const hry_descriptor *d, uint32_t flag, uint64_t size)
{
    return (d->flags & flag) != 0 ? size : 0;
}

/* Layout fields take what the rest leaves. A newer minor version may have more at its end,
 * but then its layouts are those that can be encoded. */
struct places places_of(const hry_descriptor *d, uint32_t length)
{
    struct places p = {.shape = HEADER};
    const uint64_t end = d->version_minor > 0 ? hry_descriptor_size(d) : length;
    p.byte_offset = p.shape + 8 * (uint64_t)d->rank;
    p.layout = p.byte_offset + 8;
    p.member = end - size_if(d, HRY_HAS_COMPOSITE_MEMBER, MEMBER);
    p.extension_type = p.member - size_if(d, HRY_HAS_EXTENSION_TYPE, EXTENSION_TYPE);
    p.statistics = p.extension_type - size_if(d, HRY_HAS_STATISTICS, STATISTICS);
    p.shard = p.statistics - size_if(d, HRY_HAS_SHARD, 16 * (uint64_t)d->rank);
    p.quantization =
        p.shard - size_if(d, HRY_HAS_QUANTIZATION,
                          4 + (uint64_t)places_quantization_length(&d->quantization));
    p.buffers = p.quantization - 1 - HANDLE * (uint64_t)d->buffer_count;
    return p;
}
