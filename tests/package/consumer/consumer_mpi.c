/* SPDX-License-Identifier: Apache-2.0 */
/* consumer_mpi.c - the smallest user of an installed libhry_mpi. */
#include <hry/mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const hry_status status = hry_mpi_agree(MPI_COMM_WORLD, HRY_OK, NULL);
    MPI_Finalize();
    return status != HRY_OK;
}
