/* SPDX-License-Identifier: Apache-2.0 */
/* Files through HDF5: flags, several handles, what is no file, programs that just end. */
/* kill() and symlink() are POSIX. */
#define _POSIX_C_SOURCE 200809L
#include "h5_test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void a_missing_file_is_refused_by_name(void **state)
{
    (void)state;
    h5_fails(H5Fopen("missing.h5", H5F_ACC_RDWR, H5P_DEFAULT), "missing.h5");
    h5_fails(H5Fopen("missing.h5", H5F_ACC_RDONLY, H5P_DEFAULT), "missing.h5");
    h5_fails(H5Fcreate("nowhere/f.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
             "nowhere/f.h5");
    assert_int_equal(access("missing.h5", F_OK), -1);
}

static void excl_keeps_and_trunc_replaces(void **state)
{
    (void)state;
    hid_t file = h5(H5Fcreate("x.h5", H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT));
    h5_put_ints(file, "a", 10);
    h5(H5Fclose(file));

    h5_fails(H5Fcreate("x.h5", H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT), "x.h5");
    file = h5_open("x.h5");
    h5_assert_ints(file, "a", 10, 0);
    h5_fails(H5Fcreate("x.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "x.h5");
    h5(H5Fclose(file));

    h5(H5Fclose(h5_create("x.h5")));
    file = h5_open("x.h5");
    assert_int_equal(h5(H5Lexists(file, "a", H5P_DEFAULT)), 0);
    h5(H5Fclose(file));
}

static void a_failed_truncation_leaves_the_file(void **state)
{
    (void)state;
    if (geteuid() == 0)
        skip(); /* root may write anything */
    hid_t file = h5_create("locked.h5");
    h5_put_ints(file, "a", 10);
    h5(H5Fclose(file));
    assert_int_equal(chmod("locked.h5", 0444), 0);
    h5_fails(H5Fcreate("locked.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "locked.h5");
    h5_fails(H5Fopen("locked.h5", H5F_ACC_RDWR, H5P_DEFAULT), "locked.h5");
    file = h5(H5Fopen("locked.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    h5_assert_ints(file, "a", 10, 0);
    h5(H5Fclose(file));
}

static void read_only_refuses_every_change(void **state)
{
    (void)state;
    hid_t file = h5_create("ro.h5");
    h5_put_ints(file, "a", 4);
    h5(H5Lcreate_soft("a", file, "s", H5P_DEFAULT, H5P_DEFAULT));
    h5(H5Fclose(file));
    size_t size, again;
    uint8_t *before = h5_slurp("ro.h5", &size);

    file = h5(H5Fopen("ro.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = h5(H5Dopen2(file, "a", H5P_DEFAULT));
    const hid_t space = h5(H5Screate(H5S_SCALAR));
    const int values[4] = {9, 9, 9, 9};
    unsigned intent;
    h5(H5Fget_intent(file, &intent));
    assert_int_equal(intent, H5F_ACC_RDONLY);
    h5_fails(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values),
             "read-only");
    h5_fails(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "read-only");
    h5_fails(
        H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        "read-only");
    h5_fails(H5Acreate2(dataset, "x", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT),
             "read-only");
    h5_fails(H5Ldelete(file, "a", H5P_DEFAULT), "read-only");
    h5_fails(H5Lmove(file, "a", file, "b", H5P_DEFAULT, H5P_DEFAULT), "read-only");
    h5_fails(H5Lcreate_soft("a", file, "t", H5P_DEFAULT, H5P_DEFAULT), "read-only");
    h5_fails(H5Lcreate_hard(file, "a", file, "h", H5P_DEFAULT, H5P_DEFAULT), "read-only");
    if (!h5_is_native()) /* which then cannot close the file */
        h5_fails(H5Ocopy(file, "a", file, "c", H5P_DEFAULT, H5P_DEFAULT), "read-only");
    h5(H5Sclose(space));
    h5(H5Dclose(dataset));
    h5(H5Fclose(file));

    uint8_t *after = h5_slurp("ro.h5", &again);
    assert_int_equal(again, size);
    assert_memory_equal(after, before, size);
    free(before);
    free(after);
}

static void two_handles_are_one_file(void **state)
{
    (void)state;
    const hid_t first = h5_create("two.h5");
    assert_int_equal(symlink("two.h5", "two-link.h5"), 0);
    const hid_t second = h5_open("two-link.h5");
    unsigned long a, b;
    h5(H5Fget_fileno(first, &a));
    h5(H5Fget_fileno(second, &b));
    assert_int_equal(a, b);

    h5_put_ints(first, "by_first", 100);
    h5_assert_ints(second, "by_first", 100, 0);
    h5_put_ints(second, "by_second", 100);
    h5(H5Fclose(second));
    h5_assert_ints(first, "by_second", 100, 0);

    const hid_t other = h5_create("other.h5");
    h5(H5Fget_fileno(other, &b));
    assert_int_not_equal(a, b);
    h5(H5Fclose(other));
    h5(H5Fclose(first));

    const hid_t file = h5_open("two.h5");
    h5_assert_ints(file, "by_first", 100, 0);
    h5_assert_ints(file, "by_second", 100, 0);
    h5(H5Fclose(file));
}

static void a_second_handle_cannot_write_what_the_first_may_not(void **state)
{
    (void)state;
    h5(H5Fclose(h5_create("first-ro.h5")));
    const hid_t file = h5(H5Fopen("first-ro.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    h5_fails(H5Fopen("first-ro.h5", H5F_ACC_RDWR, H5P_DEFAULT), "first-ro.h5");
    h5(H5Fclose(h5(H5Fopen("first-ro.h5", H5F_ACC_RDONLY, H5P_DEFAULT))));
    h5(H5Fclose(file));
    h5(H5Fclose(h5_open("first-ro.h5")));
}

static void accessible(const char *path, bool want)
{
    const htri_t got = H5Fis_accessible(path, H5P_DEFAULT);
    if ((got > 0) != want)
        fail_msg("H5Fis_accessible(%s) is %d", path, (int)got);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_int_equal(file >= 0, want);
    if (file >= 0)
        h5(H5Fclose(file));
}

static void what_is_no_file_is_not_accessible(void **state)
{
    (void)state;
    const char *words = "HDF5 or not, these are words.\n";
    uint8_t zeros[8192] = {0};

    accessible("missing.h5", false);
    assert_int_equal(mkdir("folder.h5", 0777), 0);
    accessible("folder.h5", false);
    h5_spill("empty.h5", "", 0);
    accessible("empty.h5", false);
    h5_spill("words.h5", words, strlen(words));
    accessible("words.h5", false);
    h5_spill("zeros.h5", zeros, sizeof zeros);
    accessible("zeros.h5", false);
    h5_spill("magic.h5", "HRRYFILE", 8);
    accessible("magic.h5", false);
    if (!h5_is_native()) { /* which believes the first 8 bytes */
        h5_spill("hdf5.h5", "\211HDF\r\n\032\n", 8);
        accessible("hdf5.h5", false);
    }
    h5(H5Fclose(h5_create("good.h5")));
    accessible("good.h5", true);
}

/* With another connector than the one that is tested. */
static void the_other_kind_of_file_is_not_ours(void **state)
{
    (void)state;
    if (h5_is_native())
        skip();
    const hid_t fapl = h5(H5Pcreate(H5P_FILE_ACCESS));
    h5(H5Pset_vol(fapl, H5VL_NATIVE, NULL));
    h5(H5Fclose(h5(H5Fcreate("native.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl))));
    assert_true(H5Fis_accessible("native.h5", fapl) > 0);
    h5(H5Pclose(fapl));
    assert_true(H5Fis_accessible("native.h5", H5P_DEFAULT) <= 0);
}

static void a_deleted_file_is_gone(void **state)
{
    (void)state;
    h5(H5Fclose(h5_create("gone.h5")));
    h5(H5Fdelete("gone.h5", H5P_DEFAULT));
    assert_int_equal(access("gone.h5", F_OK), -1);
    h5_fails(H5Fdelete("gone.h5", H5P_DEFAULT), "gone.h5");
    h5_spill("words.h5", "words", 5);
    h5_fails(H5Fdelete("words.h5", H5P_DEFAULT), "not an HDF5 file");
    assert_int_equal(access("words.h5", F_OK), 0);
}

static void leave_open(const void *path)
{
    const hid_t file = h5_create(path);
    h5_put_ints(file, "a", 1000);
    const hid_t group = h5(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    h5_put_ints(group, "b", 3);
    h5(H5Dopen2(group, "b", H5P_DEFAULT)); /* left open as well */
}

static void a_program_may_end_with_files_open(void **state)
{
    (void)state;
    assert_int_equal(h5_in_child(leave_open, "open.h5"), 0);
    const hid_t file = h5_open("open.h5");
    h5_assert_ints(file, "a", 1000, 0);
    h5_assert_ints(file, "g/b", 3, 0);
    h5(H5Fclose(file));
}

static void flush_and_die(const void *path)
{
    const hid_t file = h5_create(path);
    h5_put_ints(file, "a", 1000);
    h5(H5Fflush(file, H5F_SCOPE_GLOBAL));
    if (!h5_is_native())
        h5_put_ints(file, "later", 1000);
    kill(getpid(), SIGKILL);
}

static void what_was_flushed_outlives_a_killed_program(void **state)
{
    (void)state;
    assert_int_equal(h5_in_child(flush_and_die, "killed.h5"), -SIGKILL);
    const hid_t file = h5_open("killed.h5");
    h5_assert_ints(file, "a", 1000, 0);
    h5(H5Fclose(file));
}

static void a_file_closes_when_its_last_object_does(void **state)
{
    (void)state;
    hid_t file = h5_create("weak.h5");
    h5_put_ints(file, "a", 10);
    const hid_t dataset = h5(H5Dopen2(file, "a", H5P_DEFAULT));
    h5(H5Fclose(file));
    file = h5(H5Iget_file_id(dataset));
    h5_put_ints(file, "b", 10);
    h5(H5Fclose(file));
    int values[10];
    h5(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    assert_int_equal(values[9], 9);
    h5_fails(H5Fcreate("weak.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "weak.h5");
    h5(H5Dclose(dataset));
    file = h5_open("weak.h5");
    h5_assert_ints(file, "b", 10, 0);
    h5(H5Fclose(file));
}

static void close_degrees_are_kept(void **state)
{
    (void)state;
    const hid_t fapl = h5(H5Pcreate(H5P_FILE_ACCESS));
    h5(H5Pset_fclose_degree(fapl, H5F_CLOSE_STRONG));
    hid_t file = h5(H5Fcreate("strong.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    h5_put_ints(file, "a", 10);
    const hid_t dataset = h5(H5Dopen2(file, "a", H5P_DEFAULT));
    h5(H5Fclose(file));
    assert_int_equal(H5Iis_valid(dataset), 0);
    file = h5_open("strong.h5");
    h5_assert_ints(file, "a", 10, 0);
    h5(H5Fclose(file));
    h5(H5Pclose(fapl));
}

static void a_file_knows_its_name_and_what_is_open(void **state)
{
    (void)state;
    const hid_t file = h5_create("name.h5");
    h5_put_ints(file, "a", 1);
    const hid_t dataset = h5(H5Dopen2(file, "a", H5P_DEFAULT));
    char name[32] = "";
    assert_int_equal(H5Fget_name(dataset, name, sizeof name), 7);
    assert_string_equal(name, "name.h5");
    assert_int_equal(H5Fget_obj_count(file, H5F_OBJ_ALL), 2);
    assert_int_equal(H5Fget_obj_count(file, H5F_OBJ_DATASET), 1);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 2);
    h5(H5Dclose(dataset));
    h5(H5Fclose(file));
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_file_is_refused_by_name),
        cmocka_unit_test(excl_keeps_and_trunc_replaces),
        cmocka_unit_test(a_failed_truncation_leaves_the_file),
        cmocka_unit_test(read_only_refuses_every_change),
        cmocka_unit_test(two_handles_are_one_file),
        cmocka_unit_test(a_second_handle_cannot_write_what_the_first_may_not),
        cmocka_unit_test(what_is_no_file_is_not_accessible),
        cmocka_unit_test(the_other_kind_of_file_is_not_ours),
        cmocka_unit_test(a_deleted_file_is_gone),
        cmocka_unit_test(a_program_may_end_with_files_open),
        cmocka_unit_test(what_was_flushed_outlives_a_killed_program),
        cmocka_unit_test(a_file_closes_when_its_last_object_does),
        cmocka_unit_test(close_degrees_are_kept),
        cmocka_unit_test(a_file_knows_its_name_and_what_is_open),
    };
    h5_begin(argc, argv);
    return h5_end(cmocka_run_group_tests(tests, NULL, NULL));
}
