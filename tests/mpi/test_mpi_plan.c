/* SPDX-License-Identifier: Apache-2.0 */
/* Where tensors lie in a file: serial, no MPI. */
#include "plan.h"

#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

static hry_descriptor dense(uint8_t type, uint32_t rank, const uint64_t *shape)
{
    hry_error err;
    hry_descriptor d;
    assert_ok(hry_descriptor_dense(type, rank, shape, &d, &err), &err);
    return d;
}

static hry_plan begin(void)
{
    hry_error err;
    hry_plan plan;
    assert_ok(hry_plan_begin(4096, &plan, &err), &err);
    return plan;
}

static void places_descriptor_then_aligned_data(void **state)
{
    (void)state;
    hry_error err;
    hry_plan plan = begin();
    const hry_descriptor d = dense(HRY_FLOAT32, 2, (const uint64_t[]){3, 4});
    assert_ok(hry_plan_add(&plan, "first", &d, NULL, HRY_PLAN_AUTO, &err), &err);
    assert_ok(hry_plan_add(&plan, "second", &d, NULL, HRY_PLAN_AUTO, &err), &err);
    const hry_plan_part *const first = plan.tensors[0].parts;
    const hry_plan_part *const second = plan.tensors[1].parts;
    assert_int_equal(plan.tensors[0].head_length, 0);
    assert_int_equal(first->descriptor_offset, 64);
    assert_int_equal(first->data_offset, 4096);
    assert_int_equal(first->data_length, 48);
    assert_int_equal(second->descriptor_offset, 4096 + 48);
    assert_int_equal(second->data_offset, 8192);
    assert_int_equal(plan.end, 8192 + 48);
    hry_plan_end(&plan);
}

static void places_a_head_and_a_member_for_each_box(void **state)
{
    (void)state;
    hry_error err;
    hry_descriptor d;
    hry_plan plan = begin();
    const uint64_t shape[2] = {10, 6}, start[8] = {0, 0, 0, 3, 5, 0, 5, 3};
    const uint64_t size[8] = {5, 3, 5, 3, 5, 3, 5, 3};
    const hry_mpi_boxes boxes = {.count = 4, .start = start, .size = size};
    const hry_descriptor whole = dense(HRY_FLOAT64, 2, shape);
    assert_ok(hry_plan_add(&plan, "u", &whole, &boxes, HRY_PLAN_AUTO, &err), &err);

    const hry_plan_tensor *const t = plan.tensors;
    assert_int_equal(t->part_count, 4);
    assert_int_equal(t->head_offset, 64);
    assert_ok(hry_plan_head(t, &d, &err), &err);
    assert_ok(hry_descriptor_validate(&d, &err), &err);
    assert_int_equal(d.fields.composite.member_count, 4);
    assert_int_equal(t->head_length, hry_descriptor_size(&d));

    uint64_t end = t->head_offset + t->head_length;
    for (uint32_t i = 0; i < 4; i++) {
        const hry_plan_part *const p = &t->parts[i];
        assert_int_equal(p->descriptor_offset, (end + 7) / 8 * 8);
        end = p->descriptor_offset + t->part_length;
        assert_int_equal(p->data_offset, (end + 4095) / 4096 * 4096);
        assert_int_equal(p->data_length, 15 * 8);
        end = p->data_offset + p->data_length;
        assert_ok(hry_plan_part_descriptor(&plan, t, i, &d, &err), &err);
        assert_ok(hry_descriptor_validate(&d, &err), &err);
        assert_int_equal(hry_descriptor_size(&d), t->part_length);
        assert_memory_equal(d.shard.parent_shape, shape, sizeof shape);
        assert_memory_equal(d.shard.offset, start + 2 * i, 16);
        assert_memory_equal(d.shape, size + 2 * i, 16);
        assert_int_equal(d.buffers[0].alignment, 4096);
    }
    assert_int_equal(plan.end, end);
    hry_plan_end(&plan);
}

static void leaves_empty_boxes_out(void **state)
{
    (void)state;
    hry_error err;
    hry_plan plan = begin();
    const uint64_t shape[2] = {4, 2}, start[6] = {0, 0, 9, 9, 0, 1};
    const uint64_t size[6] = {4, 1, 0, 1, 4, 1};
    const hry_mpi_boxes boxes = {.count = 3, .start = start, .size = size};
    const hry_descriptor d = dense(HRY_INT8, 2, shape);
    assert_ok(hry_plan_add(&plan, "u", &d, &boxes, HRY_PLAN_AUTO, &err), &err);
    const hry_plan_tensor *const t = plan.tensors;
    assert_int_equal(t->part_count, 2);
    assert_ptr_equal(hry_plan_find(t, 0), &t->parts[0]);
    assert_null(hry_plan_find(t, 1));
    assert_ptr_equal(hry_plan_find(t, 2), &t->parts[1]);
    assert_null(hry_plan_find(t, 3));
    hry_plan_end(&plan);
}

static void keeps_slabs_one_tensor(void **state)
{
    (void)state;
    hry_error err;
    hry_plan plan = begin();
    const uint64_t shape[2] = {4, 2}, start[4] = {0, 0, 3, 0}, size[4] = {3, 2, 1, 2};
    const hry_mpi_boxes boxes = {.count = 2, .start = start, .size = size};
    const hry_descriptor d = dense(HRY_INT8, 2, shape);
    assert_ok(hry_plan_add(&plan, "auto", &d, &boxes, HRY_PLAN_AUTO, &err), &err);
    assert_ok(hry_plan_add(&plan, "always", &d, &boxes, HRY_PLAN_ALWAYS, &err), &err);
    assert_int_equal(plan.tensors[0].head_length, 0);
    assert_int_equal(plan.tensors[1].part_count, 2);
    assert_true(plan.tensors[1].head_length > 0);
    hry_plan_end(&plan);
}

static void plans_scalars_and_empty_tensors(void **state)
{
    (void)state;
    hry_error err;
    hry_plan plan = begin();
    const uint64_t shape[2] = {0, 5}, zero[4] = {0};
    const hry_mpi_boxes boxes = {.count = 2, .start = zero, .size = zero};
    const hry_descriptor scalar = dense(HRY_FLOAT64, 0, NULL);
    const hry_descriptor empty = dense(HRY_FLOAT64, 2, shape);
    assert_ok(hry_plan_add(&plan, "s", &scalar, &boxes, HRY_PLAN_ALWAYS, &err), &err);
    assert_ok(hry_plan_add(&plan, "e", &empty, &boxes, HRY_PLAN_ALWAYS, &err), &err);
    assert_int_equal(plan.tensors[0].parts[0].data_length, 8);
    assert_int_equal(plan.tensors[1].part_count, 1);
    assert_int_equal(plan.tensors[1].head_length, 0);
    assert_int_equal(plan.tensors[1].parts[0].data_length, 0);
    assert_int_equal(plan.end, plan.tensors[1].parts[0].data_offset);
    hry_plan_end(&plan);
}

static void plans_a_hundred_thousand_boxes(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    hry_error err;
    hry_plan plan = begin();
    const uint64_t shape[3] = {500, 500, 40};
    const uint32_t grid[3] = {100, 50, 20};
    uint64_t *const start = malloc(sizeof(uint64_t[COUNT][3]));
    uint64_t *const size = malloc(sizeof(uint64_t[COUNT][3]));
    assert_non_null(start);
    assert_non_null(size);
    assert_ok(hry_mpi_grid(3, shape, grid, start, size, &err), &err);
    const hry_mpi_boxes boxes = {.count = COUNT, .start = start, .size = size};
    const hry_descriptor d = dense(HRY_FLOAT64, 3, shape);
    assert_ok(hry_plan_add(&plan, "u", &d, &boxes, HRY_PLAN_AUTO, &err), &err);
    const hry_plan_tensor *const t = plan.tensors;
    assert_int_equal(t->part_count, COUNT);
    for (uint32_t i = 0; i < COUNT; i += 997) {
        assert_ptr_equal(hry_plan_find(t, i), &t->parts[i]);
        assert_memory_equal(t->parts[i].start, start + (size_t)i * 3, 24);
    }
    size[7]--; /* one element short in the middle */
    assert_status(HRY_ERR_ARG, hry_plan_add(&plan, "v", &d, &boxes, HRY_PLAN_AUTO, &err),
                  &err);
    hry_plan_end(&plan);
    free(start);
    free(size);
}

static void refuses_what_it_cannot_place(void **state)
{
    (void)state;
    hry_error err;
    hry_plan plan = begin();
    const uint64_t shape[1] = {4}, huge[1] = {UINT64_MAX / 16};
    const uint64_t start[2] = {0, 1}, size[2] = {2, 2};
    const hry_mpi_boxes gap = {.count = 2, .start = start, .size = size};
    const hry_descriptor good = dense(HRY_FLOAT32, 1, shape);
    hry_descriptor d = good;
    d.layout_tag = HRY_COLUMN_MAJOR;
    assert_status(HRY_ERR_ARG, hry_plan_add(&plan, "a", &d, NULL, HRY_PLAN_AUTO, &err),
                  &err);
    d = good;
    d.flags = HRY_HAS_SHARD;
    assert_status(HRY_ERR_ARG, hry_plan_add(&plan, "a", &d, NULL, HRY_PLAN_AUTO, &err),
                  &err);
    assert_status(HRY_ERR_ARG, hry_plan_add(&plan, "", &good, NULL, HRY_PLAN_AUTO, &err),
                  &err);
    assert_status(HRY_ERR_ARG, hry_plan_add(&plan, "a", &good, &gap, HRY_PLAN_AUTO, &err),
                  &err);
    d = dense(HRY_FLOAT64, 1, huge);
    assert_status(HRY_ERR_RANGE, hry_plan_add(&plan, "a", &d, NULL, HRY_PLAN_AUTO, &err),
                  &err);
    assert_int_equal(plan.count, 0);
    assert_int_equal(plan.end, 64);
    hry_plan_end(&plan);
    assert_status(HRY_ERR_ARG, hry_plan_begin(1000, &plan, &err), &err);
    assert_status(HRY_ERR_ARG, hry_plan_begin(1u << 22, &plan, &err), &err);
}

static void hashes_tell_plans_apart(void **state)
{
    (void)state;
    hry_error err;
    hry_plan a = begin(), b = begin(), c = begin();
    const hry_descriptor f = dense(HRY_FLOAT32, 1, (const uint64_t[]){4});
    const hry_descriptor i = dense(HRY_INT32, 1, (const uint64_t[]){4});
    assert_ok(hry_plan_add(&a, "x", &f, NULL, HRY_PLAN_AUTO, &err), &err);
    assert_ok(hry_plan_add(&b, "x", &f, NULL, HRY_PLAN_AUTO, &err), &err);
    assert_ok(hry_plan_add(&c, "x", &i, NULL, HRY_PLAN_AUTO, &err), &err);
    assert_true(a.hash == b.hash);
    assert_true(a.hash != c.hash);
    hry_plan_end(&a);
    hry_plan_end(&b);
    hry_plan_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_descriptor_then_aligned_data),
        cmocka_unit_test(places_a_head_and_a_member_for_each_box),
        cmocka_unit_test(leaves_empty_boxes_out),
        cmocka_unit_test(keeps_slabs_one_tensor),
        cmocka_unit_test(plans_scalars_and_empty_tensors),
        cmocka_unit_test(plans_a_hundred_thousand_boxes),
        cmocka_unit_test(refuses_what_it_cannot_place),
        cmocka_unit_test(hashes_tell_plans_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
