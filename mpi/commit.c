/* SPDX-License-Identifier: Apache-2.0 */
/* commit.c - metadata: read by one rank for all, written by one rank for all. */
#include "bcast.h"
#include "hry/mpi.h"
#include "report.h"

hry_status hry_mpi_bcast_read(const hry_io *io, uint64_t offset, void *dst, size_t size,
                              hry_error *err)
{
    hry_mpi_group group;
    hry_status status = HRY_OK;
    HRY_TRY(hry_mpi_io_comm(io, &group, err));
    if (group.rank == 0)
        status = hry_io_read(io, offset, dst, size, err);
    HRY_TRY(hry_mpi_agree(group.comm, status, err));
    bcast_bytes(group.comm, dst, size);
    return HRY_OK;
}

static hry_status write_pieces(const hry_io *io, const hry_mpi_piece *pieces, size_t count,
                               bool sync, hry_error *err)
{
    for (size_t i = 0; i < count; i++)
        HRY_TRY(hry_io_write(io, pieces[i].offset, pieces[i].bytes, pieces[i].size, err));
    return sync && count > 0 ? hry_io_sync(io, err) : HRY_OK;
}

static hry_status write_tail(const hry_io *io, const hry_mpi_tail *tail, bool sync,
                             hry_error *err)
{
    if (tail == NULL)
        return HRY_OK;
    if (tail->count > 0) {
        const size_t last = tail->count - 1;
        HRY_TRY(write_pieces(io, tail->pieces, last, sync, err));
        HRY_TRY(write_pieces(io, tail->pieces + last, 1, sync, err));
    }
    if (tail->final_size == HRY_MPI_KEEP_SIZE)
        return HRY_OK;
    HRY_TRY(hry_io_truncate(io, tail->final_size, err));
    return sync ? hry_io_sync(io, err) : HRY_OK;
}

hry_status hry_mpi_commit(const hry_io *io, hry_status mine, const hry_mpi_tail *tail,
                          bool sync, hry_error *err)
{
    hry_mpi_group group;
    HRY_TRY(hry_mpi_io_comm(io, &group, err));
    if (mine == HRY_OK && sync)
        mine = hry_io_sync(io, err);
    HRY_TRY(hry_mpi_agree(group.comm, mine, err));
    hry_status status = HRY_OK;
    if (group.rank == 0)
        status = write_tail(io, tail, sync, err);
    return hry_mpi_agree(group.comm, status, err);
}
