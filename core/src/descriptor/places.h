/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places.h - where each part of a descriptor lies in its encoded form (format section 1),
 * so that a check can name the byte at fault whether the descriptor was decoded or made
 * by a program. Private to core/src.
 */
#ifndef HRY_PLACES_H
#define HRY_PLACES_H

#include "hry/descriptor.h"

/* The fixed header, in BYTES from the start. */
enum {
    HRY_AT_MAGIC = 0,
    HRY_AT_VERSION_MAJOR = 4,
    HRY_AT_VERSION_MINOR = 5,
    HRY_AT_LENGTH = 6,
    HRY_AT_FLAGS = 10,
    HRY_AT_TYPE = 14,
    HRY_AT_LAYOUT = 15,
    HRY_AT_RANK = 16,
    HRY_AT_SHAPE = 20
};

#define HRY_HANDLE_SIZE 16

/* Optional sections, in the order of the format. */
enum {
    HRY_SECTION_QUANTIZATION,
    HRY_SECTION_SHARD,
    HRY_SECTION_STATISTICS,
    HRY_SECTION_EXTENSION_TYPE,
    HRY_SECTION_MEMBER,
    HRY_SECTION_COUNT
};

/* In BYTES from the start. A section that is absent has the place it would have. */
typedef struct hry_places {
    size_t byte_offset;
    size_t fields; /* of the layout                     */
    size_t table;  /* buffer_count, the handles follow  */
    size_t section[HRY_SECTION_COUNT];
    size_t end;
} hry_places;

/* `d` passed hry_fixed_header_check() and is not opaque. */
hry_places hry_places_of(const hry_descriptor *d);

static inline size_t hry_place_of_dim(uint32_t k)
{
    return HRY_AT_SHAPE + (size_t)8 * k;
}

static inline size_t hry_place_of_buffer(const hry_places *p, uint32_t i)
{
    return p->table + 1 + (size_t)HRY_HANDLE_SIZE * i;
}

#endif
