/* SPDX-License-Identifier: Apache-2.0 */
/* sparse.h - what the sparse layouts check alike. Private to core/src/layout. */
#ifndef HRY_SPARSE_H
#define HRY_SPARSE_H

#include "extent.h"

/* Index entries are u64. */
#define HRY_INDEX_SIZE 8

/* Buffer `i` must have exactly `count` entries of `item` bytes. */
hry_status hry_check_entries(const hry_descriptor *d, const hry_places *p, uint32_t i,
                             uint64_t count, uint32_t item, hry_error *err);

/*
 * nnz, the first field of every sparse layout, against the values in buffer 0 and
 * `per_entry` indices for each in buffer `i`, and against the element count. When both
 * buffers disagree with it, nnz is blamed.
 */
hry_status hry_check_nnz(const hry_descriptor *d, const hry_places *p, uint32_t i,
                         uint32_t per_entry, hry_error *err);

#endif
