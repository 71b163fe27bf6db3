/* SPDX-License-Identifier: Apache-2.0 */
/* curves.c - maps of the Morton and Hilbert layouts (format section 3). */
#include "map.h"

#include "fail.h"

/* Bit b of axis k is bit b * rank + k of the code. Codes are offsets: 63 bits. */
hry_status hry_map_morton(const hry_descriptor *d, hry_map *map, hry_error *err)
{
    map->kind = HRY_MAP_MORTON;
    if (d->rank == 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "morton: a scalar has no codes");
    for (uint32_t k = 0; k < d->rank; k++) {
        map->mask[k] = 0;
        for (uint32_t b = 0; b < d->fields.morton_bits[k]; b++) {
            if (b * d->rank + k > 62)
                return HRY_FAIL(err, HRY_ERR_RANGE,
                                "morton_bits[%u] is %u: codes beyond 63 bits", (unsigned)k,
                                (unsigned)d->fields.morton_bits[k]);
            map->mask[k] |= UINT64_C(1) << (b * d->rank + k);
        }
    }
    return HRY_OK;
}

hry_status hry_map_hilbert(const hry_descriptor *d, hry_map *map, hry_error *err)
{
    map->kind = HRY_MAP_HILBERT;
    map->order = d->fields.hilbert_order;
    if (d->rank == 0 || map->order == 0 || map->order > 63 / d->rank)
        return HRY_FAIL(err, HRY_ERR_RANGE, "hilbert: order %u of rank %u beyond 63 bits",
                        (unsigned)map->order, (unsigned)d->rank);
    for (uint32_t k = 0; k < d->rank; k++)
        if (d->shape[k] > UINT64_C(1) << map->order)
            return HRY_FAIL(err, HRY_ERR_RANGE,
                            "dimension %u is larger than 2^%u, the side of the curve",
                            (unsigned)k, (unsigned)map->order);
    return HRY_OK;
}
