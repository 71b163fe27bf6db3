/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors that other implementations wrote, as bare streams: read equal, written the same;
 * bad descriptors and bad composites refused at the byte at fault. */
#include "hry/hry.h"

#include "byte_source.h"
#include "bytes.h"
#include "cmocka_all.h"
#include "manifest.h"
#include "stream_of.h"

/* Read all and write it again with `w`, which may be NULL. */
static hry_status copy(byte_source *s, hry_mode mode, hry_stream_writer *w, size_t *count,
                       hry_error *err)
{
    const hry_stream_options options = {.mode = mode, .remote = true};
    hry_stream_reader *r;
    hry_descriptor d;
    uint8_t part[1000];
    bool found = true;
    *count = 0;
    hry_status status = hry_stream_reader_new(byte_source_of(s), &options, &r, err);
    while (status == HRY_OK && found) {
        status = hry_stream_reader_next(r, &d, &found, err);
        if (status != HRY_OK || !found)
            break;
        ++*count;
        if (w != NULL)
            status = hry_stream_writer_begin(w, &d, err);
        for (size_t got = sizeof part; status == HRY_OK && got == sizeof part;) {
            status = hry_stream_reader_read(r, part, sizeof part, &got, err);
            if (status == HRY_OK && w != NULL)
                status = hry_stream_writer_write(w, part, got, err);
        }
    }
    hry_stream_reader_free(r);
    return status;
}

static void every_good_file_as_a_stream_comes_back_the_same(void **state)
{
    (void)state;
    hry_error err;
    unsigned tried = 0;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *told;
    cJSON_ArrayForEach(told, manifest_list(root, "good_files"))
    {
        hry_stream_writer *w;
        size_t count;
        blob again = bytes_copy("", 0);
        const char *file = json_text(told, "file");
        const bool is_private = strcmp(file, "file_private_layout_f1.hrry") == 0;
        const hry_mode mode = is_private ? HRY_PERMISSIVE : HRY_STRICT;
        stream_of from = stream_of_file(file);
        byte_source s = byte_source_over(from.bytes.data, from.bytes.size, 333);
        assert_int_equal(from.count, json_u64(told, "tensor_count"));
        assert_ok(hry_stream_writer_new(bytes_sink, &again, NULL, &w, &err), &err);
        assert_ok(copy(&s, mode, w, &count, &err), &err);
        assert_ok(hry_stream_writer_finish(w, &err), &err);
        assert_int_equal(count, from.count);
        assert_int_equal(again.size, from.bytes.size);
        assert_memory_equal(again.data, from.bytes.data, again.size);
        bytes_free(&again);
        bytes_free(&from.bytes);
        tried++;
    }
    assert_int_equal(tried, 169);
    cJSON_Delete(root);
}

/* After a good tensor, so that places count from the start of the stream. */
static void every_bad_descriptor_is_refused_as_it_is_alone(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *told;
    unsigned tried = 0;
    cJSON_ArrayForEach(told, manifest_list(root, "bad"))
    {
        hry_error err, alone;
        hry_descriptor d;
        hry_stream_writer *w;
        size_t size, count;
        if (strcmp(json_text(told, "stage"), "descriptor") != 0)
            continue;
        uint8_t *bytes = vector_read("interop", json_text(told, "file"), &size);
        blob b = {0};
        assert_ok(hry_descriptor_dense(HRY_INT8, 1, (uint64_t[]){3}, &d, &err), &err);
        assert_ok(hry_stream_writer_new(bytes_sink, &b, NULL, &w, &err), &err);
        assert_ok(hry_stream_writer_add(w, &d, (const void *[]){"abc"}, &err), &err);
        assert_ok(hry_stream_writer_finish(w, &err), &err);
        const size_t start = b.size;
        bytes_append(&b, bytes, size);
        byte_source s = byte_source_over(b.data, b.size, 100);
        const hry_status want =
            hry_descriptor_decode(bytes, size, HRY_STRICT, &d, NULL, &alone);
        if (size > 0) { /* else the stream simply ends */
            assert_status(want, copy(&s, HRY_STRICT, NULL, &count, &err), &err);
            assert_int_equal(count, 1);
            /* A cut is where the stream ends; alone it is where a length says so. */
            assert_int_equal(err.offset,
                             want == HRY_ERR_TRUNCATED ? b.size : start + alone.offset);
            tried++;
        }
        bytes_free(&b);
        free(bytes);
    }
    assert_int_equal(tried, 169);
    cJSON_Delete(root);
}

/* Is the file refused by our reading of the rule? A quantized member has float32 values,
 * which any float type can take. */
static bool is_allowed(const char *file)
{
    return strcmp(file, "bad/bad_partition_quantized_type_mismatch.hrry") == 0;
}

static void every_bad_composite_is_refused_for_its_rule(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *told;
    unsigned tried = 0;
    cJSON_ArrayForEach(told, manifest_list(root, "bad"))
    {
        hry_error err;
        size_t count;
        const char *file = json_text(told, "file"), *field = json_text(told, "field");
        if (strcmp(json_text(told, "stage"), "composite") != 0 || is_allowed(file))
            continue;
        stream_of from = stream_of_file(file);
        byte_source s = byte_source_over(from.bytes.data, from.bytes.size, 100);
        const bool is_torn = strstr(file, "torn") != NULL;
        assert_status(is_torn ? HRY_ERR_TRUNCATED : HRY_ERR_CORRUPT,
                      copy(&s, HRY_STRICT, NULL, &count, &err), &err);
        /* What only all members together show is no byte's fault. */
        if (err.offset != HRY_NO_OFFSET && !is_torn)
            assert_int_equal(stream_of_place(&from, err.offset), json_u64(told, "offset"));
        else
            assert_true(is_torn || strcmp(field, "member_count") == 0 ||
                        strstr(file, "_gap") != NULL || strstr(file, "_overlap") != NULL);
        s = byte_source_over(from.bytes.data, from.bytes.size, 100);
        if (is_torn)
            assert_ok(copy(&s, HRY_PERMISSIVE, NULL, &count, &err), &err);
        bytes_free(&from.bytes);
        tried++;
    }
    assert_int_equal(tried, 16);
    cJSON_Delete(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_good_file_as_a_stream_comes_back_the_same),
        cmocka_unit_test(every_bad_descriptor_is_refused_as_it_is_alone),
        cmocka_unit_test(every_bad_composite_is_refused_for_its_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
