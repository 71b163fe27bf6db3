/* SPDX-License-Identifier: Apache-2.0 */
/* show --hex on files that other implementations wrote: the bytes are those of the file,
 * and within a part none is left out. */
#include "cmocka_all.h"
#include "manifest.h"
#include "tool.h"

#include "hry/hry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of a line "00000040  48 52 ...  magic"; -1 when it is none, as a title. */
static int line_bytes(const char *line, uint64_t *at, uint8_t bytes[8])
{
    char *end;
    *at = strtoull(line, &end, 16);
    if (end - line < 8 || strncmp(end, "  ", 2) != 0)
        return -1;
    int count = 0;
    for (end++; count < 8 && end[0] == ' ' && end[1] != ' ' && end[1] != '\0'; end += 3)
        bytes[count++] = (uint8_t)strtoul(end + 1, NULL, 16);
    return count;
}

struct coverage {
    uint64_t shown, next; /* bytes shown or counted, and where the part goes on */
};

static void check_line(const char *line, const uint8_t *file, size_t size, const char *path,
                       struct coverage *c)
{
    uint64_t at, skipped;
    uint8_t bytes[8];
    const int count = line_bytes(line, &at, bytes);
    if (count < 0) {
        if (sscanf(line, " ... %lu more bytes", &skipped) == 1)
            c->next += skipped, c->shown += skipped;
        else
            c->next = UINT64_MAX; /* a title */
        return;
    }
    if (c->next != UINT64_MAX && at != c->next)
        fail_msg("%s: bytes %llu to %llu are left out: %.60s", path,
                 (unsigned long long)c->next, (unsigned long long)at, line);
    if (at + (uint64_t)count > size || memcmp(file + at, bytes, (size_t)count) != 0)
        fail_msg("%s: not the bytes of the file: %.60s", path, line);
    c->next = at + (uint64_t)count;
    c->shown += (uint64_t)count;
}

static uint64_t shows_its_bytes(const char *name)
{
    char path[512];
    size_t size;
    struct coverage c = {0, UINT64_MAX};
    uint8_t *file = vector_read("interop", name, &size);
    vector_path("interop", name, path);
    struct tool_run run = TOOL("show", "--hex", path);
    if (run.code != 0)
        fail_msg("%s: %d, %s", path, run.code, run.err);
    for (char *line = strtok(run.out, "\n"); line != NULL; line = strtok(NULL, "\n"))
        check_line(line, file, size, path, &c);
    tool_free(&run);
    free(file);
    return c.shown;
}

static void bytes_of_files_are_theirs(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *told;
    cJSON_ArrayForEach(told, manifest_list(root, "good_files"))
        assert_true(shows_its_bytes(json_text(told, "file")) >= 64 + 40 + 8);
    cJSON_Delete(root);
}

static void descriptors_are_shown_whole(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *told;
    cJSON_ArrayForEach(told, manifest_list(root, "good_descriptors"))
    {
        const uint64_t shown = shows_its_bytes(json_text(told, "file"));
        const uint64_t size = json_u64(json_field(told, "descriptor"), "descriptor_length");
        assert_int_equal(shown, size);
    }
    cJSON_Delete(root);
}

/* Two tensors one behind the other, as a bare stream has them. */
static void streams_are_walked(void **state)
{
    (void)state;
    uint8_t bytes[512];
    const uint64_t shape[] = {5};
    hry_descriptor d;
    hry_error err;
    size_t size = 0, length;
    assert_ok(hry_descriptor_dense(HRY_INT16, 1, shape, &d, &err), &err);
    for (int i = 0; i < 2; i++) {
        assert_ok(
            hry_descriptor_encode(&d, bytes + size, sizeof bytes - size, &length, &err),
            &err);
        size += length;
        memset(bytes + size, 0x11 * (i + 1), 10);
        size += 10;
    }
    struct tool_run run =
        tool_run(bytes, size, (const char *const[]){"show", "-x", "-", NULL});
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, "descriptor 1\n"));
    assert_non_null(strstr(run.out, " 11 11 11 11 11 11 11 11  data = 10 bytes\n"));
    assert_non_null(strstr(run.out, " 22 22\n"));
    struct tool_run torn =
        tool_run(bytes, size - 1, (const char *const[]){"show", "-x", "-", NULL});
    assert_int_equal(torn.code, 2);
    assert_non_null(strstr(torn.err, "what follows is not known"));
    tool_free(&run);
    tool_free(&torn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_files_are_theirs),
        cmocka_unit_test(descriptors_are_shown_whole),
        cmocka_unit_test(streams_are_walked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
