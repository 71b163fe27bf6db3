/* SPDX-License-Identifier: Apache-2.0 */
/* mapping.h - a medium's bytes as memory, where it can be had. Private to core/src. */
#ifndef HRY_MAPPING_H
#define HRY_MAPPING_H

#include "hry/io.h"

/* All of a medium, read-only. `bytes` is NULL when there is no mapping. */
typedef struct hry_mapping {
    const uint8_t *bytes;
    size_t size;
    bool owned; /* to be unmapped; otherwise the medium's own memory */
} hry_mapping;

/*
 * Map the first `size` (> 0) bytes of `io`, until hry_unmap(), which comes before
 * hry_io_close(). HRY_ERR_UNSUPPORTED for media that are neither files nor memory.
 */
hry_status hry_map(const hry_io *io, uint64_t size, hry_mapping *out, hry_error *err);
void hry_unmap(hry_mapping *mapping);

/* The bytes under hry_io_memory(), or NULL for other media. */
const uint8_t *hry_io_memory_bytes(const hry_io *io);

#endif
