/* SPDX-License-Identifier: Apache-2.0 */
/* places.h - where the parts of an encoded descriptor are (format section 1). */
#ifndef PLACES_H
#define PLACES_H

#include "hry/descriptor.h"

/* Bytes from the start of the descriptor. Of sections not present: where they would be. */
struct places {
    uint64_t shape, byte_offset, layout, buffers, quantization, shard, statistics,
        extension_type, member;
};

/* `length` is descriptor_length, in BYTES. */
struct places places_of(const hry_descriptor *d, uint32_t length);

/* Bytes of the quantization section, its length field not counted. */
uint32_t places_quantization_length(const hry_quantization *q);

#endif
