/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors that other implementations wrote: read, compared, written again, refused. */
#include "hry/descriptor.h"

#include "cmocka_all.h"
#include "manifest.h"

#include <stdlib.h>
#include <string.h>

static const char worked_example[] =
    "\x48\x52\x52\x59\x01\x00\x3D\0\0\0\0\0\0\0\x03\x01"
    "\x02\0\0\0\x03\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0"
    "\0\0\0\0\0\0\0\0\x01\xC0\0\0\0\0\0\0\0\x40\0\0\0\0\0\0";

static void encodes_to(const hry_descriptor *d, const uint8_t *bytes, size_t size)
{
    hry_error err;
    uint8_t out[8192];
    size_t length;
    assert_int_equal(hry_descriptor_size(d), size);
    assert_ok(hry_descriptor_encode(d, out, sizeof out, &length, &err), &err);
    assert_int_equal(length, size);
    assert_memory_equal(out, bytes, size);
}

static void reads_the_worked_example(void **state)
{
    (void)state;
    hry_descriptor d;
    hry_error err;
    size_t length;
    const uint8_t *bytes = (const uint8_t *)worked_example;
    assert_ok(hry_descriptor_decode(bytes, 61, HRY_STRICT, &d, &length, &err), &err);
    assert_int_equal(length, 61);
    assert_int_equal(d.type_tag, HRY_FLOAT32);
    assert_int_equal(d.layout_tag, HRY_ROW_MAJOR);
    assert_int_equal(d.rank, 2);
    assert_int_equal(d.shape[0], 3);
    assert_int_equal(d.shape[1], 4);
    assert_int_equal(d.buffer_count, 1);
    assert_int_equal(d.buffers[0].byte_size, 192);
    assert_int_equal(d.buffers[0].alignment, 64);
    encodes_to(&d, bytes, 61);
}

static void is_golden(const cJSON *entry)
{
    hry_descriptor d;
    hry_error err;
    size_t size, length, i = 0;
    const cJSON *expect = json_field(entry, "expect"), *item;
    uint8_t *bytes = vector_read("golden", json_text(entry, "file"), &size);
    assert_ok(hry_descriptor_decode(bytes, size, HRY_STRICT, &d, &length, &err), &err);
    assert_int_equal(length, size);
    assert_int_equal(d.version_major, json_u64(expect, "version_major"));
    assert_int_equal(d.version_minor, json_u64(expect, "version_minor"));
    assert_int_equal(d.type_tag, json_u64(expect, "element_type_tag"));
    assert_string_equal(hry_type_name(d.type_tag), json_text(expect, "element_type"));
    assert_int_equal(d.byte_offset, json_u64(expect, "byte_offset"));
    assert_int_equal(d.layout_tag, json_u64(expect, "layout_tag"));
    assert_int_equal((d.flags & HRY_HAS_QUANTIZATION) != 0,
                     json_u64(expect, "has_quantization"));
    assert_int_equal((d.flags & HRY_HAS_SHARD) != 0, json_u64(expect, "has_shard"));
    cJSON_ArrayForEach(item, json_field(expect, "shape"))
        assert_int_equal(d.shape[i++], json_u64_of(item));
    assert_int_equal(d.rank, i);
    i = 0;
    cJSON_ArrayForEach(item, json_field(expect, "buffer_byte_sizes"))
        assert_int_equal(d.buffers[i++].byte_size, json_u64_of(item));
    assert_int_equal(d.buffer_count, i);
    encodes_to(&d, bytes, size);
    free(bytes);
}

static void reads_and_rewrites_the_golden_ones(void **state)
{
    (void)state;
    cJSON *root = manifest_load("golden/manifest.json");
    const cJSON *entry;
    cJSON_ArrayForEach(entry, manifest_list(root, "descriptors")) is_golden(entry);
    cJSON_Delete(root);
}

/* What any descriptor in the interop manifest says of itself, sections left to the bytes.
 */
static void is_as_told(const hry_descriptor *d, const cJSON *told)
{
    const cJSON *item;
    size_t i = 0;
    assert_int_equal(d->flags, json_u64(told, "flags"));
    assert_int_equal(d->type_tag, json_u64(told, "type_tag"));
    assert_int_equal(d->layout_tag, json_u64(told, "layout_tag"));
    assert_string_equal(hry_layout_name(d->layout_tag), json_text(told, "layout"));
    assert_int_equal(d->byte_offset, json_u64(told, "byte_offset"));
    assert_int_equal(d->rank, json_u64(told, "rank"));
    cJSON_ArrayForEach(item, json_field(told, "shape"))
        assert_int_equal(d->shape[i++], json_u64_of(item));
    i = 0;
    cJSON_ArrayForEach(item, json_field(told, "buffers"))
    {
        const hry_buffer_info *b = &d->buffers[i++];
        assert_int_equal(b->byte_size, json_u64(item, "byte_size"));
        assert_int_equal(b->alignment, json_u64(item, "alignment"));
        assert_int_equal(b->device, json_u64(item, "device_tag"));
        assert_int_equal(b->sync_mode, json_u64(item, "sync_mode"));
        assert_int_equal(b->memory_class, json_u64(item, "memory_class"));
    }
    assert_int_equal(d->buffer_count, i);
}

static bool needs_permissive(const cJSON *told)
{
    return json_u64(told, "layout_tag") >= 0xF0;
}

static void reads_and_rewrites_the_good_ones(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *entry;
    cJSON_ArrayForEach(entry, manifest_list(root, "good_descriptors"))
    {
        hry_descriptor d;
        hry_error err;
        size_t size, length;
        const char *file = json_text(entry, "file");
        const cJSON *told = json_field(entry, "descriptor");
        uint8_t *bytes = vector_read("interop", file, &size);
        const hry_mode mode = needs_permissive(told) ? HRY_PERMISSIVE : HRY_STRICT;
        err.message[0] = 0;
        if (hry_descriptor_decode(bytes, size, mode, &d, &length, &err) != HRY_OK)
            fail_msg("%s: %s", file, err.message);
        is_as_told(&d, told);
        if (cJSON_IsTrue(json_field(entry, "re_encodes_to_same_bytes")))
            encodes_to(&d, bytes, size);
        free(bytes);
    }
    cJSON_Delete(root);
}

static void reads_those_inside_the_good_files(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *file, *tensor;
    cJSON_ArrayForEach(file, manifest_list(root, "good_files"))
    {
        size_t size;
        uint8_t *bytes = vector_read("interop", json_text(file, "file"), &size);
        cJSON_ArrayForEach(tensor, json_field(file, "tensors"))
        {
            hry_descriptor d;
            hry_error err;
            size_t length;
            const cJSON *told = json_field(tensor, "descriptor");
            const uint64_t at = json_u64(json_field(tensor, "index"), "descriptor_offset");
            const hry_mode mode = needs_permissive(told) ? HRY_PERMISSIVE : HRY_STRICT;
            err.message[0] = 0;
            if (hry_descriptor_decode(bytes + at, size - at, mode, &d, &length, &err) !=
                HRY_OK)
                fail_msg("%s, %s: %s", json_text(file, "file"), json_text(tensor, "name"),
                         err.message);
            assert_int_equal(length, json_u64(told, "descriptor_length"));
            is_as_told(&d, told);
            encodes_to(&d, bytes + at, length);
        }
        free(bytes);
    }
    cJSON_Delete(root);
}

/* Prints every mismatch before failing, so that one run shows them all. */
static void refuses_the_bad_ones_at_the_byte_at_fault(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *entry;
    unsigned wrong = 0, count = 0;
    cJSON_ArrayForEach(entry, manifest_list(root, "bad"))
    {
        if (strcmp(json_text(entry, "stage"), "descriptor") != 0)
            continue;
        hry_descriptor d;
        hry_error err = {.offset = HRY_NO_OFFSET};
        size_t size;
        const char *file = json_text(entry, "file");
        uint8_t *bytes = vector_read("interop", file, &size);
        const hry_status status =
            hry_descriptor_decode(bytes, size, HRY_STRICT, &d, NULL, &err);
        count++;
        if (status == HRY_OK || err.offset != json_u64(entry, "offset")) {
            print_error("%s (%s): want byte %d (%s), got %d: %s\n", file,
                        json_text(entry, "rule"), (int)json_u64(entry, "offset"),
                        json_text(entry, "field"), (int)err.offset,
                        status == HRY_OK ? "accepted" : err.message);
            wrong++;
        } else if (getenv("HRY_TEST_VERBOSE") != NULL) {
            print_message("%-55s | %s | %s\n", json_text(entry, "rule"),
                          hry_status_name(status), err.message);
        }
        free(bytes);
    }
    assert_true(count >= 170);
    assert_int_equal(wrong, 0);
    cJSON_Delete(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_worked_example),
        cmocka_unit_test(reads_and_rewrites_the_golden_ones),
        cmocka_unit_test(reads_and_rewrites_the_good_ones),
        cmocka_unit_test(reads_those_inside_the_good_files),
        cmocka_unit_test(refuses_the_bad_ones_at_the_byte_at_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
