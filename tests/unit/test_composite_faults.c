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

static hry_status count_sink(void *ctx, const void *bytes, size_t size, hry_error *err)
{
    (void)bytes;
    (void)err;
    ((blob *)ctx)->size += size;
    return HRY_OK;
}

/* All of a head's elements, when it has any. */
static hry_status read_whole(const hry_head *head, hry_error *err)
{
    static const uint64_t origin[HRY_MAX_RANK];
    static uint8_t array[4096];
    const hry_head_info info = hry_head_get_info(head);
    if (info.rule == HRY_GROUP)
        return HRY_OK;
    return hry_head_read(head, origin, info.shape, array, err);
}

/* Open and read every head of the file; the file is the caller's. */
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
        if (status == HRY_OK)
            status = read_whole(head, err);
        hry_head_close(head);
    }
    return status;
}

static bool map; /* the file */

static hry_status with_memory(void *ctx, hry_error *err)
{
    const blob *b = ctx;
    hry_io io;
    hry_file *file = NULL;
    hry_status status = hry_io_memory(b->data, b->size, &io, err);
    if (status == HRY_OK)
        status = hry_file_open_io(io, &(hry_file_options){.map = map}, &file, err);
    if (status == HRY_OK)
        status = use(file, err);
    hry_file_close(file);
    return status;
}

static void every_refused_allocation_is_an_error(void **state)
{
    (void)state;
    for (size_t n = 0; n < 2 * COUNT; n++) {
        map = n < COUNT;
        assert_true(refuse_each(with_memory, &files[n % COUNT]) > 10);
    }
}

static hry_status write_one(void *ctx, hry_error *err)
{
    static const uint64_t ten[1] = {10};
    const hry_composite whole = {.rule = HRY_PARTITION, .member_count = 1};
    const uint8_t bytes[10] = {0};
    hry_descriptor head, d;
    hry_writer *w = NULL;
    hry_composer *c = NULL;
    (void)ctx;
    blob b = {0};
    hry_status status = hry_head_describe(&whole, HRY_UINT8, 1, ten, &head, err);
    if (status == HRY_OK)
        status = hry_descriptor_dense(HRY_UINT8, 1, ten, &d, err);
    if (status == HRY_OK)
        status = hry_writer_new(count_sink, &b, NULL, &w, err);
    if (status == HRY_OK)
        status = hry_composer_new(w, &c, err);
    if (status == HRY_OK)
        status = hry_composer_add(c, "w", &head, NULL, NULL, err);
    if (status == HRY_OK)
        status = hry_composer_add(c, "w/0", &d, NULL, (const void *[]){bytes}, err);
    if (status == HRY_OK)
        status = hry_composer_finish(c, err);
    else
        hry_composer_abandon(c);
    if (status == HRY_OK)
        return hry_writer_finish(w, err);
    hry_writer_abandon(w);
    return status;
}

static void writing_survives_refused_memory(void **state)
{
    (void)state;
    assert_true(refuse_each(write_one, NULL) > 5);
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
        cmocka_unit_test(writing_survives_refused_memory),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
