/* SPDX-License-Identifier: Apache-2.0 */
/* agree.c - make a collective call end the same way on every rank. */
#include "hash.h"
#include "hry/mpi.h"
#include "report.h"

#include <string.h>

hry_status hry_mpi_agree(MPI_Comm comm, hry_status mine, hry_error *err)
{
    struct {
        int status, rank; /* MPI_2INT */
    } local = {.status = (int)mine}, worst;
    MPI_Comm_rank(comm, &local.rank);
    MPI_Allreduce(&local, &worst, 1, MPI_2INT, MPI_MINLOC, comm);
    if (worst.status == HRY_OK)
        return HRY_OK;

    /* Without a report of its own, the rank tells at least what kind of failure it was. */
    hry_error told;
    mpi_report(&told, mine, "%s", hry_status_word(mine));
    if (mine != HRY_OK && err != NULL)
        told = *err;
    MPI_Bcast(&told, (int)sizeof told, MPI_BYTE, worst.rank, comm);
    told.message[sizeof told.message - 1] = '\0';
    mpi_report(err, (hry_status)worst.status, "rank %d: %.220s", worst.rank, told.message);
    if (err != NULL)
        err->offset = told.offset;
    return (hry_status)worst.status;
}

uint64_t hry_mpi_hash(uint64_t seed, const void *bytes, size_t size)
{
    return hry_hash(seed, bytes, size);
}

hry_status hry_mpi_same_hash(MPI_Comm comm, uint64_t hash, const char *what, hry_error *err)
{
    /* The least hash and the least complement: equal hashes give a pair that matches. */
    uint64_t pair[2] = {hash, ~hash}, least[2];
    MPI_Allreduce(pair, least, 2, MPI_UINT64_T, MPI_MIN, comm);
    if (least[0] == ~least[1])
        return HRY_OK;

    uint64_t first = hash;
    MPI_Bcast(&first, 1, MPI_UINT64_T, 0, comm);
    hry_status status = HRY_OK;
    if (first != hash)
        status = HRY_FAIL(err, HRY_ERR_ARG, "%s differs from that of rank 0", what);
    return hry_mpi_agree(comm, status, err);
}

hry_status hry_mpi_same(MPI_Comm comm, const void *bytes, size_t size, const char *what,
                        hry_error *err)
{
    const uint64_t length = size;
    const uint64_t hash = hry_mpi_hash(HRY_MPI_HASH_SEED, &length, sizeof length);
    return hry_mpi_same_hash(comm, hry_mpi_hash(hash, bytes, size), what, err);
}

hry_status hry_mpi_gather_boxes(MPI_Comm comm, uint32_t rank, const uint64_t *start,
                                const uint64_t *size, uint64_t *all_start,
                                uint64_t *all_size, hry_error *err)
{
    HRY_TRY(hry_mpi_same(comm, &rank, sizeof rank, "rank of the boxes", err));
    if (rank > HRY_MAX_RANK)
        return HRY_FAIL(err, HRY_ERR_ARG, "rank %u: at most %d", rank, HRY_MAX_RANK);
    const int n = (int)rank;
    MPI_Allgather(start, n, MPI_UINT64_T, all_start, n, MPI_UINT64_T, comm);
    MPI_Allgather(size, n, MPI_UINT64_T, all_size, n, MPI_UINT64_T, comm);
    return HRY_OK;
}
