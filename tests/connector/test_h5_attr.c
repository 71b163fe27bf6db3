/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes on every kind of object, of every kind of value, in both orders. */
#include "h5_test.h"

#include <stdlib.h>
#include <string.h>

static hid_t scalar(void)
{
    return h5(H5Screate(H5S_SCALAR));
}

static void put(hid_t where, const char *name, int value)
{
    const hid_t space = scalar();
    const hid_t attr =
        h5(H5Acreate2(where, name, H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT));
    h5(H5Awrite(attr, H5T_NATIVE_INT, &value));
    h5(H5Aclose(attr));
    h5(H5Sclose(space));
}

static int get(hid_t where, const char *name)
{
    int value = -1;
    const hid_t attr = h5(H5Aopen(where, name, H5P_DEFAULT));
    h5(H5Aread(attr, H5T_NATIVE_INT, &value));
    h5(H5Aclose(attr));
    return value;
}

/* One object of each kind, by number. */
static hid_t object(hid_t file, int kind, bool make)
{
    if (kind == 0)
        return h5(H5Gopen2(file, "/", H5P_DEFAULT));
    if (kind == 1)
        return h5(make ? H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)
                       : H5Gopen2(file, "g", H5P_DEFAULT));
    if (kind == 2) {
        if (make)
            h5_put_ints(file, "d", 3);
        return h5(H5Dopen2(file, "d", H5P_DEFAULT));
    }
    if (make) {
        const hid_t type = h5(H5Tcopy(H5T_NATIVE_INT));
        h5(H5Tcommit2(file, "t", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        h5(H5Tclose(type));
    }
    return h5(H5Topen2(file, "t", H5P_DEFAULT));
}

static void every_kind_of_object_has_attributes(void **state)
{
    (void)state;
    hid_t file = h5_create("kinds.h5");
    for (int kind = 0; kind < 4; kind++) {
        const hid_t o = object(file, kind, true);
        put(o, "first", kind);
        put(o, "a name with spaces / and a slash", kind + 10);
        put(o, "\xc3\xa4\xe2\x82\xac", kind + 20);
        h5(H5Oclose(o));
    }
    h5(H5Fclose(file));
    file = h5_open("kinds.h5");
    for (int kind = 0; kind < 4; kind++) {
        H5O_info2_t info;
        const hid_t o = object(file, kind, false);
        assert_int_equal(get(o, "first"), kind);
        assert_int_equal(get(o, "a name with spaces / and a slash"), kind + 10);
        assert_int_equal(get(o, "\xc3\xa4\xe2\x82\xac"), kind + 20);
        h5(H5Oget_info3(o, &info, H5O_INFO_NUM_ATTRS));
        assert_int_equal(info.num_attrs, 3);
        h5(H5Oclose(o));
    }
    h5(H5Fclose(file));
}

typedef struct record {
    char tag[6];
    double x[3];
} record;

static hid_t record_type(void)
{
    const hsize_t three = 3;
    const hid_t word = h5(H5Tcopy(H5T_C_S1)),
                x = h5(H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &three));
    const hid_t type = h5(H5Tcreate(H5T_COMPOUND, sizeof(record)));
    h5(H5Tset_size(word, 6));
    h5(H5Tinsert(type, "tag", HOFFSET(record, tag), word));
    h5(H5Tinsert(type, "x", HOFFSET(record, x), x));
    h5(H5Tclose(word));
    h5(H5Tclose(x));
    return type;
}

static void write_values(hid_t file)
{
    const record r[2] = {{"one", {1, 2, 3}}, {"two", {4, 5, 6}}};
    const hsize_t two = 2, grid[3] = {2, 3, 4};
    const char *const words[2] = {"a", "longer word"};
    double cube[24];
    for (int i = 0; i < 24; i++)
        cube[i] = i / 2.0;

    hid_t space = h5(H5Screate_simple(1, &two, NULL));
    hid_t type = record_type();
    hid_t attr = h5(H5Acreate2(file, "records", type, space, H5P_DEFAULT, H5P_DEFAULT));
    h5(H5Awrite(attr, type, r));
    h5(H5Aclose(attr));
    h5(H5Tclose(type));

    type = h5(H5Tcopy(H5T_C_S1));
    h5(H5Tset_size(type, H5T_VARIABLE));
    attr = h5(H5Acreate2(file, "words", type, space, H5P_DEFAULT, H5P_DEFAULT));
    h5(H5Awrite(attr, type, words));
    h5(H5Aclose(attr));
    h5(H5Tclose(type));
    h5(H5Sclose(space));

    space = h5(H5Screate_simple(3, grid, NULL));
    attr = h5(H5Acreate2(file, "cube", H5T_IEEE_F32BE, space, H5P_DEFAULT, H5P_DEFAULT));
    h5(H5Awrite(attr, H5T_NATIVE_DOUBLE, cube));
    h5(H5Aclose(attr));
    h5(H5Sclose(space));

    space = h5(H5Screate(H5S_NULL));
    h5(H5Aclose(
        h5(H5Acreate2(file, "null", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT))));
    h5(H5Sclose(space));
    space = scalar();
    h5(H5Aclose(h5(
        H5Acreate2(file, "unwritten", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT))));
    h5(H5Sclose(space));
}

static void check_words(hid_t file)
{
    char *words[2] = {NULL, NULL};
    const hid_t attr = h5(H5Aopen(file, "words", H5P_DEFAULT));
    const hid_t type = h5(H5Aget_type(attr)), space = h5(H5Aget_space(attr));
    h5(H5Aread(attr, type, words));
    assert_string_equal(words[0], "a");
    assert_string_equal(words[1], "longer word");
    h5(H5Treclaim(type, space, H5P_DEFAULT, words));
    h5(H5Sclose(space));
    h5(H5Tclose(type));
    h5(H5Aclose(attr));
}

static void check_values(hid_t file)
{
    record r[2];
    double cube[24];
    hid_t type = record_type();
    hid_t attr = h5(H5Aopen(file, "records", H5P_DEFAULT));
    h5(H5Aread(attr, type, r));
    assert_string_equal(r[1].tag, "two");
    assert_true(r[0].x[2] == 3 && r[1].x[0] == 4);
    h5(H5Aclose(attr));
    h5(H5Tclose(type));
    check_words(file);

    attr = h5(H5Aopen(file, "cube", H5P_DEFAULT));
    h5(H5Aread(attr, H5T_NATIVE_DOUBLE, cube));
    for (int i = 0; i < 24; i++)
        assert_true(cube[i] == i / 2.0);
    assert_int_equal(H5Aget_storage_size(attr), 96);
    const hid_t space = h5(H5Aget_space(attr));
    hsize_t dims[3];
    assert_int_equal(H5Sget_simple_extent_dims(space, dims, NULL), 3);
    assert_int_equal(dims[2], 4);
    h5(H5Sclose(space));
    type = h5(H5Aget_type(attr));
    assert_true(H5Tequal(type, H5T_IEEE_F32BE) > 0);
    h5(H5Tclose(type));
    h5(H5Aclose(attr));

    attr = h5(H5Aopen(file, "null", H5P_DEFAULT));
    const hid_t null = h5(H5Aget_space(attr));
    assert_int_equal(H5Sget_simple_extent_type(null), H5S_NULL);
    h5(H5Sclose(null));
    h5(H5Aclose(attr));
}

static void values_of_every_kind_come_back(void **state)
{
    (void)state;
    hid_t file = h5_create("values.h5");
    write_values(file);
    check_values(file);
    h5(H5Fclose(file));
    file = h5_open("values.h5");
    check_values(file);
    h5(H5Fclose(file));
}

static void attributes_are_overwritten_renamed_and_deleted(void **state)
{
    (void)state;
    hid_t file = h5_create("change.h5");
    const int nine = 9;
    put(file, "a", 1);
    put(file, "b", 2);
    put(file, "c", 3);
    const hid_t space = scalar();
    h5_fails(H5Acreate2(file, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT), "a");
    h5(H5Sclose(space));
    const hid_t attr = h5(H5Aopen(file, "a", H5P_DEFAULT));
    h5(H5Awrite(attr, H5T_NATIVE_INT, &nine));
    h5(H5Arename(file, "b", "z"));
    h5_fails(H5Arename(file, "z", "c"), "c");
    h5(H5Adelete(file, "c"));
    h5_fails(H5Adelete(file, "c"), "c");
    h5_fails(H5Aopen(file, "c", H5P_DEFAULT), "c");
    assert_int_equal(h5(H5Aexists(file, "b")), 0);
    assert_true(h5(H5Aexists(file, "z")) > 0);
    h5(H5Aclose(attr));
    h5(H5Fclose(file));
    file = h5_open("change.h5");
    assert_int_equal(get(file, "a"), 9);
    assert_int_equal(get(file, "z"), 2);
    assert_int_equal(H5Aexists(file, "c"), 0);
    h5(H5Fclose(file));
}

/* ---- orders ---- */

enum { MANY = 300 };

typedef struct seen {
    int n;
    int number[MANY];
} seen;

static herr_t note(hid_t where, const char *name, const H5A_info_t *info, void *ctx)
{
    seen *s = ctx;
    (void)where;
    assert_int_equal(info->data_size, 4);
    s->number[s->n++] = atoi(name + 1);
    return s->n == MANY / 2 ? 7 : 0; /* a break, to be resumed */
}

/* The place of insertion of the i-th name, so that neither order is the other's. */
static int shuffled(int i)
{
    return i * 91 % MANY;
}

static void check_order(hid_t group, H5_index_t by, H5_iter_order_t order)
{
    seen s = {0};
    hsize_t next = 0;
    assert_int_equal(H5Aiterate2(group, by, order, &next, note, &s), 7);
    assert_int_equal(next, MANY / 2);
    h5(H5Aiterate2(group, by, order, &next, note, &s));
    assert_int_equal(s.n, MANY);
    for (int i = 0; i < MANY; i++) {
        const int k = order == H5_ITER_INC ? i : MANY - 1 - i;
        assert_int_equal(s.number[i], by == H5_INDEX_NAME ? k : shuffled(k));
    }
    char name[16] = "";
    h5(H5Aget_name_by_idx(group, ".", by, order, 5, name, sizeof name, H5P_DEFAULT));
    assert_int_equal(atoi(name + 1), s.number[5]);
}

static void check_orders(hid_t group)
{
    check_order(group, H5_INDEX_NAME, H5_ITER_INC);
    check_order(group, H5_INDEX_NAME, H5_ITER_DEC);
    check_order(group, H5_INDEX_CRT_ORDER, H5_ITER_INC);
    check_order(group, H5_INDEX_CRT_ORDER, H5_ITER_DEC);
}

static void many_attributes_in_both_orders(void **state)
{
    (void)state;
    char name[16];
    hid_t file = h5_create("many.h5");
    const hid_t gcpl = h5(H5Pcreate(H5P_GROUP_CREATE));
    h5(H5Pset_attr_creation_order(gcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
    hid_t group = h5(H5Gcreate2(file, "g", H5P_DEFAULT, gcpl, H5P_DEFAULT));
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "n%04d", shuffled(i));
        put(group, name, i);
    }
    check_orders(group);
    h5(H5Gclose(group));
    h5(H5Fclose(file));
    file = h5_open("many.h5");
    group = h5(H5Gopen2(file, "g", H5P_DEFAULT));
    check_orders(group);
    for (int i = 0; i < MANY; i += 2) {
        snprintf(name, sizeof name, "n%04d", i);
        h5(H5Adelete(group, name));
    }
    H5O_info2_t info;
    h5(H5Oget_info3(group, &info, H5O_INFO_NUM_ATTRS));
    assert_int_equal(info.num_attrs, MANY / 2);
    assert_int_equal(get(group, "n0091"), 1);
    h5(H5Gclose(group));
    h5(H5Fclose(file));
    h5(H5Pclose(gcpl));
}

static void a_large_attribute_comes_back(void **state)
{
    (void)state;
    if (h5_is_native())
        skip(); /* its limit is 64 kB by default */
    const hsize_t n = 100000;
    int *values = malloc((size_t)n * sizeof *values);
    hid_t file = h5_create("large.h5");
    const hid_t space = h5(H5Screate_simple(1, &n, NULL));
    hid_t attr =
        h5(H5Acreate2(file, "large", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT));
    for (hsize_t i = 0; i < n; i++)
        values[i] = (int)i * 3;
    h5(H5Awrite(attr, H5T_NATIVE_INT, values));
    h5(H5Aclose(attr));
    h5(H5Sclose(space));
    h5(H5Fclose(file));
    file = h5_open("large.h5");
    attr = h5(H5Aopen(file, "large", H5P_DEFAULT));
    memset(values, 0, (size_t)n * sizeof *values);
    h5(H5Aread(attr, H5T_NATIVE_INT, values));
    assert_int_equal(values[99999], 299997);
    h5(H5Aclose(attr));
    h5(H5Fclose(file));
    free(values);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_object_has_attributes),
        cmocka_unit_test(values_of_every_kind_come_back),
        cmocka_unit_test(attributes_are_overwritten_renamed_and_deleted),
        cmocka_unit_test(many_attributes_in_both_orders),
        cmocka_unit_test(a_large_attribute_comes_back),
    };
    h5_begin(argc, argv);
    return h5_end(cmocka_run_group_tests(tests, NULL, NULL));
}
