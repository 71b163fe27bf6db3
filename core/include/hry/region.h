/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/region.h - boxes of elements, between a tensor of any layout and a plain array.
 *
 * The array is row-major over the box, without gaps. Its element is the stored element
 * in whole bytes, bit for bit: types of less than 8 bits take one byte that holds the
 * code in its low bits (see hry/pack.h); private types of odd widths are rounded up to
 * whole bytes, as they are stored. Quantized tensors give their stored codes.
 */
#ifndef HRY_REGION_H
#define HRY_REGION_H

#include "hry/tensor.h"

HRY_BEGIN

/* Bytes of one array element of the tensor's type; 0 when the width is not known. */
HRY_API uint32_t hry_region_element(const hry_descriptor *d);

/* Bytes of the array of a box: HRY_ERR_RANGE when they do not fit 64 bits. */
HRY_API hry_status hry_region_size(const hry_descriptor *d, const uint64_t *count,
                                   uint64_t *size, hry_error *err);

/*
 * Copy the box of count[k] elements from start[k] on, on every axis k, to `dst`. Both
 * have the tensor's rank (and may be NULL for a scalar); any count may be 0. What a
 * sparse layout does not store reads as zero. `dst` is unspecified after an error.
 *
 * HRY_ERR_RANGE        the box leaves the tensor, or its elements the buffer
 * HRY_ERR_CORRUPT      index buffers that break the format were met on the way
 * HRY_ERR_UNSUPPORTED  composite or private layout; a block-paged tensor whose sequence
 *                      lengths are not known (see hry_paged_tokens())
 * HRY_ERR_NOMEM
 */
HRY_API hry_status hry_region_read(const hry_tensor *t, const uint64_t *start,
                                   const uint64_t *count, void *dst, hry_error *err);

/*
 * The reverse, into the tensor's buffer 0, which must be writable (HRY_ERR_ARG). Bits
 * and bytes that belong to no element of the box stay as they are. Where several
 * indices share storage (a stride of 0, a shared page) one of their values stays.
 *
 * A sparse layout keeps its structure: an element that is not stored may only be written
 * with all its bits zero; otherwise HRY_ERR_UNSUPPORTED, before anything is written.
 * Other errors as hry_region_read().
 */
HRY_API hry_status hry_region_write(const hry_tensor *t, const uint64_t *start,
                                    const uint64_t *count, const void *src, hry_error *err);

/*
 * A stretch of storage that belongs to a box: `count` elements from byte `byte` of
 * buffer 0 on. The first is element `first` of the row-major array, each next one
 * `step` elements further (1: contiguous on both sides).
 */
typedef struct hry_run {
    uint64_t byte;  /* in buffer 0, in BYTES    */
    uint64_t count; /* in ELEMENTS, > 0         */
    uint64_t first; /* in ELEMENTS of the array */
    uint64_t step;  /* in ELEMENTS of the array */
} hry_run;

/* Anything but HRY_OK ends the walk and becomes its result. */
typedef hry_status (*hry_run_visit)(void *ctx, const hry_run *run, hry_error *err);

/*
 * Visit the runs of a box, without any data: for callers that keep the buffer in a file.
 * Neighbouring runs come joined; they are not sorted by byte. Every run is proven to lie
 * in buffer 0 as its handle declares it.
 *
 * HRY_ERR_UNSUPPORTED  not a dense layout, or a type of less than 8 bits
 */
HRY_API hry_status hry_region_runs(const hry_descriptor *d, const uint64_t *start,
                                   const uint64_t *count, hry_run_visit visit, void *ctx,
                                   hry_error *err);

HRY_END

#endif
