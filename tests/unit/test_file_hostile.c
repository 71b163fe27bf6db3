/* SPDX-License-Identifier: Apache-2.0 */
/* Files cut off, with flipped bits, on failing media: an error or a value, no harm. */
#include "faulty_io.h"
#include "sample_file.h"

#include "cmocka_all.h"

static blob sample(uint32_t flags)
{
    hry_error err;
    blob b = {0};
    assert_ok(sample_write(bytes_sink, &b, flags, &err), &err);
    return b;
}

static hry_status open_bytes(const blob *b, hry_file_options options, hry_file **out,
                             hry_error *err)
{
    hry_io io;
    assert_ok(hry_io_memory(b->data, b->size, &io, err), err);
    return hry_file_open_io(io, &options, out, err);
}

static void refuses_every_prefix(void **state)
{
    (void)state;
    hry_error err;
    hry_file *file;
    blob whole = sample(HRY_FILE_HAS_INDEX_CRC);
    /* Copies of the right size show every read beyond; in the middle one in 61 will do. */
    for (size_t n = 0; n < whole.size; n += n < 200 || n + 700 > whole.size ? 1 : 61) {
        blob cut = bytes_copy(whole.data, n);
        assert_status(HRY_ERR_TRUNCATED,
                      open_bytes(&cut, (hry_file_options){0}, &file, &err), &err);
        assert_int_equal(err.offset, n);
        bytes_free(&cut);
    }
    bytes_free(&whole);
}

static void flip(blob *b, size_t at, uint8_t mask)
{
    hry_error err;
    hry_file *file;
    b->data[at] ^= mask;
    for (int way = 0; way < 4; way++) {
        const hry_file_options options = {
            .mode = way % 2 == 0 ? HRY_STRICT : HRY_PERMISSIVE, .map = way > 1};
        err.message[0] = '\0';
        const hry_status status = open_bytes(b, options, &file, &err);
        if (status == HRY_OK) {
            sample_visit(file);
            hry_file_close(file);
        } else {
            assert_int_equal(err.code, status);
            assert_true(err.message[0] != '\0');
        }
    }
    b->data[at] ^= mask;
}

/* Without a checksum, so that flips reach what the checksum would keep from being read. */
static void any_flipped_bit_gives_a_value_or_an_error(void **state)
{
    (void)state;
    blob b = sample(0);
    for (size_t at = 0; at < b.size; at++) {
        if (at > 300 && at + 700 < b.size && b.data[at] == 0)
            continue; /* padding */
        for (int bit = 0; bit < 8; bit++)
            flip(&b, at, (uint8_t)(1 << bit));
        flip(&b, at, 0xFF);
    }
    bytes_free(&b);
}

static void checksum_finds_any_flipped_bit_of_the_index(void **state)
{
    (void)state;
    hry_error err;
    hry_file *file;
    blob b = sample(HRY_FILE_HAS_INDEX_CRC);
    assert_ok(open_bytes(&b, (hry_file_options){0}, &file, &err), &err);
    const hry_file_info info = *hry_file_get_info(file);
    hry_file_close(file);
    for (uint64_t i = 0; i < info.index_length * 8; i++) {
        b.data[info.index_offset + i / 8] ^= (uint8_t)(1 << i % 8);
        assert_status(HRY_ERR_CORRUPT, open_bytes(&b, (hry_file_options){0}, &file, &err),
                      &err);
        assert_int_equal(err.offset, info.index_offset);
        b.data[info.index_offset + i / 8] ^= (uint8_t)(1 << i % 8);
    }
    bytes_free(&b);
}

static void nth_failing_read_is_an_error_and_closes(void **state)
{
    (void)state;
    hry_error err;
    hry_file *file;
    blob b = sample(HRY_FILE_HAS_INDEX_CRC);
    long n = 0;
    for (;; n++) {
        faulty_io medium = {.data = b.data, .size = b.size, .fuse = n};
        const hry_status status =
            hry_file_open_io(faulty_io_over(&medium), NULL, &file, &err);
        if (status == HRY_OK) {
            medium.fuse = 0;
            hry_descriptor d;
            uint8_t byte;
            assert_status(HRY_ERR_IO, hry_file_descriptor(file, 0, &d, &err), &err);
            assert_status(HRY_ERR_IO, hry_file_read(file, 0, &byte, 1, &err), &err);
            hry_file_close(file);
            assert_int_equal(medium.closed, 1);
            break;
        }
        assert_int_equal(status, HRY_ERR_IO);
        assert_string_equal(err.message, "the medium failed");
        assert_int_equal(medium.closed, 1);
    }
    assert_int_equal(n, 5); /* size, header, trailer, index, key-value section */
    bytes_free(&b);
}

/* A medium that cannot be mapped says so; none is leaked. */
static void mapping_needs_a_file_or_memory(void **state)
{
    (void)state;
    hry_error err;
    hry_file *file;
    blob b = sample(0);
    faulty_io medium = {.data = b.data, .size = b.size, .fuse = -1};
    assert_status(HRY_ERR_UNSUPPORTED,
                  hry_file_open_io(faulty_io_over(&medium),
                                   &(hry_file_options){.map = true}, &file, &err),
                  &err);
    assert_int_equal(medium.closed, 1);
    bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_every_prefix),
        cmocka_unit_test(any_flipped_bit_gives_a_value_or_an_error),
        cmocka_unit_test(checksum_finds_any_flipped_bit_of_the_index),
        cmocka_unit_test(nth_failing_read_is_an_error_and_closes),
        cmocka_unit_test(mapping_needs_a_file_or_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
