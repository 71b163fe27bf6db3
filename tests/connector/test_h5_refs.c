/* SPDX-License-Identifier: Apache-2.0 */
/* References of the kind H5T_STD_REF inside other datatypes, as dimension scales use them.
 */
#include "h5_test.h"

static H5R_ref_t reference_to(hid_t file, const char *name)
{
    H5R_ref_t ref;
    h5(H5Rcreate_object(file, name, H5P_DEFAULT, &ref));
    return ref;
}

static void assert_names(const H5R_ref_t *ref, const char *name)
{
    char found[32] = "";
    h5(H5Rget_obj_name((H5R_ref_t *)ref, H5P_DEFAULT, found, sizeof found));
    assert_string_equal(found, name);
}

static hid_t attribute(hid_t where, const char *name, hid_t type, hsize_t count)
{
    const hid_t space = h5(H5Screate_simple(1, &count, NULL));
    const hid_t attr = h5(H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    h5(H5Sclose(space));
    return attr;
}

static void lists_of_references_come_back_in_the_same_type(void **state)
{
    (void)state;
    const hsize_t count = 2;
    hid_t file = h5_create("lists.h5");
    const hid_t type = h5(H5Tvlen_create(H5T_STD_REF));
    h5_put_ints(file, "x", 3);
    h5_put_ints(file, "y", 3);
    H5R_ref_t both[2] = {reference_to(file, "x"), reference_to(file, "y")};
    const hvl_t lists[2] = {{.len = 0}, {.len = 2, .p = both}};
    hid_t attr = attribute(file, "lists", type, count);
    h5(H5Awrite(attr, type, lists));
    h5(H5Aclose(attr));
    for (int i = 0; i < 2; i++)
        h5(H5Rdestroy(&both[i]));
    h5(H5Fclose(file));

    file = h5_open("lists.h5");
    attr = h5(H5Aopen(file, "lists", H5P_DEFAULT));
    const hid_t found = h5(H5Aget_type(attr)), space = h5(H5Aget_space(attr));
    assert_true(h5(H5Tequal(found, type)) > 0);
    hvl_t back[2];
    h5(H5Aread(attr, found, back));
    assert_int_equal(back[0].len, 0);
    assert_int_equal(back[1].len, 2);
    assert_names(back[1].p, "/x");
    assert_names((H5R_ref_t *)back[1].p + 1, "/y");
    h5(H5Treclaim(found, space, H5P_DEFAULT, back));
    h5(H5Tclose(found));
    h5(H5Tclose(type));
    h5(H5Sclose(space));
    h5(H5Aclose(attr));
    h5(H5Fclose(file));
}

/* What is read may be written again: its datatype is good for both. */
static void references_in_a_compound_are_rewritten_as_they_were_read(void **state)
{
    (void)state;
    typedef struct entry {
        H5R_ref_t ref;
        unsigned dimension;
    } entry;
    hid_t file = h5_create("entries.h5");
    h5_put_ints(file, "x", 3);
    const hid_t type = h5(H5Tcreate(H5T_COMPOUND, sizeof(entry)));
    h5(H5Tinsert(type, "ref", HOFFSET(entry, ref), H5T_STD_REF));
    h5(H5Tinsert(type, "dimension", HOFFSET(entry, dimension), H5T_NATIVE_UINT));
    entry e = {reference_to(file, "x"), 7};
    hid_t attr = attribute(file, "entries", type, 1);
    h5(H5Awrite(attr, type, &e));
    h5(H5Rdestroy(&e.ref));
    h5(H5Aclose(attr));

    attr = h5(H5Aopen(file, "entries", H5P_DEFAULT));
    const hid_t found = h5(H5Aget_type(attr));
    const hid_t memory = h5(H5Tget_native_type(found, H5T_DIR_ASCEND));
    const hid_t copy = attribute(file, "copy", found, 1);
    h5(H5Aread(attr, memory, &e));
    h5(H5Awrite(copy, memory, &e));
    h5(H5Rdestroy(&e.ref));
    h5(H5Aread(copy, memory, &e));
    assert_names(&e.ref, "/x");
    assert_int_equal(e.dimension, 7);
    h5(H5Rdestroy(&e.ref));
    h5(H5Tclose(memory));
    h5(H5Tclose(found));
    h5(H5Tclose(type));
    h5(H5Aclose(copy));
    h5(H5Aclose(attr));
    h5(H5Fclose(file));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_references_come_back_in_the_same_type),
        cmocka_unit_test(references_in_a_compound_are_rewritten_as_they_were_read),
    };
    h5_begin(argc, argv);
    return h5_end(cmocka_run_group_tests(tests, NULL, NULL));
}
