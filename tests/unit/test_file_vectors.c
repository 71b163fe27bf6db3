/* SPDX-License-Identifier: Apache-2.0 */
/* Files that other implementations wrote: opened, compared with what is told of them,
 * written again byte by byte; and bad ones, refused at the byte at fault. */
#include "hry/crc32c.h"
#include "hry/hry.h"

#include "bytes.h"
#include "cmocka_all.h"
#include "manifest.h"

typedef void on_file(const cJSON *told, const uint8_t *bytes, size_t size);

static void for_each_good_file(on_file *f)
{
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *told;
    cJSON_ArrayForEach(told, manifest_list(root, "good_files"))
    {
        size_t size;
        uint8_t *bytes = vector_read("interop", json_text(told, "file"), &size);
        f(told, bytes, size);
        free(bytes);
    }
    cJSON_Delete(root);
}

static hry_status open_bytes(const uint8_t *bytes, size_t size, hry_file_options options,
                             hry_file **out, hry_error *err)
{
    hry_io io;
    assert_ok(hry_io_memory(bytes, size, &io, err), err);
    return hry_file_open_io(io, &options, out, err);
}

/* A strict reader refuses a tensor of private layout; everything around it is fine. */
static bool is_private(const cJSON *descriptor)
{
    return json_u64(descriptor, "layout_tag") >= 0xF0;
}

/* ---- what the manifest tells ---- */

static void ends_are_as_told(const hry_file *file, const cJSON *told)
{
    const hry_file_info *info = hry_file_get_info(file);
    const cJSON *header = json_field(told, "header"),
                *trailer = json_field(told, "trailer");
    const cJSON *version = json_field(header, "container_version");
    assert_int_equal(info->version_major, json_u64_of(cJSON_GetArrayItem(version, 0)));
    assert_int_equal(info->version_minor, json_u64_of(cJSON_GetArrayItem(version, 1)));
    assert_int_equal(info->flags, json_u64(header, "file_flags"));
    assert_int_equal(info->alignment, json_u64(header, "data_buffer_alignment"));
    assert_int_equal(info->first_descriptor_offset,
                     json_u64(header, "first_descriptor_offset"));
    assert_int_equal(info->tensor_count_hint, json_u64(header, "tensor_count_hint"));
    assert_int_equal(info->size, json_u64(told, "size"));
    assert_int_equal(info->index_offset, json_u64(trailer, "index_offset"));
    assert_int_equal(info->index_length, json_u64(trailer, "index_length"));
    assert_int_equal(info->kv_offset, json_u64(trailer, "kv_offset"));
    assert_int_equal(info->kv_length, json_u64(trailer, "kv_length"));
    assert_int_equal(info->index_crc, json_u64(trailer, "index_crc32c"));
}

static void scalar_is_as_told(const hry_kv *kv, const cJSON *value)
{
    switch (kv->tag) {
    case HRY_KV_STRING:
        assert_int_equal(kv->length, strlen(value->valuestring));
        assert_memory_equal(kv->bytes, value->valuestring, kv->length);
        return;
    case HRY_KV_I64:
        assert_int_equal(kv->number.i64, json_i64_of(value));
        return;
    case HRY_KV_U64:
        assert_int_equal(kv->number.u64, json_u64_of(value));
        return;
    case HRY_KV_F64:
        assert_true(kv->number.f64 == json_real_of(value));
        return;
    case HRY_KV_BOOL:
        assert_int_equal(kv->number.boolean, cJSON_IsTrue(value));
        return;
    default:
        fail_msg("tag %d", kv->tag);
    }
}

static void kv_is_as_told(const hry_file *file, const cJSON *list)
{
    static const char *const types[] = {
        [HRY_KV_STRING] = "string", [HRY_KV_I64] = "int64", [HRY_KV_U64] = "uint64",
        [HRY_KV_F64] = "float64",   [HRY_KV_BOOL] = "bool",
    };
    hry_error err;
    hry_kv kv, found, element;
    uint32_t i = 0;
    const cJSON *told, *item;
    cJSON_ArrayForEach(told, list)
    {
        assert_ok(hry_file_kv(file, i++, &kv, &err), &err);
        const char *key = json_text(told, "key"), *type = json_text(told, "type");
        assert_int_equal(kv.key_length, strlen(key));
        assert_memory_equal(kv.key, key, kv.key_length);
        assert_ok(hry_file_kv_find(file, key, &found, &err), &err);
        assert_ptr_equal(found.key, kv.key);
        if (kv.tag != HRY_KV_ARRAY) {
            assert_string_equal(type, types[kv.tag]);
            scalar_is_as_told(&kv, json_field(told, "value"));
            continue;
        }
        assert_string_equal(type + strlen("array of "), types[kv.element_tag]);
        uint32_t k = 0;
        cJSON_ArrayForEach(item, json_field(told, "value"))
        {
            assert_ok(hry_kv_element(&kv, k++, &element, &err), &err);
            scalar_is_as_told(&element, item);
        }
        assert_int_equal(kv.count, k);
    }
    assert_int_equal(hry_file_kv_count(file), i);
    assert_status(HRY_ERR_RANGE, hry_file_kv(file, i, &kv, &err), &err);
    assert_status(HRY_ERR_NOTFOUND, hry_file_kv_find(file, "no such key", &kv, &err), &err);
}

static void row_is_as_told(const hry_file *file, uint64_t i, const cJSON *told)
{
    hry_error err;
    hry_entry e;
    uint64_t found;
    const char *name = json_text(told, "name");
    const cJSON *index = json_field(told, "index");
    assert_int_equal(json_u64(index, "position"), i);
    assert_ok(hry_file_entry(file, i, &e, &err), &err);
    /* JSON's text ends where one of the names has a NUL. */
    assert_true(e.name_length == strlen(name) || memchr(e.name, 0, e.name_length) != NULL);
    assert_memory_equal(e.name, name, strlen(name));
    assert_int_equal(e.descriptor_offset, json_u64(index, "descriptor_offset"));
    assert_int_equal(e.descriptor_length, json_u64(index, "descriptor_length"));
    assert_int_equal(e.data_offset, json_u64(index, "data_offset"));
    assert_int_equal(e.data_length, json_u64(index, "data_length"));
    assert_ok(hry_file_find(file, e.name, e.name_length, &found, &err), &err);
    assert_int_equal(found, i);
}

static void descriptor_is_as_told(const hry_descriptor *d, const cJSON *told)
{
    uint32_t k = 0;
    const cJSON *item;
    assert_int_equal(d->type_tag, json_u64(told, "type_tag"));
    assert_int_equal(d->layout_tag, json_u64(told, "layout_tag"));
    assert_int_equal(d->flags, json_u64(told, "flags"));
    assert_int_equal(d->byte_offset, json_u64(told, "byte_offset"));
    cJSON_ArrayForEach(item, json_field(told, "shape"))
        assert_int_equal(d->shape[k++], json_u64_of(item));
    assert_int_equal(d->rank, k);
    k = 0;
    cJSON_ArrayForEach(item, json_field(told, "buffers"))
        assert_int_equal(d->buffers[k++].byte_size, json_u64(item, "byte_size"));
    assert_int_equal(d->buffer_count, k);
}

static void tensor_is_as_told(hry_file *file, uint64_t i, const cJSON *told)
{
    hry_error err;
    hry_descriptor d;
    const cJSON *descriptor = json_field(told, "descriptor"), *item;
    if (is_private(descriptor)) {
        assert_status(HRY_ERR_UNSUPPORTED, hry_file_descriptor(file, i, &d, &err), &err);
        return;
    }
    assert_ok(hry_file_descriptor(file, i, &d, &err), &err);
    descriptor_is_as_told(&d, descriptor);
    uint64_t offset;
    uint32_t b = 0;
    cJSON_ArrayForEach(item, json_field(told, "buffer_offsets"))
    {
        assert_ok(hry_file_buffer(file, i, &d, b++, &offset, &err), &err);
        assert_int_equal(offset, json_u64_of(item));
    }
    assert_int_equal(d.buffer_count, b);
    assert_status(HRY_ERR_RANGE, hry_file_buffer(file, i, &d, b, &offset, &err), &err);
}

static void all_is_as_told(hry_file *file, const cJSON *told)
{
    hry_error err;
    hry_descriptor d;
    hry_entry e;
    uint64_t i = 0;
    const cJSON *tensor;
    ends_are_as_told(file, told);
    kv_is_as_told(file, json_field(told, "kv"));
    cJSON_ArrayForEach(tensor, json_field(told, "tensors"))
    {
        row_is_as_told(file, i, tensor);
        tensor_is_as_told(file, i++, tensor);
    }
    assert_int_equal(hry_file_count(file), i);
    assert_int_equal(json_u64(told, "tensor_count"), i);
    assert_status(HRY_ERR_RANGE, hry_file_entry(file, i, &e, &err), &err);
    assert_status(HRY_ERR_RANGE, hry_file_descriptor(file, i, &d, &err), &err);
}

static void good_file(const cJSON *told, const uint8_t *bytes, size_t size)
{
    hry_error err;
    hry_file *file;
    char path[512];
    for (int map = 0; map < 2; map++) {
        const hry_file_options options = {.map = map == 1};
        assert_ok(open_bytes(bytes, size, options, &file, &err), &err);
        all_is_as_told(file, told);
        hry_file_close(file);

        vector_path("interop", json_text(told, "file"), path);
        assert_ok(hry_file_open(path, &options, &file, &err), &err);
        all_is_as_told(file, told);
        const void *view;
        assert_status(map == 1 ? HRY_OK : HRY_ERR_UNSUPPORTED,
                      hry_file_view(file, 0, size, &view, &err), &err);
        hry_file_close(file);
    }
}

static void reads_all_good_files(void **state)
{
    (void)state;
    for_each_good_file(good_file);
}

static void reads_the_golden_file(void **state)
{
    (void)state;
    hry_error err;
    hry_file *file;
    hry_descriptor d;
    hry_kv kv;
    uint64_t i, at;
    float weights[4];
    int8_t bias[3];
    char path[512];
    vector_path("golden", "files/basic.hrry", path);
    assert_ok(hry_file_open(path, NULL, &file, &err), &err);
    assert_int_equal(hry_file_count(file), 2);

    assert_ok(hry_file_find(file, "weights", 7, &i, &err), &err);
    assert_ok(hry_file_descriptor(file, i, &d, &err), &err);
    assert_int_equal(d.type_tag, HRY_FLOAT32);
    assert_int_equal(d.rank, 2);
    assert_ok(hry_file_buffer(file, i, &d, 0, &at, &err), &err);
    assert_ok(hry_file_read(file, at, weights, sizeof weights, &err), &err);
    for (int k = 0; k < 4; k++)
        assert_true(weights[k] == 0);

    assert_ok(hry_file_find(file, "bias", 4, &i, &err), &err);
    assert_ok(hry_file_descriptor(file, i, &d, &err), &err);
    assert_int_equal(d.type_tag, HRY_INT8);
    assert_ok(hry_file_buffer(file, i, &d, 0, &at, &err), &err);
    assert_ok(hry_file_read(file, at, bias, sizeof bias, &err), &err);
    assert_memory_equal(bias, "\0\0\0", 3);

    assert_int_equal(hry_file_kv_count(file), 2);
    assert_ok(hry_file_kv_find(file, "producer", &kv, &err), &err);
    assert_int_equal(kv.tag, HRY_KV_STRING);
    assert_int_equal(kv.length, strlen("hurray-conformance"));
    assert_memory_equal(kv.bytes, "hurray-conformance", kv.length);
    assert_ok(hry_file_kv_find(file, "tensor_count", &kv, &err), &err);
    assert_int_equal(kv.tag, HRY_KV_I64);
    assert_int_equal(kv.number.i64, 2);
    hry_file_close(file);
}

/* ---- written again ---- */

static void copy_tensor(hry_file *file, uint64_t i, hry_writer *writer)
{
    hry_error err;
    hry_entry e;
    hry_descriptor d;
    char name[65536];
    assert_ok(hry_file_entry(file, i, &e, &err), &err);
    memcpy(name, e.name, e.name_length);
    name[e.name_length] = '\0';
    assert_ok(hry_file_descriptor(file, i, &d, &err), &err);
    assert_ok(hry_writer_begin(writer, name, &d, &err), &err);
    for (uint32_t b = 0; b < d.buffer_count; b++) {
        uint64_t at;
        const void *view;
        const size_t size = (size_t)d.buffers[b].byte_size;
        assert_ok(hry_file_buffer(file, i, &d, b, &at, &err), &err);
        if (size == 0)
            continue;
        assert_ok(hry_file_view(file, at, size, &view, &err), &err);
        assert_ok(hry_writer_write(writer, view, size / 2, &err), &err);
        assert_ok(hry_writer_write(writer, (const uint8_t *)view + size / 2,
                                   size - size / 2, &err),
                  &err);
    }
}

static blob rewrite(hry_file *file)
{
    hry_error err;
    hry_writer *writer;
    blob out = {0};
    const hry_file_info *info = hry_file_get_info(file);
    const hry_writer_options options = {.alignment = info->alignment,
                                        .flags = info->flags,
                                        .tensor_count_hint = info->tensor_count_hint};
    assert_ok(hry_writer_new(bytes_sink, &out, &options, &writer, &err), &err);
    assert_int_equal(out.size, HRY_FILE_HEADER_SIZE);
    for (uint64_t i = 0; i < hry_file_count(file); i++)
        copy_tensor(file, i, writer);
    for (uint32_t i = 0; i < hry_file_kv_count(file); i++) {
        hry_kv kv;
        assert_ok(hry_file_kv(file, i, &kv, &err), &err);
        assert_ok(hry_writer_add_kv(writer, &kv, &err), &err);
    }
    assert_ok(hry_writer_finish(writer, &err), &err);
    return out;
}

/*
 * Where the bytes may differ: private layouts are not written; heads are followed by no
 * padding; nor is the last buffer; the minor version is ours; a name has no NUL.
 */
static bool is_rewritten_alike(const cJSON *told)
{
    static const char *const different[] = {"file_padding_after_buffers.hrry",
                                            "file_container_minor_1.hrry",
                                            "file_utf8_names.hrry"};
    const cJSON *tensor;
    cJSON_ArrayForEach(
        tensor, json_field(told, "tensors")) if (json_u64(json_field(tensor, "descriptor"),
                                                          "layout_tag") ==
                                                 HRY_COMPOSITE) return false;
    for (size_t i = 0; i < sizeof different / sizeof *different; i++)
        if (strcmp(json_text(told, "file"), different[i]) == 0)
            return false;
    return true;
}

static bool has_private(const cJSON *told)
{
    const cJSON *tensor;
    cJSON_ArrayForEach(
        tensor,
        json_field(
            told, "tensors")) if (is_private(json_field(tensor, "descriptor"))) return true;
    return false;
}

static size_t rewritten_alike;

static void rewritten(const cJSON *told, const uint8_t *bytes, size_t size)
{
    hry_error err;
    hry_file *file, *again;
    if (has_private(told))
        return;
    const hry_file_options options = {.map = true};
    assert_ok(open_bytes(bytes, size, options, &file, &err), &err);
    blob out = rewrite(file);
    assert_ok(open_bytes(out.data, out.size, options, &again, &err), &err);
    assert_int_equal(hry_file_count(again), hry_file_count(file));
    assert_ok(hry_file_check_canonical(again, &err), &err);
    hry_file_close(again);
    hry_file_close(file);
    if (is_rewritten_alike(told)) {
        rewritten_alike++;
        if (out.size != size || memcmp(out.data, bytes, size) != 0)
            fail_msg("%s: written again it is not the same", json_text(told, "file"));
        assert_int_equal(hry_crc32c(0, out.data, out.size),
                         strtoul(json_text(told, "crc32c"), NULL, 16));
    }
    bytes_free(&out);
}

static void writes_good_files_again_byte_by_byte(void **state)
{
    (void)state;
    for_each_good_file(rewritten);
    assert_true(rewritten_alike > 130);
}

static void writes_the_golden_file_again_byte_by_byte(void **state)
{
    (void)state;
    hry_error err;
    hry_file *file;
    size_t size;
    uint8_t *golden = vector_read("golden", "files/basic.hrry", &size);
    assert_ok(open_bytes(golden, size, (hry_file_options){.map = true}, &file, &err), &err);
    blob out = rewrite(file);
    assert_int_equal(out.size, size);
    assert_memory_equal(out.data, golden, size);
    bytes_free(&out);
    hry_file_close(file);
    free(golden);
}

/* ---- bad ones ---- */

static hry_status open_tensor(hry_file *file, const char *name, hry_error *err)
{
    hry_descriptor d;
    uint64_t i;
    assert_ok(hry_file_find(file, name, strlen(name), &i, err), err);
    return hry_file_descriptor(file, i, &d, err);
}

static void refused_at(const cJSON *told, const hry_file *file, const hry_error *err)
{
    static const struct {
        const char *file;
        uint64_t want;
    } elsewhere[] = {
        /* A checksum tells that a byte is wrong, not which: the index is at fault. */
        {"bad/bad_file_index_byte_flipped.hrry", 8256},
        /* Index and handle say the same; the index is read first. */
        {"bad/bad_file_buffer_size_huge.hrry", 8330},
        /* No trailer at the end: whether bytes lack or are too many nobody can say. */
        {"bad/bad_file_trailing_byte.hrry", 4264},
    };
    uint64_t want = json_u64(told, "offset");
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(json_text(told, "file"), elsewhere[i].file) == 0)
            want = elsewhere[i].want;
    if (err->offset != want)
        fail_msg("%s: want byte %llu, got %llu: %s", json_text(told, "file"),
                 (unsigned long long)want, (unsigned long long)err->offset, err->message);
    assert_null(file);
}

static void bad_file(const cJSON *told, bool map)
{
    const char *stage = json_text(told, "stage");
    const bool at_open = strcmp(stage, "file_open") == 0;
    hry_error err;
    hry_file *file = NULL;
    size_t size;
    uint8_t *bad = vector_read("interop", json_text(told, "file"), &size);
    hry_status status = open_bytes(bad, size, (hry_file_options){.map = map}, &file, &err);
    if (!at_open) {
        assert_status(HRY_OK, status, &err);
        if (strcmp(stage, "tensor") == 0) {
            status = open_tensor(file, json_text(told, "tensor"), &err);
            if (status == HRY_OK)
                fail_msg("%s: opened", json_text(told, "file"));
            refused_at(told, NULL, &err);
        }
        hry_file_close(file);
    } else {
        if (status == HRY_OK)
            fail_msg("%s: opened", json_text(told, "file"));
        refused_at(told, file, &err);
    }
    free(bad);
}

static void refuses_bad_files_at_the_byte_at_fault(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *told;
    size_t count = 0;
    cJSON_ArrayForEach(told, manifest_list(root, "bad"))
    {
        const char *name = json_text(told, "file");
        if (strcmp(name + strlen(name) - 5, ".hrry") != 0)
            continue;
        bad_file(told, false);
        bad_file(told, true);
        count++;
    }
    assert_true(count > 80);
    cJSON_Delete(root);
}

/* Permissive readers keep what cannot mislead: sizes are the handles'. */
static void permissive_reader_takes_handles_for_truth(void **state)
{
    (void)state;
    hry_error err;
    hry_file *file;
    hry_descriptor d;
    size_t size;
    const hry_file_options permissive = {.mode = HRY_PERMISSIVE};
    uint8_t *bad = vector_read("interop", "bad/bad_file_data_length_mismatch.hrry", &size);
    assert_ok(open_bytes(bad, size, permissive, &file, &err), &err);
    assert_ok(open_tensor(file, "alpha", &err), &err);
    hry_file_close(file);
    free(bad);

    bad = vector_read("interop", "bad/bad_file_kv_flag_without_kv.hrry", &size);
    assert_ok(open_bytes(bad, size, permissive, &file, &err), &err);
    assert_int_equal(hry_file_kv_count(file), 0);
    hry_file_close(file);
    free(bad);

    bad = vector_read("interop", "file_private_layout_f1.hrry", &size);
    assert_ok(open_bytes(bad, size, permissive, &file, &err), &err);
    for (int twice = 0; twice < 2; twice++) {
        assert_ok(hry_file_descriptor(file, 1, &d, &err), &err);
        assert_int_equal(d.rank, 2);
        assert_int_equal(d.shape[1], 4);
        assert_int_equal(d.buffers[0].byte_size, 20);
        assert_int_equal(d.fields.extension.length, 5);
        assert_memory_equal(d.fields.extension.bytes, "\1\2\3\4\5", 5);
    }
    hry_file_close(file);
    free(bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all_good_files),
        cmocka_unit_test(reads_the_golden_file),
        cmocka_unit_test(writes_good_files_again_byte_by_byte),
        cmocka_unit_test(writes_the_golden_file_again_byte_by_byte),
        cmocka_unit_test(refuses_bad_files_at_the_byte_at_fault),
        cmocka_unit_test(permissive_reader_takes_handles_for_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
