/* SPDX-License-Identifier: Apache-2.0 */
/* data_place.c - each buffer starts at a multiple of the file's alignment. */
#include "container/data_place.h"

#include "checked.h"

enum { HANDLE = 16 };

bool hry_data_next(uint64_t end, uint64_t size, uint64_t alignment, uint64_t *start,
                   uint64_t *end_out)
{
    return checked_align(end, alignment, start) && checked_add(*start, size, end_out);
}

bool hry_data_any_bytes(const hry_descriptor *d)
{
    for (uint32_t b = 0; b < d->buffer_count; b++)
        if (d->buffers[b].byte_size > 0)
            return true;
    return false;
}

uint64_t hry_data_handle(const hry_descriptor *d, uint32_t b)
{
    /* Without optional sections a descriptor ends with its buffer table. */
    hry_descriptor plain = *d;
    plain.flags = 0;
    plain.opaque = false;
    const size_t size = hry_descriptor_size(&plain);
    return size == 0 ? 0 : size - (uint64_t)(d->buffer_count - b) * HANDLE;
}
