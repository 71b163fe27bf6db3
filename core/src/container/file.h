/* SPDX-License-Identifier: Apache-2.0 */
/* file.h - what an open file holds. Private to core/src/container. */
#ifndef HRY_CONTAINER_FILE_H
#define HRY_CONTAINER_FILE_H

#include "container/container.h"
#include "io/mapping.h"

#include <stdatomic.h>

/* Bytes that a decoded descriptor borrows: read once, kept until the file is closed. */
typedef _Atomic(uint8_t *) hry_kept;

/* Nothing changes after opening but `kept`, so threads may share a file. */
struct hry_file {
    hry_io io; /* owned */
    hry_mode mode;
    hry_file_info info;
    hry_mapping map;
    uint8_t *index_bytes, *kv_bytes; /* owned; NULL when mapped */
    hry_index index;
    hry_kv_list kv;
    hry_kept *kept; /* owned: one per tensor; NULL when mapped */
};

#endif
