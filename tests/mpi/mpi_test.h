/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_test.h - what tests that run on several ranks share. */
#ifndef MPI_TEST_H
#define MPI_TEST_H

#include "hry/mpi.h"

#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int my_rank, ranks;

/* A path in a directory of this run, the same on every rank. */
static char test_dir[256];

static const char *test_path(const char *name)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", test_dir, name);
    return path;
}

static int mpi_test_begin(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    if (my_rank == 0) {
        snprintf(test_dir, sizeof test_dir, "%s/hry_mpi_XXXXXX",
                 tmp == NULL ? "/tmp" : tmp);
        if (mkdtemp(test_dir) == NULL)
            test_dir[0] = '\0';
    }
    MPI_Bcast(test_dir, (int)sizeof test_dir, MPI_CHAR, 0, MPI_COMM_WORLD);
    return test_dir[0] == '\0';
}

static int mpi_test_end(void **state)
{
    (void)state;
    MPI_Barrier(MPI_COMM_WORLD);
    return my_rank == 0 ? rmdir(test_dir) : 0;
}

/* Remove a file of this run once all ranks are done with it. */
static inline void test_remove(const char *name)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (my_rank == 0)
        remove(test_path(name));
    MPI_Barrier(MPI_COMM_WORLD);
}

static inline bool test_exists(const char *name)
{
    struct stat info;
    return stat(test_path(name), &info) == 0;
}

#define MPI_TEST_MAIN(tests)                                                               \
    int main(int argc, char **argv)                                                        \
    {                                                                                      \
        MPI_Init(&argc, &argv);                                                            \
        MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);                                           \
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);                                             \
        const int failed = cmocka_run_group_tests(tests, mpi_test_begin, mpi_test_end);    \
        MPI_Finalize();                                                                    \
        return failed != 0;                                                                \
    }

#endif
