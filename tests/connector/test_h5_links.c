/* SPDX-License-Identifier: Apache-2.0 */
/* Links: iteration in both orders, visits, by index, soft, external, hard, moved, deleted.
 */
#include "h5_test.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 500 };

static int shuffled(int i)
{
    return i * 91 % MANY;
}

static void group_in(hid_t where, const char *name)
{
    h5(H5Gclose(h5(H5Gcreate2(where, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
}

typedef struct seen {
    int n;
    int stop; /* after so many; 0: never */
    char names[MANY][32];
} seen;

static herr_t note(hid_t where, const char *name, const H5L_info2_t *info, void *ctx)
{
    seen *s = ctx;
    (void)where;
    (void)info;
    assert_in_range(s->n, 0, MANY - 1);
    snprintf(s->names[s->n++], sizeof s->names[0], "%s", name);
    return s->n == s->stop ? 3 : 0;
}

static void check_order(hid_t group, H5_index_t by, H5_iter_order_t order)
{
    static seen s;
    hsize_t next = 0;
    char name[32];

    s = (seen){.stop = 100};
    assert_int_equal(H5Literate2(group, by, order, &next, note, &s), 3);
    assert_int_equal(next, 100);
    h5(H5Literate2(group, by, order, &next, note, &s));
    assert_int_equal(s.n, MANY);
    for (int i = 0; i < MANY; i++) {
        const int k = order == H5_ITER_INC ? i : MANY - 1 - i;
        assert_int_equal(atoi(s.names[i] + 1), by == H5_INDEX_NAME ? k : shuffled(k));
    }
    for (hsize_t i = 0; i < MANY; i += 57) {
        H5L_info2_t info;
        h5(H5Lget_name_by_idx(group, ".", by, order, i, name, sizeof name, H5P_DEFAULT));
        assert_string_equal(name, s.names[i]);
        h5(H5Lget_info_by_idx2(group, ".", by, order, i, &info, H5P_DEFAULT));
        assert_int_equal(info.type, H5L_TYPE_HARD);
        assert_int_equal(shuffled((int)info.corder), atoi(name + 1));
    }
    h5_fails(
        H5Lget_name_by_idx(group, ".", by, order, MANY, name, sizeof name, H5P_DEFAULT),
        "");
}

static void check_orders(hid_t group)
{
    check_order(group, H5_INDEX_NAME, H5_ITER_INC);
    check_order(group, H5_INDEX_NAME, H5_ITER_DEC);
    check_order(group, H5_INDEX_CRT_ORDER, H5_ITER_INC);
    check_order(group, H5_INDEX_CRT_ORDER, H5_ITER_DEC);
}

static void many_links_in_both_orders(void **state)
{
    (void)state;
    char name[32];
    hid_t file = h5_create("many.h5");
    const hid_t gcpl = h5(H5Pcreate(H5P_GROUP_CREATE));
    h5(H5Pset_link_creation_order(gcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
    hid_t group = h5(H5Gcreate2(file, "g", H5P_DEFAULT, gcpl, H5P_DEFAULT));
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "n%04d", shuffled(i));
        group_in(group, name);
    }
    check_orders(group);
    h5(H5Gclose(group));
    h5(H5Fclose(file));
    file = h5_open("many.h5");
    group = h5(H5Gopen2(file, "g", H5P_DEFAULT));
    check_orders(group);
    H5G_info_t info;
    for (int i = 0; i < MANY / 2; i++)
        h5(H5Ldelete_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, 0, H5P_DEFAULT));
    h5(H5Gget_info(group, &info));
    assert_int_equal(info.nlinks, MANY / 2);
    assert_int_equal(info.max_corder, MANY);
    assert_int_equal(H5Lexists(group, "n0000", H5P_DEFAULT), 0); /* the first created */
    h5(H5Gclose(group));
    h5(H5Fclose(file));
    h5(H5Pclose(gcpl));
}

static void creation_order_must_be_kept_to_be_asked_for(void **state)
{
    (void)state;
    static seen s;
    hsize_t next = 0;
    const hid_t file = h5_create("untracked.h5");
    group_in(file, "a");
    h5_fails(H5Literate2(file, H5_INDEX_CRT_ORDER, H5_ITER_INC, &next, note, &s), "");
    h5(H5Fclose(file));
}

/* a/b/d, a/s (soft), a/again (hard to a), x (external), d (hard to a/b/d) */
static hid_t family(void)
{
    hid_t file = h5_create("outside.h5");
    h5_put_ints(file, "there", 7);
    h5(H5Fclose(file));
    file = h5_create("family.h5");
    group_in(file, "a");
    group_in(file, "a/b");
    h5_put_ints(file, "a/b/d", 5);
    h5(H5Lcreate_soft("/a/b/d", file, "a/s", H5P_DEFAULT, H5P_DEFAULT));
    h5(H5Lcreate_soft("nowhere", file, "a/dangling", H5P_DEFAULT, H5P_DEFAULT));
    h5(H5Lcreate_hard(file, "a", file, "a/again", H5P_DEFAULT, H5P_DEFAULT));
    h5(H5Lcreate_hard(file, "a/b/d", file, "d", H5P_DEFAULT, H5P_DEFAULT));
    h5(H5Lcreate_external("outside.h5", "there", file, "x", H5P_DEFAULT, H5P_DEFAULT));
    return file;
}

static void join(const seen *s, char *out, size_t size)
{
    out[0] = '\0';
    for (int i = 0; i < s->n; i++)
        snprintf(out + strlen(out), size - strlen(out), "%s ", s->names[i]);
}

static herr_t note_object(hid_t where, const char *name, const H5O_info2_t *info, void *ctx)
{
    seen *s = ctx;
    (void)where;
    snprintf(s->names[s->n++], sizeof s->names[0], "%s=%d*%u", name, (int)info->type,
             info->rc);
    return 0;
}

static void visits_see_each_once(void **state)
{
    (void)state;
    static seen s;
    char text[512];
    const hid_t file = family();
    s = (seen){0};
    h5(H5Lvisit2(file, H5_INDEX_NAME, H5_ITER_INC, note, &s));
    join(&s, text, sizeof text);
    assert_string_equal(text, "a a/again a/b a/b/d a/dangling a/s d x ");
    s = (seen){0};
    h5(H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, note_object, &s, H5O_INFO_BASIC));
    join(&s, text, sizeof text);
    assert_string_equal(text, ".=0*1 a=0*2 a/b=0*1 a/b/d=1*2 ");
    h5(H5Fclose(file));
}

static void links_lead_where_they_say(void **state)
{
    (void)state;
    char value[64];
    const char *path, *object;
    H5L_info2_t info;
    hid_t file = family();
    for (int again = 0; again < 2; again++) {
        h5_assert_ints(file, "a/s", 5, 0);
        h5_assert_ints(file, "/a/again/again/b/d", 5, 0);
        h5_assert_ints(file, "d", 5, 0);
        h5_assert_ints(file, "x", 7, 0);
        h5_fails(H5Oopen(file, "a/dangling", H5P_DEFAULT), "");
        h5(H5Lget_info2(file, "a/s", &info, H5P_DEFAULT));
        assert_int_equal(info.type, H5L_TYPE_SOFT);
        assert_int_equal(info.u.val_size, 7);
        h5(H5Lget_val(file, "a/s", value, sizeof value, H5P_DEFAULT));
        assert_string_equal(value, "/a/b/d");
        h5(H5Lget_info2(file, "x", &info, H5P_DEFAULT));
        assert_int_equal(info.type, H5L_TYPE_EXTERNAL);
        h5(H5Lget_val(file, "x", value, sizeof value, H5P_DEFAULT));
        h5(H5Lunpack_elink_val(value, info.u.val_size, NULL, &path, &object));
        assert_string_equal(path, "outside.h5");
        assert_string_equal(object, "there"); /* as given, or made absolute */
        assert_int_equal(H5Lexists(file, "a/dangling", H5P_DEFAULT), 1);
        assert_int_equal(H5Oexists_by_name(file, "a/dangling", H5P_DEFAULT), 0);
        h5(H5Fclose(file));
        file = h5_open("family.h5");
    }
    h5(H5Fclose(file));
}

static void moved_copied_and_deleted_links_keep_the_object(void **state)
{
    (void)state;
    hid_t file = family();
    h5(H5Lmove(file, "a/b/d", file, "moved", H5P_DEFAULT, H5P_DEFAULT));
    h5(H5Ldelete(file, "d", H5P_DEFAULT));
    h5(H5Lcopy(file, "a/s", file, "s2", H5P_DEFAULT, H5P_DEFAULT));
    h5_assert_ints(file, "moved", 5, 0);
    h5_fails(H5Oopen(file, "s2", H5P_DEFAULT), "");
    const hid_t dataset = h5(H5Dopen2(file, "moved", H5P_DEFAULT));
    h5(H5Ldelete(file, "moved", H5P_DEFAULT)); /* the last one, while it is open */
    int values[5];
    h5(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    assert_int_equal(values[4], 4);
    h5(H5Lcreate_hard(dataset, ".", file, "a/b/d", H5P_DEFAULT, H5P_DEFAULT));
    h5(H5Dclose(dataset));
    h5(H5Fclose(file));
    file = h5_open("family.h5");
    h5_assert_ints(file, "s2", 5, 0);
    h5_fails(H5Lmove(file, "a", file, "x", H5P_DEFAULT, H5P_DEFAULT), "x");
    h5_fails(H5Ldelete(file, "moved", H5P_DEFAULT), "moved");
    h5_fails(H5Gopen2(file, "a/b/d", H5P_DEFAULT), "");
    h5_fails(H5Gcreate2(file, "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "a");
    h5_fails(H5Gcreate2(file, "p/q", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "p");
    h5(H5Fclose(file));
}

static void loops_of_soft_links_end(void **state)
{
    (void)state;
    const hid_t file = h5_create("loop.h5");
    h5(H5Lcreate_soft("two", file, "one", H5P_DEFAULT, H5P_DEFAULT));
    h5(H5Lcreate_soft("one", file, "two", H5P_DEFAULT, H5P_DEFAULT));
    h5_fails(H5Oopen(file, "one", H5P_DEFAULT), "");
    h5(H5Lcreate_external("loop.h5", "self", file, "self", H5P_DEFAULT, H5P_DEFAULT));
    h5_fails(H5Oopen(file, "self", H5P_DEFAULT), "");
    h5(H5Fclose(file));
    const hid_t again = h5_open("loop.h5");
    h5(H5Fclose(again));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_links_in_both_orders),
        cmocka_unit_test(creation_order_must_be_kept_to_be_asked_for),
        cmocka_unit_test(visits_see_each_once),
        cmocka_unit_test(links_lead_where_they_say),
        cmocka_unit_test(moved_copied_and_deleted_links_keep_the_object),
        cmocka_unit_test(loops_of_soft_links_end),
    };
    h5_begin(argc, argv);
    return h5_end(cmocka_run_group_tests(tests, NULL, NULL));
}
