/* SPDX-License-Identifier: Apache-2.0 */
/* A failure on one rank is the same failure on all. */
#include "mpi_test.h"

static void agrees_on_success(void **state)
{
    (void)state;
    hry_error err;
    assert_ok(hry_mpi_agree(MPI_COMM_WORLD, HRY_OK, &err), &err);
    assert_int_equal(hry_mpi_agree(MPI_COMM_WORLD, HRY_OK, NULL), HRY_OK);
}

static void tells_the_message_of_the_last_rank(void **state)
{
    (void)state;
    hry_error err = {.offset = 1, .message = "mine"};
    char want[64];
    hry_status mine = HRY_OK;
    if (my_rank == ranks - 1) {
        mine = HRY_ERR_IO;
        err.offset = 77;
        strcpy(err.message, "disk full");
    }
    assert_int_equal(hry_mpi_agree(MPI_COMM_WORLD, mine, &err), HRY_ERR_IO);
    snprintf(want, sizeof want, "rank %d: disk full", ranks - 1);
    assert_string_equal(err.message, want);
    assert_int_equal(err.offset, 77);
    assert_int_equal(err.code, HRY_ERR_IO);
}

static void prefers_the_lowest_rank_of_the_gravest(void **state)
{
    (void)state;
    hry_error err;
    snprintf(err.message, sizeof err.message, "from %d", my_rank);
    assert_int_equal(hry_mpi_agree(MPI_COMM_WORLD, HRY_ERR_CORRUPT, &err), HRY_ERR_CORRUPT);
    assert_string_equal(err.message, "rank 0: from 0");
}

static void works_without_a_report(void **state)
{
    (void)state;
    hry_error err;
    const hry_status mine = my_rank == 0 ? HRY_ERR_NOMEM : HRY_OK;
    hry_error *const mine_err = my_rank == 0 ? NULL : &err;
    assert_int_equal(hry_mpi_agree(MPI_COMM_WORLD, mine, mine_err), HRY_ERR_NOMEM);
    if (my_rank != 0)
        assert_string_equal(err.message, "rank 0: out of memory");
}

static void keeps_long_messages_terminated(void **state)
{
    (void)state;
    hry_error err;
    memset(err.message, 'x', sizeof err.message);
    err.message[sizeof err.message - 1] = '\0';
    assert_int_equal(hry_mpi_agree(MPI_COMM_WORLD, HRY_ERR_ARG, &err), HRY_ERR_ARG);
    assert_true(strlen(err.message) < sizeof err.message);
}

static void finds_the_same_value_the_same(void **state)
{
    (void)state;
    hry_error err;
    assert_ok(hry_mpi_same(MPI_COMM_WORLD, "a/b", 3, "name", &err), &err);
    assert_ok(hry_mpi_same(MPI_COMM_WORLD, NULL, 0, "nothing", &err), &err);
}

static void names_the_lowest_rank_that_differs(void **state)
{
    (void)state;
    hry_error err;
    const int value = my_rank >= 1 ? my_rank : 0;
    const hry_status status =
        hry_mpi_same(MPI_COMM_WORLD, &value, sizeof value, "shape", &err);
    assert_int_equal(status, ranks == 1 ? HRY_OK : HRY_ERR_ARG);
    if (ranks > 1)
        assert_string_equal(err.message, "rank 1: shape differs from that of rank 0");
}

static void sees_a_difference_in_size_alone(void **state)
{
    (void)state;
    hry_error err;
    const char zeros[8] = {0};
    const hry_status status =
        hry_mpi_same(MPI_COMM_WORLD, zeros, (size_t)my_rank, "zeros", &err);
    assert_int_equal(status, ranks == 1 ? HRY_OK : HRY_ERR_ARG);
}

static void gathers_boxes_in_order(void **state)
{
    (void)state;
    hry_error err;
    const uint64_t start[2] = {(uint64_t)my_rank, 5}, size[2] = {1, (uint64_t)my_rank};
    uint64_t starts[2 * 64], sizes[2 * 64];
    assert_ok(hry_mpi_gather_boxes(MPI_COMM_WORLD, 2, start, size, starts, sizes, &err),
              &err);
    for (int r = 0; r < ranks; r++) {
        assert_int_equal(starts[2 * r], r);
        assert_int_equal(starts[2 * r + 1], 5);
        assert_int_equal(sizes[2 * r + 1], r);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(agrees_on_success),
    cmocka_unit_test(tells_the_message_of_the_last_rank),
    cmocka_unit_test(prefers_the_lowest_rank_of_the_gravest),
    cmocka_unit_test(works_without_a_report),
    cmocka_unit_test(keeps_long_messages_terminated),
    cmocka_unit_test(finds_the_same_value_the_same),
    cmocka_unit_test(names_the_lowest_rank_that_differs),
    cmocka_unit_test(sees_a_difference_in_size_alone),
    cmocka_unit_test(gathers_boxes_in_order),
};

MPI_TEST_MAIN(tests)
