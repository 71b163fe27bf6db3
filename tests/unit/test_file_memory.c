/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation refused in turn: HRY_ERR_NOMEM, nothing leaked, nothing half done. */
#include "sample_file.h"

#include "cmocka_all.h"

/* Linked with --wrap: the library's allocations come here. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static long fuse = -1; /* allocations that still succeed; negative: all */

static bool refused(void)
{
    if (fuse == 0)
        return true;
    fuse -= fuse > 0;
    return false;
}

void *__wrap_malloc(size_t size)
{
    return refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refused() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return refused() ? NULL : __real_realloc(old, size);
}

/* Run `work` with the n-th allocation refused, for every n until it is not needed. */
typedef hry_status work(void *ctx, hry_error *err);

static void fails_for_every_n(work *f, void *ctx)
{
    long n = 0;
    hry_status status = HRY_ERR_NOMEM;
    for (; status != HRY_OK; n++) {
        hry_error err = {0};
        fuse = n;
        status = f(ctx, &err);
        const bool used = fuse == 0;
        fuse = -1;
        if (status != HRY_OK) {
            assert_true(used);
            assert_int_equal(status, HRY_ERR_NOMEM);
            assert_int_equal(err.code, HRY_ERR_NOMEM);
        }
    }
    assert_true(n > 3);
}

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
    fails_for_every_n(open_and_look, NULL);
}

static void writing_survives_refused_memory(void **state)
{
    (void)state;
    size_t written = 0;
    fails_for_every_n(write_sorted, &written);
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
        fuse = 0;
        const hry_status status = hry_footer_add(footer, &e, &err);
        fuse = -1;
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
