/* SPDX-License-Identifier: Apache-2.0 */
/* like.h - layouts that a server can make of a tensor when a client prefers them (format
 * section 7). Private to core/src/stream. */
#ifndef HRY_LIKE_H
#define HRY_LIKE_H

#include "hry/descriptor.h"

/*
 * Fill layout_tag and the layout's fields of *like with what the tensor would have in that
 * layout, in the plainest way: row-major strides, tiles of 16, Morton and Hilbert codes as
 * short as they can be, axes of a CSF in order, pages of 16 tokens. False when a tensor of
 * that shape has no such form.
 */
bool hry_like(const hry_descriptor *d, uint8_t layout_tag, hry_descriptor *like);

/*
 * The most BYTES that a sparse form can have while it is made, or those of the layout's own
 * buffers for others as far as they can be told without making it: 0.
 */
uint64_t hry_like_bound(const hry_descriptor *d, uint8_t layout_tag);

#endif
