/* SPDX-License-Identifier: Apache-2.0 */
/* Decompositions and runs: serial, no MPI. */
#include "box.h"

#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

static void cuts_a_grid_evenly(void **state)
{
    (void)state;
    hry_error err;
    const uint64_t shape[2] = {10, 3};
    const uint32_t grid[2] = {4, 2};
    uint64_t start[16], size[16];
    assert_ok(hry_mpi_grid(2, shape, grid, start, size, &err), &err);
    const uint64_t starts[16] = {0, 0, 0, 2, 3, 0, 3, 2, 6, 0, 6, 2, 8, 0, 8, 2};
    const uint64_t sizes[16] = {3, 2, 3, 1, 3, 2, 3, 1, 2, 2, 2, 1, 2, 2, 2, 1};
    assert_memory_equal(start, starts, sizeof starts);
    assert_memory_equal(size, sizes, sizeof sizes);
    const hry_mpi_boxes boxes = {.count = 8, .start = start, .size = size};
    assert_ok(hry_mpi_boxes_check(&boxes, 2, shape, &err), &err);
}

static void refuses_grids_without_cells_or_with_too_many(void **state)
{
    (void)state;
    hry_error err;
    const uint64_t shape[3] = {8, 8, 8};
    const uint32_t none[3] = {2, 0, 2}, many[3] = {1u << 16, 1u << 16, 2};
    uint64_t start[1], size[1];
    assert_status(HRY_ERR_ARG, hry_mpi_grid(3, shape, none, start, size, &err), &err);
    assert_status(HRY_ERR_RANGE, hry_mpi_grid(3, shape, many, start, size, &err), &err);
    assert_status(HRY_ERR_ARG, hry_mpi_grid(65, shape, many, start, size, &err), &err);
}

static hry_status check2(const uint64_t (*boxes)[4], uint32_t count, uint64_t rows,
                         uint64_t columns, hry_error *err)
{
    uint64_t start[32], size[32];
    const uint64_t shape[2] = {rows, columns};
    for (uint32_t i = 0; i < count; i++) {
        memcpy(start + 2 * i, boxes[i], 16);
        memcpy(size + 2 * i, boxes[i] + 2, 16);
    }
    const hry_mpi_boxes b = {.count = count, .start = start, .size = size};
    return hry_mpi_boxes_check(&b, 2, shape, err);
}

static void accepts_a_pinwheel(void **state)
{
    (void)state;
    hry_error err;
    const uint64_t boxes[5][4] = {
        {0, 0, 1, 2}, {0, 2, 2, 1}, {2, 1, 1, 2}, {1, 0, 2, 1}, {1, 1, 1, 1}};
    assert_ok(check2(boxes, 5, 3, 3, &err), &err);
}

static void accepts_empty_boxes_anywhere(void **state)
{
    (void)state;
    hry_error err;
    const uint64_t boxes[3][4] = {{0, 0, 2, 2}, {99, 99, 0, 4}, {1, 1, 1, 0}};
    assert_ok(check2(boxes, 3, 2, 2, &err), &err);
    assert_ok(check2(boxes + 1, 2, 0, 7, &err), &err);
}

static void refuses_gaps_overlaps_and_strays(void **state)
{
    (void)state;
    hry_error err;
    const uint64_t gap[2][4] = {{0, 0, 2, 2}, {0, 2, 1, 2}};
    const uint64_t twice[2][4] = {{0, 0, 2, 3}, {0, 2, 2, 2}};
    /* volumes add up to the whole: only the check by places can tell */
    const uint64_t both[3][4] = {{0, 0, 2, 2}, {0, 2, 1, 2}, {0, 2, 1, 2}};
    const uint64_t outside[1][4] = {{0, 1, 2, 4}};
    const uint64_t wraps[1][4] = {{1, 0, UINT64_MAX, 4}};
    assert_status(HRY_ERR_ARG, check2(gap, 2, 2, 4, &err), &err);
    assert_string_equal(err.message, "boxes: cover 6 of 8 elements");
    assert_status(HRY_ERR_ARG, check2(twice, 2, 2, 4, &err), &err);
    assert_status(HRY_ERR_ARG, check2(both, 3, 2, 4, &err), &err);
    assert_status(HRY_ERR_RANGE, check2(outside, 1, 2, 4, &err), &err);
    assert_status(HRY_ERR_RANGE, check2(wraps, 1, 2, 4, &err), &err);
}

/* Moving any one box of a tiling by one element breaks it. */
static void notices_every_small_shift(void **state)
{
    (void)state;
    hry_error err;
    const uint64_t shape[3] = {9, 10, 11};
    const uint32_t grid[3] = {3, 3, 3};
    uint64_t start[81], size[81];
    const hry_mpi_boxes boxes = {.count = 27, .start = start, .size = size};
    assert_ok(hry_mpi_grid(3, shape, grid, start, size, &err), &err);
    for (size_t i = 0; i < 81; i++) {
        start[i]++;
        assert_true(hry_mpi_boxes_check(&boxes, 3, shape, &err) != HRY_OK);
        start[i]--;
        size[i]--;
        assert_status(HRY_ERR_ARG, hry_mpi_boxes_check(&boxes, 3, shape, &err), &err);
        size[i]++;
    }
    assert_ok(hry_mpi_boxes_check(&boxes, 3, shape, &err), &err);
}

static void knows_which_boxes_are_one_run(void **state)
{
    (void)state;
    const uint64_t shape[3] = {4, 5, 6};
    assert_true(hry_box_is_run(3, (const uint64_t[]){2, 5, 6}, shape));
    assert_true(hry_box_is_run(3, (const uint64_t[]){1, 3, 6}, shape));
    assert_true(hry_box_is_run(3, (const uint64_t[]){1, 1, 3}, shape));
    assert_false(hry_box_is_run(3, (const uint64_t[]){2, 3, 6}, shape));
    assert_false(hry_box_is_run(3, (const uint64_t[]){1, 2, 3}, shape));
    assert_true(hry_box_is_run(0, NULL, NULL));
}

/* Every element of the box is visited once, at the same logical place in both arrays. */
static void runs_match(const uint64_t *size, hry_box_place a, hry_box_place b,
                       uint64_t want_runs)
{
    hry_box_runs r;
    uint64_t n = 0, count = 0;
    hry_box_runs_begin(&r, 3, size, a, b);
    assert_int_equal(r.left, want_runs);
    for (; r.left > 0; hry_box_runs_next(&r))
        for (uint64_t e = 0; e < r.length; e++, n++) {
            const uint64_t i = n / (size[1] * size[2]), j = n / size[2] % size[1],
                           k = n % size[2];
            assert_int_equal(r.a + e,
                             ((a.start[0] + i) * a.shape[1] + a.start[1] + j) * a.shape[2] +
                                 a.start[2] + k);
            assert_int_equal(r.b + e,
                             ((b.start[0] + i) * b.shape[1] + b.start[1] + j) * b.shape[2] +
                                 b.start[2] + k);
        }
    assert_true(hry_box_count(3, size, &count));
    assert_int_equal(n, count);
}

static void walks_maximal_runs(void **state)
{
    (void)state;
    const uint64_t size[3] = {2, 3, 4}, zero[3] = {0}, one[3] = {1, 1, 1};
    const hry_box_place tight = {.shape = size, .start = zero};
    const hry_box_place halo = {.shape = (const uint64_t[]){4, 5, 6}, .start = one};
    const hry_box_place planes = {.shape = (const uint64_t[]){9, 3, 4}, .start = zero};
    const hry_box_place rows = {.shape = (const uint64_t[]){2, 7, 4}, .start = zero};
    runs_match(size, tight, tight, 1);
    runs_match(size, planes, tight, 1);
    runs_match(size, rows, planes, 2);
    runs_match(size, halo, tight, 6);
    runs_match(size, tight, halo, 6);
    const uint64_t none[3] = {2, 0, 4};
    runs_match(none, halo, tight, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_a_grid_evenly),
        cmocka_unit_test(refuses_grids_without_cells_or_with_too_many),
        cmocka_unit_test(accepts_a_pinwheel),
        cmocka_unit_test(accepts_empty_boxes_anywhere),
        cmocka_unit_test(refuses_gaps_overlaps_and_strays),
        cmocka_unit_test(notices_every_small_shift),
        cmocka_unit_test(knows_which_boxes_are_one_run),
        cmocka_unit_test(walks_maximal_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
