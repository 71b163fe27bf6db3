/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/layout.h - where one element is (format section 3). Dense layouts need only the
 * descriptor; see hry/tensor.h for the layouts that need index buffers, and
 * hry/region.h for many elements at once.
 */
#ifndef HRY_PUBLIC_LAYOUT_H
#define HRY_PUBLIC_LAYOUT_H

#include "hry/descriptor.h"

HRY_BEGIN

/*
 * The place of one element in buffer 0. Types of whole bytes have bit 0; a narrower
 * element takes the bits [bit, bit + width) of the little-endian bit stream that starts
 * at `byte`, so a 6-bit element may end in the next byte.
 */
typedef struct hry_place {
    uint64_t byte; /* from the start of buffer 0, in BYTES   */
    uint32_t bit;  /* in that byte, 0 is the lowest          */
} hry_place;

/* Row-major, column-major, strided, tiled, Morton and Hilbert: no index buffers. */
HRY_API bool hry_layout_is_dense(uint8_t layout_tag);

/*
 * The element offset of `index` from the element [0,..,0], in ELEMENTS; negative where
 * strides are. `rank` must be the descriptor's; index has one entry per dimension.
 * Row- and column-major tensors quantized in blocks with a last block that is not full
 * keep that axis padded to whole blocks, and their offsets count the padding.
 *
 * HRY_ERR_ARG          rank differs
 * HRY_ERR_RANGE        an index outside its dimension, or an offset beyond 63 bits
 * HRY_ERR_UNSUPPORTED  the layout is not dense
 */
HRY_API hry_status hry_element_offset(const hry_descriptor *d, uint32_t rank,
                                      const uint64_t *index, int64_t *offset,
                                      hry_error *err);

/*
 * The place of the element at `index`, whole element proven to lie inside buffer 0 as
 * its handle declares it. Errors as hry_element_offset(), and HRY_ERR_RANGE when the
 * element would lie outside the buffer.
 */
HRY_API hry_status hry_element_place(const hry_descriptor *d, uint32_t rank,
                                     const uint64_t *index, hry_place *place,
                                     hry_error *err);

HRY_END

#endif
