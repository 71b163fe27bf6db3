/* SPDX-License-Identifier: Apache-2.0 */
/* transfer.h - move a box between an array in a file and one in memory. Private to mpi/. */
#ifndef HRY_TRANSFER_H
#define HRY_TRANSFER_H

#include "box.h"
#include "hry/io.h"

/* A row-major tensor in a file and a row-major array in memory that share a box. */
typedef struct hry_transfer {
    uint64_t base; /* file offset of the tensor's first element, in BYTES */
    uint32_t bits; /* of one element                                      */
    uint32_t rank;
    const uint64_t *size; /* of the box, in ELEMENTS                             */
    hry_box_place file, memory;
} hry_transfer;

/*
 * Long runs go straight between file and memory; short ones that are neighbours in the
 * file share one call through a small buffer. The box is proven to lie inside both
 * arrays, and the file's to fit 63-bit offsets.
 *
 * HRY_ERR_UNSUPPORTED  a run begins or ends inside a byte
 * and the errors of hry_io_write(), hry_io_read()
 */
hry_status hry_transfer_write(const hry_io *io, const hry_transfer *t, const void *data,
                              hry_error *err);
hry_status hry_transfer_read(const hry_io *io, const hry_transfer *t, void *data,
                             hry_error *err);

#endif
