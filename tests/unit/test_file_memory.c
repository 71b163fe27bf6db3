/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation refused in turn: HRY_ERR_NOMEM, nothing leaked, nothing half done. */
#include "sample_file.h"

#include "refusing.h"

static blob file_bytes;

static int make_file(void **state)
{
    (void)state;
    return sample_write(bytes_sink, &file_bytes, HRY_FILE_HAS_INDEX_CRC, NULL) != HRY_OK;
}

static int free_file(void **state)
{
    (void)state;
    bytes_free(&file_bytes);
    return 0;
}

static hry_status open_and_look(void *ctx, hry_error *err)
{
    (void)ctx;
    hry_io io;
    hry_file *file = NULL;
    hry_descriptor d;
    hry_status status = hry_io_memory(file_bytes.data, file_bytes.size, &io, err);
    SAMPLE_TRY(hry_file_open_io(io, NULL, &file, err));
    SAMPLE_TRY(hry_file_descriptor(file, 0, &d, err));
    SAMPLE_TRY(hry_file_check_canonical(file, err));
    hry_file_close(file);
    return status;
}

static hry_status count_sink(void *ctx, const void *bytes, size_t size, hry_error *err)
{
    (void)bytes;
    (void)err;
    *(size_t *)ctx += size;
    return HRY_OK;
}

static hry_status write_sorted(void *ctx, hry_error *err)
{
    return sample_write(count_sink, ctx, HRY_FILE_SORTED_INDEX, err);
}

static void opening_survives_refused_memory(void **state)
{
    (void)state;
    assert_true(refuse_each(open_and_look, NULL) > 3);
}

static void writing_survives_refused_memory(void **state)
{
    (void)state;
    size_t written = 0;
    assert_true(refuse_each(write_sorted, &written) > 3);
}

/* What a footer refused for want of memory can be added again. */
static void footer_is_whole_after_refused_memory(void **state)
{
    (void)state;
    hry_error err;
    hry_footer *footer;
    const void *bytes;
    size_t size;
    char name[40];
    size_t refusals = 0;
    assert_ok(hry_footer_new(0, &footer, &err), &err);
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "a tensor of number %d", i);
        const hry_entry e = {.name = name, .name_length = (uint16_t)strlen(name)};
        refuse_after = 0;
        const hry_status status = hry_footer_add(footer, &e, &err);
        refuse_after = -1;
        if (status != HRY_OK) {
            refusals++;
            assert_int_equal(status, HRY_ERR_NOMEM);
            assert_ok(hry_footer_add(footer, &e, &err), &err);
        }
    }
    assert_true(refusals > 2);
    assert_ok(hry_footer_encode(footer, 64, &bytes, &size, &err), &err);
    assert_int_equal(((const uint8_t *)bytes)[0], 200);
    hry_footer_free(footer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening_survives_refused_memory),
        cmocka_unit_test(writing_survives_refused_memory),
        cmocka_unit_test(footer_is_whole_after_refused_memory),
    };
    return cmocka_run_group_tests(tests, make_file, free_file);
}
