/* SPDX-License-Identifier: Apache-2.0 */
/* strides.c - maps of row-major, column-major and strided layouts (format section 3). */
#include "map.h"

#include "checked.h"
#include "fail.h"
#include "layout/extent.h"

#include <string.h>

bool hry_dense_strides(uint32_t rank, const uint64_t *dims, bool row_major, int64_t unit,
                       int64_t *strides)
{
    for (uint32_t k = 0; k < rank; k++)
        if (dims[k] == 0) {
            memset(strides, 0, rank * sizeof *strides);
            return true;
        }
    int64_t step = unit;
    for (uint32_t i = 0; i < rank; i++) {
        const uint32_t k = row_major ? rank - 1 - i : i;
        strides[k] = step;
        if (dims[k] > INT64_MAX || !checked_mul_i64(step, (int64_t)dims[k], &step))
            return false;
    }
    return true;
}

static hry_status implied(const hry_descriptor *d, bool row_major, hry_map *map,
                          hry_error *err)
{
    uint64_t dims[HRY_MAX_RANK];
    for (uint32_t k = 0; k < d->rank; k++)
        dims[k] = hry_stored_dim(d, k);
    map->kind = HRY_MAP_STRIDES;
    if (!hry_dense_strides(d->rank, dims, row_major, 1, map->stride[0]))
        return HRY_FAIL(err, HRY_ERR_RANGE, "shape: more than 2^63 elements");
    return HRY_OK;
}

hry_status hry_map_row_major(const hry_descriptor *d, hry_map *map, hry_error *err)
{
    return implied(d, true, map, err);
}

hry_status hry_map_column_major(const hry_descriptor *d, hry_map *map, hry_error *err)
{
    return implied(d, false, map, err);
}

hry_status hry_map_strided(const hry_descriptor *d, hry_map *map, hry_error *err)
{
    (void)err;
    map->kind = HRY_MAP_STRIDES;
    memcpy(map->stride[0], d->fields.strides, d->rank * sizeof *map->stride[0]);
    return HRY_OK;
}
