/* SPDX-License-Identifier: Apache-2.0 */
/* Media: files of the operating system and memory. */
#include "hry/io.h"
#include "io/mapping.h"

#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/hry_io_XXXXXX";

static int make_file(void **state)
{
    (void)state;
    const int fd = mkstemp(path);
    return fd < 0 || close(fd) != 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void file_gives_back_what_was_written(void **state)
{
    (void)state;
    hry_error err;
    hry_io io;
    char got[6] = {0};
    uint64_t size;
    assert_ok(hry_io_open(path, HRY_IO_WRITE | HRY_IO_TRUNCATE, &io, &err), &err);
    assert_true(hry_io_descriptor(&io) >= 0);
    assert_ok(hry_io_write(&io, 10, "hello", 5, &err), &err);
    assert_ok(hry_io_size(&io, &size, &err), &err);
    assert_int_equal(size, 15);
    assert_ok(hry_io_read(&io, 10, got, 5, &err), &err);
    assert_string_equal(got, "hello");
    assert_status(HRY_ERR_TRUNCATED, hry_io_read(&io, 12, got, 5, &err), &err);
    assert_int_equal(err.offset, 15);
    assert_ok(hry_io_truncate(&io, 3, &err), &err);
    assert_ok(hry_io_size(&io, &size, &err), &err);
    assert_int_equal(size, 3);
    assert_ok(hry_io_sync(&io, &err), &err);
    assert_status(HRY_ERR_IO, hry_io_read(&io, UINT64_MAX, got, 5, &err), &err);
    assert_status(HRY_ERR_IO, hry_io_write(&io, INT64_MAX, got, 1, &err), &err);
    hry_io_close(&io);
    hry_io_close(&io);
    hry_io_close(NULL);
}

static void opening_says_what_is_wrong(void **state)
{
    (void)state;
    hry_error err;
    hry_io io;
    assert_status(HRY_ERR_IO, hry_io_open("/no/such/file", HRY_IO_READ, &io, &err), &err);
    assert_non_null(strstr(err.message, "/no/such/file"));
    assert_status(HRY_ERR_IO, hry_io_open("/", HRY_IO_READ, &io, &err), &err);
    assert_status(
        HRY_ERR_IO,
        hry_io_open(path, HRY_IO_WRITE | HRY_IO_CREATE | HRY_IO_EXCLUSIVE, &io, &err),
        &err);
    assert_status(HRY_ERR_ARG, hry_io_open(path, HRY_IO_CREATE, &io, &err), &err);
    assert_status(HRY_ERR_ARG, hry_io_open(path, HRY_IO_EXCLUSIVE, &io, &err), &err);
    assert_status(HRY_ERR_ARG, hry_io_open(NULL, HRY_IO_READ, &io, &err), &err);
}

static void memory_is_read_only_and_bounded(void **state)
{
    (void)state;
    hry_error err;
    hry_io io;
    char got[4];
    uint64_t size;
    assert_ok(hry_io_memory("abcd", 4, &io, &err), &err);
    assert_ok(hry_io_read(&io, 1, got, 3, &err), &err);
    assert_memory_equal(got, "bcd", 3);
    assert_ok(hry_io_size(&io, &size, &err), &err);
    assert_int_equal(size, 4);
    assert_status(HRY_ERR_TRUNCATED, hry_io_read(&io, 2, got, 3, &err), &err);
    assert_status(HRY_ERR_TRUNCATED, hry_io_read(&io, UINT64_MAX, got, 3, &err), &err);
    assert_status(HRY_ERR_UNSUPPORTED, hry_io_write(&io, 0, got, 1, &err), &err);
    assert_status(HRY_ERR_UNSUPPORTED, hry_io_truncate(&io, 0, &err), &err);
    assert_status(HRY_ERR_UNSUPPORTED, hry_io_sync(&io, &err), &err);
    assert_int_equal(hry_io_descriptor(&io), -1);
    hry_io_close(&io);
    assert_status(HRY_ERR_UNSUPPORTED, hry_io_read(&io, 0, got, 1, &err), &err);
}

static void files_and_memory_can_be_mapped(void **state)
{
    (void)state;
    hry_error err;
    hry_io io;
    hry_mapping map;
    assert_ok(hry_io_open(path, HRY_IO_WRITE | HRY_IO_TRUNCATE, &io, &err), &err);
    assert_ok(hry_io_write(&io, 0, "mapped", 6, &err), &err);
    assert_ok(hry_map(&io, 6, &map, &err), &err);
    assert_memory_equal(map.bytes, "mapped", 6);
    hry_unmap(&map);
    hry_io_close(&io);

    const char text[] = "here";
    assert_ok(hry_io_memory(text, 4, &io, &err), &err);
    assert_ok(hry_map(&io, 4, &map, &err), &err);
    assert_ptr_equal(map.bytes, text);
    hry_unmap(&map);
    hry_io_close(&io);
    assert_status(HRY_ERR_UNSUPPORTED, hry_map(&io, 4, &map, &err), &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_gives_back_what_was_written),
        cmocka_unit_test(opening_says_what_is_wrong),
        cmocka_unit_test(memory_is_read_only_and_bounded),
        cmocka_unit_test(files_and_memory_can_be_mapped),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
