/* SPDX-License-Identifier: Apache-2.0 */
/* random_descriptor.h - valid descriptors of every layout, from a seed. */
#ifndef RANDOM_DESCRIPTOR_H
#define RANDOM_DESCRIPTOR_H

#include "hry/descriptor.h"

/* A small generator (splitmix64): the same numbers everywhere. */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* From 0 to n - 1. */
static inline uint64_t random_below(uint64_t *state, uint64_t n)
{
    return random_next(state) % n;
}

/* Of that layout, with whatever optional sections it may have. */
void random_descriptor(uint64_t *state, uint8_t layout_tag, hry_descriptor *d);

#endif
