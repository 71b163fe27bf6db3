/* SPDX-License-Identifier: Apache-2.0 */
/* Where one element of a dense layout is: the format's examples, and hostile input. */
#include "cmocka_all.h"
#include "dense.h"

#include "hry/layout.h"

static int64_t offset_at(const hry_descriptor *d, const uint64_t *index)
{
    hry_error err;
    int64_t offset = 0;
    assert_ok(hry_element_offset(d, d->rank, index, &offset, &err), &err);
    return offset;
}

static hry_descriptor tiled_6_8(uint8_t outer, uint8_t inner)
{
    hry_descriptor d = dense(HRY_FLOAT32, HRY_TILED, 192, 2, SHAPE(6, 8));
    hry_tiled *t = &d.fields.tiled;
    t->depth = 1;
    t->level[0] = (hry_tile_level){.tile_shape = {2, 4}, .outer = outer, .inner = inner};
    return d;
}

static void row_and_column_major_follow_their_strides(void **state)
{
    (void)state;
    const hry_descriptor row = dense(HRY_INT16, HRY_ROW_MAJOR, 48, 3, SHAPE(2, 3, 4));
    assert_int_equal(offset_at(&row, SHAPE(1, 2, 3)), 23);
    assert_int_equal(offset_at(&row, SHAPE(1, 0, 1)), 13);
    const hry_descriptor column = dense(HRY_INT16, HRY_COLUMN_MAJOR, 48, 3, SHAPE(2, 3, 4));
    assert_int_equal(offset_at(&column, SHAPE(1, 2, 3)), 23);
    assert_int_equal(offset_at(&column, SHAPE(1, 0, 1)), 7);
}

static void a_scalar_is_at_its_byte_offset(void **state)
{
    (void)state;
    hry_descriptor d = dense(HRY_INT64, HRY_ROW_MAJOR, 24, 0, NULL);
    d.byte_offset = 16;
    hry_place place;
    hry_error err;
    assert_ok(hry_element_place(&d, 0, NULL, &place, &err), &err);
    assert_int_equal(place.byte, 16);
    d.byte_offset = 17;
    assert_status(HRY_ERR_RANGE, hry_element_place(&d, 0, NULL, &place, &err), &err);
}

static void tiled_example_of_the_format(void **state)
{
    (void)state;
    const hry_descriptor d = tiled_6_8(HRY_ROW_MAJOR, HRY_ROW_MAJOR);
    assert_int_equal(offset_at(&d, SHAPE(3, 5)), 29);
    const hry_descriptor columns = tiled_6_8(HRY_COLUMN_MAJOR, HRY_COLUMN_MAJOR);
    assert_int_equal(offset_at(&columns, SHAPE(3, 5)), 4 * 8 + 3);
}

static void tiles_nest(void **state)
{
    (void)state;
    hry_descriptor d = tiled_6_8(HRY_ROW_MAJOR, HRY_TILED);
    d.fields.tiled.depth = 2;
    d.fields.tiled.level[1] = (hry_tile_level){
        .tile_shape = {1, 2}, .outer = HRY_COLUMN_MAJOR, .inner = HRY_ROW_MAJOR};
    /* tile (1, 1) starts at 24; in it [1, 1] is in inner tile (1, 0), the second */
    assert_int_equal(offset_at(&d, SHAPE(3, 5)), 24 + 2 + 1);
}

static void morton_example_of_the_format(void **state)
{
    (void)state;
    hry_descriptor d = dense(HRY_FLOAT32, HRY_MORTON, 64, 2, SHAPE(4, 4));
    d.fields.morton_bits[0] = d.fields.morton_bits[1] = 2;
    assert_int_equal(offset_at(&d, SHAPE(2, 3)), 14);
}

static void hilbert_table_of_the_format(void **state)
{
    (void)state;
    static const uint64_t curve[16][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 2}, {0, 3},
                                          {1, 3}, {1, 2}, {2, 2}, {2, 3}, {3, 3}, {3, 2},
                                          {3, 1}, {2, 1}, {2, 0}, {3, 0}};
    hry_descriptor d = dense(HRY_FLOAT32, HRY_HILBERT, 64, 2, SHAPE(4, 4));
    d.fields.hilbert_order = 2;
    for (int64_t h = 0; h < 16; h++)
        assert_int_equal(offset_at(&d, curve[h]), h);
}

static void negative_strides_count_down_into_packed_bytes(void **state)
{
    (void)state;
    hry_descriptor d = dense(HRY_UINT4, HRY_STRIDED, 9, 2, SHAPE(3, 5));
    d.byte_offset = 6;
    d.fields.strides[0] = -6;
    d.fields.strides[1] = 1;
    assert_int_equal(offset_at(&d, SHAPE(1, 1)), -5);
    hry_place place;
    hry_error err;
    assert_ok(hry_element_place(&d, 2, SHAPE(1, 1), &place, &err), &err);
    assert_int_equal(place.byte, 3); /* floor(-5 / 2) = -3 */
    assert_int_equal(place.bit, 4);
    assert_ok(hry_element_place(&d, 2, SHAPE(2, 0), &place, &err), &err);
    assert_int_equal(place.byte, 0);
    d.byte_offset = 5;
    assert_status(HRY_ERR_RANGE, hry_element_place(&d, 2, SHAPE(2, 0), &place, &err), &err);
}

static void six_bit_elements_come_in_groups_of_four(void **state)
{
    (void)state;
    hry_descriptor d = dense(HRY_FLOAT6_E2M3, HRY_ROW_MAJOR, 6, 1, SHAPE(7));
    d.byte_offset = 0;
    static const hry_place want[7] = {{0, 0}, {0, 6}, {1, 4}, {2, 2},
                                      {3, 0}, {3, 6}, {4, 4}};
    for (uint64_t i = 0; i < 7; i++) {
        hry_place place;
        hry_error err;
        assert_ok(hry_element_place(&d, 1, &i, &place, &err), &err);
        assert_int_equal(place.byte, want[i].byte);
        assert_int_equal(place.bit, want[i].bit);
    }
    d.buffers[0].byte_size = 5;
    hry_place place;
    hry_error err;
    assert_status(HRY_ERR_RANGE, hry_element_place(&d, 1, SHAPE(4), &place, &err), &err);
}

static void refuses_a_wrong_rank_and_an_index_outside(void **state)
{
    (void)state;
    const hry_descriptor d = dense(HRY_INT8, HRY_ROW_MAJOR, 6, 2, SHAPE(2, 3));
    int64_t offset;
    hry_error err;
    assert_status(HRY_ERR_ARG, hry_element_offset(&d, 1, SHAPE(0), &offset, &err), &err);
    assert_status(HRY_ERR_RANGE, hry_element_offset(&d, 2, SHAPE(0, 3), &offset, &err),
                  &err);
    const hry_descriptor coo = dense(HRY_INT8, HRY_COO, 6, 2, SHAPE(2, 3));
    assert_status(HRY_ERR_UNSUPPORTED,
                  hry_element_offset(&coo, 2, SHAPE(0, 0), &offset, &err), &err);
}

static void refuses_offsets_that_overflow(void **state)
{
    (void)state;
    hry_descriptor d = dense(HRY_FLOAT64, HRY_STRIDED, 64, 2, SHAPE(4, 4));
    d.fields.strides[0] = INT64_MAX / 2;
    d.fields.strides[1] = INT64_MAX / 2;
    int64_t offset;
    hry_place place;
    hry_error err;
    assert_status(HRY_ERR_RANGE, hry_element_offset(&d, 2, SHAPE(3, 0), &offset, &err),
                  &err);
    assert_status(HRY_ERR_RANGE, hry_element_offset(&d, 2, SHAPE(2, 1), &offset, &err),
                  &err);
    assert_status(HRY_ERR_RANGE, hry_element_place(&d, 2, SHAPE(1, 1), &place, &err), &err);
    d.fields.strides[0] = INT64_MIN;
    assert_status(HRY_ERR_RANGE, hry_element_offset(&d, 2, SHAPE(2, 0), &offset, &err),
                  &err);
    const hry_descriptor huge = dense(HRY_INT8, HRY_ROW_MAJOR, 64, 3,
                                      SHAPE(2, UINT64_C(1) << 40, UINT64_C(1) << 40));
    assert_status(HRY_ERR_RANGE,
                  hry_element_offset(&huge, 3, SHAPE(0, 0, 0), &offset, &err), &err);
}

static void codes_that_leave_the_buffer_are_refused(void **state)
{
    (void)state;
    hry_descriptor d = dense(HRY_INT8, HRY_MORTON, 8, 2, SHAPE(2, 4));
    d.fields.morton_bits[0] = 1;
    d.fields.morton_bits[1] = 2; /* bit 1 of axis 1 is bit 3: codes up to 11 */
    hry_place place;
    hry_error err;
    assert_int_equal(offset_at(&d, SHAPE(1, 3)), 11);
    assert_status(HRY_ERR_RANGE, hry_element_place(&d, 2, SHAPE(1, 3), &place, &err), &err);
}

static void a_partial_block_pads_the_rows_it_ends(void **state)
{
    (void)state;
    hry_descriptor d = dense(HRY_INT8, HRY_ROW_MAJOR, 36, 2, SHAPE(3, 10));
    d.flags = HRY_HAS_QUANTIZATION;
    d.quantization =
        (hry_quantization){.scheme = HRY_QUANT_PER_BLOCK, .axis = 1, .block = 4};
    assert_int_equal(offset_at(&d, SHAPE(1, 0)), 12);
    d.quantization.axis = 0;
    assert_int_equal(offset_at(&d, SHAPE(1, 0)), 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_and_column_major_follow_their_strides),
        cmocka_unit_test(a_scalar_is_at_its_byte_offset),
        cmocka_unit_test(tiled_example_of_the_format),
        cmocka_unit_test(tiles_nest),
        cmocka_unit_test(morton_example_of_the_format),
        cmocka_unit_test(hilbert_table_of_the_format),
        cmocka_unit_test(negative_strides_count_down_into_packed_bytes),
        cmocka_unit_test(six_bit_elements_come_in_groups_of_four),
        cmocka_unit_test(refuses_a_wrong_rank_and_an_index_outside),
        cmocka_unit_test(refuses_offsets_that_overflow),
        cmocka_unit_test(codes_that_leave_the_buffer_are_refused),
        cmocka_unit_test(a_partial_block_pads_the_rows_it_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
