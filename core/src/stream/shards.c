/* SPDX-License-Identifier: Apache-2.0 */
/* shards.c - a tensor cut into shards, and shards that must make up one. */
#include "stream/shards.h"

#include "checked.h"
#include "descriptor/same_type.h"
#include "hry/tiling.h"
#include "layout/extent.h"

/* ---- cutting ---- */

/* Sections that speak of the whole tensor or of another one. */
static bool is_cuttable(const hry_descriptor *d)
{
    const uint32_t flags = HRY_HAS_SHARD | HRY_HAS_COMPOSITE_MEMBER;
    const bool is_plain = (d->flags & HRY_HAS_QUANTIZATION) == 0 ||
                          d->quantization.scheme == HRY_QUANT_PER_TENSOR;
    return !d->opaque && d->layout_tag == HRY_ROW_MAJOR && d->rank > 0 && is_plain &&
           (d->flags & flags) == 0 && d->buffer_count == 1 && !hry_is_dynamic(d);
}

/* Bytes of one row, 0 when rows do not begin at bytes. */
static uint64_t row_size(const hry_descriptor *d)
{
    const uint32_t bits = hry_descriptor_bits(d);
    const uint64_t group = bits == 6 ? 4 : bits < 8 ? 8 / bits : 1;
    uint64_t count = 1;
    for (uint32_t k = 1; k < d->rank; k++)
        count *= d->shape[k]; /* of a valid descriptor: the whole product fits */
    return count % group == 0 ? hry_packed_size(count, bits) : 0;
}

uint32_t hry_shard_count(const hry_descriptor *d, uint32_t most, uint64_t least)
{
    if (!is_cuttable(d) || most < 2 || hry_is_empty(d))
        return 1;
    const uint64_t row = row_size(d), size = d->shape[0] * row;
    uint64_t count = size / least;
    count = count < d->shape[0] ? count : d->shape[0];
    count = count < most ? count : most;
    return row == 0 || count == 0 ? 1 : (uint32_t)count;
}

void hry_shard_slice(const hry_descriptor *d, uint32_t count, uint32_t i,
                     hry_descriptor *out, uint64_t *base)
{
    const uint64_t even = d->shape[0] / count, longer = d->shape[0] % count;
    const uint64_t first = i * even + (i < longer ? i : longer);
    const uint64_t row = row_size(d);
    *out = *d;
    *base = d->byte_offset + first * row;
    out->shape[0] = even + (i < longer ? 1 : 0);
    out->byte_offset = 0;
    out->buffers[0].byte_size = out->shape[0] * row;
    out->flags = (d->flags | HRY_HAS_SHARD) & ~(uint32_t)HRY_HAS_STATISTICS;
    out->shard = (hry_shard){.offset = {first}};
    memcpy(out->shard.parent_shape, d->shape, d->rank * sizeof *d->shape);
}

/* ---- joining ---- */

static void begin(hry_shard_set *set, const hry_descriptor *d)
{
    set->type_tag = d->type_tag;
    set->layout_tag = d->layout_tag;
    set->rank = d->rank;
    set->extension_type = d->extension_type;
    memcpy(set->parent_shape, d->shard.parent_shape, d->rank * sizeof *d->shape);
}

static bool is_like_the_others(const hry_shard_set *set, const hry_descriptor *d)
{
    const bool has_extension = (d->flags & HRY_HAS_EXTENSION_TYPE) != 0;
    return d->type_tag == set->type_tag && d->layout_tag == set->layout_tag &&
           d->rank == set->rank &&
           (!has_extension ||
            same_extension_type(&d->extension_type, &set->extension_type)) &&
           memcmp(d->shard.parent_shape, set->parent_shape, d->rank * sizeof *d->shape) ==
               0;
}

hry_status hry_shard_set_add(hry_shard_set *set, const hry_descriptor *d, hry_error *err)
{
    if ((d->flags & HRY_HAS_SHARD) == 0)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "a shard without a shard section");
    if (set->count == 0)
        begin(set, d);
    else if (!is_like_the_others(set, d))
        return HRY_FAIL(err, HRY_ERR_CORRUPT,
                        "shards differ in type, layout or parent_shape");
    bld_bytes(&set->start, d->shard.offset, d->rank * sizeof *d->shape);
    bld_bytes(&set->size, d->shape, d->rank * sizeof *d->shape);
    HRY_TRY(bld_ok(&set->start, "shards", err));
    HRY_TRY(bld_ok(&set->size, "shards", err));
    set->count++;
    return HRY_OK;
}

hry_status hry_shard_set_check(const hry_shard_set *set, hry_error *err)
{
    static const uint64_t none[1];
    const uint64_t *start = set->rank > 0 ? (const void *)set->start.data : none;
    const uint64_t *size = set->rank > 0 ? (const void *)set->size.data : none;
    hry_error why;
    if (hry_boxes_tile(start, size, set->count, set->rank, set->parent_shape, &why) ==
        HRY_OK)
        return HRY_OK;
    return HRY_FAIL(err, HRY_ERR_CORRUPT, "%u shards: %s", (unsigned)set->count,
                    why.message);
}

void hry_shard_set_free(hry_shard_set *set)
{
    bld_free(&set->start);
    bld_free(&set->size);
}
