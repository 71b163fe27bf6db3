/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_size.h - the data of a tensor that travels. Private to core/src/stream. */
#ifndef HRY_TENSOR_SIZE_H
#define HRY_TENSOR_SIZE_H

#include "hry/descriptor.h"

/*
 * Bytes of all buffers, at most `limit` (HRY_ERR_RANGE); err->offset is a byte of the
 * descriptor. HRY_ERR_UNSUPPORTED when it is opaque: its buffers are not known.
 */
hry_status hry_tensor_size(const hry_descriptor *d, uint64_t limit, uint64_t *size,
                           hry_error *err);

/* Between machines no buffer waits for an event or a stream. */
hry_status hry_tensor_synced(const hry_descriptor *d, hry_error *err);

#endif
