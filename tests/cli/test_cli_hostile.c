/* SPDX-License-Identifier: Apache-2.0 */
/* Files cut off anywhere, or with any byte changed, through every command: an error in
 * words, never a crash. The program is called as a function, which keeps nothing between
 * calls. */
#include "bytes.h"
#include "cmocka_all.h"
#include "program.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static const char *const commands[][5] = {
    {"ls", "-la", "FILE"}, {"ls", "--json", "FILE"},
    {"show", "FILE"},      {"show", "FILE", "--json"},
    {"check", "FILE"},     {"check", "-p", "FILE"},
    {"dump", "FILE", "x"}, {"dump", "--json", "FILE", "x"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

/* A file under attack, and where the program's output goes meanwhile. */
struct attack {
    char path[32];
    int fd, errors, saved[3];
    blob b;
};

static void write_at(int fd, const void *bytes, size_t size, size_t at)
{
    assert_int_equal(pwrite(fd, bytes, size, (off_t)at), size);
}

static void attack_begin(struct attack *a, const char *vector)
{
    strcpy(a->path, "/tmp/hurray_cli_XXXXXX");
    a->b = bytes_of_file(HRY_TEST_DATA "/vectors/interop", vector);
    a->fd = mkstemp(a->path);
    assert_true(a->fd >= 0);
    write_at(a->fd, a->b.data, a->b.size, 0);
    FILE *errors = tmpfile();
    assert_non_null(errors);
    a->errors = dup(fileno(errors));
    fclose(errors);
}

static void attack_end(struct attack *a)
{
    unlink(a->path);
    close(a->fd);
    close(a->errors);
    bytes_free(&a->b);
}

static void divert(struct attack *a)
{
    FILE *nowhere = fopen("/dev/null", "w");
    assert_non_null(nowhere);
    fflush(stdout);
    fflush(stderr);
    for (int i = 1; i < 3; i++)
        a->saved[i] = dup(i);
    dup2(fileno(nowhere), 1);
    dup2(a->errors, 2);
    fclose(nowhere);
    assert_int_equal(ftruncate(a->errors, 0), 0);
    assert_int_equal(lseek(a->errors, 0, SEEK_SET), 0);
}

static void restore(struct attack *a)
{
    fflush(stdout);
    fflush(stderr);
    for (int i = 1; i < 3; i++) {
        dup2(a->saved[i], i);
        close(a->saved[i]);
    }
}

/* Runs a command on the file; the first bytes of what it said on standard error. */
static int run(struct attack *a, const char *const *words, char said[200])
{
    char *argv[7] = {"hurray"};
    int argc = 1;
    for (; argc <= 4 && words[argc - 1] != NULL; argc++)
        argv[argc] =
            (char *)(uintptr_t)(strcmp(words[argc - 1], "FILE") == 0 ? a->path
                                                                     : words[argc - 1]);
    divert(a);
    const int code = program_run(argc, argv);
    restore(a);
    const ssize_t got = pread(a->errors, said, 199, 0);
    assert_true(got >= 0);
    said[got] = '\0';
    return code;
}

static void refuses_every_length_of(const char *vector)
{
    struct attack a;
    char said[200];
    attack_begin(&a, vector);
    for (size_t size = a.b.size; size-- > 0;) {
        assert_int_equal(ftruncate(a.fd, (off_t)size), 0);
        for (size_t c = 0; c < COMMAND_COUNT; c++) {
            const int code = run(&a, commands[c], said);
            if (code != 1 || strncmp(said, "hurray: ", 8) != 0)
                fail_msg("%s of %zu bytes, %s: %d, %s", vector, size, commands[c][0], code,
                         said);
        }
    }
    attack_end(&a);
}

static void refuses_every_truncation(void **state)
{
    (void)state;
    refuses_every_length_of("layout_tiled_recursive2_strided.hrry");
    refuses_every_length_of("desc_all_sections.bin");
}

static void survives_every_change_of(const char *vector)
{
    static const uint8_t changes[] = {0x01, 0x80, 0xFF};
    struct attack a;
    char said[200];
    attack_begin(&a, vector);
    for (size_t i = 0; i < sizeof changes * a.b.size; i++) {
        const size_t at = i / sizeof changes;
        const uint8_t changed = a.b.data[at] ^ changes[i % sizeof changes];
        write_at(a.fd, &changed, 1, at);
        for (size_t c = 0; c < COMMAND_COUNT; c++) {
            const int code = run(&a, commands[c], said);
            if (code < 0 || code > 2 || (code > 0) != (strncmp(said, "hurray: ", 8) == 0))
                fail_msg("%s, byte %zu, %s: %d, %s", vector, at, commands[c][0], code,
                         said);
        }
        write_at(a.fd, &a.b.data[at], 1, at);
    }
    attack_end(&a);
}

static void survives_every_changed_byte(void **state)
{
    (void)state;
    survives_every_change_of("file_kv_no_tensors.hrry");
    survives_every_change_of("desc_all_sections.bin");
    survives_every_change_of("layout_tiled_recursive2_strided.hrry");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_every_truncation),
        cmocka_unit_test(survives_every_changed_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
