/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tiling.c - do boxes tile a shape exactly?
 *
 * Each position along each dimension gets a pseudo-random number h_k(x). The "volume" of
 * a box under these, the product of h_k(end) - h_k(start), adds up like a true volume, so
 * boxes that tile the shape have volumes that sum to the shape's. Conversely a sum of
 * boxes that is not the shape differs from it as a polynomial in the h_k(x), and a
 * polynomial of degree `rank` that is not zero vanishes at random values modulo the prime
 * 2^61 - 1 with a probability below rank / 2^61. One pass, no memory, no sorting.
 */
#include "box.h"
#include "report.h"

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

/* h_k(x): the mixing function of SplitMix64. */
static uint64_t number_at(uint32_t dimension, uint64_t x)
{
    x += (dimension + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return reduce(x ^ (x >> 31));
}

static uint64_t volume(uint32_t rank, const uint64_t *start, const uint64_t *size)
{
    uint64_t product = 1;
    for (uint32_t k = 0; k < rank; k++) {
        const uint64_t low = start == NULL ? 0 : start[k];
        const uint64_t high = number_at(k, low + size[k]);
        product = multiply(product, reduce(high + PRIME - number_at(k, low)));
    }
    return product;
}

hry_status hry_mpi_boxes_check(const hry_mpi_boxes *boxes, uint32_t rank,
                               const uint64_t *shape, hry_error *err)
{
    uint64_t total, covered = 0, sum = 0;
    if (rank > HRY_MAX_RANK)
        return HRY_FAIL(err, HRY_ERR_ARG, "rank %u: at most %d", rank, HRY_MAX_RANK);
    if (!hry_box_count(rank, shape, &total))
        return HRY_FAIL(err, HRY_ERR_RANGE, "shape: more than 2^64 - 1 elements");
    for (uint32_t i = 0; i < boxes->count; i++) {
        const uint64_t *start = boxes->start + (size_t)i * rank;
        const uint64_t *size = boxes->size + (size_t)i * rank;
        uint64_t count;
        if (hry_box_count(rank, size, &count) && count == 0)
            continue;
        if (!hry_box_inside(rank, start, size, shape))
            return HRY_FAIL(err, HRY_ERR_RANGE, "box %u: leaves the shape", i);
        if (count > total - covered)
            return HRY_FAIL(err, HRY_ERR_ARG, "box %u: overlaps another one", i);
        covered += count;
        sum = reduce(sum + volume(rank, start, size));
    }
    if (covered != total)
        return HRY_FAIL(err, HRY_ERR_ARG, "boxes: cover %llu of %llu elements",
                        (unsigned long long)covered, (unsigned long long)total);
    if (total > 0 && sum != volume(rank, NULL, shape))
        return HRY_FAIL(err, HRY_ERR_ARG, "boxes: overlap, and leave a gap elsewhere");
    return HRY_OK;
}
