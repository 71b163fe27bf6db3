/* SPDX-License-Identifier: Apache-2.0 */
/* The ends of a file: header and footer encoded, opened again, and found in. */
#include "hry/file.h"
#include "hry/writer.h"

#include "bytes.h"
#include "cmocka_all.h"

#define VECTORS HRY_TEST_DATA "/vectors/interop"

static hry_entry entry(const char *name, uint64_t at)
{
    return (hry_entry){.name = name,
                       .name_length = (uint16_t)strlen(name),
                       .descriptor_offset = at,
                       .descriptor_length = 61,
                       .data_offset = 4096,
                       .data_length = 24};
}

static hry_kv kv_u64(const char *key, uint64_t v)
{
    return (hry_kv){.key = key,
                    .key_length = (uint16_t)strlen(key),
                    .tag = HRY_KV_U64,
                    .number.u64 = v};
}

/* A file without tensor region: header, then the footer. */
static blob finish(hry_footer *footer, uint32_t flags)
{
    hry_error err;
    uint8_t header[HRY_FILE_HEADER_SIZE];
    const void *end;
    size_t size;
    assert_ok(hry_file_header_encode(flags, 4096, 64, UINT64_MAX, header, &err), &err);
    assert_ok(hry_footer_encode(footer, 64, &end, &size, &err), &err);
    blob b = bytes_copy(header, sizeof header);
    bytes_append(&b, end, size);
    hry_footer_free(footer);
    return b;
}

static hry_footer *new_footer(uint32_t flags)
{
    hry_error err;
    hry_footer *footer;
    assert_ok(hry_footer_new(flags, &footer, &err), &err);
    return footer;
}

static hry_status open_bytes(const blob *b, hry_mode mode, hry_file **out, hry_error *err)
{
    hry_io io;
    assert_ok(hry_io_memory(b->data, b->size, &io, err), err);
    return hry_file_open_io(io, &(hry_file_options){.mode = mode}, out, err);
}

static void empty_file_is_the_reference_s(void **state)
{
    (void)state;
    blob want = bytes_of_file(VECTORS, "file_no_tensors.hrry");
    blob got = finish(new_footer(HRY_FILE_HAS_INDEX_CRC), HRY_FILE_HAS_INDEX_CRC);
    assert_int_equal(got.size, want.size);
    assert_memory_equal(got.data, want.data, want.size);
    bytes_free(&got);
    bytes_free(&want);
}

static void kv_without_tensors_is_the_reference_s(void **state)
{
    (void)state;
    hry_error err;
    blob want = bytes_of_file(VECTORS, "file_kv_no_tensors.hrry");
    hry_footer *footer = new_footer(HRY_FILE_HAS_INDEX_CRC);
    const hry_kv kv = {
        .key = "only", .key_length = 4, .tag = HRY_KV_BOOL, .number.boolean = true};
    assert_ok(hry_footer_add_kv(footer, &kv, &err), &err);
    blob got = finish(footer, HRY_FILE_HAS_INDEX_CRC);
    assert_int_equal(got.size, want.size);
    assert_memory_equal(got.data, want.data, want.size);
    bytes_free(&got);
    bytes_free(&want);
}

static void rows_come_back_in_order_and_by_name(void **state)
{
    (void)state;
    hry_error err;
    const uint32_t flags = HRY_FILE_HAS_INDEX_CRC;
    const char *const names[] = {"w/layer.1/\xC3\xA9t\xC3\xA9", "b", "a", "ab"};
    hry_footer *footer = new_footer(flags);
    for (size_t i = 0; i < 4; i++) {
        const hry_entry e = entry(names[i], 64 * (i + 1));
        assert_ok(hry_footer_add(footer, &e, &err), &err);
    }
    blob b = finish(footer, flags);
    hry_file *file;
    assert_ok(open_bytes(&b, HRY_STRICT, &file, &err), &err);
    assert_int_equal(hry_file_count(file), 4);
    for (uint64_t i = 0; i < 4; i++) {
        hry_entry e;
        uint64_t found;
        assert_ok(hry_file_entry(file, i, &e, &err), &err);
        assert_int_equal(e.name_length, strlen(names[i]));
        assert_memory_equal(e.name, names[i], e.name_length);
        assert_int_equal(e.descriptor_offset, 64 * (i + 1));
        assert_int_equal(e.descriptor_length, 61);
        assert_int_equal(e.data_offset, 4096);
        assert_int_equal(e.data_length, 24);
        assert_ok(hry_file_find(file, names[i], strlen(names[i]), &found, &err), &err);
        assert_int_equal(found, i);
    }
    uint64_t found;
    hry_entry e;
    assert_status(HRY_ERR_NOTFOUND, hry_file_find(file, "c", 1, &found, &err), &err);
    assert_status(HRY_ERR_NOTFOUND, hry_file_find(file, "", 0, &found, &err), &err);
    assert_status(HRY_ERR_RANGE, hry_file_entry(file, 4, &e, &err), &err);
    hry_file_close(file);
    bytes_free(&b);
}

static void sorted_index_is_sorted_by_bytes(void **state)
{
    (void)state;
    hry_error err;
    const uint32_t flags = HRY_FILE_SORTED_INDEX;
    const char *const names[] = {"b", "a", "ab", "\xC3\xA9", "B"};
    const char *const sorted[] = {"B", "a", "ab", "b", "\xC3\xA9"};
    hry_footer *footer = new_footer(flags), *as_added = new_footer(0);
    for (size_t i = 0; i < 5; i++) {
        const hry_entry e = entry(names[i], 64);
        assert_ok(hry_footer_add(footer, &e, &err), &err);
        assert_ok(hry_footer_add(as_added, &e, &err), &err);
    }
    blob b = finish(footer, flags);
    hry_file *file;
    assert_ok(open_bytes(&b, HRY_STRICT, &file, &err), &err);
    for (uint64_t i = 0; i < 5; i++) {
        hry_entry e;
        assert_ok(hry_file_entry(file, i, &e, &err), &err);
        assert_memory_equal(e.name, sorted[i], strlen(sorted[i]));
    }
    hry_file_close(file);
    bytes_free(&b);

    b = finish(as_added, flags);
    assert_status(HRY_ERR_CORRUPT, open_bytes(&b, HRY_STRICT, &file, &err), &err);
    assert_int_equal(err.offset, 64 + 8 + (2 + 1 + 32) + 2); /* "a" after "b" */
    bytes_free(&b);
}

static void names_and_keys_are_checked(void **state)
{
    (void)state;
    hry_error err;
    hry_footer *footer = new_footer(0);
    const void *end;
    size_t size;
    hry_entry e = entry("", 64);
    assert_status(HRY_ERR_ARG, hry_footer_add(footer, &e, &err), &err);
    e = entry("a\xED\xA0\x80", 64);
    assert_status(HRY_ERR_ARG, hry_footer_add(footer, &e, &err), &err);
    hry_kv kv = kv_u64("", 1);
    assert_status(HRY_ERR_ARG, hry_footer_add_kv(footer, &kv, &err), &err);
    kv = kv_u64("\xFF", 1);
    assert_status(HRY_ERR_ARG, hry_footer_add_kv(footer, &kv, &err), &err);
    kv = kv_u64("k", 1);
    kv.tag = 0xF0;
    assert_status(HRY_ERR_ARG, hry_footer_add_kv(footer, &kv, &err), &err);
    kv = (hry_kv){
        .key = "k", .key_length = 1, .tag = HRY_KV_STRING, .bytes = "\xFF", .length = 1};
    assert_status(HRY_ERR_ARG, hry_footer_add_kv(footer, &kv, &err), &err);
    kv = (hry_kv){
        .key = "k", .key_length = 1, .tag = HRY_KV_ARRAY, .element_tag = HRY_KV_BOOL};
    assert_status(HRY_ERR_ARG, hry_footer_add_kv(footer, &kv, &err), &err);
    kv.count = 2, kv.bytes = "\1\2", kv.length = 2;
    assert_status(HRY_ERR_ARG, hry_footer_add_kv(footer, &kv, &err), &err);
    kv.count = 1;
    assert_status(HRY_ERR_ARG, hry_footer_add_kv(footer, &kv, &err), &err);
    assert_status(HRY_ERR_ARG, hry_footer_encode(footer, 65, &end, &size, &err), &err);
    assert_status(HRY_ERR_ARG, hry_footer_encode(footer, 0, &end, &size, &err), &err);

    e = entry("twice", 64);
    assert_ok(hry_footer_add(footer, &e, &err), &err);
    assert_ok(hry_footer_add(footer, &e, &err), &err);
    assert_status(HRY_ERR_ARG, hry_footer_encode(footer, 64, &end, &size, &err), &err);
    assert_non_null(strstr(err.message, "\"twice\""));
    hry_footer_free(footer);

    footer = new_footer(0);
    kv = kv_u64("again", 1);
    assert_ok(hry_footer_add_kv(footer, &kv, &err), &err);
    assert_ok(hry_footer_add_kv(footer, &kv, &err), &err);
    assert_status(HRY_ERR_ARG, hry_footer_encode(footer, 64, &end, &size, &err), &err);
    assert_non_null(strstr(err.message, "\"again\""));
    hry_footer_free(footer);
    hry_footer_free(NULL);
}

static void header_refuses_what_a_reader_would(void **state)
{
    (void)state;
    hry_error err;
    uint8_t out[HRY_FILE_HEADER_SIZE];
    static const struct {
        uint32_t flags, alignment;
        uint64_t first, at;
    } bad[] = {{8, 4096, 64, 12}, {0, 2048, 64, 16},       {0, 0, 64, 16},
               {0, 6144, 64, 16}, {0, 4194304, 64, 16},    {0, 4096, 32, 20},
               {0, 4096, 65, 20}, {1u << 31, 4096, 64, 12}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_status(HRY_ERR_ARG,
                      hry_file_header_encode(bad[i].flags, bad[i].alignment, bad[i].first,
                                             0, out, &err),
                      &err);
        assert_int_equal(err.offset, bad[i].at);
    }
    assert_ok(hry_file_header_encode(7, 2097152, 1 << 20, 5, out, &err), &err);
}

/* A flag that promises a section is kept: an empty one is written. */
static void promised_kv_is_written_even_when_empty(void **state)
{
    (void)state;
    hry_error err;
    blob b = finish(new_footer(HRY_FILE_HAS_KV), HRY_FILE_HAS_KV);
    hry_file *file;
    assert_ok(open_bytes(&b, HRY_STRICT, &file, &err), &err);
    assert_int_equal(hry_file_kv_count(file), 0);
    assert_int_equal(hry_file_get_info(file)->kv_length, 4);
    hry_file_close(file);
    bytes_free(&b);
}

/* As many names as make buckets, sorting and growing work for their living. */
static void finds_each_of_many_names(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    hry_error err;
    hry_footer *footer = new_footer(HRY_FILE_HAS_INDEX_CRC);
    char name[64];
    for (uint64_t i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "model/layers.%d/weight.%d", (int)(i % 97), (int)i);
        const hry_entry e = entry(name, 64 + 8 * i);
        assert_ok(hry_footer_add(footer, &e, &err), &err);
    }
    blob b = finish(footer, HRY_FILE_HAS_INDEX_CRC);
    hry_file *file;
    assert_ok(open_bytes(&b, HRY_STRICT, &file, &err), &err);
    for (uint64_t i = 0; i < MANY; i++) {
        uint64_t found;
        snprintf(name, sizeof name, "model/layers.%d/weight.%d", (int)(i % 97), (int)i);
        assert_ok(hry_file_find(file, name, strlen(name), &found, &err), &err);
        assert_int_equal(found, i);
    }
    hry_file_close(file);
    bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_file_is_the_reference_s),
        cmocka_unit_test(kv_without_tensors_is_the_reference_s),
        cmocka_unit_test(rows_come_back_in_order_and_by_name),
        cmocka_unit_test(sorted_index_is_sorted_by_bytes),
        cmocka_unit_test(names_and_keys_are_checked),
        cmocka_unit_test(header_refuses_what_a_reader_would),
        cmocka_unit_test(promised_kv_is_written_even_when_empty),
        cmocka_unit_test(finds_each_of_many_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
