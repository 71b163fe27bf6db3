/* SPDX-License-Identifier: Apache-2.0 */
/* One file open on all ranks: every failure is everybody's, and leaves nothing behind. */
#include "mpi_test.h"

enum { WRITE_NEW = HRY_IO_WRITE | HRY_IO_CREATE | HRY_IO_TRUNCATE };

static hry_io open_ok(const char *name, unsigned flags)
{
    hry_error err;
    hry_io io;
    assert_ok(
        hry_mpi_io_open(MPI_COMM_WORLD, test_path(name), flags, MPI_INFO_NULL, &io, &err),
        &err);
    return io;
}

static void open_fails(const char *path, unsigned flags, hry_status want)
{
    hry_error err;
    hry_io io = {0};
    assert_status(
        want, hry_mpi_io_open(MPI_COMM_WORLD, path, flags, MPI_INFO_NULL, &io, &err), &err);
    assert_null(io.ops);
    assert_memory_equal(err.message, "rank ", 5);
}

static void share(unsigned extra)
{
    hry_error err;
    hry_mpi_group group;
    uint64_t size;
    int mine = 100 + my_rank, next = 0, all[64];
    hry_io io = open_ok("shared", WRITE_NEW | extra);
    assert_ok(hry_mpi_io_comm(&io, &group, &err), &err);
    assert_int_equal(group.rank, my_rank);
    assert_int_equal(group.size, ranks);
    assert_int_equal(hry_mpi_io_descriptor(&io) >= 0, extra == 0);

    const uint64_t at = (uint64_t)my_rank * sizeof mine;
    assert_ok(hry_io_write(&io, at, &mine, sizeof mine, &err), &err);
    assert_ok(hry_io_sync(&io, &err), &err);
    MPI_Barrier(group.comm);
    const int other = (my_rank + 1) % ranks;
    assert_ok(hry_io_read(&io, (uint64_t)other * sizeof next, &next, sizeof next, &err),
              &err);
    assert_int_equal(next, 100 + other);
    assert_ok(hry_io_size(&io, &size, &err), &err);
    assert_int_equal(size, (size_t)ranks * sizeof mine);
    assert_status(HRY_ERR_TRUNCATED, hry_io_read(&io, size, &next, sizeof next, &err),
                  &err);

    assert_ok(hry_mpi_bcast_read(&io, 0, all, (size_t)size, &err), &err);
    assert_int_equal(all[ranks - 1], 100 + ranks - 1);
    assert_status(HRY_ERR_TRUNCATED, hry_mpi_bcast_read(&io, 1, all, (size_t)size, &err),
                  &err);
    hry_io_close(&io);
    test_remove("shared");
}

static void shares_a_file_by_posix(void **state)
{
    (void)state;
    share(0);
}

static void shares_a_file_by_mpi_io(void **state)
{
    (void)state;
    share(HRY_MPI_IO_MPIIO);
}

static void fails_everywhere_without_a_directory(void **state)
{
    (void)state;
    const char *path = test_path("no/such/file");
    open_fails(path, WRITE_NEW, HRY_ERR_IO);
    open_fails(path, WRITE_NEW | HRY_MPI_IO_MPIIO, HRY_ERR_IO);
    open_fails(path, HRY_IO_READ, HRY_ERR_IO);
}

static void keeps_exclusive_creation_exclusive(void **state)
{
    (void)state;
    const char *path = test_path("once");
    const unsigned flags = HRY_IO_WRITE | HRY_IO_CREATE | HRY_IO_EXCLUSIVE;
    hry_io io = open_ok("once", flags);
    hry_io_close(&io);
    open_fails(path, flags, HRY_ERR_IO);
    assert_true(test_exists("once"));
    test_remove("once");
}

/* Rank 0 can open the file, the last rank cannot: its root is elsewhere. */
static void fails_everywhere_when_one_rank_cannot_open(void **state)
{
    (void)state;
    hry_error err;
    hry_io io = {0};
    char home[512] = "";
    if (ranks == 1)
        skip();
    assert_non_null(getcwd(home, sizeof home));
    assert_int_equal(chdir(my_rank == ranks - 1 ? "/proc" : test_dir), 0);
    assert_status(
        HRY_ERR_IO,
        hry_mpi_io_open(MPI_COMM_WORLD, "fresh", WRITE_NEW, MPI_INFO_NULL, &io, &err),
        &err);
    assert_int_equal(chdir(home), 0);
    assert_null(io.ops);
    char want[32];
    snprintf(want, sizeof want, "rank %d: ", ranks - 1);
    assert_memory_equal(err.message, want, strlen(want));
    MPI_Barrier(MPI_COMM_WORLD);
    assert_false(test_exists("fresh")); /* what this call made is gone again */
}

static void empties_nothing_when_one_rank_cannot_open(void **state)
{
    (void)state;
    hry_error err;
    hry_io io = open_ok("old", WRITE_NEW);
    char home[512] = "";
    uint64_t size;
    if (ranks > 1) {
        if (my_rank == 0)
            assert_ok(hry_io_write(&io, 0, "kept", 4, &err), &err);
        hry_io_close(&io);
        assert_non_null(getcwd(home, sizeof home));
        assert_int_equal(chdir(my_rank == ranks - 1 ? "/proc" : test_dir), 0);
        assert_status(
            HRY_ERR_IO,
            hry_mpi_io_open(MPI_COMM_WORLD, "old", WRITE_NEW, MPI_INFO_NULL, &io, &err),
            &err);
        assert_int_equal(chdir(home), 0);
        io = open_ok("old", HRY_IO_READ);
        assert_ok(hry_io_size(&io, &size, &err), &err);
        assert_int_equal(size, 4);
    }
    hry_io_close(&io);
    test_remove("old");
}

static void refuses_different_paths_and_flags(void **state)
{
    (void)state;
    hry_error err;
    hry_io io = {0};
    if (ranks == 1)
        skip();
    const char *name = my_rank == 1 ? "one" : "other";
    assert_status(HRY_ERR_ARG,
                  hry_mpi_io_open(MPI_COMM_WORLD, test_path(name), WRITE_NEW, MPI_INFO_NULL,
                                  &io, &err),
                  &err);
    assert_string_equal(err.message,
                        "rank 1: path or open flags differs from that of rank 0");
    const unsigned flags = my_rank == 1 ? HRY_IO_READ : WRITE_NEW;
    open_fails(test_path("other"), flags, HRY_ERR_ARG);
    open_fails(my_rank == 0 ? NULL : test_path("other"), WRITE_NEW, HRY_ERR_ARG);
    assert_false(test_exists("one"));
    assert_false(test_exists("other"));
}

static void commits_pieces_and_size(void **state)
{
    (void)state;
    hry_error err;
    hry_io io = open_ok("commit", WRITE_NEW);
    const char data[8] = "datadata";
    char all[16];
    uint64_t size;
    const hry_mpi_piece pieces[2] = {{2, "mid", 3}, {6, "end!", 4}};
    const hry_mpi_tail tail = {.pieces = pieces, .count = 2, .final_size = 10};
    if (my_rank == ranks - 1)
        for (uint64_t at = 0; at < 24; at += 8)
            assert_ok(hry_io_write(&io, at, data, 8, &err), &err);
    assert_ok(hry_mpi_commit(&io, HRY_OK, my_rank == 0 ? &tail : NULL, true, &err), &err);
    assert_ok(hry_io_size(&io, &size, &err), &err);
    assert_int_equal(size, 10);
    assert_ok(hry_io_read(&io, 0, all, 10, &err), &err);
    assert_memory_equal(all, "da", 2);
    assert_memory_equal(all + 2, "mid", 3);
    assert_memory_equal(all + 6, "end!", 4);
    hry_io_close(&io);
    test_remove("commit");
}

static void commits_nothing_when_one_rank_failed(void **state)
{
    (void)state;
    hry_error err = {.code = HRY_ERR_IO, .message = "disk full"};
    hry_io io = open_ok("commit", WRITE_NEW);
    uint64_t size;
    const hry_mpi_piece piece = {0, "trailer", 7};
    const hry_mpi_tail tail = {.pieces = &piece, .count = 1, .final_size = 7};
    const hry_status mine = my_rank == ranks - 1 ? HRY_ERR_IO : HRY_OK;
    assert_int_equal(hry_mpi_commit(&io, mine, &tail, false, &err), HRY_ERR_IO);
    assert_ok(hry_io_size(&io, &size, &err), &err);
    assert_int_equal(size, 0);
    hry_io_close(&io);

    io = open_ok("commit", HRY_IO_READ); /* rank 0's own write fails: nobody succeeds */
    assert_status(HRY_ERR_IO, hry_mpi_commit(&io, HRY_OK, &tail, false, &err), &err);
    assert_memory_equal(err.message, "rank 0: ", 8);
    hry_io_close(&io);
    test_remove("commit");
}

static void tells_other_media_apart(void **state)
{
    (void)state;
    hry_error err;
    hry_mpi_group group;
    hry_io io;
    assert_ok(hry_io_memory("x", 1, &io, &err), &err);
    assert_status(HRY_ERR_ARG, hry_mpi_io_comm(&io, &group, &err), &err);
    assert_int_equal(hry_mpi_io_descriptor(&io), -1);
    hry_io_close(&io);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(shares_a_file_by_posix),
    cmocka_unit_test(shares_a_file_by_mpi_io),
    cmocka_unit_test(fails_everywhere_without_a_directory),
    cmocka_unit_test(keeps_exclusive_creation_exclusive),
    cmocka_unit_test(fails_everywhere_when_one_rank_cannot_open),
    cmocka_unit_test(empties_nothing_when_one_rank_cannot_open),
    cmocka_unit_test(refuses_different_paths_and_flags),
    cmocka_unit_test(commits_pieces_and_size),
    cmocka_unit_test(commits_nothing_when_one_rank_failed),
    cmocka_unit_test(tells_other_media_apart),
};

MPI_TEST_MAIN(tests)
