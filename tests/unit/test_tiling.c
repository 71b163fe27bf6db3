/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes that make up a shape, and boxes that do not. */
#include "hry/tiling.h"

#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 317, COUNT = SIDE * SIDE }; /* more than 10^5 boxes */

/* SIDE x SIDE boxes of 3 x 5 elements each. */
static void make_grid(uint64_t *start, uint64_t *size)
{
    for (uint64_t i = 0; i < COUNT; i++) {
        start[2 * i] = i / SIDE * 3;
        start[2 * i + 1] = i % SIDE * 5;
        size[2 * i] = 3;
        size[2 * i + 1] = 5;
    }
}

static void finds_one_wrong_box_of_many(void **state)
{
    (void)state;
    const uint64_t shape[] = {SIDE * 3, SIDE * 5};
    hry_error err;
    uint64_t *start = malloc(2 * COUNT * sizeof *start);
    uint64_t *size = malloc(2 * COUNT * sizeof *size);
    assert_non_null(start);
    assert_non_null(size);
    make_grid(start, size);
    assert_ok(hry_boxes_tile(start, size, COUNT, 2, shape, &err), &err);
    assert_status(HRY_ERR_ARG, hry_boxes_tile(start, size, COUNT - 1, 2, shape, &err),
                  &err);

    /* The right number of elements, one box twice and one not at all. */
    uint64_t *last = start + 2 * (COUNT - 1);
    const uint64_t kept[] = {last[0], last[1]};
    memcpy(last, start, 2 * sizeof *start);
    assert_status(HRY_ERR_ARG, hry_boxes_tile(start, size, COUNT, 2, shape, &err), &err);
    assert_non_null(strstr(err.message, "overlap"));
    memcpy(last, kept, sizeof kept);
    last[1]--;
    assert_status(HRY_ERR_ARG, hry_boxes_tile(start, size, COUNT, 2, shape, &err), &err);
    last[1] += 2;
    assert_status(HRY_ERR_RANGE, hry_boxes_tile(start, size, COUNT, 2, shape, &err), &err);
    free(size);
    free(start);
}

/* Around a middle that no cut goes through. */
static void a_pinwheel_is_a_tiling(void **state)
{
    (void)state;
    const uint64_t start[] = {0, 0, 0, 2, 1, 0, 2, 1, 1, 1};
    uint64_t size[] = {1, 2, 2, 1, 2, 1, 1, 2, 1, 1};
    const uint64_t shape[] = {3, 3};
    hry_error err;
    assert_ok(hry_boxes_tile(start, size, 5, 2, shape, &err), &err);
    size[0] = size[2] = 1;
    size[1] = 3; /* two boxes share a corner, another corner is nobody's */
    size[3] = 1;
    assert_status(HRY_ERR_ARG, hry_boxes_tile(start, size, 5, 2, shape, &err), &err);
}

static void scalars_and_empty_shapes(void **state)
{
    (void)state;
    const uint64_t zero[] = {0, 7, 0, 0}, some[] = {5, 5, 0, 5};
    hry_error err;
    assert_ok(hry_boxes_tile(zero, zero, 1, 0, NULL, &err), &err);
    assert_status(HRY_ERR_ARG, hry_boxes_tile(zero, zero, 2, 0, NULL, &err), &err);
    assert_status(HRY_ERR_ARG, hry_boxes_tile(zero, zero, 0, 0, NULL, &err), &err);
    assert_ok(hry_boxes_tile(some, zero, 2, 2, zero, &err), &err);
    assert_ok(hry_boxes_tile(some, zero, 0, 2, zero, &err), &err);
}

static void numbers_beyond_64_bits_are_refused(void **state)
{
    (void)state;
    const uint64_t shape[] = {UINT64_C(1) << 40, UINT64_C(1) << 40};
    const uint64_t start[] = {UINT64_MAX, 0}, size[] = {2, 1}, small[] = {4, 4};
    hry_error err;
    assert_status(HRY_ERR_RANGE, hry_boxes_tile(start, size, 1, 2, shape, &err), &err);
    assert_status(HRY_ERR_RANGE, hry_boxes_tile(start, size, 1, 2, small, &err), &err);
    assert_status(HRY_ERR_ARG, hry_boxes_tile(start, size, 1, 65, small, &err), &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_one_wrong_box_of_many),
        cmocka_unit_test(a_pinwheel_is_a_tiling),
        cmocka_unit_test(scalars_and_empty_shapes),
        cmocka_unit_test(numbers_beyond_64_bits_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
