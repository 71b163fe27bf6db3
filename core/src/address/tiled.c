/* SPDX-License-Identifier: Apache-2.0 */
/* tiled.c - map of tiled layouts: strides between tiles, level by level (section 3). */
#include "map.h"

#include "checked.h"
#include "fail.h"

#include <string.h>

static bool volume(uint32_t rank, const uint64_t *dims, int64_t *out)
{
    int64_t product = 1;
    for (uint32_t k = 0; k < rank; k++)
        if (dims[k] > INT64_MAX || !checked_mul_i64(product, (int64_t)dims[k], &product))
            return false;
    *out = product;
    return true;
}

/* Strides of `dims` things that are `unit` elements apart, in the order of `tag`. */
static bool order(uint8_t tag, uint32_t rank, const uint64_t *dims, int64_t unit,
                  const int64_t *given, int64_t *strides)
{
    if (tag != HRY_STRIDED)
        return hry_dense_strides(rank, dims, tag == HRY_ROW_MAJOR, unit, strides);
    for (uint32_t k = 0; k < rank; k++)
        if (!checked_mul_i64(given[k], unit, &strides[k]))
            return false;
    return true;
}

hry_status hry_map_tiled(const hry_descriptor *d, hry_map *map, hry_error *err)
{
    const hry_tiled *t = &d->fields.tiled;
    const uint64_t *whole = d->shape; /* what this level cuts into tiles */
    if (d->rank == 0 || t->depth == 0 || t->depth > HRY_MAX_TILE_DEPTH)
        return HRY_FAIL(err, HRY_ERR_ARG, "tiled: depth %u, rank %u", (unsigned)t->depth,
                        (unsigned)d->rank);
    map->kind = HRY_MAP_STRIDES;
    map->levels = t->depth;
    for (uint32_t l = 0; l < t->depth; l++) {
        const hry_tile_level *level = &t->level[l];
        uint64_t grid[HRY_MAX_RANK];
        int64_t size;
        for (uint32_t k = 0; k < d->rank; k++) {
            const uint64_t side = level->tile_shape[k];
            if (side == 0)
                return HRY_FAIL(err, HRY_ERR_ARG, "tile_shape[%u] is 0", (unsigned)k);
            map->tile[l][k] = side;
            grid[k] = whole[k] / side + (whole[k] % side != 0);
        }
        if (!volume(d->rank, level->tile_shape, &size) ||
            !order(level->outer, d->rank, grid, size, level->outer_strides, map->stride[l]))
            return HRY_FAIL(err, HRY_ERR_RANGE,
                            "tiled, level %u: offsets beyond 2^63 elements", (unsigned)l);
        whole = level->tile_shape;
    }
    if (!order(t->level[t->depth - 1].inner, d->rank, whole, 1, t->inner_strides,
               map->stride[t->depth]))
        return HRY_FAIL(err, HRY_ERR_RANGE, "tiled: a tile of more than 2^63 elements");
    return HRY_OK;
}
