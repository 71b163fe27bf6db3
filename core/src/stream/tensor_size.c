/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_size.c - the data of a tensor that travels (format sections 1 and 7). */
#include "stream/tensor_size.h"

#include "checked.h"
#include "descriptor/places.h"
#include "fail.h"

enum { AT_SYNC_MODE = 13 }; /* in a handle */

static size_t handle_of(const hry_descriptor *d, uint32_t b)
{
    const hry_places places = hry_places_of(d);
    return hry_place_of_buffer(&places, b);
}

hry_status hry_tensor_size(const hry_descriptor *d, uint64_t limit, uint64_t *size,
                           hry_error *err)
{
    if (d->opaque)
        return HRY_FAIL_AT(err, HRY_ERR_UNSUPPORTED, HRY_AT_TYPE,
                           "descriptor: of unknown type, layout or scheme; where its data "
                           "ends is not known");
    *size = 0;
    for (uint32_t b = 0; b < d->buffer_count; b++) {
        if (!checked_add(*size, d->buffers[b].byte_size, size))
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, handle_of(d, b),
                               "buffer[%u].byte_size: all buffers together have more than "
                               "2^64 bytes",
                               (unsigned)b);
        if (*size > limit)
            return HRY_FAIL_AT(err, HRY_ERR_RANGE, handle_of(d, b),
                               "buffers of %llu bytes and more, at most %llu are taken",
                               (unsigned long long)*size, (unsigned long long)limit);
    }
    return HRY_OK;
}

hry_status hry_tensor_synced(const hry_descriptor *d, hry_error *err)
{
    for (uint32_t b = 0; b < d->buffer_count; b++)
        if (d->buffers[b].sync_mode != 0)
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, handle_of(d, b) + AT_SYNC_MODE,
                               "buffer[%u].sync_mode is %u, between machines it must be 0",
                               (unsigned)b, (unsigned)d->buffers[b].sync_mode);
    return HRY_OK;
}
