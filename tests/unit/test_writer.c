/* SPDX-License-Identifier: Apache-2.0 */
/* Writing in one pass: what it refuses, key-value entries of every kind, files on disk. */
#include "sample_file.h"

#include "cmocka_all.h"

#include <pthread.h>
#include <unistd.h>

static hry_file *open_blob(const blob *b)
{
    hry_error err;
    hry_io io;
    hry_file *file;
    assert_ok(hry_io_memory(b->data, b->size, &io, &err), &err);
    assert_ok(hry_file_open_io(io, NULL, &file, &err), &err);
    return file;
}

static hry_descriptor ints(uint64_t count)
{
    hry_error err;
    hry_descriptor d;
    assert_ok(hry_descriptor_dense(HRY_INT32, 1, &count, &d, &err), &err);
    return d;
}

static void refuses_misuse_and_goes_on(void **state)
{
    (void)state;
    hry_error err;
    hry_writer *w;
    blob b = {0};
    hry_descriptor d = ints(2), bad = ints(2);
    bad.buffers[0].byte_size = 4;
    assert_ok(hry_writer_new(bytes_sink, &b, NULL, &w, &err), &err);
    assert_status(HRY_ERR_ARG, hry_writer_begin(w, "", &d, &err), &err);
    assert_status(HRY_ERR_ARG, hry_writer_begin(w, "\xFF", &d, &err), &err);
    assert_status(HRY_ERR_CORRUPT, hry_writer_begin(w, "a", &bad, &err), &err);
    bad = d;
    bad.opaque = true;
    assert_status(HRY_ERR_UNSUPPORTED, hry_writer_begin(w, "a", &bad, &err), &err);
    assert_status(HRY_ERR_RANGE, hry_writer_write(w, "x", 1, &err), &err);
    assert_ok(hry_writer_begin(w, "a", &d, &err), &err);
    assert_status(HRY_ERR_RANGE, hry_writer_write(w, "123456789", 9, &err), &err);
    assert_ok(hry_writer_write(w, "1234567", 7, &err), &err);
    assert_status(HRY_ERR_ARG, hry_writer_begin(w, "b", &d, &err), &err);
    assert_ok(hry_writer_write(w, "8", 1, &err), &err);
    assert_status(HRY_ERR_ARG, hry_writer_begin(w, "a", &d, &err), &err);
    assert_non_null(strstr(err.message, "taken"));
    assert_ok(hry_writer_finish(w, &err), &err);
    hry_file *file = open_blob(&b);
    assert_int_equal(hry_file_count(file), 1);
    uint8_t got[8];
    assert_ok(hry_file_read(file, 4096, got, 8, &err), &err);
    assert_memory_equal(got, "12345678", 8);
    hry_file_close(file);
    bytes_free(&b);
}

static void unfinished_tensor_is_no_file(void **state)
{
    (void)state;
    hry_error err;
    hry_writer *w;
    blob b = {0};
    const hry_descriptor d = ints(2);
    assert_ok(hry_writer_new(bytes_sink, &b, NULL, &w, &err), &err);
    assert_status(HRY_ERR_ARG, hry_writer_add(w, "a", &d, NULL, &err), &err);
    assert_status(HRY_ERR_ARG, hry_writer_finish(w, &err), &err);
    hry_writer_abandon(NULL);
    bytes_free(&b);
}

static hry_status broken_sink(void *ctx, const void *bytes, size_t size, hry_error *err)
{
    (void)bytes;
    if (*(size_t *)ctx < size) {
        *err = (hry_error){HRY_ERR_IO, HRY_NO_OFFSET, "no space"};
        return HRY_ERR_IO;
    }
    *(size_t *)ctx -= size;
    return HRY_OK;
}

static void lost_bytes_are_never_forgotten(void **state)
{
    (void)state;
    hry_error err;
    hry_writer *w;
    static const uint8_t data[400000];
    const void *buffers[] = {data};
    const hry_descriptor d = ints(100000);
    size_t space = 10;
    assert_status(HRY_ERR_IO, hry_writer_new(broken_sink, &space, NULL, &w, &err), &err);
    space = 100000;
    assert_ok(hry_writer_new(broken_sink, &space, NULL, &w, &err), &err);
    assert_status(HRY_ERR_IO, hry_writer_add(w, "a", &d, buffers, &err), &err);
    space = 10000000;
    assert_status(HRY_ERR_IO, hry_writer_write(w, data, 1, &err), &err);
    assert_status(HRY_ERR_IO, hry_writer_begin(w, "b", &d, &err), &err);
    assert_status(HRY_ERR_IO, hry_writer_finish(w, &err), &err);
}

static void kv_of_every_kind_comes_back(void **state)
{
    (void)state;
    hry_error err;
    hry_kv kv, element;
    blob b = {0};
    assert_ok(sample_write(bytes_sink, &b, HRY_FILE_HAS_KV, &err), &err);
    hry_file *file = open_blob(&b);
    assert_int_equal(hry_file_kv_count(file), 8);
    assert_ok(hry_file_kv_find(file, "text", &kv, &err), &err);
    assert_int_equal(kv.length, 5);
    assert_memory_equal(kv.bytes, "\xC3\xA9t\xC3\xA9", 5);
    assert_ok(hry_file_kv_find(file, "i64", &kv, &err), &err);
    assert_true(kv.number.i64 == INT64_MIN);
    assert_ok(hry_file_kv_find(file, "u64", &kv, &err), &err);
    assert_true(kv.number.u64 == UINT64_MAX);
    assert_ok(hry_file_kv_find(file, "f64", &kv, &err), &err);
    assert_true(kv.number.f64 == 0.5);
    assert_ok(hry_file_kv_find(file, "yes", &kv, &err), &err);
    assert_true(kv.number.boolean);
    assert_status(HRY_ERR_ARG, hry_kv_element(&kv, 0, &element, &err), &err);
    assert_ok(hry_file_kv_find(file, "raw", &kv, &err), &err);
    assert_memory_equal(kv.bytes, "\0\xFF", 2);
    assert_ok(hry_file_kv_find(file, "words", &kv, &err), &err);
    assert_ok(hry_kv_element(&kv, 1, &element, &err), &err);
    assert_int_equal(element.tag, HRY_KV_STRING);
    assert_int_equal(element.length, 3);
    assert_memory_equal(element.bytes, "two", 3);
    assert_status(HRY_ERR_RANGE, hry_kv_element(&kv, 2, &element, &err), &err);
    size_t at = 0;
    for (uint32_t i = 0; i < 2; i++)
        assert_ok(hry_kv_next(&kv, &at, &element, &err), &err);
    assert_memory_equal(element.bytes, "two", 3);
    assert_status(HRY_ERR_RANGE, hry_kv_next(&kv, &at, &element, &err), &err);
    assert_ok(hry_file_kv_find(file, "flags", &kv, &err), &err);
    assert_int_equal(kv.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_ok(hry_kv_element(&kv, i, &element, &err), &err);
        assert_int_equal(element.number.boolean, i != 1);
    }
    hry_file_close(file);
    bytes_free(&b);
}

static char path[] = "/tmp/hry_writer_XXXXXX";

static int make_path(void **state)
{
    (void)state;
    const int fd = mkstemp(path);
    return fd < 0 || close(fd) != 0;
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

static void file_on_disk_is_complete_after_finish(void **state)
{
    (void)state;
    hry_error err;
    hry_writer *w;
    hry_file *file;
    const hry_writer_options options = {
        .alignment = 65536, .flags = HRY_FILE_SORTED_INDEX, .tensor_count_hint = 5};
    assert_ok(hry_writer_create(path, &options, &w, &err), &err);
    assert_ok(sample_tensors(w, &err), &err);
    assert_ok(hry_writer_finish(w, &err), &err);
    assert_ok(hry_file_open(path, NULL, &file, &err), &err);
    assert_int_equal(hry_file_count(file), 5);
    assert_int_equal(hry_file_get_info(file)->alignment, 65536);
    assert_int_equal(hry_file_get_info(file)->tensor_count_hint, 5);
    assert_ok(hry_file_check_canonical(file, &err), &err);
    hry_file_close(file);
    assert_status(HRY_ERR_IO, hry_writer_create("/no/such/file", NULL, &w, &err), &err);
    assert_ok(hry_writer_create(path, NULL, &w, &err), &err);
    hry_writer_abandon(w);
    assert_status(HRY_ERR_TRUNCATED, hry_file_open(path, NULL, &file, &err), &err);
}

/* Private layouts borrow bytes that the file keeps: all threads may ask for them at once.
 */
static void *look(void *ctx)
{
    hry_file *file = ctx;
    for (int i = 0; i < 200; i++)
        sample_visit(file);
    return NULL;
}

static void threads_share_an_open_file(void **state)
{
    (void)state;
    hry_error err;
    hry_file *file;
    hry_descriptor d;
    pthread_t threads[4];
    const hry_file_options options = {.mode = HRY_PERMISSIVE};
    assert_ok(hry_file_open(HRY_TEST_DATA "/vectors/interop/file_private_layout_f1.hrry",
                            &options, &file, &err),
              &err);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, look, file), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_ok(hry_file_descriptor(file, 1, &d, &err), &err);
    hry_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_misuse_and_goes_on),
        cmocka_unit_test(unfinished_tensor_is_no_file),
        cmocka_unit_test(lost_bytes_are_never_forgotten),
        cmocka_unit_test(kv_of_every_kind_comes_back),
        cmocka_unit_test(file_on_disk_is_complete_after_finish),
        cmocka_unit_test(threads_share_an_open_file),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
