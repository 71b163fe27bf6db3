/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - what one rank read, for the others to read from memory: so that a file's
 * metadata is read from disk once, by code that knows nothing of MPI. Private to mpi/.
 */
#ifndef HRY_RECORD_H
#define HRY_RECORD_H

#include "hry/io.h"

#include <mpi.h>
#include <stdint.h>

typedef struct hry_range {
    uint64_t offset, size; /* in the file, in BYTES          */
    uint64_t at;           /* of its first byte in `bytes`   */
} hry_range;

/*
 * Reads of `io`, kept while `active`. Reads within one kept range are answered from it,
 * all others by `io`. Invariant: `at + size` of every range is within `size`.
 */
typedef struct hry_record {
    const hry_io *io; /* borrowed */
    bool active;
    uint64_t file_size;
    size_t count, capacity; /* ranges */
    hry_range *ranges;
    size_t size, room; /* of bytes, in BYTES */
    unsigned char *bytes;
} hry_record;

/* An io over the record, which it borrows; closing it does nothing. */
hry_io hry_record_io(hry_record *record);

/* Collective: rank 0's kept ranges go to all. HRY_ERR_NOMEM, on all ranks. */
hry_status hry_record_share(hry_record *record, MPI_Comm comm, hry_error *err);

/* Forget what was kept: from now on `io` answers. */
void hry_record_drop(hry_record *record);

#endif
