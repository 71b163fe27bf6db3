/* SPDX-License-Identifier: Apache-2.0 */
/* Composites when memory or the medium fail, at every step there is. */
#include "hry/composite.h"

#include "bytes.h"
#include "cmocka_all.h"
#include "faulty_io.h"
#include "refusing.h"

#include <string.h>

static const char *const names[] = {"composite_partition_with_overlay_member.hrry",
                                    "composite_nested_and_group_no_head_padding.hrry",
                                    "composite_partition_quantized_members.hrry",
                                    "composite_overlay_quantized_base_coo_outliers.hrry"};
#define COUNT (sizeof names / sizeof *names)

static blob files[COUNT];

static int load(void **state)
{
    (void)state;
    for (size_t n = 0; n < COUNT; n++)
        files[n] = bytes_of_file(HRY_TEST_DATA "/vectors/interop", names[n]);
    return files[COUNT - 1].data == NULL;
}

static int unload(void **state)
{
    (void)state;
    for (size_t n = 0; n < COUNT; n++)
        bytes_free(&files[n]);
    return 0;
}

/* Open every head of the file; the file is the caller's. */
static hry_status use(hry_file *file, hry_error *err)
{
    hry_status status = hry_composites_check(file, NULL, NULL, err);
    for (uint64_t i = 0; status == HRY_OK && i < hry_file_count(file); i++) {
        hry_descriptor d;
        hry_head *head = NULL;
        status = hry_file_descriptor(file, i, &d, err);
        if (status != HRY_OK || d.layout_tag != HRY_COMPOSITE)
            continue;
        status = hry_head_open(file, i, NULL, &head, err);
        hry_head_close(head);
    }
    return status;
}

static hry_status with_memory(void *ctx, hry_error *err)
{
    const blob *b = ctx;
    hry_io io;
    hry_file *file = NULL;
    hry_status status = hry_io_memory(b->data, b->size, &io, err);
    if (status == HRY_OK)
        status = hry_file_open_io(io, &(hry_file_options){.map = true}, &file, err);
    if (status == HRY_OK)
        status = use(file, err);
    hry_file_close(file);
    return status;
}

static void every_refused_allocation_is_an_error(void **state)
{
    (void)state;
    for (size_t n = 0; n < COUNT; n++)
        assert_true(refuse_each(with_memory, &files[n]) > 10);
}

static void every_failed_read_is_an_error(void **state)
{
    (void)state;
    for (size_t n = 0; n < COUNT; n++) {
        hry_status status = HRY_ERR_IO;
        long fuse = 0;
        for (; status != HRY_OK; fuse++) {
            faulty_io medium = {.data = files[n].data, .size = files[n].size, .fuse = -1};
            hry_error err = {.message = ""};
            hry_file *file = NULL;
            assert_ok(hry_file_open_io(faulty_io_over(&medium), NULL, &file, &err), &err);
            medium.fuse = fuse;
            status = use(file, &err);
            if (status != HRY_OK) {
                assert_int_equal(status, HRY_ERR_IO);
                assert_string_equal(err.message, "the medium failed");
            }
            hry_file_close(file);
        }
        assert_true(fuse > 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_refused_allocation_is_an_error),
        cmocka_unit_test(every_failed_read_is_an_error),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
