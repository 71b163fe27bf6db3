/* SPDX-License-Identifier: Apache-2.0 */
/* dense.h - descriptors of dense layouts for tests, sized by the caller. */
#ifndef TEST_DENSE_H
#define TEST_DENSE_H

#include "hry/descriptor.h"

/* A CPU tensor of `rank` sizes with one buffer of `size` bytes. */
static inline hry_descriptor dense(uint8_t type, uint8_t layout, uint64_t size,
                                   uint32_t rank, const uint64_t *shape)
{
    hry_descriptor d = {.version_major = 1,
                        .type_tag = type,
                        .layout_tag = layout,
                        .rank = rank,
                        .buffer_count = 1};
    d.buffers[0] = (hry_buffer_info){.byte_size = size, .alignment = 64};
    for (uint32_t k = 0; k < rank; k++)
        d.shape[k] = shape[k];
    return d;
}

#define SHAPE(...) ((const uint64_t[]){__VA_ARGS__})

#endif
