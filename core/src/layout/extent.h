/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extent.h - how far the elements of a tensor reach, and whether its buffer holds them
 * (format sections 2 and 3). Private to core/src.
 */
#ifndef HRY_EXTENT_H
#define HRY_EXTENT_H

#include "checked.h"
#include "descriptor/places.h"
#include "fail.h"

bool hry_is_dynamic(const hry_descriptor *d);

/* Any dimension of size 0? */
bool hry_is_empty(const hry_descriptor *d);

/* The one to blame when a product of sizes does not fit. */
uint32_t hry_largest_dim(const hry_descriptor *d);

/* Product of `rank` sizes, 0 as soon as one is 0; false when it does not fit 64 bits. */
bool hry_product(const uint64_t *shape, uint32_t rank, uint64_t *out);

/*
 * Size of dimension k as a row- or column-major buffer stores it: rounded up to whole
 * blocks along the axis of a blocked quantization (decision 13). UINT64_MAX when that
 * does not fit.
 */
uint64_t hry_stored_dim(const hry_descriptor *d, uint32_t k);

/* `count` elements, packed, must lie in buffer 0 from byte_offset on. */
hry_status hry_check_packed(const hry_descriptor *d, const hry_places *p, uint64_t count,
                            hry_error *err);

/* Lowest and highest element offset, relative to byte_offset. Start with {0, 0}. */
typedef struct hry_span {
    int64_t low, high;
} hry_span;

/* Widen by one dimension of `size` (> 0) steps of `stride`; false on overflow. */
bool hry_span_widen(hry_span *span, uint64_t size, int64_t stride);

/* A field to blame: its name for the message and its byte. */
typedef struct hry_culprit {
    const char *name;
    size_t at;
} hry_culprit;

/*
 * Every element from span.low to span.high must lie in buffer 0. When the span would fit
 * at another byte_offset that one is blamed, else the culprit.
 */
hry_status hry_check_span(const hry_descriptor *d, const hry_places *p, hry_span span,
                          hry_culprit culprit, hry_error *err);

#endif
