/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random_composite.h - files with a random composite in them, and the array that it is:
 * partitions and overlays in each other, members of every layout, some quantized.
 */
#ifndef RANDOM_COMPOSITE_H
#define RANDOM_COMPOSITE_H

#include "hry/composite.h"
#include "hry/convert.h"

#include "bytes.h"
#include "random.h"

/* The elements of a box, row-major, as hry/region.h has them. */
typedef struct dense_array {
    hry_type type;
    uint32_t rank;
    size_t element; /* in BYTES */
    uint64_t shape[HRY_MAX_RANK], count;
    uint8_t *bytes; /* owned */
} dense_array;

/* What may come. */
typedef struct random_composite_options {
    bool overlays, quantized, sparse;
    bool large; /* hundreds of elements along two axes */
} random_composite_options;

typedef struct random_composite {
    blob file; /* tensor "head" */
    dense_array expected;
} random_composite;

random_composite random_composite_make(random_state *r,
                                       const random_composite_options *options);
void random_composite_free(random_composite *c);

/* Small numbers, exact in every type and sum; some are 0. */
void dense_array_fill(dense_array *a, random_state *r);

/* Put what a box of the array shall be. */
void dense_array_put(dense_array *a, const uint64_t *start, const uint64_t *count,
                     const uint8_t *box);

/* What of the array lies in a box, in memory to be freed. */
uint8_t *dense_array_box(const dense_array *a, const uint64_t *start,
                         const uint64_t *count);

#endif
