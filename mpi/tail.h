/* SPDX-License-Identifier: Apache-2.0 */
/* tail.h - what rank 0 writes at the end: header, descriptors, footer. Private to mpi/. */
#ifndef HRY_TAIL_H
#define HRY_TAIL_H

#include "hry/mpi.h"
#include "hry/writer.h"
#include "plan.h"

/* Owns everything that the pieces of hry_tail_make() point to. */
typedef struct hry_tail {
    hry_footer *footer;
    bool has_kv;
    uint64_t hash; /* of the key-value entries */
    uint8_t header[HRY_FILE_HEADER_SIZE];
    uint8_t *descriptors;
    hry_mpi_piece *pieces;
} hry_tail;

hry_status hry_tail_begin(hry_tail *out, hry_error *err);
void hry_tail_end(hry_tail *tail);

hry_status hry_tail_add_kv(hry_tail *tail, const hry_kv *kv, hry_error *err);

/* Call once, when all tensors are in `plan`. *out is borrowed until hry_tail_end(). */
hry_status hry_tail_make(hry_tail *tail, const hry_plan *plan, hry_mpi_tail *out,
                         hry_error *err);

#endif
