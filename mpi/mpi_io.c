/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_io.c - one file that all ranks of a communicator have open. */
#include "hry/mpi.h"
#include "mpiio.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

typedef struct shared_file {
    hry_mpi_group group; /* comm is ours */
    hry_io own;          /* this rank's file */
} shared_file;

static hry_status shared_read(void *ctx, uint64_t offset, void *dst, size_t size,
                              hry_error *err)
{
    return hry_io_read(&((shared_file *)ctx)->own, offset, dst, size, err);
}

static hry_status shared_write(void *ctx, uint64_t offset, const void *src, size_t size,
                               hry_error *err)
{
    return hry_io_write(&((shared_file *)ctx)->own, offset, src, size, err);
}

static hry_status shared_size(void *ctx, uint64_t *size, hry_error *err)
{
    return hry_io_size(&((shared_file *)ctx)->own, size, err);
}

static hry_status shared_truncate(void *ctx, uint64_t size, hry_error *err)
{
    return hry_io_truncate(&((shared_file *)ctx)->own, size, err);
}

static hry_status shared_sync(void *ctx, hry_error *err)
{
    return hry_io_sync(&((shared_file *)ctx)->own, err);
}

static void shared_close(void *ctx)
{
    shared_file *const f = ctx;
    int finalized = 0;
    hry_io_close(&f->own);
    if (MPI_Finalized(&finalized) == MPI_SUCCESS && !finalized)
        MPI_Comm_free(&f->group.comm);
    free(f);
}

static const hry_io_ops shared_ops = {
    .read_at = shared_read,
    .write_at = shared_write,
    .size = shared_size,
    .truncate = shared_truncate,
    .sync = shared_sync,
    .close = shared_close,
};

static hry_status open_own(const char *path, unsigned flags, MPI_Info info, hry_io *out,
                           hry_error *err)
{
    if (flags & HRY_MPI_IO_MPIIO)
        return hry_mpiio_open(path, flags & ~HRY_MPI_IO_MPIIO, info, out, err);
    return hry_io_open(path, flags, out, err);
}

/* On rank 0: open without emptying, and tell whether the file is new. */
static hry_status open_first(const char *path, unsigned flags, MPI_Info info, hry_io *out,
                             bool *made, hry_error *err)
{
    flags &= ~(unsigned)HRY_IO_TRUNCATE;
    *made = false;
    if (flags & HRY_IO_CREATE) {
        const hry_status status = open_own(path, flags | HRY_IO_EXCLUSIVE, info, out, err);
        *made = status == HRY_OK;
        if (*made || flags & HRY_IO_EXCLUSIVE)
            return status;
    }
    return open_own(path, flags, info, out, err);
}

static void unmake(const char *path, unsigned flags)
{
    if (flags & HRY_MPI_IO_MPIIO)
        MPI_File_delete(path, MPI_INFO_NULL);
    else
        remove(path);
}

/* Rank 0 first, then the others, then emptying; all ranks agree after each step. */
static hry_status open_in_turn(shared_file *f, const char *path, unsigned flags,
                               MPI_Info info, hry_error *err)
{
    const unsigned others =
        flags & ~(unsigned)(HRY_IO_CREATE | HRY_IO_TRUNCATE | HRY_IO_EXCLUSIVE);
    const MPI_Comm comm = f->group.comm;
    const bool first = f->group.rank == 0;
    bool made = false;
    hry_status status = HRY_OK;

    if (first)
        status = open_first(path, flags, info, &f->own, &made, err);
    status = hry_mpi_agree(comm, status, err);
    if (status != HRY_OK)
        return status;

    if (!first)
        status = open_own(path, others, info, &f->own, err);
    status = hry_mpi_agree(comm, status, err);
    if (status == HRY_OK && flags & HRY_IO_TRUNCATE) {
        if (first && !made)
            status = hry_io_truncate(&f->own, 0, err);
        status = hry_mpi_agree(comm, status, err);
    }
    if (status != HRY_OK && made)
        unmake(path, flags);
    return status;
}

static hry_status check_arguments(MPI_Comm comm, const char *path, unsigned flags,
                                  const void *memory, hry_error *err)
{
    hry_status status = HRY_OK;
    if (path == NULL)
        status = HRY_FAIL(err, HRY_ERR_ARG, "path: NULL");
    else if (memory == NULL)
        status = HRY_FAIL(err, HRY_ERR_NOMEM, "%s: no memory for a file handle", path);
    HRY_TRY(hry_mpi_agree(comm, status, err));
    const uint64_t hash = hry_mpi_hash(HRY_MPI_HASH_SEED, path, strlen(path));
    return hry_mpi_same_hash(comm, hry_mpi_hash(hash, &flags, sizeof flags),
                             "path or open flags", err);
}

hry_status hry_mpi_io_open(MPI_Comm comm, const char *path, unsigned flags, MPI_Info info,
                           hry_io *out, hry_error *err)
{
    shared_file *const f = calloc(1, sizeof *f);
    hry_status status = check_arguments(comm, path, flags, f, err);
    if (status != HRY_OK) {
        free(f);
        return status;
    }
    MPI_Comm_dup(comm, &f->group.comm);
    MPI_Comm_rank(f->group.comm, &f->group.rank);
    MPI_Comm_size(f->group.comm, &f->group.size);
    hry_io io = {.ops = &shared_ops, .ctx = f};
    status = open_in_turn(f, path, flags, info, err);
    if (status == HRY_OK)
        *out = io;
    else
        hry_io_close(&io);
    return status;
}

static const shared_file *shared_of(const hry_io *io)
{
    return io != NULL && io->ops == &shared_ops ? io->ctx : NULL;
}

hry_status hry_mpi_io_comm(const hry_io *io, hry_mpi_group *out, hry_error *err)
{
    const shared_file *const f = shared_of(io);
    if (f == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "io: not one of hry_mpi_io_open()");
    *out = f->group;
    return HRY_OK;
}

int hry_mpi_io_descriptor(const hry_io *io)
{
    const shared_file *const f = shared_of(io);
    return f == NULL ? -1 : hry_io_descriptor(&f->own);
}
