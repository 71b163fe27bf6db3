/* SPDX-License-Identifier: Apache-2.0 */
/* ls and show on files that other implementations wrote: every field is as told. */
#include "cmocka_all.h"
#include "manifest.h"
#include "tool.h"

#include "hry/hry.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *path_of(const cJSON *told)
{
    char *path = malloc(512);
    assert_non_null(path);
    vector_path("interop", json_text(told, "file"), path);
    return path;
}

/* What is not in the descriptor but in the buffers, or only said about it. */
static void drop_what_show_does_not_read(cJSON *descriptor)
{
    cJSON *q = cJSON_GetObjectItem(descriptor, "quantization");
    static const char *const names[] = {"scales", "zero_points", "scale_bytes",
                                        "parameters_per"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cJSON_DeleteItemFromObject(q, names[i]);
}

static void shows_a_file_as_told(const cJSON *told)
{
    char *path = path_of(told);
    struct tool_run run = TOOL("show", path, "--json");
    assert_int_equal(run.code, 0);
    assert_string_equal(run.err, "");
    cJSON *got = tool_json(&run);
    static const char *const parts[] = {"size", "header", "trailer", "tensor_count", "kv"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        json_has_all(json_field(told, parts[i]), json_field(got, parts[i]), path);

    const cJSON *tensor, *shown = json_field(got, "tensors")->child;
    cJSON_ArrayForEach(tensor, json_field(told, "tensors"))
    {
        cJSON *descriptor = cJSON_GetObjectItem(tensor, "descriptor");
        drop_what_show_does_not_read(descriptor);
        json_has_all(json_field(tensor, "name"), json_field(shown, "name"), path);
        json_has_all(json_field(tensor, "index"), json_field(shown, "index"), path);
        json_has_all(descriptor, json_field(shown, "descriptor"), path);
        json_has_all(json_field(tensor, "buffer_offsets"),
                     json_field(shown, "buffer_offsets"), path);
        shown = shown->next;
    }
    assert_null(shown);
    cJSON_Delete(got);
    tool_free(&run);
    free(path);
}

static void json_of_files_is_as_told(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *told;
    cJSON_ArrayForEach(told, manifest_list(root, "good_files")) shows_a_file_as_told(told);
    cJSON_Delete(root);
}

static void json_of_descriptors_is_as_told(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *told;
    cJSON_ArrayForEach(told, manifest_list(root, "good_descriptors"))
    {
        char *path = path_of(told);
        struct tool_run run = TOOL("show", "--json", path);
        assert_int_equal(run.code, 0);
        cJSON *got = tool_json(&run);
        cJSON *descriptor = cJSON_GetObjectItem(told, "descriptor");
        drop_what_show_does_not_read(descriptor);
        json_has_all(descriptor, json_field(got, "descriptor"), path);
        cJSON_Delete(got);
        tool_free(&run);
        free(path);
    }
    cJSON_Delete(root);
}

static void lists_every_tensor_as_told(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *told, *tensor;
    cJSON_ArrayForEach(told, manifest_list(root, "good_files"))
    {
        char *path = path_of(told);
        struct tool_run run = TOOL("ls", "-a", "--json", path);
        assert_int_equal(run.code, 0);
        cJSON *got = tool_json(&run);
        const cJSON *listed = json_field(got, "tensors")->child;
        cJSON_ArrayForEach(tensor, json_field(told, "tensors"))
        {
            const cJSON *d = json_field(tensor, "descriptor");
            json_has_all(json_field(tensor, "name"), json_field(listed, "name"), path);
            json_has_all(json_field(d, "shape"), json_field(listed, "shape"), path);
            json_has_all(json_field(d, "type"), json_field(listed, "type"), path);
            listed = listed->next;
        }
        assert_null(listed);
        cJSON_Delete(got);
        tool_free(&run);
        free(path);
    }
    cJSON_Delete(root);
}

/* Text has no blanks at line ends, no control characters and no colours. */
static void text_is_clean(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *told;
    cJSON_ArrayForEach(told, manifest_list(root, "good_files"))
    {
        char *path = path_of(told);
        struct tool_run runs[] = {TOOL("ls", "-la", path), TOOL("ls", "-ar", path),
                                  TOOL("show", path)};
        for (size_t r = 0; r < 3; r++) {
            assert_int_equal(runs[r].code, 0);
            assert_null(strstr(runs[r].out, " \n"));
            for (const char *c = runs[r].out; *c != '\0'; c++)
                assert_true(*c == '\n' || (unsigned char)*c >= 0x20);
            assert_int_equal(strlen(runs[r].out), runs[r].out_size);
            tool_free(&runs[r]);
        }
        free(path);
    }
    cJSON_Delete(root);
}

/* A file of one-element tensors of these names. */
static void write_names(const char *path, const char *const *names, size_t count)
{
    static const float value = 1;
    const void *const buffers[] = {&value};
    hry_descriptor d;
    hry_writer *w;
    hry_error err;
    assert_ok(hry_descriptor_dense(HRY_FLOAT32, 0, NULL, &d, &err), &err);
    assert_ok(hry_writer_create(path, NULL, &w, &err), &err);
    for (size_t i = 0; i < count; i++)
        assert_ok(hry_writer_add(w, names[i], &d, buffers, &err), &err);
    assert_ok(hry_writer_finish(w, &err), &err);
}

static void hides_names_with_a_dot_until_asked(void **state)
{
    (void)state;
    static const char *const names[] = {".hdf5/catalog", "a/.b", "\x1B[31mred"};
    char path[] = "/tmp/hurray_cli_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    write_names(path, names, 3);
    struct tool_run some = TOOL("ls", path, "*"), all = TOOL("ls", path, "-a", "*");
    struct tool_run by_listing = TOOL("show", path, "\\x1b[31mred");
    unlink(path);
    assert_null(strstr(some.out, ".hdf5/catalog"));
    assert_non_null(strstr(some.out, "a/.b"));
    assert_non_null(strstr(some.out, "\n\\x1b[31mred ")); /* no escape reaches the screen */
    assert_non_null(strstr(all.out, "\n.hdf5/catalog "));
    assert_int_equal(by_listing.code, 0);
    tool_free(&some);
    tool_free(&all);
    tool_free(&by_listing);
}

/* ---- the tree ---- */

static void lists(const char *file, const char *const *arguments, const char *want)
{
    char path[512];
    vector_path("interop", file, path);
    const char *all[8] = {"ls", path};
    for (size_t i = 0; arguments[i] != NULL; i++)
        all[2 + i] = arguments[i];
    struct tool_run run = tool_run(NULL, 0, all);
    assert_int_equal(run.code, 0);
    assert_string_equal(run.out, want);
    tool_free(&run);
}
#define ARGUMENTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void slashes_and_composites_make_a_tree(void **state)
{
    (void)state;
    static const char composite[] = "composite_nested_and_group_no_head_padding.hrry";
    lists(composite, ARGUMENTS("-a"),
          "NAME   TYPE     SHAPE   LAYOUT      SIZE  NOTES\n"
          "g      float32  [1]     composite  350 B  group of 7\n"
          "outer  float32  [4, 6]  composite   96 B  partition of 2\n");
    lists(composite, ARGUMENTS("-r", "outer"),
          "NAME     TYPE     SHAPE   LAYOUT        SIZE  NOTES\n"
          "outer    float32  [4, 6]  composite     96 B  partition of 2\n"
          "  0      float32  [4, 3]  row_major     48 B  shard of [4, 6]\n"
          "  inner  float32  [4, 3]  composite     48 B  partition of 2; shard of [4, 6]\n"
          "    0    float32  [1, 3]  row_major     12 B  shard of [4, 3]\n"
          "    1    float32  [3, 3]  column_major  36 B  shard of [4, 3]\n");
    lists("file_slash_names.hrry", ARGUMENTS("-r", "model/layers"),
          "NAME     TYPE   SHAPE  LAYOUT     SIZE  NOTES\n"
          "0/                                 6 B  2 tensors\n"
          "  attn/                            6 B  2 tensors\n"
          "    k    int16  [2]    row_major   4 B\n"
          "    q    int16  [1]    row_major   2 B\n"
          "1/                                 6 B  1 tensor\n"
          "  attn/                            6 B  1 tensor\n"
          "    q    int16  [3]    row_major   6 B\n");
    lists("file_slash_names.hrry", ARGUMENTS("model/"),
          "NAME     TYPE   SHAPE  LAYOUT     SIZE  NOTES\n"
          "model    int16  [5]    row_major  10 B\n"
          "head     int16  [4]    row_major   8 B\n"
          "layers/                           12 B  3 tensors\n");
    lists("file_slash_names.hrry", ARGUMENTS("*/q", "*head"),
          "NAME                   TYPE   SHAPE  LAYOUT     SIZE\n"
          "model/layers/0/attn/q  int16  [1]    row_major   2 B\n"
          "model/layers/1/attn/q  int16  [3]    row_major   6 B\n"
          "model/head             int16  [4]    row_major   8 B\n");
}

static void what_is_not_there_is_said(void **state)
{
    (void)state;
    char path[512];
    vector_path("interop", "type_bool.hrry", path);
    struct tool_run runs[] = {TOOL("ls", path, "nothing"),
                              TOOL("ls", "--json", path, "n*g")};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(runs[i].code, 2);
        assert_non_null(strstr(runs[i].err, "no tensor or group, and no file, is 'n"));
        tool_free(&runs[i]);
    }
}

/* Numbers in names count as numbers; what is deeper than can be shown is shown with its
 * path. */
static void order_is_natural_and_depth_bounded(void **state)
{
    (void)state;
    static char deep[60001];
    const char *const names[] = {"w/10", "w/9", "w/9a", "w/09", "v", deep};
    char path[] = "/tmp/hurray_cli_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    memset(deep, '/', sizeof deep - 1);
    write_names(path, names, 6);
    struct tool_run run = TOOL("ls", "-r", path);
    unlink(path);
    assert_int_equal(run.code, 0);
    const char *at = run.out;
    static const char *const order[] = {"\nv ", "\n  09 ", "\n  9 ", "\n  9a ", "\n  10 "};
    for (size_t i = 0; i < 5; i++) {
        at = strstr(at, order[i]);
        assert_non_null(at);
    }
    tool_free(&run);
}

static void reads_standard_input_like_a_file(void **state)
{
    (void)state;
    size_t size;
    char path[512];
    uint8_t *bytes = vector_read("interop", "quant_nf4_last.hrry", &size);
    vector_path("interop", "quant_nf4_last.hrry", path);
    struct tool_run named = TOOL("ls", "-l", path);
    struct tool_run piped =
        tool_run(bytes, size, (const char *const[]){"ls", "-l", "-", NULL});
    assert_int_equal(piped.code, 0);
    assert_string_equal(piped.out, named.out);
    tool_free(&named);
    tool_free(&piped);
    free(bytes);
}

static void usage_errors_end_with_2(void **state)
{
    (void)state;
    struct tool_run runs[] = {
        TOOL("ls"),
        TOOL("frobnicate"),
        TOOL("ls", "--frobnicate", "x"),
        TOOL("show"),
        TOOL("show", "a", "b", "c"),
        TOOL("ls", "-z", "x"),
        TOOL("ls", "--json=1", "x"),
        TOOL("ls", "/nowhere/at/all.hrry"),
        TOOL("ls", "/"),
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        assert_int_equal(runs[i].code, 2);
        assert_int_equal(strncmp(runs[i].err, "hurray", 6), 0);
        assert_string_equal(runs[i].out, "");
        tool_free(&runs[i]);
    }
}

static void help_has_examples_and_version_a_number(void **state)
{
    (void)state;
    struct tool_run runs[] = {TOOL("ls", "--help"), TOOL("show", "-h")};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        assert_int_equal(runs[i].code, 0);
        assert_non_null(strstr(runs[i].out, "Examples:\n  hurray "));
        tool_free(&runs[i]);
    }
    struct tool_run version = TOOL("--version");
    assert_int_equal(version.code, 0);
    assert_int_equal(strncmp(version.out, "hurray 0.", 9), 0);
    tool_free(&version);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_of_files_is_as_told),
        cmocka_unit_test(json_of_descriptors_is_as_told),
        cmocka_unit_test(lists_every_tensor_as_told),
        cmocka_unit_test(text_is_clean),
        cmocka_unit_test(hides_names_with_a_dot_until_asked),
        cmocka_unit_test(slashes_and_composites_make_a_tree),
        cmocka_unit_test(what_is_not_there_is_said),
        cmocka_unit_test(order_is_natural_and_depth_bounded),
        cmocka_unit_test(reads_standard_input_like_a_file),
        cmocka_unit_test(usage_errors_end_with_2),
        cmocka_unit_test(help_has_examples_and_version_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
