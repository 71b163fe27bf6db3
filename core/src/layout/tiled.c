/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tiled.c - tiles in an outer order, elements in an inner one, which may be tiled again
 * (format section 3). Edge tiles are stored whole.
 */
#include "descriptor/wire.h"
#include "extent.h"
#include "layout.h"

static uint32_t depth_of(const hry_tiled *t)
{
    return t->depth < HRY_MAX_TILE_DEPTH ? t->depth : HRY_MAX_TILE_DEPTH;
}

/* Bytes of one level: its tile shape, two orders, reserved, and outer strides if any. */
static size_t level_size(const hry_tile_level *level, uint32_t rank)
{
    return (size_t)8 * rank * (level->outer == HRY_STRIDED ? 2 : 1) + 4;
}

size_t hry_tiled_size(const hry_descriptor *d)
{
    const hry_tiled *t = &d->fields.tiled;
    const uint32_t depth = depth_of(t);
    size_t size = 0;
    for (uint32_t i = 0; i < depth; i++)
        size += level_size(&t->level[i], d->rank);
    if (depth > 0 && t->level[depth - 1].inner == HRY_STRIDED)
        size += (size_t)8 * d->rank;
    return size;
}

/* Rules of level `i`, whose fields start at byte `at`. */
static hry_status check_level(const hry_descriptor *d, uint32_t i, size_t at,
                              hry_error *err)
{
    const hry_tile_level *level = &d->fields.tiled.level[i];
    const size_t at_outer = at + (size_t)8 * d->rank;
    for (uint32_t k = 0; k < d->rank; k++)
        if (level->tile_shape[k] == 0)
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + (size_t)8 * k,
                               "tile_shape[%u] of level %u is 0, must be positive",
                               (unsigned)k, (unsigned)i);
    if (level->outer < HRY_ROW_MAJOR || level->outer > HRY_STRIDED)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at_outer,
                           "outer layout of level %u is 0x%02x, must be 1, 2 or 3",
                           (unsigned)i, level->outer);
    if (level->inner < HRY_ROW_MAJOR || level->inner > HRY_TILED)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at_outer + 1,
                           "inner layout of level %u is 0x%02x, must be 1, 2, 3 or 4",
                           (unsigned)i, level->inner);
    if (level->inner == HRY_TILED && i + 1 == HRY_MAX_TILE_DEPTH)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at_outer + 1,
                           "level %u is tiled again, at most %d levels are allowed",
                           (unsigned)i, HRY_MAX_TILE_DEPTH);
    return HRY_OK;
}

static hry_status decode_level(hry_cursor *c, hry_descriptor *d, uint32_t i, hry_error *err)
{
    hry_tile_level *level = &d->fields.tiled.level[i];
    const size_t at = c->pos;
    for (uint32_t k = 0; k < d->rank; k++)
        level->tile_shape[k] = cur_u64(c);
    level->outer = cur_u8(c);
    level->inner = cur_u8(c);
    HRY_TRY(wire_zeros(c, 2, "tiled", err));
    HRY_TRY(check_level(d, i, at, err)); /* what follows depends on it */
    if (level->outer == HRY_STRIDED)
        for (uint32_t k = 0; k < d->rank; k++)
            level->outer_strides[k] = cur_i64(c);
    return cur_ok(c, "tiled", err);
}

hry_status hry_tiled_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d, hry_error *err)
{
    (void)mode;
    hry_tiled *t = &d->fields.tiled;
    uint8_t inner;
    t->depth = 0;
    do {
        HRY_TRY(decode_level(c, d, t->depth, err));
        inner = t->level[t->depth++].inner;
    } while (inner == HRY_TILED);
    if (inner == HRY_STRIDED)
        for (uint32_t k = 0; k < d->rank; k++)
            t->inner_strides[k] = cur_i64(c);
    return cur_ok(c, "inner_strides", err);
}

void hry_tiled_encode(const hry_descriptor *d, hry_builder *b)
{
    const hry_tiled *t = &d->fields.tiled;
    for (uint32_t i = 0; i < t->depth; i++) {
        const hry_tile_level *level = &t->level[i];
        for (uint32_t k = 0; k < d->rank; k++)
            bld_u64(b, level->tile_shape[k]);
        bld_u8(b, level->outer);
        bld_u8(b, level->inner);
        bld_u16(b, 0);
        for (uint32_t k = 0; level->outer == HRY_STRIDED && k < d->rank; k++)
            bld_i64(b, level->outer_strides[k]);
    }
    for (uint32_t k = 0; t->level[t->depth - 1].inner == HRY_STRIDED && k < d->rank; k++)
        bld_i64(b, t->inner_strides[k]);
}

/* Offsets that `order` gives to a grid of `shape` (each > 0). False on overflow. */
static bool span_of(uint8_t order, const uint64_t *shape, const int64_t *strides,
                    uint32_t rank, hry_span *span)
{
    uint64_t count;
    *span = (hry_span){0, 0};
    if (order != HRY_STRIDED)
        return hry_product(shape, rank, &count) && hry_span_widen(span, count, 1);
    for (uint32_t k = 0; k < rank; k++)
        if (!hry_span_widen(span, shape[k], strides[k]))
            return false;
    return true;
}

/* The span of one level over `shape`, given that of its tiles in *span. */
static bool widen_by_level(const hry_tile_level *level, const uint64_t *shape,
                           uint32_t rank, hry_span *span)
{
    uint64_t tiles[HRY_MAX_RANK], volume;
    hry_span outer;
    for (uint32_t k = 0; k < rank; k++)
        tiles[k] = (shape[k] - 1) / level->tile_shape[k] + 1;
    return hry_product(level->tile_shape, rank, &volume) && volume <= INT64_MAX &&
           span_of(level->outer, tiles, level->outer_strides, rank, &outer) &&
           checked_mul_i64(outer.low, (int64_t)volume, &outer.low) &&
           checked_mul_i64(outer.high, (int64_t)volume, &outer.high) &&
           checked_add_i64(span->low, outer.low, &span->low) &&
           checked_add_i64(span->high, outer.high, &span->high);
}

static bool span_of_tensor(const hry_descriptor *d, hry_span *span)
{
    const hry_tiled *t = &d->fields.tiled;
    const hry_tile_level *last = &t->level[t->depth - 1];
    if (!span_of(last->inner, last->tile_shape, t->inner_strides, d->rank, span))
        return false;
    for (uint32_t i = t->depth; i-- > 0;) {
        const uint64_t *shape = i == 0 ? d->shape : t->level[i - 1].tile_shape;
        if (!widen_by_level(&t->level[i], shape, d->rank, span))
            return false;
    }
    return true;
}

static hry_status check_levels(const hry_descriptor *d, const hry_places *p, hry_error *err)
{
    const hry_tiled *t = &d->fields.tiled;
    size_t at = p->fields;
    if (t->depth == 0 || t->depth > HRY_MAX_TILE_DEPTH)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at, "tile depth is %u, must be 1 to %d",
                           (unsigned)t->depth, HRY_MAX_TILE_DEPTH);
    for (uint32_t i = 0; i < t->depth; i++) {
        const bool is_last = i + 1 == t->depth;
        HRY_TRY(check_level(d, i, at, err));
        if ((t->level[i].inner == HRY_TILED) == is_last)
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + (size_t)8 * d->rank + 1,
                               "inner layout of level %u is 0x%02x in %u levels",
                               (unsigned)i, t->level[i].inner, (unsigned)t->depth);
        at += level_size(&t->level[i], d->rank);
    }
    return HRY_OK;
}

hry_status hry_tiled_check(const hry_descriptor *d, const hry_places *p, hry_error *err)
{
    hry_span span;
    HRY_TRY(check_levels(d, p, err));
    if (hry_is_dynamic(d) || hry_is_empty(d))
        return HRY_OK;
    if (!span_of_tensor(d, &span))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, p->fields,
                           "tile_shape: element offsets do not fit 64 bits");
    return hry_check_span(
        d, p, span, (hry_culprit){"buffer[0].byte_size", hry_place_of_buffer(p, 0)}, err);
}
