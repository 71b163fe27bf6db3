/* SPDX-License-Identifier: Apache-2.0 */
/* medium.c - opening the file under a container; the connector's only use of MPI. */
#include "container.h"
#include "fail.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void hvol_medium_attach(const hvol_medium *medium, hvol_store *store)
{
    store->group = medium->group;
    store->group_ctx = medium->group_ctx;
    store->rank = medium->rank;
    store->ranks = medium->ranks;
}

static hry_status open_alone(const char *path, unsigned flags, hvol_medium *out,
                             hry_error *err)
{
    *out = (hvol_medium){.ranks = 1};
    return hry_io_open(path, flags, &out->io, err);
}

static hry_status delete_alone(const char *path, hry_error *err)
{
    hry_file *file = NULL;
    HRY_TRY(hry_file_open(path, NULL, &file, err));
    hry_file_close(file);
    if (unlink(path) != 0)
        return HRY_FAIL(err, HRY_ERR_IO, "%s: %s", path, strerror(errno));
    return HRY_OK;
}

#ifdef HVOL_HAVE_MPI
#include "hry/mpi.h"

#include <stdlib.h>

static hry_status publish(void *ctx, const hry_io *io, const hvol_piece *pieces,
                          size_t count, uint64_t size, hry_status mine, hry_error *err)
{
    (void)ctx;
    hry_mpi_piece *list = malloc((count + 1) * sizeof *list);
    if (list == NULL && mine == HRY_OK)
        mine = HRY_NO_MEMORY(err, count * sizeof *list);
    for (size_t i = 0; i < count && list != NULL; i++)
        list[i] = (hry_mpi_piece){pieces[i].offset, pieces[i].bytes, pieces[i].size};
    const hry_mpi_tail tail = {.pieces = list, .count = count, .final_size = size};
    const hry_status status = hry_mpi_commit(io, mine, &tail, false, err);
    free(list);
    return status;
}

static MPI_Comm comm_of(const hry_io *io)
{
    hry_mpi_group group = {.comm = MPI_COMM_SELF};
    hry_mpi_io_comm(io, &group, NULL);
    return group.comm;
}

static hry_status meet(void *ctx, const hry_io *io, hry_status mine, hry_error *err)
{
    (void)ctx;
    return hry_mpi_agree(comm_of(io), mine, err);
}

static bool any(void *ctx, const hry_io *io, bool mine)
{
    int local = mine, all = mine;
    (void)ctx;
    MPI_Allreduce(&local, &all, 1, MPI_INT, MPI_LOR, comm_of(io));
    return all != 0;
}

static const hvol_group_ops mpi_group = {.publish = publish, .meet = meet, .any = any};

static hry_status open_together(const char *path, unsigned flags, MPI_Comm comm,
                                MPI_Info info, const hvol_options *options,
                                hvol_medium *out, hry_error *err)
{
    hry_mpi_group group;
    if (options->mpiio)
        flags |= HRY_MPI_IO_MPIIO;
    *out = (hvol_medium){.group = &mpi_group};
    HRY_TRY(hry_mpi_io_open(comm, path, flags, info, &out->io, err));
    HRY_TRY(hry_mpi_io_comm(&out->io, &group, err));
    out->rank = (uint32_t)group.rank;
    out->ranks = (uint32_t)group.size;
    return HRY_OK;
}

/* Copies of what an MPI FAPL holds, to be freed by free_fapl(). */
static hry_status read_fapl(hid_t fapl, MPI_Comm *comm, MPI_Info *info, hry_error *err)
{
    *comm = MPI_COMM_NULL;
    *info = MPI_INFO_NULL;
    return H5Pget_fapl_mpio(fapl, comm, info) >= 0
               ? HRY_OK
               : HRY_FAIL(err, HRY_ERR_ARG, "MPI communicator of the FAPL cannot be read");
}

static void free_fapl(MPI_Comm *comm, MPI_Info *info)
{
    MPI_Comm_free(comm);
    if (*info != MPI_INFO_NULL)
        MPI_Info_free(info);
}

hry_status hvol_medium_open(const char *path, unsigned flags, hid_t fapl,
                            const hvol_options *options, hvol_medium *out, hry_error *err)
{
    MPI_Comm comm;
    MPI_Info info;
    if (H5Pget_driver(fapl) != H5FD_MPIO)
        return open_alone(path, flags, out, err);
    HRY_TRY(read_fapl(fapl, &comm, &info, err));
    const hry_status status = open_together(path, flags, comm, info, options, out, err);
    free_fapl(&comm, &info);
    return status;
}

hry_status hvol_medium_delete(const char *path, hid_t fapl, hry_error *err)
{
    MPI_Comm comm;
    MPI_Info info;
    int rank = 0;
    if (H5Pget_driver(fapl) != H5FD_MPIO)
        return delete_alone(path, err);
    HRY_TRY(read_fapl(fapl, &comm, &info, err));
    MPI_Comm_rank(comm, &rank);
    hry_error local = {.message = ""};
    hry_status status = rank == 0 ? delete_alone(path, &local) : HRY_OK;
    status = hry_mpi_agree(comm, status, &local);
    if (status != HRY_OK && err != NULL)
        *err = local;
    free_fapl(&comm, &info);
    return status;
}

#else

hry_status hvol_medium_open(const char *path, unsigned flags, hid_t fapl,
                            const hvol_options *options, hvol_medium *out, hry_error *err)
{
    (void)fapl, (void)options;
    return open_alone(path, flags, out, err);
}

hry_status hvol_medium_delete(const char *path, hid_t fapl, hry_error *err)
{
    (void)fapl;
    return delete_alone(path, err);
}

#endif
