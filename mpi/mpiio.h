/* SPDX-License-Identifier: Apache-2.0 */
/* mpiio.h - one rank's file through MPI-IO. Private to mpi/. */
#ifndef HRY_MPIIO_H
#define HRY_MPIIO_H

#include "hry/io.h"

#include <mpi.h>

/*
 * As hry_io_open(), by MPI_File_... on MPI_COMM_SELF: a call that waits for other ranks
 * could not fail on one of them alone without leaving the others waiting.
 */
hry_status hry_mpiio_open(const char *path, unsigned flags, MPI_Info info, hry_io *out,
                          hry_error *err);

#endif
