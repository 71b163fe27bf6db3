/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/mpi.h - Hurray files written and read by many ranks.
 *
 * Layers, each usable alone:
 *   agreement   hry_mpi_agree, hry_mpi_same: a failure on one rank is one on all
 *   a file      hry_mpi_io_open, hry_mpi_bcast_read, hry_mpi_commit
 *
 * "Collective" means that all ranks of the communicator make the call, in the same order
 * among collective calls; it then returns the same status everywhere. All other calls are
 * independent: no rank waits for another. MPI must be initialised; nothing here
 * initialises or finalises it. A handle is used by one thread at a time.
 */
#ifndef HRY_MPI_H
#define HRY_MPI_H

#include "hry/boxes.h"
#include "hry/file.h"
#include "hry/kv.h"

#include <mpi.h>

HRY_BEGIN

/* ---- agreement ---- */

/*
 * Collective. Every rank passes its own outcome, and all return the gravest: the lowest
 * value of hry_status. *err, if anybody failed, becomes the message of the lowest rank
 * that had it, prefixed "rank N: ". Call it once a phase, before any rank enters a
 * collective call that a failed rank would not reach.
 *
 * err  with `mine` != HRY_OK: the report of this rank's failure. May be NULL.
 */
HRY_API hry_status hry_mpi_agree(MPI_Comm comm, hry_status mine, hry_error *err);

/*
 * Collective: have all ranks passed the same bytes? They are compared by a 64-bit hash;
 * sizes may differ (that is a difference). One small allreduce when they agree.
 *
 * what  names the value in the message, such as "path".
 *
 * HRY_ERR_ARG on all ranks, naming the lowest rank that differs from rank 0
 */
HRY_API hry_status hry_mpi_same(MPI_Comm comm, const void *bytes, size_t size,
                                const char *what, hry_error *err);

/* The same for a value that is a hash already. */
HRY_API hry_status hry_mpi_same_hash(MPI_Comm comm, uint64_t hash, const char *what,
                                     hry_error *err);

/* 64-bit hash of `size` bytes, chained from `seed`: start with HRY_MPI_HASH_SEED. */
#define HRY_MPI_HASH_SEED 0xcbf29ce484222325u
HRY_API uint64_t hry_mpi_hash(uint64_t seed, const void *bytes, size_t size);

/* ---- a file that all ranks have open ---- */

/* A flag of hry_mpi_io_open() besides HRY_IO_...: use MPI-IO in place of POSIX calls. */
#define HRY_MPI_IO_MPIIO (1u << 16)

/*
 * Collective: open one file on all ranks. Every rank passes the same path and flags, and
 * gets an io of its own whose reads and writes are independent and positional. Rank 0
 * creates the file and finds out whether it exists; the others open it after that; it is
 * emptied only when all have it open. If any rank fails, all do, nothing stays open, and
 * a file that this call made is removed again.
 *
 * comm   duplicated; the duplicate is freed by hry_io_close(), which is collective here.
 * flags  HRY_IO_..., HRY_MPI_IO_MPIIO
 * info   hints for MPI-IO, or MPI_INFO_NULL
 *
 * HRY_ERR_IO   the system's refusal, as "rank N: path: reason"
 * HRY_ERR_ARG  no path, or the ranks passed different paths or flags
 */
HRY_API hry_status hry_mpi_io_open(MPI_Comm comm, const char *path, unsigned flags,
                                   MPI_Info info, hry_io *out, hry_error *err);

/* The communicator under an io of hry_mpi_io_open(): borrowed until hry_io_close(). */
typedef struct hry_mpi_group {
    MPI_Comm comm;
    int rank, size;
} hry_mpi_group;

/* HRY_ERR_ARG when `io` is not one of hry_mpi_io_open(). */
HRY_API hry_status hry_mpi_io_comm(const hry_io *io, hry_mpi_group *out, hry_error *err);

/* The POSIX descriptor under such an io, borrowed; -1 with MPI-IO or for another io. */
HRY_API int hry_mpi_io_descriptor(const hry_io *io);

/*
 * Collective: rank 0 reads `size` bytes at `offset`, and all get them. Any size; the same
 * offset and size on every rank. Errors as hry_io_read(), on all ranks.
 */
HRY_API hry_status hry_mpi_bcast_read(const hry_io *io, uint64_t offset, void *dst,
                                      size_t size, hry_error *err);

typedef struct hry_mpi_piece {
    uint64_t offset; /* in the file, in BYTES */
    const void *bytes;
    size_t size; /* in BYTES */
} hry_mpi_piece;

#define HRY_MPI_KEEP_SIZE UINT64_MAX

/* What rank 0 writes to end a change. */
typedef struct hry_mpi_tail {
    const hry_mpi_piece *pieces; /* in the order to write them; the last is the trailer */
    size_t count;
    uint64_t final_size; /* of the file, in BYTES, or HRY_MPI_KEEP_SIZE */
} hry_mpi_tail;

/*
 * Collective: end a change. If all ranks' own writes succeeded, rank 0 writes the tail's
 * pieces, the last one when all others are written, then cuts the file to its final size;
 * then all agree. If any rank failed before, nothing is written.
 *
 * mine  this rank's outcome so far, with its report in *err
 * tail  of rank 0; other ranks may pass NULL
 * sync  the same on all ranks: the data reach stable storage before the pieces are
 *       written, and the pieces before the trailer, and the trailer before this returns
 */
HRY_API hry_status hry_mpi_commit(const hry_io *io, hry_status mine,
                                  const hry_mpi_tail *tail, bool sync, hry_error *err);

/* ---- decompositions ---- */

/* Collective: every rank passes its own box (`rank` numbers each); all get those of all
 * ranks in order, comm size * rank numbers each. */
HRY_API hry_status hry_mpi_gather_boxes(MPI_Comm comm, uint32_t rank, const uint64_t *start,
                                        const uint64_t *size, uint64_t *all_start,
                                        uint64_t *all_size, hry_error *err);

HRY_END

#endif
