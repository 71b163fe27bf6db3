/* SPDX-License-Identifier: Apache-2.0 */
/* hash.h - the 64-bit hash by which ranks compare what they were given. Private to mpi/. */
#ifndef HRY_HASH_H
#define HRY_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HRY_HASH_SEED UINT64_C(0xcbf29ce484222325)

/* FNV-1a, chained from `seed`: what is compared is small. */
static inline uint64_t hry_hash(uint64_t seed, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        seed = (seed ^ at[i]) * UINT64_C(0x100000001b3);
    return seed;
}

#endif
