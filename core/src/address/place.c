/* SPDX-License-Identifier: Apache-2.0 */
/* place.c - one element of a dense layout, every step checked (format section 3). */
#include "hry/layout.h"

#include "fail.h"
#include "map.h"

static hry_status offset_of(const hry_descriptor *d, uint32_t rank, const uint64_t *index,
                            hry_map *map, int64_t *offset, hry_error *err)
{
    HRY_TRY(hry_map_init(d, map, err));
    if (rank != d->rank)
        return HRY_FAIL(err, HRY_ERR_ARG, "an index of rank %u into a tensor of rank %u",
                        (unsigned)rank, (unsigned)d->rank);
    for (uint32_t k = 0; k < rank; k++)
        if (index[k] >= d->shape[k])
            return HRY_FAIL(err, HRY_ERR_RANGE, "index[%u] is %llu, the dimension has %llu",
                            (unsigned)k, (unsigned long long)index[k],
                            (unsigned long long)d->shape[k]);
    if (!hry_map_offset(map, index, offset))
        return HRY_FAIL(err, HRY_ERR_RANGE, "the element's offset is beyond 63 bits");
    return HRY_OK;
}

hry_status hry_element_offset(const hry_descriptor *d, uint32_t rank, const uint64_t *index,
                              int64_t *offset, hry_error *err)
{
    hry_map map;
    return offset_of(d, rank, index, &map, offset, err);
}

hry_status hry_element_place(const hry_descriptor *d, uint32_t rank, const uint64_t *index,
                             hry_place *place, hry_error *err)
{
    hry_map map;
    int64_t offset;
    HRY_TRY(offset_of(d, rank, index, &map, &offset, err));
    const uint64_t size = d->buffer_count > 0 ? d->buffers[0].byte_size : 0;
    if (!hry_map_place(&map, offset, size, place))
        return HRY_FAIL(err, HRY_ERR_RANGE,
                        "element offset %lld lies outside the buffer of %llu bytes",
                        (long long)offset, (unsigned long long)size);
    return HRY_OK;
}
