/* SPDX-License-Identifier: Apache-2.0 */
/* Files read front to back, as from a pipe, with either kind of padding. */
#include "sample_file.h"

#include "cmocka_all.h"
#include "manifest.h"

/* Gives `step` bytes at most at a time, as pipes do. */
typedef struct pipe_end {
    const uint8_t *data;
    size_t size, at, step;
    long fuse; /* reads that still succeed; negative: all */
} pipe_end;

static hry_status pipe_read(void *ctx, void *dst, size_t size, size_t *got, hry_error *err)
{
    pipe_end *p = ctx;
    if (p->fuse == 0) {
        *err = (hry_error){HRY_ERR_IO, HRY_NO_OFFSET, "the pipe broke"};
        return HRY_ERR_IO;
    }
    p->fuse -= p->fuse > 0;
    size_t n = p->size - p->at < size ? p->size - p->at : size;
    n = n < p->step ? n : p->step;
    memcpy(dst, p->data + p->at, n);
    p->at += n;
    *got = n;
    return HRY_OK;
}

static pipe_end pipe_over(const uint8_t *data, size_t size)
{
    return (pipe_end){.data = data, .size = size, .step = 777, .fuse = -1};
}

static hry_source source_of(pipe_end *p)
{
    return (hry_source){.read = pipe_read, .ctx = p};
}

static blob sample(void)
{
    hry_error err;
    blob b = {0};
    assert_ok(sample_write(bytes_sink, &b, HRY_FILE_HAS_INDEX_CRC, &err), &err);
    return b;
}

/* Read to the end, data or not; the last status. */
static hry_status read_all(hry_source source, const hry_reader_options *options, bool data,
                           hry_error *err)
{
    hry_reader *r;
    hry_descriptor d;
    bool found = true;
    uint8_t to[100];
    hry_status status = hry_reader_open(source, options, &r, err);
    if (status != HRY_OK)
        return status;
    while (found && (status = hry_reader_next(r, &d, &found, err)) == HRY_OK && found)
        for (size_t got = sizeof to; data && got == sizeof to;)
            if ((status = hry_reader_read(r, to, sizeof to, &got, err)) != HRY_OK)
                goto done;
done:
    hry_reader_close(r);
    return status;
}

static void next_is(hry_reader *r, uint8_t layout, const void *data, size_t size)
{
    hry_error err;
    hry_descriptor d;
    bool found = false;
    uint8_t got[100];
    size_t n;
    assert_ok(hry_reader_next(r, &d, &found, &err), &err);
    assert_true(found);
    assert_int_equal(d.layout_tag, layout);
    assert_ok(hry_reader_read(r, got, sizeof got, &n, &err), &err);
    assert_int_equal(n, size);
    assert_memory_equal(got, data, size);
    assert_ok(hry_reader_read(r, got, sizeof got, &n, &err), &err);
    assert_int_equal(n, 0);
}

static void tensors_come_as_written_names_at_the_end(void **state)
{
    (void)state;
    static const char *const names[] = {"dense", "group", "group/member", "empty", "coo"};
    static const struct {
        float value;
        uint32_t index[2];
    } coo = {7, {1, 0}};
    const float one_two[] = {1, 2};
    hry_error err;
    hry_reader *r;
    hry_descriptor d;
    hry_entry e;
    hry_kv kv;
    bool found = true;
    blob b = sample();
    pipe_end p = pipe_over(b.data, b.size);
    assert_ok(hry_reader_open(source_of(&p), NULL, &r, &err), &err);
    assert_int_equal(hry_reader_get_info(r)->alignment, 4096);
    next_is(r, HRY_ROW_MAJOR, one_two, sizeof one_two);
    next_is(r, HRY_COMPOSITE, "", 0);
    next_is(r, HRY_ROW_MAJOR, "\1\2\3", 3);
    next_is(r, HRY_ROW_MAJOR, "", 0);
    assert_status(HRY_ERR_RANGE, hry_reader_entry(r, 0, &e, &err), &err);
    next_is(r, HRY_COO, &coo, sizeof coo);
    for (int again = 0; again < 2; again++) {
        assert_ok(hry_reader_next(r, &d, &found, &err), &err);
        assert_false(found);
    }
    assert_int_equal(p.at, b.size);
    assert_int_equal(hry_reader_count(r), 5);
    for (uint64_t i = 0; i < 5; i++) {
        assert_ok(hry_reader_entry(r, i, &e, &err), &err);
        assert_int_equal(e.name_length, strlen(names[i]));
        assert_memory_equal(e.name, names[i], e.name_length);
    }
    assert_status(HRY_ERR_RANGE, hry_reader_entry(r, 5, &e, &err), &err);
    assert_int_equal(hry_reader_kv_count(r), 8);
    assert_ok(hry_reader_kv(r, 7, &kv, &err), &err);
    assert_memory_equal(kv.key, "flags", 5);
    assert_status(HRY_ERR_RANGE, hry_reader_kv(r, 8, &kv, &err), &err);
    assert_int_equal(hry_reader_get_info(r)->size, b.size);
    hry_reader_close(r);
    bytes_free(&b);
}

/* All data of a file by its index, and what a pipe gives: the same. */
static void same_as_by_index(hry_file *file, hry_reader *r)
{
    hry_error err;
    hry_descriptor d, by_index;
    bool found;
    uint64_t i = 0;
    for (;; i++) {
        assert_ok(hry_reader_next(r, &d, &found, &err), &err);
        if (!found)
            break;
        /* The vectors' indexes are in order. */
        assert_ok(hry_file_descriptor(file, i, &by_index, &err), &err);
        assert_int_equal(d.buffer_count, by_index.buffer_count);
        for (uint32_t b = 0; b < d.buffer_count; b++) {
            const size_t size = (size_t)d.buffers[b].byte_size;
            uint64_t at;
            size_t got;
            const void *view;
            uint8_t *data = malloc(size + 1);
            assert_non_null(data);
            assert_ok(hry_reader_read(r, data, size, &got, &err), &err);
            assert_int_equal(got, size);
            assert_ok(hry_file_buffer(file, i, &by_index, b, &at, &err), &err);
            if (size > 0) {
                assert_ok(hry_file_view(file, at, size, &view, &err), &err);
                assert_memory_equal(data, view, size);
            }
            free(data);
        }
    }
    assert_int_equal(i, hry_file_count(file));
    assert_int_equal(hry_reader_kv_count(r), hry_file_kv_count(file));
}

static void reads_all_good_files_front_to_back(void **state)
{
    (void)state;
    hry_error err;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *told;
    cJSON_ArrayForEach(told, manifest_list(root, "good_files"))
    {
        size_t size;
        hry_io io;
        hry_file *file;
        hry_reader *r;
        const hry_file_options options = {.mode = HRY_PERMISSIVE, .map = true};
        uint8_t *data = vector_read("interop", json_text(told, "file"), &size);
        pipe_end p = pipe_over(data, size);
        assert_ok(hry_io_memory(data, size, &io, &err), &err);
        assert_ok(hry_file_open_io(io, &options, &file, &err), &err);
        assert_ok(hry_reader_open(source_of(&p),
                                  &(hry_reader_options){.mode = HRY_PERMISSIVE}, &r, &err),
                  &err);
        same_as_by_index(file, r);
        hry_reader_close(r);
        if (strcmp(json_text(told, "file"), "file_private_layout_f1.hrry") != 0)
            assert_ok(hry_file_check_canonical(file, &err), &err);
        hry_file_close(file);
        free(data);
    }
    cJSON_Delete(root);
}

static void refuses_every_prefix_of_a_stream(void **state)
{
    (void)state;
    hry_error err;
    blob b = sample();
    for (size_t n = 0; n < b.size; n += n < 200 || n + 700 > b.size ? 1 : 61) {
        pipe_end p = pipe_over(b.data, n);
        assert_status(HRY_ERR_TRUNCATED, read_all(source_of(&p), NULL, n % 2 == 0, &err),
                      &err);
        assert_int_equal(err.offset, n);
    }
    bytes_free(&b);
}

static void nth_failing_read_of_a_stream_is_an_error(void **state)
{
    (void)state;
    hry_error err;
    blob b = sample();
    long n = 0;
    for (;; n++) {
        pipe_end p = pipe_over(b.data, b.size);
        p.fuse = n;
        const hry_status status = read_all(source_of(&p), NULL, true, &err);
        if (status == HRY_OK)
            break;
        assert_int_equal(status, HRY_ERR_IO);
    }
    assert_true(n > 10);
    bytes_free(&b);
}

static void after_an_error_nothing_more_is_read(void **state)
{
    (void)state;
    hry_error err;
    hry_reader *r;
    hry_descriptor d;
    bool found;
    size_t got;
    blob b = sample();
    pipe_end p = pipe_over(b.data, 100);
    assert_ok(hry_reader_open(source_of(&p), NULL, &r, &err), &err);
    assert_status(HRY_ERR_TRUNCATED, hry_reader_next(r, &d, &found, &err), &err);
    assert_status(HRY_ERR_ARG, hry_reader_next(r, &d, &found, &err), &err);
    assert_status(HRY_ERR_ARG, hry_reader_read(r, &got, 1, &got, &err), &err);
    hry_reader_close(r);
    hry_reader_close(NULL);
    bytes_free(&b);
}

/* An index that tells something else than what came, though it is well formed. */
static void index_is_held_to_what_came(void **state)
{
    (void)state;
    hry_error err;
    blob b = {0};
    assert_ok(sample_write(bytes_sink, &b, 0, &err), &err);
    hry_io io;
    hry_file *file;
    assert_ok(hry_io_memory(b.data, b.size, &io, &err), &err);
    assert_ok(hry_file_open_io(io, NULL, &file, &err), &err);
    const uint64_t first = hry_file_get_info(file)->index_offset + 8 + 2 + strlen("dense");
    static const unsigned fields[] = {0, 8, 13, 20};
    for (size_t i = 0; i < 4; i++) {
        b.data[first + fields[i]] ^= 0x40;
        pipe_end p = pipe_over(b.data, b.size);
        assert_status(HRY_ERR_UNSUPPORTED, read_all(source_of(&p), NULL, false, &err),
                      &err);
        b.data[first + fields[i]] ^= 0x40;
    }
    assert_ok(hry_file_check_canonical(file, &err), &err);
    hry_file_close(file);
    bytes_free(&b);
}

/* Dead bytes between tensors: by index all is there, front to back it is not. */
static void dead_bytes_are_for_the_index_only(void **state)
{
    (void)state;
    hry_error err;
    blob b = {0};
    assert_ok(sample_write(bytes_sink, &b, 0, &err), &err);
    hry_io io;
    hry_file *file;
    hry_descriptor d;
    b.data[4096 + 8] = 'X'; /* the second descriptor's magic */
    assert_ok(hry_io_memory(b.data, b.size, &io, &err), &err);
    assert_ok(hry_file_open_io(io, NULL, &file, &err), &err);
    assert_ok(hry_file_descriptor(file, 2, &d, &err), &err);
    assert_status(HRY_ERR_UNSUPPORTED, hry_file_check_canonical(file, &err), &err);
    hry_file_close(file);

    pipe_end p = pipe_over(b.data, b.size);
    const hry_reader_options small = {.footer_limit = 1000};
    assert_status(HRY_ERR_UNSUPPORTED, read_all(source_of(&p), &small, false, &err), &err);
    assert_non_null(strstr(err.message, "1000"));
    bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_come_as_written_names_at_the_end),
        cmocka_unit_test(reads_all_good_files_front_to_back),
        cmocka_unit_test(refuses_every_prefix_of_a_stream),
        cmocka_unit_test(nth_failing_read_of_a_stream_is_an_error),
        cmocka_unit_test(after_an_error_nothing_more_is_read),
        cmocka_unit_test(index_is_held_to_what_came),
        cmocka_unit_test(dead_bytes_are_for_the_index_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
