/* SPDX-License-Identifier: Apache-2.0 */
/* bcast.h - rank 0's bytes to all ranks, however many. Private to mpi/. */
#ifndef HRY_BCAST_H
#define HRY_BCAST_H

#include <mpi.h>
#include <stddef.h>

/* Collective: `size` bytes, the same on all ranks; MPI counts are int, so in parts. */
static inline void bcast_bytes(MPI_Comm comm, void *bytes, size_t size)
{
    const size_t most = (size_t)1 << 30;
    for (char *at = bytes; size > 0;) {
        const size_t part = size < most ? size : most;
        MPI_Bcast(at, (int)part, MPI_BYTE, 0, comm);
        at += part;
        size -= part;
    }
}

#endif
