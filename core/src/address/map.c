/* SPDX-License-Identifier: Apache-2.0 */
/* map.c - from descriptor to map, and from map to element (format section 3). */
#include "map.h"

#include "checked.h"
#include "fail.h"
#include "hilbert.h"

#include <string.h>

typedef hry_status (*map_layout)(const hry_descriptor *d, hry_map *map, hry_error *err);

static const map_layout layouts[] = {
    [HRY_ROW_MAJOR] = hry_map_row_major, [HRY_COLUMN_MAJOR] = hry_map_column_major,
    [HRY_STRIDED] = hry_map_strided,     [HRY_TILED] = hry_map_tiled,
    [HRY_MORTON] = hry_map_morton,       [HRY_HILBERT] = hry_map_hilbert,
};

static map_layout layout_of(uint8_t tag)
{
    return tag < sizeof layouts / sizeof *layouts ? layouts[tag] : NULL;
}

bool hry_layout_is_dense(uint8_t layout_tag)
{
    return layout_of(layout_tag) != NULL;
}

hry_status hry_map_init(const hry_descriptor *d, hry_map *map, hry_error *err)
{
    const map_layout init = layout_of(d->layout_tag);
    if (init == NULL || d->opaque)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "layout 0x%02x has no addresses without its index buffers",
                        (unsigned)d->layout_tag);
    map->rank = d->rank;
    map->bits = hry_descriptor_bits(d);
    if (map->bits == 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "type 0x%02x has no known width",
                        (unsigned)d->type_tag);
    map->bytes = map->bits < 8 ? 0 : map->bits / 8 + (map->bits % 8 != 0);
    map->levels = 0;
    map->byte_offset = d->byte_offset;
    for (uint32_t k = 0; k < d->rank; k++) {
        if (d->shape[k] == HRY_DYNAMIC)
            return HRY_FAIL(err, HRY_ERR_RANGE, "dimension %u is dynamic", (unsigned)k);
        map->shape[k] = d->shape[k];
    }
    return init(d, map, err);
}

bool hry_map_term(const hry_map *map, uint32_t level, uint32_t k, uint64_t i, int64_t *term)
{
    if (map->kind == HRY_MAP_MORTON) {
        uint64_t code = 0;
        uint64_t left = map->mask[k];
        for (; i != 0 && left != 0; i >>= 1, left &= left - 1)
            code |= (i & 1) != 0 ? left & -left : 0;
        *term = (int64_t)code;
        return i == 0;
    }
    int64_t sum = 0;
    for (uint32_t l = level; l <= map->levels; l++) {
        const uint64_t step = l < map->levels ? map->tile[l][k] : 1;
        const uint64_t at = i / step;
        i %= step;
        int64_t part = 0;
        if (map->stride[l][k] != 0 &&
            (at > INT64_MAX || !checked_mul_i64((int64_t)at, map->stride[l][k], &part)))
            return false;
        if (!checked_add_i64(sum, part, &sum))
            return false;
    }
    *term = sum;
    return true;
}

/* Successive terms: of the last level by addition, of Morton by counting in the mask. */
static void fill(const hry_map *map, uint32_t k, uint64_t n, int64_t first, int64_t *terms)
{
    if (map->kind == HRY_MAP_MORTON) {
        const uint64_t mask = map->mask[k];
        uint64_t code = (uint64_t)first;
        for (uint64_t j = 0; j < n; j++) {
            terms[j] = (int64_t)code;
            code = ((code | ~mask) + 1) & mask;
        }
        return;
    }
    const int64_t stride = map->stride[map->levels][k];
    for (uint64_t j = 0; j < n; j++)
        terms[j] = (int64_t)((uint64_t)first + j * (uint64_t)stride);
}

bool hry_map_terms(const hry_map *map, uint32_t level, uint32_t k, uint64_t first,
                   uint64_t n, int64_t *terms, int64_t range[2])
{
    const uint32_t levels = map->kind == HRY_MAP_STRIDES ? map->levels : 0;
    range[0] = INT64_MAX;
    range[1] = INT64_MIN;
    for (uint64_t j = 0; j < n;) {
        /* Up to where the first tile of any level ends: there the terms jump. */
        uint64_t inside = first + j;
        uint64_t run = n - j;
        for (uint32_t l = level; l < levels; l++) {
            inside %= map->tile[l][k];
            const uint64_t left = map->tile[l][k] - inside;
            run = left < run ? left : run;
        }
        int64_t ends[2];
        if (!hry_map_term(map, level, k, first + j, &ends[0]) ||
            !hry_map_term(map, level, k, first + j + run - 1, &ends[1]))
            return false;
        fill(map, k, run, ends[0], terms + j);
        const int low = ends[0] > ends[1];
        range[0] = ends[low] < range[0] ? ends[low] : range[0];
        range[1] = ends[!low] > range[1] ? ends[!low] : range[1];
        j += run;
    }
    return true;
}

bool hry_map_offset(const hry_map *map, const uint64_t *index, int64_t *offset)
{
    if (map->kind == HRY_MAP_HILBERT) {
        *offset = (int64_t)hry_hilbert_code(map->rank, map->order, index);
        return true;
    }
    int64_t sum = 0;
    for (uint32_t k = 0; k < map->rank; k++) {
        int64_t term;
        if (!hry_map_term(map, 0, k, index[k], &term) || !checked_add_i64(sum, term, &sum))
            return false;
    }
    *offset = sum;
    return true;
}

/* Floor of offset / n and the rest, for n > 0. */
static int64_t floor_div(int64_t offset, int64_t n, uint32_t *rest)
{
    int64_t whole = offset / n;
    int64_t left = offset % n;
    if (left < 0) {
        left += n;
        whole--;
    }
    *rest = (uint32_t)left;
    return whole;
}

bool hry_map_place(const hry_map *map, int64_t offset, uint64_t size, hry_place *place)
{
    int64_t at;
    uint32_t bit = 0;
    uint64_t need = map->bytes;
    if (map->bytes > 0) {
        if (!checked_mul_i64(offset, (int64_t)map->bytes, &at))
            return false;
    } else {
        /* A group is the fewest whole bytes with whole elements: one, or three of 6-bit
         * elements. */
        const int64_t group = map->bits == 6 ? 4 : 8 / map->bits;
        uint32_t rest;
        at = floor_div(offset, group, &rest) * (map->bits == 6 ? 3 : 1);
        bit = rest * map->bits;
        need = map->bits == 6 ? 3 : 1;
    }
    const uint64_t byte = map->byte_offset + (uint64_t)at;
    if (at < 0 ? byte >= map->byte_offset : byte < map->byte_offset)
        return false;
    if (!range_inside(byte, need, size))
        return false;
    *place = (hry_place){.byte = byte + bit / 8, .bit = bit % 8};
    return true;
}
