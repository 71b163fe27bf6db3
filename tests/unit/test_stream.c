/* SPDX-License-Identifier: Apache-2.0 */
/* Bare streams: written, read back in any pieces, cut off anywhere. */
#include "hry/hry.h"

#include "byte_source.h"
#include "bytes.h"
#include "cmocka_all.h"
#include "random.h"
#include "sample_file.h"

/* ---- helpers ---- */

/* Read to the end, data or not; the last status. */
static hry_status read_all(hry_source source, const hry_stream_options *options, bool data,
                           uint64_t *count, hry_error *err)
{
    hry_stream_reader *r;
    hry_descriptor d;
    bool found = true;
    uint8_t to[100];
    *count = 0;
    hry_status status = hry_stream_reader_new(source, options, &r, err);
    while (status == HRY_OK && found) {
        status = hry_stream_reader_next(r, &d, &found, err);
        *count += status == HRY_OK && found;
        size_t got = status == HRY_OK && found && data ? sizeof to : 0;
        while (status == HRY_OK && got == sizeof to)
            status = hry_stream_reader_read(r, to, sizeof to, &got, err);
    }
    hry_stream_reader_free(r);
    return status;
}

static hry_status read_bytes(const void *bytes, size_t size, hry_error *err)
{
    byte_source s = byte_source_over(bytes, size, 4096);
    uint64_t count;
    return read_all(byte_source_of(&s), NULL, true, &count, err);
}

/* Plain, empty, sparse, and a partition in a group. */
static blob sample(void)
{
    static const float one_two[] = {1, 2}, seven[] = {7};
    static const uint64_t where[] = {1};
    hry_error err;
    hry_stream_writer *w;
    hry_descriptor d, coo = sample_coo(), group = sample_head(), partition = sample_head();
    blob b = bytes_copy("", 0);
    assert_ok(hry_stream_writer_new(bytes_sink, &b, NULL, &w, &err), &err);
    assert_ok(hry_descriptor_dense(HRY_FLOAT32, 1, (uint64_t[]){2}, &d, &err), &err);
    assert_ok(hry_stream_writer_add(w, &d, (const void *[]){one_two}, &err), &err);
    assert_ok(hry_descriptor_dense(HRY_INT8, 1, (uint64_t[]){0}, &d, &err), &err);
    assert_ok(hry_stream_writer_add(w, &d, NULL, &err), &err);
    assert_ok(hry_stream_writer_add(w, &coo, (const void *[]){seven, where}, &err), &err);
    assert_ok(hry_stream_writer_add(w, &group, NULL, &err), &err);
    partition.type_tag = HRY_INT8;
    partition.rank = 1;
    partition.shape[0] = 5;
    partition.fields.composite.rule = HRY_PARTITION;
    partition.fields.composite.member_count = 2;
    assert_ok(hry_stream_writer_add(w, &partition, NULL, &err), &err);
    for (uint64_t i = 0; i < 2; i++) {
        assert_ok(hry_descriptor_dense(HRY_INT8, 1, (uint64_t[]){2 + i}, &d, &err), &err);
        d.flags = HRY_HAS_SHARD;
        d.shard.parent_shape[0] = 5;
        d.shard.offset[0] = 3 * (1 - i);
        assert_ok(hry_stream_writer_add(w, &d, (const void *[]){"abc"}, &err), &err);
    }
    assert_ok(hry_stream_writer_finish(w, &err), &err);
    return b;
}

/* ---- the worked example ---- */

static const uint8_t example[61] = {
    0x48, 0x52, 0x52, 0x59, 0x01, 0x00, 0x3D, 0, 0, 0, 0, 0, 0, 0,    0x03, 0x01,
    0x02, 0,    0,    0,    0x03, 0,    0,    0, 0, 0, 0, 0, 4, 0,    0,    0,
    0,    0,    0,    0,    0,    0,    0,    0, 0, 0, 0, 0, 1, 0xC0, 0,    0,
    0,    0,    0,    0,    0,    0x40, 0,    0, 0, 0, 0, 0, 0,
};

static void the_worked_example_is_a_stream(void **state)
{
    (void)state;
    hry_error err;
    hry_stream_writer *w;
    hry_stream_reader *r;
    hry_descriptor d;
    uint8_t data[192], got[200];
    size_t n;
    bool found = false;
    blob b = {0};
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)i;
    assert_ok(hry_descriptor_decode(example, sizeof example, HRY_STRICT, &d, NULL, &err),
              &err);
    assert_ok(hry_stream_writer_new(bytes_sink, &b, NULL, &w, &err), &err);
    assert_ok(hry_stream_writer_add(w, &d, (const void *[]){data}, &err), &err);
    assert_ok(hry_stream_writer_finish(w, &err), &err);
    assert_int_equal(b.size, 61 + 192);
    assert_memory_equal(b.data, example, 61);
    assert_memory_equal(b.data + 61, data, 192);

    byte_source s = byte_source_over(b.data, b.size, 7);
    assert_ok(hry_stream_reader_new(byte_source_of(&s), NULL, &r, &err), &err);
    assert_ok(hry_stream_reader_next(r, &d, &found, &err), &err);
    assert_true(found);
    assert_int_equal(d.type_tag, HRY_FLOAT32);
    assert_int_equal(d.shape[1], 4);
    assert_int_equal(hry_stream_reader_at(r), 61);
    assert_ok(hry_stream_reader_read(r, got, sizeof got, &n, &err), &err);
    assert_int_equal(n, 192);
    assert_memory_equal(got, data, 192);
    assert_ok(hry_stream_reader_next(r, &d, &found, &err), &err);
    assert_false(found);
    assert_ok(hry_stream_reader_next(r, &d, &found, &err), &err);
    assert_false(found);
    hry_stream_reader_free(r);
    bytes_free(&b);
}

static void an_empty_stream_has_no_tensors(void **state)
{
    (void)state;
    hry_error err;
    uint64_t count = 1;
    byte_source s = byte_source_over("", 0, 1);
    assert_ok(read_all(byte_source_of(&s), NULL, true, &count, &err), &err);
    assert_int_equal(count, 0);
}

/* ---- pieces, cuts, flips, failures ---- */

static void reads_in_pieces_of_any_size(void **state)
{
    (void)state;
    hry_error err;
    blob b = sample();
    for (size_t step = 1; step < 200; step++) {
        uint64_t count;
        byte_source s = byte_source_over(b.data, b.size, step);
        assert_ok(read_all(byte_source_of(&s), NULL, step % 2 == 0, &count, &err), &err);
        assert_int_equal(count, 7);
    }
    bytes_free(&b);
}

/* Only between tensors that are nobody's members is an end an end. */
static void refuses_every_other_prefix(void **state)
{
    (void)state;
    hry_error err;
    blob b = sample();
    unsigned whole = 0;
    for (size_t n = 0; n < b.size; n++) {
        blob cut = bytes_copy(b.data, n);
        uint64_t count;
        byte_source s = byte_source_over(cut.data, n, 777);
        const hry_status status =
            read_all(byte_source_of(&s), NULL, n % 2 == 0, &count, &err);
        whole += status == HRY_OK;
        if (status != HRY_OK) {
            assert_int_equal(status, HRY_ERR_TRUNCATED);
            /* What is torn is so where it was told to be larger. */
            if (err.offset != n && strstr(err.message, "torn") == NULL)
                fail_msg("%zu bytes: at %llu: %s", n, (unsigned long long)err.offset,
                         err.message);
        }
        bytes_free(&cut);
    }
    assert_int_equal(whole, 4); /* nothing, and after each of the first three */
    bytes_free(&b);
}

static void a_torn_composite_is_shown_to_the_permissive(void **state)
{
    (void)state;
    const hry_stream_options permissive = {.mode = HRY_PERMISSIVE};
    hry_error err;
    blob b = sample();
    uint64_t count;
    const size_t last = 3 + 20 + 8 + 8 + 17 + 16; /* data, header, shape, ..., shard */
    byte_source s = byte_source_over(b.data, b.size - last, 50);
    assert_ok(read_all(byte_source_of(&s), &permissive, true, &count, &err), &err);
    assert_int_equal(count, 6);
    s = byte_source_over(b.data, b.size - last, 50);
    assert_status(HRY_ERR_TRUNCATED, read_all(byte_source_of(&s), NULL, true, &count, &err),
                  &err);
    assert_string_equal(err.message,
                        "member_count: 2, a torn composite: only 1 tensors follow");
    bytes_free(&b);
}

/* Whatever a flipped bit makes of it: no crash, and an error that says something. */
static void survives_flipped_bits(void **state)
{
    (void)state;
    blob b = sample();
    unsigned refused = 0;
    for (size_t bit = 0; bit < b.size * 8; bit++) {
        hry_error err = {.message = ""};
        b.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (read_bytes(b.data, b.size, &err) != HRY_OK) {
            assert_true(err.message[0] != '\0');
            refused++;
        }
        b.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_true(refused > 1000);
    bytes_free(&b);
}

static void nth_failing_read_is_an_error(void **state)
{
    (void)state;
    hry_error err;
    uint64_t count;
    blob b = sample();
    long n = 0;
    for (;; n++) {
        byte_source s = byte_source_over(b.data, b.size, 30);
        s.fuse = n;
        const hry_status status = read_all(byte_source_of(&s), NULL, true, &count, &err);
        if (status == HRY_OK)
            break;
        assert_int_equal(status, HRY_ERR_IO);
    }
    assert_true(n > 20);
    bytes_free(&b);
}

static void after_an_error_nothing_more_is_read(void **state)
{
    (void)state;
    hry_error err;
    hry_stream_reader *r;
    hry_descriptor d;
    bool found;
    size_t got;
    byte_source s = byte_source_over("HRRZ and more than twenty bytes", 31, 100);
    assert_ok(hry_stream_reader_new(byte_source_of(&s), NULL, &r, &err), &err);
    assert_status(HRY_ERR_CORRUPT, hry_stream_reader_next(r, &d, &found, &err), &err);
    assert_int_equal(err.offset, 0);
    assert_status(HRY_ERR_ARG, hry_stream_reader_next(r, &d, &found, &err), &err);
    assert_status(HRY_ERR_ARG, hry_stream_reader_read(r, &got, 1, &got, &err), &err);
    hry_stream_reader_free(r);
    hry_stream_reader_free(NULL);
}

/* ---- limits ---- */

static void limits_are_told_before_anything_is_allocated(void **state)
{
    (void)state;
    hry_error err;
    uint64_t count;
    uint8_t huge[61];
    byte_source s = byte_source_over(huge, sizeof huge, 100);
    memcpy(huge, example, sizeof huge);
    memset(huge + 6, 0xF0, 4); /* a descriptor of 4 GB */
    assert_status(HRY_ERR_RANGE, read_all(byte_source_of(&s), NULL, true, &count, &err),
                  &err);
    assert_int_equal(err.offset, 6);

    const hry_stream_options small = {.data_limit = 191};
    s = byte_source_over(example, sizeof example, 100);
    assert_status(HRY_ERR_RANGE, read_all(byte_source_of(&s), &small, true, &count, &err),
                  &err);
    assert_int_equal(err.offset, 45);

    memcpy(huge, example, sizeof huge);
    memset(huge + 45, 0xFF, 7); /* buffers of 2^56 bytes that do not come */
    s = byte_source_over(huge, sizeof huge, 100);
    assert_status(HRY_ERR_TRUNCATED, read_all(byte_source_of(&s), NULL, true, &count, &err),
                  &err);
}

static void events_do_not_cross_machines(void **state)
{
    (void)state;
    const hry_stream_options remote = {.remote = true};
    hry_error err;
    uint64_t count;
    hry_descriptor d;
    hry_stream_writer *w;
    blob b = {0};
    assert_ok(hry_descriptor_dense(HRY_INT8, 1, (uint64_t[]){3}, &d, &err), &err);
    d.buffers[0].device = 1;
    d.buffers[0].sync_mode = 1;
    assert_ok(hry_stream_writer_new(bytes_sink, &b, NULL, &w, &err), &err);
    assert_ok(hry_stream_writer_add(w, &d, (const void *[]){"abc"}, &err), &err);
    assert_ok(hry_stream_writer_finish(w, &err), &err);
    byte_source s = byte_source_over(b.data, b.size, 100);
    assert_ok(read_all(byte_source_of(&s), NULL, true, &count, &err), &err);
    s = byte_source_over(b.data, b.size, 100);
    assert_status(HRY_ERR_CORRUPT,
                  read_all(byte_source_of(&s), &remote, true, &count, &err), &err);
    assert_int_equal(err.offset, 20 + 8 + 8 + 1 + 13);
    assert_ok(hry_stream_writer_new(bytes_sink, &b, &remote, &w, &err), &err);
    assert_status(HRY_ERR_CORRUPT, hry_stream_writer_begin(w, &d, &err), &err);
    hry_stream_writer_abandon(w);
    bytes_free(&b);
}

/* ---- writing ---- */

static hry_status broken_sink(void *ctx, const void *bytes, size_t size, hry_error *err)
{
    long *fuse = ctx;
    (void)bytes;
    (void)size;
    if ((*fuse)-- > 0)
        return HRY_OK;
    *err = (hry_error){HRY_ERR_IO, HRY_NO_OFFSET, "the pipe broke"};
    return HRY_ERR_IO;
}

static void a_broken_sink_ends_writing(void **state)
{
    (void)state;
    hry_error err;
    hry_stream_writer *w;
    hry_descriptor d;
    assert_ok(hry_descriptor_dense(HRY_INT8, 1, (uint64_t[]){3}, &d, &err), &err);
    for (long n = 0; n < 2; n++) {
        long fuse = n;
        assert_ok(hry_stream_writer_new(broken_sink, &fuse, NULL, &w, &err), &err);
        assert_status(HRY_ERR_IO,
                      hry_stream_writer_add(w, &d, (const void *[]){"abc"}, &err), &err);
        assert_status(HRY_ERR_ARG, hry_stream_writer_begin(w, &d, &err), &err);
        assert_status(HRY_ERR_ARG, hry_stream_writer_write(w, "a", 1, &err), &err);
        assert_status(HRY_ERR_ARG, hry_stream_writer_finish(w, &err), &err);
    }
}

static void incomplete_tensors_and_composites_are_refused(void **state)
{
    (void)state;
    hry_error err;
    hry_stream_writer *w;
    hry_descriptor d, head = sample_head();
    blob b = {0};
    assert_ok(hry_descriptor_dense(HRY_INT8, 1, (uint64_t[]){3}, &d, &err), &err);
    assert_ok(hry_stream_writer_new(bytes_sink, &b, NULL, &w, &err), &err);
    assert_ok(hry_stream_writer_begin(w, &d, &err), &err);
    assert_ok(hry_stream_writer_write(w, "ab", 2, &err), &err);
    assert_status(HRY_ERR_ARG, hry_stream_writer_begin(w, &d, &err), &err);
    assert_status(HRY_ERR_RANGE, hry_stream_writer_write(w, "cd", 2, &err), &err);
    assert_status(HRY_ERR_ARG, hry_stream_writer_finish(w, &err), &err);

    assert_ok(hry_stream_writer_new(bytes_sink, &b, NULL, &w, &err), &err);
    assert_status(HRY_ERR_ARG, hry_stream_writer_add(w, &d, NULL, &err), &err);
    hry_stream_writer_abandon(w);

    assert_ok(hry_stream_writer_new(bytes_sink, &b, NULL, &w, &err), &err);
    assert_ok(hry_stream_writer_add(w, &head, NULL, &err), &err);
    assert_status(HRY_ERR_ARG, hry_stream_writer_finish(w, &err), &err);
    assert_string_equal(err.message,
                        "member_count: 1, a torn composite: only 0 tensors follow");
    bytes_free(&b);
}

static void a_partition_with_a_gap_is_not_written(void **state)
{
    (void)state;
    hry_error err;
    hry_stream_writer *w;
    hry_descriptor d, head = sample_head();
    blob b = {0};
    head.type_tag = HRY_INT8;
    head.rank = 1;
    head.shape[0] = 4;
    head.fields.composite.rule = HRY_PARTITION;
    assert_ok(hry_stream_writer_new(bytes_sink, &b, NULL, &w, &err), &err);
    assert_ok(hry_stream_writer_add(w, &head, NULL, &err), &err);
    assert_ok(hry_descriptor_dense(HRY_INT8, 1, (uint64_t[]){3}, &d, &err), &err);
    assert_status(HRY_ERR_CORRUPT, hry_stream_writer_begin(w, &d, &err), &err);
    hry_stream_writer_abandon(w);

    assert_ok(hry_stream_writer_new(bytes_sink, &b, NULL, &w, &err), &err);
    assert_ok(hry_stream_writer_add(w, &head, NULL, &err), &err);
    d.flags = HRY_HAS_SHARD;
    d.shard.parent_shape[0] = 4;
    assert_status(HRY_ERR_CORRUPT,
                  hry_stream_writer_add(w, &d, (const void *[]){"abc"}, &err), &err);
    assert_status(HRY_ERR_ARG, hry_stream_writer_finish(w, &err), &err);
    bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worked_example_is_a_stream),
        cmocka_unit_test(an_empty_stream_has_no_tensors),
        cmocka_unit_test(reads_in_pieces_of_any_size),
        cmocka_unit_test(refuses_every_other_prefix),
        cmocka_unit_test(a_torn_composite_is_shown_to_the_permissive),
        cmocka_unit_test(survives_flipped_bits),
        cmocka_unit_test(nth_failing_read_is_an_error),
        cmocka_unit_test(after_an_error_nothing_more_is_read),
        cmocka_unit_test(limits_are_told_before_anything_is_allocated),
        cmocka_unit_test(events_do_not_cross_machines),
        cmocka_unit_test(a_broken_sink_ends_writing),
        cmocka_unit_test(incomplete_tensors_and_composites_are_refused),
        cmocka_unit_test(a_partition_with_a_gap_is_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
