/* SPDX-License-Identifier: Apache-2.0 */
/* random.h - a small seeded generator, so that random tests fail the same way twice. */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include <stdint.h>

typedef struct random_state {
    uint64_t s;
} random_state;

static inline uint64_t random_next(random_state *r)
{
    r->s += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = r->s;
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* low..high, both included. */
static inline uint64_t random_in(random_state *r, uint64_t low, uint64_t high)
{
    return low + random_next(r) % (high - low + 1);
}

#endif
