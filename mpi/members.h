/* SPDX-License-Identifier: Apache-2.0 */
/* members.h - which stored tensors make up one of a file. Private to mpi/; needs no MPI. */
#ifndef HRY_MEMBERS_H
#define HRY_MEMBERS_H

#include "hry/file.h"

/* The rows of a file's index in the order of their descriptors (format section 4). */
typedef struct hry_order {
    struct hry_order_row {
        uint64_t descriptor_offset, i;
    } * rows;
    uint64_t count;
} hry_order;

hry_status hry_order_make(const hry_file *file, hry_order *out, hry_error *err);

/*
 * A row-major tensor, or a partition of such: boxes that tile `shape`, each stored
 * row-major from a byte of the file on.
 */
typedef struct hry_members {
    uint64_t i; /* row of the tensor in the index */
    uint32_t rank, bits;
    uint64_t count;
    uint64_t *shape;        /* owned: `start` and `size` follow in the same memory     */
    uint64_t *start, *size; /* count * rank numbers each, in ELEMENTS                  */
    uint64_t *base;         /* of each member's first element in the file, in BYTES    */
} hry_members;

/*
 * The members of tensor `i`; *order is made when first needed.
 * HRY_ERR_UNSUPPORTED: another layout, or members of another layout or type.
 * HRY_ERR_CORRUPT: the members do not make up the partition.
 */
hry_status hry_members_find(hry_file *file, uint64_t i, hry_order *order, hry_members *out,
                            hry_error *err);

void hry_members_end(hry_members *members);

#endif
