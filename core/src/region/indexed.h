/* SPDX-License-Identifier: Apache-2.0 */
/* indexed.h - boxes of layouts with index buffers. Private to core/src. */
#ifndef HRY_INDEXED_H
#define HRY_INDEXED_H

#include "mover.h"

/* Copy a box that is inside the shape, maybe empty; m has array, ops and sizes. */
hry_status hry_indexed_copy(const hry_tensor *t, const uint64_t *start,
                            const uint64_t *count, hry_mover *m, bool write,
                            hry_error *err);

#endif
