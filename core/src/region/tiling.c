/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tiling.c - do boxes tile a shape exactly?
 *
 * Each position along each dimension gets a pseudo-random number h_k(x). The "volume" of
 * a box under these, the product of h_k(end) - h_k(start), adds up like a true volume, so
 * boxes that tile the shape have volumes that sum to the shape's. Conversely a sum of
 * boxes that is not the shape differs from it as a polynomial in the h_k(x), and a
 * polynomial of degree `rank` that is not zero vanishes at random values modulo the prime
 * 2^61 - 1 with a probability below rank / 2^61. Two passes, no memory, no sorting.
 *
 * The numbers depend on all boxes together: whoever picks boxes to fit the numbers gets
 * other numbers.
 */
#include "hry/tiling.h"

#include "checked.h"
#include "fail.h"
#include "hry/descriptor.h"

#define PRIME ((UINT64_C(1) << 61) - 1)

__extension__ typedef unsigned __int128 wide;

static uint64_t reduce(uint64_t n)
{
    n = (n & PRIME) + (n >> 61);
    return n >= PRIME ? n - PRIME : n;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
    const wide product = (wide)a * b;
    return reduce((uint64_t)(product & PRIME) + (uint64_t)(product >> 61));
}

/* The mixing function of SplitMix64. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

static uint64_t seed_of(const uint64_t *start, const uint64_t *size, uint64_t numbers)
{
    uint64_t seed = numbers;
    for (uint64_t i = 0; i < numbers; i++)
        seed = mix(mix(seed + 0x9E3779B97F4A7C15u + start[i]) + size[i]);
    return seed;
}

/* h_k(x) */
static uint64_t number_at(uint64_t seed, uint32_t dimension, uint64_t x)
{
    return reduce(mix(mix(seed + dimension) + x));
}

static uint64_t volume(uint64_t seed, uint32_t rank, const uint64_t *start,
                       const uint64_t *size)
{
    uint64_t product = 1;
    for (uint32_t k = 0; k < rank; k++) {
        const uint64_t low = start == NULL ? 0 : start[k];
        const uint64_t high = number_at(seed, k, low + size[k]);
        product = multiply(product, reduce(high + PRIME - number_at(seed, k, low)));
    }
    return product;
}

/* False when the product does not fit; a zero anywhere gives 0. */
static bool count_of(uint32_t rank, const uint64_t *size, uint64_t *count)
{
    bool fits = true;
    *count = 1;
    for (uint32_t k = 0; k < rank; k++)
        if (size[k] == 0) {
            *count = 0;
            return true;
        }
    for (uint32_t k = 0; k < rank && fits; k++)
        fits = checked_mul(*count, size[k], count);
    return fits;
}

static bool is_inside(uint32_t rank, const uint64_t *start, const uint64_t *size,
                      const uint64_t *shape)
{
    for (uint32_t k = 0; k < rank; k++)
        if (!range_inside(start[k], size[k], shape[k]))
            return false;
    return true;
}

hry_status hry_boxes_tile(const uint64_t *start, const uint64_t *size, uint64_t count,
                          uint32_t rank, const uint64_t *shape, hry_error *err)
{
    uint64_t total, elements, covered = 0, sum = 0;
    if (rank > HRY_MAX_RANK)
        return HRY_FAIL(err, HRY_ERR_ARG, "rank %u: at most %d", rank, HRY_MAX_RANK);
    if (!count_of(rank, shape, &total))
        return HRY_FAIL(err, HRY_ERR_RANGE, "shape: more than 2^64 - 1 elements");
    const uint64_t seed = seed_of(start, size, count * rank);
    for (uint64_t i = 0; i < count; i++, start += rank, size += rank) {
        if (count_of(rank, size, &elements) && elements == 0)
            continue;
        if (!is_inside(rank, start, size, shape))
            return HRY_FAIL(err, HRY_ERR_RANGE, "box %llu: leaves the shape",
                            (unsigned long long)i);
        if (elements > total - covered)
            return HRY_FAIL(err, HRY_ERR_ARG, "box %llu: overlaps another one",
                            (unsigned long long)i);
        covered += elements;
        sum = reduce(sum + volume(seed, rank, start, size));
    }
    if (covered != total)
        return HRY_FAIL(err, HRY_ERR_ARG, "boxes: cover %llu of %llu elements",
                        (unsigned long long)covered, (unsigned long long)total);
    if (total > 0 && sum != volume(seed, rank, NULL, shape))
        return HRY_FAIL(err, HRY_ERR_ARG, "boxes: overlap, and leave a gap elsewhere");
    return HRY_OK;
}
