/* SPDX-License-Identifier: Apache-2.0 */
/* diff: what differs is told and nothing else; exit codes as those of diff. */
#include "cmocka_all.h"
#include "manifest.h"
#include "tool.h"

#include "hry/hry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two files, of which the second is changed here and there. */
static char path_a[] = "/tmp/hurray_diff_a_XXXXXX", path_b[] = "/tmp/hurray_diff_b_XXXXXX";

static void add(hry_writer *w, const char *name, uint8_t type, uint64_t count,
                const void *values)
{
    hry_descriptor d;
    hry_error err;
    assert_ok(hry_descriptor_dense(type, 1, &count, &d, &err), &err);
    assert_ok(hry_writer_add(w, name, &d, (const void *const[]){values}, &err), &err);
}

static void add_key(hry_writer *w, const char *key, int64_t value)
{
    const hry_kv kv = {.key = key,
                       .key_length = (uint16_t)strlen(key),
                       .tag = HRY_KV_I64,
                       .number = {.i64 = value}};
    hry_error err;
    assert_ok(hry_writer_add_kv(w, &kv, &err), &err);
}

static void write_file(const char *path, int is_second)
{
    float x[] = {1, 2, NAN, INFINITY, -0.0f};
    const int64_t big[] = {INT64_C(9007199254740993), -5};
    const int64_t other[] = {INT64_C(9007199254740992), -5};
    const double y[] = {1, 2, 3};
    const float z[] = {1, 2, 3};
    const uint64_t unsigned_big[] = {UINT64_MAX, 7};
    hry_writer *w;
    hry_error err;
    assert_ok(hry_writer_create(path, NULL, &w, &err), &err);
    if (is_second) {
        x[1] = 2.5f;
        x[4] = 0;
    }
    add(w, "x", HRY_FLOAT32, 5, x);
    add(w, "big", HRY_INT64, 2, is_second ? other : big);
    if (is_second)
        add(w, "y", HRY_FLOAT32, 3, z);
    else
        add(w, "y", HRY_FLOAT64, 3, y);
    add(w, "shape", HRY_FLOAT64, is_second ? 2 : 3, y);
    add(w, is_second ? "new" : "old", HRY_UINT64, 2, unsigned_big);
    add(w, "same", HRY_UINT64, 2, unsigned_big);
    add_key(w, "step", is_second ? 8 : 7);
    add_key(w, is_second ? "b" : "a", 0);
    assert_ok(hry_writer_finish(w, &err), &err);
}

static int make_files(void **state)
{
    (void)state;
    char *paths[] = {path_a, path_b};
    for (int i = 0; i < 2; i++) {
        const int fd = mkstemp(paths[i]);
        assert_true(fd >= 0);
        close(fd);
        write_file(paths[i], i);
    }
    return 0;
}

static int drop_files(void **state)
{
    (void)state;
    return unlink(path_a) | unlink(path_b);
}

static void gives(struct tool_run run, int code, const char *out)
{
    if (run.code != code || strcmp(run.out, out) != 0)
        fail_msg("%d, %s%s", run.code, run.out, run.err);
    tool_free(&run);
}

static void what_differs_is_told(void **state)
{
    (void)state;
    char want[1000];
    snprintf(want, sizeof want,
             "x: 1 of 5 values differ, by at most 0.5 at [1]\n"
             "  [1]          2.0, 2.5\n"
             "big: 1 of 2 values differ, by at most 1 at [0]\n"
             "  [0]          9007199254740993, 9007199254740992\n"
             "y: type float64, float32\n"
             "shape: shape [3], [2]\n"
             "old: tensor only in %s\n"
             "new: tensor only in %s\n"
             "step: key 7, 8\n"
             "a: key only in %s\n"
             "b: key only in %s\n",
             path_a, path_b, path_a, path_b);
    gives(TOOL("diff", path_a, path_b), 1, want);
    gives(TOOL("diff", "-q", path_a, path_b), 1, "");
}

static void tolerances_are_kept(void **state)
{
    (void)state;
    gives(TOOL("diff", "-d", "0.5", path_a, path_b, "x"), 0, "");
    gives(TOOL("diff", "-p", "0.2", path_a, path_b, "x"), 0, "");
    gives(TOOL("diff", "-n0", "-p", "0.19", path_a, path_b, "x"), 1,
          "x: 1 of 5 values differ, by at most 0.5 at [1]\n");
    gives(TOOL("diff", "-n0", "--nan-differs", path_a, path_a, "x"), 1,
          "x: 1 of 5 values differ, by at most inf at [2]\n");
    gives(TOOL("diff", path_a, path_b, "x[::4]"), 0, "");
    gives(TOOL("diff", path_a, path_b, "big[0]", "big[0]"), 1,
          "big: 1 of 1 values differ, by at most 1 at []\n"
          "  []           9007199254740993, 9007199254740992\n");
    gives(TOOL("diff", path_a, path_b, "old", "new"), 0, "");
    gives(TOOL("diff", path_a, path_b, "y[0:2]", "y[1:]"), 1,
          "y: 2 of 2 values differ, by at most 1 at [0]\n"
          "  [0]          1.0, 2.0\n"
          "  [1]          2.0, 3.0\n");
}

static void trouble_is_2(void **state)
{
    (void)state;
    struct tool_run runs[] = {
        TOOL("diff", path_a, "/nowhere/at/all"),
        TOOL("diff", path_a, path_b, "nothing"),
        TOOL("diff", path_a),
        TOOL("diff", "-p", "x", path_a, path_b),
        TOOL("diff", "-d", "-1", path_a, path_b),
        TOOL("diff", path_a, HRY_TEST_DATA "/vectors/interop/bad/bad_file_empty.hrry"),
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        assert_int_equal(runs[i].code, 2);
        assert_string_not_equal(runs[i].err, "");
        tool_free(&runs[i]);
    }
}

static void json_has_it_all(void **state)
{
    (void)state;
    struct tool_run run = TOOL("diff", "--json", path_a, path_b);
    assert_int_equal(run.code, 1);
    cJSON *got = tool_json(&run);
    assert_true(cJSON_IsFalse(json_field(got, "same")));
    assert_int_equal(cJSON_GetArraySize(json_field(got, "differences")), 9);
    const cJSON *x = json_field(got, "differences")->child;
    assert_string_equal(json_text(x, "what"), "values");
    assert_int_equal(json_u64(x, "count"), 1);
    assert_int_equal(json_field(x, "at")->child->valueint, 1);
    cJSON_Delete(got);
    tool_free(&run);
}

/* Every file is the same as itself, and the values of another layout as those of the first.
 */
static void files_are_themselves(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *file;
    cJSON_ArrayForEach(file, manifest_list(root, "good_files"))
    {
        char path[512];
        vector_path("interop", json_text(file, "file"), path);
        if (strstr(path, "large_dims") != NULL)
            continue;
        gives(TOOL("diff", path, path), 0, "");
        gives(TOOL("diff", "--structure", path, path), 0, "");
    }
    cJSON_Delete(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_differs_is_told), cmocka_unit_test(tolerances_are_kept),
        cmocka_unit_test(trouble_is_2),         cmocka_unit_test(json_has_it_all),
        cmocka_unit_test(files_are_themselves),
    };
    return cmocka_run_group_tests(tests, make_files, drop_files);
}
