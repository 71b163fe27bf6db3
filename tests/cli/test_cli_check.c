/* SPDX-License-Identifier: Apache-2.0 */
/* check on files that other implementations wrote: good ones pass, bad ones are refused in
 * one line that names the byte at fault. */
#include "cmocka_all.h"
#include "manifest.h"
#include "tool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void path_of(const cJSON *told, char path[512])
{
    vector_path("interop", json_text(told, "file"), path);
}

/* A strict reader refuses what only its owner knows. */
static bool is_private(const cJSON *told)
{
    return strstr(json_text(told, "file"), "private_layout") != NULL;
}

static void passes(const cJSON *told)
{
    char path[512];
    path_of(told, path);
    struct tool_run strict = TOOL("check", path), lax = TOOL("check", "-p", path);
    if (strict.code != (is_private(told) ? 1 : 0) || lax.code != 0)
        fail_msg("%s: %d, permissive %d: %s", path, strict.code, lax.code, strict.err);
    assert_string_equal(lax.err, "");
    tool_free(&strict);
    tool_free(&lax);
}

static void good_ones_pass(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *told;
    cJSON_ArrayForEach(told, manifest_list(root, "good_files")) passes(told);
    cJSON_ArrayForEach(told, manifest_list(root, "good_descriptors")) passes(told);
    cJSON_Delete(root);
}

/* "hurray: FILE: WORD at byte N..." and nothing else. */
static void is_one_line(const struct tool_run *run, const char *path)
{
    char begin[600];
    snprintf(begin, sizeof begin, "hurray: %s: ", path);
    const char *end = strchr(run->err, '\n');
    if (strncmp(run->err, begin, strlen(begin)) != 0 || end == NULL || end[1] != '\0')
        fail_msg("%s: not one line: %s", path, run->err);
    assert_string_equal(run->out, "");
}

static uint64_t byte_of(const cJSON *told)
{
    static const struct {
        const char *file;
        uint64_t byte;
    } elsewhere[] = {
        /* A checksum tells that a byte is wrong, not which: the index is at fault. */
        {"bad/bad_file_index_byte_flipped.hrry", 8256},
        /* Index and handle say the same; the index is read first. */
        {"bad/bad_file_buffer_size_huge.hrry", 8330},
        /* No trailer at the end: whether bytes lack or are too many nobody can say. */
        {"bad/bad_file_trailing_byte.hrry", 4264},
        /* is_sorted is wrong only together with the entry out of order. */
        {"bad/bad_data_coo_claims_sorted.hrry", 8208},
    };
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(json_text(told, "file"), elsewhere[i].file) == 0)
            return elsewhere[i].byte;
    return json_u64(told, "offset");
}

/* Decision 9: quantized members may be in a head of any float type. */
static bool is_ours(const cJSON *told)
{
    return strstr(json_text(told, "file"), "partition_quantized_type_mismatch") != NULL;
}

static void bad_ones_are_refused_at_their_byte(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *told;
    size_t count = 0;
    cJSON_ArrayForEach(told, manifest_list(root, "bad"))
    {
        char path[512], byte[40];
        if (is_ours(told))
            continue;
        path_of(told, path);
        struct tool_run run = TOOL("check", path);
        if (run.code != 1)
            fail_msg("%s: exit status %d: %s", path, run.code, run.err);
        is_one_line(&run, path);
        snprintf(byte, sizeof byte, " at byte %llu", (unsigned long long)byte_of(told));
        const char *found = strstr(run.err, byte);
        if (found == NULL || strchr(": ", found[strlen(byte)]) == NULL)
            fail_msg("%s: want%s, got %s", path, byte, run.err);
        tool_free(&run);
        count++;
    }
    assert_int_equal(count, 266);
    cJSON_Delete(root);
}

static void the_worst_of_many_counts(void **state)
{
    (void)state;
    char good[512], bad[512];
    vector_path("interop", "type_bool.hrry", good);
    vector_path("interop", "bad/bad_file_empty.hrry", bad);
    struct tool_run one = TOOL("check", "-q", good, bad, good);
    assert_int_equal(one.code, 1);
    assert_string_equal(one.out, "");
    struct tool_run two = TOOL("check", bad, "/nowhere/at/all.hrry");
    assert_int_equal(two.code, 2);
    tool_free(&one);
    tool_free(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_ones_pass),
        cmocka_unit_test(bad_ones_are_refused_at_their_byte),
        cmocka_unit_test(the_worst_of_many_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
