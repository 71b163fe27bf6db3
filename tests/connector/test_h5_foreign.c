/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same tensors for everyone: HDF5 opens files of other writers, and readers that know
 * no HDF5 open what HDF5 wrote. tests/hdf5/foreign.sh does the first for every vector.
 */
#include "h5_test.h"
#include "sample_file.h"

#include <stdlib.h>
#include <string.h>

static void the_golden_file_is_two_datasets(void **state)
{
    (void)state;
    const hid_t file = h5(H5Fopen(HRY_TEST_DATA "/vectors/golden/files/basic.hrry",
                                  H5F_ACC_RDONLY, H5P_DEFAULT));
    float weights[4] = {9, 9, 9, 9};
    int bias[3] = {9, 9, 9};
    hid_t dataset = h5(H5Dopen2(file, "weights", H5P_DEFAULT));
    hid_t type = h5(H5Dget_type(dataset));
    assert_true(H5Tequal(type, H5T_IEEE_F32LE) > 0);
    h5(H5Tclose(type));
    h5(H5Dread(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, weights));
    for (int i = 0; i < 4; i++)
        assert_true(weights[i] == 0);
    h5(H5Dclose(dataset));
    dataset = h5(H5Dopen2(file, "/bias", H5P_DEFAULT));
    type = h5(H5Dget_type(dataset));
    assert_true(H5Tequal(type, H5T_STD_I8LE) > 0);
    h5(H5Tclose(type));
    h5(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, bias));
    assert_int_equal(bias[0] | bias[1] | bias[2], 0);
    h5(H5Dclose(dataset));
    h5(H5Fclose(file));
}

static void its_key_values_are_attributes_of_the_root(void **state)
{
    (void)state;
    if (h5_known("key-values are no attributes"))
        skip();
    const hid_t file = h5(H5Fopen(HRY_TEST_DATA "/vectors/golden/files/basic.hrry",
                                  H5F_ACC_RDONLY, H5P_DEFAULT));
    long long count = 0;
    hid_t attr = h5(H5Aopen(file, "tensor_count", H5P_DEFAULT));
    h5(H5Aread(attr, H5T_NATIVE_LLONG, &count));
    assert_int_equal(count, 2);
    h5(H5Aclose(attr));
    attr = h5(H5Aopen(file, "producer", H5P_DEFAULT));
    const hid_t type = h5(H5Aget_type(attr));
    assert_int_equal(H5Tget_class(type), H5T_STRING);
    h5(H5Tclose(type));
    h5(H5Aclose(attr));
    h5(H5Fclose(file));
}

static void a_foreign_file_is_not_changed_by_reading(void **state)
{
    (void)state;
    size_t size, again;
    uint8_t *golden = h5_slurp(HRY_TEST_DATA "/vectors/golden/files/basic.hrry", &size);
    h5_spill("copy.h5", golden, size);
    hid_t file = h5(H5Fopen("copy.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    h5(H5Fclose(file));
    file = h5_open("copy.h5"); /* for writing, but nothing is written */
    h5(H5Fclose(file));
    uint8_t *after = h5_slurp("copy.h5", &again);
    assert_int_equal(again, size);
    assert_memory_equal(after, golden, size);
    free(after);
    free(golden);
}

static void a_foreign_file_can_be_added_to(void **state)
{
    (void)state;
    hry_error err;
    hry_file *plain;
    uint64_t row;
    size_t size;
    uint8_t *golden = h5_slurp(HRY_TEST_DATA "/vectors/golden/files/basic.hrry", &size);
    h5_spill("more.h5", golden, size);
    free(golden);
    hid_t file = h5_open("more.h5");
    h5(H5Gclose(h5(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    h5_put_ints(file, "g/new", 5);
    h5(H5Fclose(file));
    assert_ok(hry_file_open("more.h5", NULL, &plain, &err), &err);
    assert_ok(hry_file_find(plain, "weights", 7, &row, &err), &err);
    assert_ok(hry_file_find(plain, "g/new", 5, &row, &err), &err);
    hry_kv kv;
    assert_ok(hry_file_kv_find(plain, "tensor_count", &kv, &err), &err);
    assert_int_equal(kv.number.i64, 2);
    hry_file_close(plain);
}

/* ---- the other way ---- */

static void write_numbers(void)
{
    const hsize_t dims[2] = {3, 4};
    double values[12];
    for (int i = 0; i < 12; i++)
        values[i] = i + 0.5;
    const hid_t file = h5_create("numbers.h5");
    h5(H5Gclose(h5(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    const hid_t dataset =
        h5_dataset(file, "g/x", H5T_IEEE_F64BE, 2, dims, NULL, H5P_DEFAULT);
    h5(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    h5(H5Dclose(dataset));
    h5(H5Fclose(file));
}

static void plain_readers_see_what_hdf5_wrote(void **state)
{
    (void)state;
    hry_error err;
    hry_file *file;
    hry_descriptor d;
    uint64_t row, offset;
    double values[12];
    write_numbers();
    assert_ok(hry_file_open("numbers.h5", NULL, &file, &err), &err);
    assert_ok(hry_file_find(file, "g/x", 3, &row, &err), &err);
    assert_ok(hry_file_descriptor(file, row, &d, &err), &err);
    assert_int_equal(d.type_tag, HRY_FLOAT64);
    assert_int_equal(d.layout_tag, HRY_ROW_MAJOR);
    assert_int_equal(d.rank, 2);
    assert_int_equal(d.shape[0], 3);
    assert_int_equal(d.shape[1], 4);
    assert_ok(hry_file_buffer(file, row, &d, 0, &offset, &err), &err);
    assert_ok(hry_file_read(file, offset + d.byte_offset, values, sizeof values, &err),
              &err);
    for (int i = 0; i < 12; i++)
        assert_true(values[i] == i + 0.5); /* little-endian, whatever HDF5's type was */
    hry_file_close(file);
}

static void names_of_ours_begin_with_hdf5(void **state)
{
    (void)state;
    hry_error err;
    hry_file *file;
    write_numbers();
    assert_ok(hry_file_open("numbers.h5", NULL, &file, &err), &err);
    for (uint64_t i = 0; i < hry_file_count(file); i++) {
        hry_entry e;
        assert_ok(hry_file_entry(file, i, &e, &err), &err);
        assert_true((e.name_length == 3 && memcmp(e.name, "g/x", 3) == 0) ||
                    (e.name_length > 6 && memcmp(e.name, ".hdf5/", 6) == 0));
    }
    hry_file_close(file);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_golden_file_is_two_datasets),
        cmocka_unit_test(its_key_values_are_attributes_of_the_root),
        cmocka_unit_test(a_foreign_file_is_not_changed_by_reading),
        cmocka_unit_test(a_foreign_file_can_be_added_to),
        cmocka_unit_test(plain_readers_see_what_hdf5_wrote),
        cmocka_unit_test(names_of_ours_begin_with_hdf5),
    };
    h5_begin(argc, argv);
    return h5_end(cmocka_run_group_tests(tests, NULL, NULL));
}
