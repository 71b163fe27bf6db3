/* SPDX-License-Identifier: Apache-2.0 */
/* data_place.h - where buffers lie in a file (format section 6). Private to core/src. */
#ifndef HRY_DATA_PLACE_H
#define HRY_DATA_PLACE_H

#include "hry/descriptor.h"

/*
 * A buffer of `size` bytes after what ends at `end`: it starts at the next multiple of
 * `alignment`. *end_out is where it ends. False when that is beyond 2^64.
 */
bool hry_data_next(uint64_t end, uint64_t size, uint64_t alignment, uint64_t *start,
                   uint64_t *end_out);

/* Has any buffer a byte? */
bool hry_data_any_bytes(const hry_descriptor *d);

/* Where in the encoded descriptor the handle of buffer `b` is. */
uint64_t hry_data_handle(const hry_descriptor *d, uint32_t b);

#endif
