/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/mpi.h - Hurray files written and read by many ranks.
 *
 * Four layers, each usable alone:
 *   agreement   hry_mpi_agree, hry_mpi_same: a failure on one rank is one on all
 *   a file      hry_mpi_io_open, hry_mpi_bcast_read, hry_mpi_commit
 *   a writer    hry_mpi_writer_...: tensors that every rank writes a part of
 *   a reader    hry_mpi_reader_...: any box of any tensor, under any decomposition
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

/* ---- boxes in memory ---- */

/*
 * Where a box lies in memory: inside a row-major array of `shape` (halo included, say),
 * with its first element at `start`; both in ELEMENTS, one number a dimension. Where a
 * call takes NULL, memory holds the box alone, in row-major order.
 */
typedef struct hry_mpi_memory {
    const uint64_t *shape;
    const uint64_t *start;
} hry_mpi_memory;

/* Collective: every rank passes its own box (`rank` numbers each); all get those of all
 * ranks in order, comm size * rank numbers each. */
HRY_API hry_status hry_mpi_gather_boxes(MPI_Comm comm, uint32_t rank, const uint64_t *start,
                                        const uint64_t *size, uint64_t *all_start,
                                        uint64_t *all_size, hry_error *err);

/* ---- writing ---- */

typedef struct hry_mpi_writer hry_mpi_writer;

/* Whether a tensor given with boxes becomes a partition: one tensor a box under a head. */
typedef enum hry_mpi_shards {
    HRY_MPI_SHARDS_AUTO, /* unless every box is one contiguous run of the whole     */
    HRY_MPI_SHARDS_ALWAYS,
    HRY_MPI_SHARDS_NEVER
} hry_mpi_shards;

typedef struct hry_mpi_writer_options {
    uint32_t alignment; /* of data, in BYTES; 0: HRY_DEFAULT_ALIGNMENT              */
    hry_mpi_shards shards;
    bool sync;     /* closing returns when the file is on stable storage       */
    bool mpiio;    /* MPI-IO in place of POSIX calls                           */
    MPI_Info info; /* used with mpiio only                                     */
} hry_mpi_writer_options;

/*
 * Collective: begin a new file at `path`, replacing one that is there. The same arguments
 * on every rank; options may be NULL. It is a Hurray file only once
 * hry_mpi_writer_close() has succeeded. Errors as hry_mpi_io_open().
 */
HRY_API hry_status hry_mpi_writer_create(MPI_Comm comm, const char *path,
                                         const hry_mpi_writer_options *options,
                                         hry_mpi_writer **out, hry_error *err);

/*
 * Add a tensor. Every rank makes the same calls in the same order; no message is sent,
 * each computes the same offsets. (That they were the same is checked at close.)
 *
 * name   UTF-8, NUL-terminated, copied. Members of a partition get the names "name/.R"
 *        for box R; empty boxes get no member.
 * d      the whole tensor: row-major, one buffer, no dynamic dimension, no shard or member
 *        section, as hry_descriptor_dense() makes; a partition takes no quantization and
 *        no statistics.
 * boxes  NULL: one row-major tensor. Otherwise a decomposition that tiles the shape, which
 *        may become a partition: see hry_mpi_shards.
 * id     for hry_mpi_writer_write()
 *
 * HRY_ERR_ARG    a descriptor, name or decomposition that cannot be taken
 * HRY_ERR_RANGE  sizes beyond 64 bits, or a box outside the shape
 */
HRY_API hry_status hry_mpi_writer_add(hry_mpi_writer *writer, const char *name,
                                      const hry_descriptor *d, const hry_mpi_boxes *boxes,
                                      uint64_t *id, hry_error *err);

/* Add a key-value entry; copied. The same calls on every rank, as above. */
HRY_API hry_status hry_mpi_writer_add_kv(hry_mpi_writer *writer, const hry_kv *kv,
                                         hry_error *err);

/*
 * Independent: write a box of tensor `id`, straight from `data` where runs are long. No
 * two ranks may write the same element. What nobody writes reads as zero.
 *
 * start, size  the box, in ELEMENTS of the whole tensor; a zero size writes nothing
 * memory       where the box lies at `data`, or NULL
 *
 * Types below 8 bits: each run must begin and end on a whole byte, in memory and in the
 * file, or end where both end; whole boxes of a partition always do.
 *
 * HRY_ERR_RANGE        the box leaves the tensor or its place in memory
 * HRY_ERR_UNSUPPORTED  a run that begins or ends inside a byte
 * HRY_ERR_IO           the system refused; hry_mpi_writer_close() will fail as well
 */
HRY_API hry_status hry_mpi_writer_write(hry_mpi_writer *writer, uint64_t id,
                                        const uint64_t *start, const uint64_t *size,
                                        const hry_mpi_memory *memory, const void *data,
                                        hry_error *err);

/*
 * Collective: finish the file and free the writer, on failure too. If any rank's add or
 * write had failed, or the ranks added different tensors, all ranks fail and the file is
 * left without its trailer.
 */
HRY_API hry_status hry_mpi_writer_close(hry_mpi_writer *writer, hry_error *err);

/* Collective: give up and free the writer; the file is left without its trailer. NULL is
 * allowed, on all ranks. */
HRY_API void hry_mpi_writer_abandon(hry_mpi_writer *writer);

/* ---- reading ---- */

typedef struct hry_mpi_reader hry_mpi_reader;

/*
 * Collective: open the file at `path` on all ranks. Rank 0 alone reads header, index and
 * key-value section, and the others get them from it. Errors as hry_file_open().
 */
HRY_API hry_status hry_mpi_reader_open(MPI_Comm comm, const char *path,
                                       hry_mpi_reader **out, hry_error *err);

/* The open file, borrowed until hry_mpi_reader_close(): for looking tensors up. */
HRY_API hry_file *hry_mpi_reader_file(hry_mpi_reader *reader);

/*
 * Independent: read a box of the i-th tensor of the file (hry_file_find() finds it): of a
 * row-major one, or of a partition with row-major members.
 *
 * start, size, memory  as hry_mpi_writer_write()
 *
 * HRY_ERR_RANGE        the box leaves the tensor, or memory
 * HRY_ERR_UNSUPPORTED  another layout, or a run that begins or ends inside a byte
 * HRY_ERR_CORRUPT      the members do not make up the partition
 */
HRY_API hry_status hry_mpi_reader_read(hry_mpi_reader *reader, uint64_t i,
                                       const uint64_t *start, const uint64_t *size,
                                       const hry_mpi_memory *memory, void *data,
                                       hry_error *err);

/* Collective. NULL is allowed, on all ranks. */
HRY_API void hry_mpi_reader_close(hry_mpi_reader *reader);

HRY_END

#endif
