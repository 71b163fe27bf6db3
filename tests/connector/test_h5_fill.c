/* SPDX-License-Identifier: Apache-2.0 */
/* What reads as what nobody wrote: fill values, in every storage, before and after
 * reopening. */
#include "h5_test.h"

#include <stdlib.h>
#include <string.h>

typedef enum storage { CONTIGUOUS, COMPACT, CHUNKED, DEFLATED, STORAGES } storage;

static const char *const storage_names[STORAGES] = {"contiguous", "compact", "chunked",
                                                    "deflated"};
static const hsize_t dims[2] = {6, 10};

static hid_t creation(storage how)
{
    const hsize_t chunk[2] = {4, 4};
    const hid_t dcpl = h5(H5Pcreate(H5P_DATASET_CREATE));

    if (how == COMPACT)
        h5(H5Pset_layout(dcpl, H5D_COMPACT));
    if (how == CHUNKED || how == DEFLATED)
        h5(H5Pset_chunk(dcpl, 2, chunk));
    if (how == DEFLATED)
        h5(H5Pset_deflate(dcpl, 4));
    return dcpl;
}

static void check(hid_t dataset, int fill, bool corner, const char *name)
{
    int values[6][10];
    h5(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 10; k++) {
            const int want = corner && i < 2 && k < 3 ? 10 * i + k : fill;
            if (values[i][k] != want)
                fail_msg("%s: [%d,%d] is %d, not %d", name, i, k, values[i][k], want);
        }
}

static void write_corner(hid_t dataset)
{
    const hsize_t start[2] = {0, 0}, count[2] = {2, 3};
    int values[6][10] = {{0}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            values[i][k] = 10 * i + k;
    const hid_t space = h5(H5Dget_space(dataset));
    h5(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    h5(H5Dwrite(dataset, H5T_NATIVE_INT, space, space, H5P_DEFAULT, values));
    h5(H5Sclose(space));
}

static void one(hid_t file, storage how, bool with_value, bool corner)
{
    const short fill = -77; /* of another type than the dataset */
    const int want = with_value ? fill : 0;
    char name[64];
    H5D_fill_value_t defined;

    snprintf(name, sizeof name, "%s-%d-%d", storage_names[how], with_value, corner);
    hid_t dcpl = creation(how);
    if (with_value)
        h5(H5Pset_fill_value(dcpl, H5T_NATIVE_SHORT, &fill));
    const hid_t dataset = h5_dataset(file, name, H5T_STD_I32BE, 2, dims, NULL, dcpl);
    h5(H5Pclose(dcpl));
    check(dataset, want, false, name);
    if (corner)
        write_corner(dataset);
    check(dataset, want, corner, name);

    int stored = 1;
    dcpl = h5(H5Dget_create_plist(dataset));
    h5(H5Pfill_value_defined(dcpl, &defined));
    assert_int_equal(defined,
                     with_value ? H5D_FILL_VALUE_USER_DEFINED : H5D_FILL_VALUE_DEFAULT);
    h5(H5Pget_fill_value(dcpl, H5T_NATIVE_INT, &stored));
    assert_int_equal(stored, want);
    h5(H5Pclose(dcpl));
    h5(H5Dclose(dataset));
}

static void unwritten_elements_have_the_fill_value(void **state)
{
    (void)state;
    hid_t file = h5_create("fill.h5");
    for (int i = 0; i < STORAGES * 4; i++)
        one(file, (storage)(i / 4), i % 4 / 2, i % 2);
    h5(H5Fclose(file));

    file = h5(H5Fopen("fill.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    for (int i = 0; i < STORAGES * 4; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s-%d-%d", storage_names[i / 4], i % 4 / 2, i % 2);
        const hid_t dataset = h5(H5Dopen2(file, name, H5P_DEFAULT));
        check(dataset, i % 4 / 2 ? -77 : 0, i % 2, name);
        h5(H5Dclose(dataset));
    }
    h5(H5Fclose(file));
}

static void later_writes_keep_the_fill_value_around_them(void **state)
{
    (void)state;
    hid_t file = h5_create("later.h5");
    for (int how = 0; how < STORAGES; how++) {
        const int fill = 5;
        const hid_t dcpl = creation((storage)how);
        h5(H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill));
        h5(H5Dclose(
            h5_dataset(file, storage_names[how], H5T_NATIVE_INT, 2, dims, NULL, dcpl)));
        h5(H5Pclose(dcpl));
    }
    h5(H5Fclose(file));
    for (int again = 0; again < 2; again++) {
        file = h5_open("later.h5");
        for (int how = 0; how < STORAGES; how++) {
            const hid_t dataset = h5(H5Dopen2(file, storage_names[how], H5P_DEFAULT));
            check(dataset, 5, again > 0, storage_names[how]);
            write_corner(dataset);
            check(dataset, 5, true, storage_names[how]);
            h5(H5Dclose(dataset));
        }
        h5(H5Fclose(file));
    }
}

/* A compound with a hole, filled as a whole and by member. */
static void compounds_are_filled_by_member(void **state)
{
    (void)state;
    typedef struct pair {
        char a;
        double b;
    } pair;
    const pair fill = {.a = 7, .b = 2.5};
    const hsize_t n = 5;
    double b[5];
    pair both[5];
    const hid_t type = h5(H5Tcreate(H5T_COMPOUND, sizeof(pair)));
    h5(H5Tinsert(type, "a", HOFFSET(pair, a), H5T_NATIVE_CHAR));
    h5(H5Tinsert(type, "b", HOFFSET(pair, b), H5T_NATIVE_DOUBLE));
    const hid_t only_b = h5(H5Tcreate(H5T_COMPOUND, sizeof(double)));
    h5(H5Tinsert(only_b, "b", 0, H5T_NATIVE_DOUBLE));
    const hid_t dcpl = h5(H5Pcreate(H5P_DATASET_CREATE));
    h5(H5Pset_fill_value(dcpl, type, &fill));

    const hid_t file = h5_create("compound.h5");
    const hid_t dataset = h5_dataset(file, "d", type, 1, &n, NULL, dcpl);
    h5(H5Dread(dataset, only_b, H5S_ALL, H5S_ALL, H5P_DEFAULT, b));
    assert_true(b[0] == 2.5 && b[4] == 2.5);
    for (int i = 0; i < 5; i++)
        both[i] = fill;
    h5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, both));
    b[2] = -1;
    h5(H5Dwrite(dataset, only_b, H5S_ALL, H5S_ALL, H5P_DEFAULT, b));
    h5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, both));
    for (int i = 0; i < 5; i++) {
        assert_int_equal(both[i].a, 7); /* a partial write keeps the other member */
        assert_true(both[i].b == (i == 2 ? -1 : 2.5));
    }
    h5(H5Dclose(dataset));
    h5(H5Fclose(file));
    h5(H5Pclose(dcpl));
    h5(H5Tclose(only_b));
    h5(H5Tclose(type));
}

static void space_is_allocated_when_written_to(void **state)
{
    (void)state;
    const hid_t file = h5_create("late.h5");
    H5D_space_status_t status;
    const hid_t dataset =
        h5_dataset(file, "late", H5T_NATIVE_INT, 2, dims, NULL, H5P_DEFAULT);
    h5(H5Dget_space_status(dataset, &status));
    assert_int_equal(status, H5D_SPACE_STATUS_NOT_ALLOCATED);
    assert_int_equal(H5Dget_storage_size(dataset), 0);
    write_corner(dataset);
    h5(H5Dget_space_status(dataset, &status));
    assert_int_equal(status, H5D_SPACE_STATUS_ALLOCATED);
    assert_true(H5Dget_storage_size(dataset) >= 240);
    h5(H5Dclose(dataset));
    h5(H5Fclose(file));
}

static void space_is_allocated_early_when_asked(void **state)
{
    (void)state;
    if (h5_known("early allocation is not reported"))
        skip();
    const hid_t file = h5_create("early.h5");
    H5D_space_status_t status;
    const hid_t dcpl = h5(H5Pcreate(H5P_DATASET_CREATE));
    h5(H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY));
    const hid_t dataset = h5_dataset(file, "early", H5T_NATIVE_INT, 2, dims, NULL, dcpl);
    h5(H5Dget_space_status(dataset, &status));
    assert_int_equal(status, H5D_SPACE_STATUS_ALLOCATED);
    h5(H5Dclose(dataset));
    h5(H5Pclose(dcpl));
    h5(H5Fclose(file));
}

static void an_undefined_fill_value_may_be_anything(void **state)
{
    (void)state;
    const hid_t file = h5_create("undefined.h5");
    const hid_t dcpl = h5(H5Pcreate(H5P_DATASET_CREATE));
    H5D_fill_value_t defined;
    int values[6][10];
    h5(H5Pset_fill_value(dcpl, -1, NULL));
    const hid_t dataset = h5_dataset(file, "d", H5T_NATIVE_INT, 2, dims, NULL, dcpl);
    write_corner(dataset);
    h5(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    assert_int_equal(values[1][2], 12);
    const hid_t got = h5(H5Dget_create_plist(dataset));
    h5(H5Pfill_value_defined(got, &defined));
    assert_int_equal(defined, H5D_FILL_VALUE_UNDEFINED);
    h5(H5Pclose(got));
    h5(H5Pclose(dcpl));
    h5(H5Dclose(dataset));
    h5(H5Fclose(file));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unwritten_elements_have_the_fill_value),
        cmocka_unit_test(later_writes_keep_the_fill_value_around_them),
        cmocka_unit_test(compounds_are_filled_by_member),
        cmocka_unit_test(space_is_allocated_when_written_to),
        cmocka_unit_test(space_is_allocated_early_when_asked),
        cmocka_unit_test(an_undefined_fill_value_may_be_anything),
    };
    h5_begin(argc, argv);
    return h5_end(cmocka_run_group_tests(tests, NULL, NULL));
}
