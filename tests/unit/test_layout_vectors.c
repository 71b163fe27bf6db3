/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensors that another implementation wrote, in every layout and type: element offsets,
 * values read as boxes, found one by one, and written back without changing a bit.
 */
#include "hry/convert.h"
#include "hry/region.h"

#include "opened.h"

#include <math.h>

typedef struct whole {
    const char *file;
    uint8_t *array; /* the tensor, row-major */
    uint64_t count;
    uint32_t size; /* of an element */
    uint64_t tokens[64];
} whole;

static const uint64_t origin[HRY_MAX_RANK] = {0};
static hry_error err;

/* The `i`-th index in row-major order. */
static void unravel(const hry_descriptor *d, uint64_t i, uint64_t *index)
{
    for (uint32_t k = d->rank; k-- > 0; i /= d->shape[k])
        index[k] = i % d->shape[k];
}

static void offsets_are_as_told(const opened *o, const cJSON *told)
{
    const cJSON *item;
    uint64_t i = 0;
    cJSON_ArrayForEach(item, json_field(told, "element_offsets"))
    {
        uint64_t index[HRY_MAX_RANK];
        int64_t offset;
        unravel(&o->d, i++, index);
        assert_ok(hry_element_offset(&o->d, o->d.rank, index, &offset, &err), &err);
        assert_int_equal(offset, json_i64_of(item));
    }
}

/* Hexadecimal, highest digit first, against an element's bytes, lowest first. */
static bool is_code(const uint8_t *element, uint32_t size, const char *hex)
{
    const size_t digits = strlen(hex);
    for (uint32_t b = 0; b < 2 * size; b++) {
        const int nibble = element[b / 2] >> (b % 2 * 4) & 15;
        const char want = b < digits ? hex[digits - 1 - b] : '0';
        if ("0123456789abcdef"[nibble] != want)
            return false;
    }
    return true;
}

static void codes_are_as_told(const whole *w, const cJSON *told)
{
    const cJSON *item;
    uint64_t i = 0;
    cJSON_ArrayForEach(item, json_field(told, "bits"))
    {
        if (!is_code(w->array + i * w->size, w->size, item->valuestring))
            fail_msg("%s: element %u is not 0x%s", w->file, (unsigned)i, item->valuestring);
        i++;
    }
    assert_int_equal(i, w->count);
}

static void is_value(const whole *w, uint64_t i, double got, const cJSON *want)
{
    const double v = json_real_of(want);
    if (!(got == v) && !(isnan(got) && isnan(v)))
        fail_msg("%s: element %u is %a, not %a", w->file, (unsigned)i, got, v);
}

static void values_are_as_told(const whole *w, const hry_descriptor *d, const cJSON *told)
{
    const bool is_complex = strcmp(json_text(told, "values_kind"), "complex") == 0;
    double *got = calloc(w->count + 1, 2 * sizeof *got);
    const cJSON *item;
    uint64_t i = 0;
    assert_non_null(got);
    assert_ok(hry_to_double(hry_type_of(d), w->array, got, w->count, &err), &err);
    cJSON_ArrayForEach(item, json_field(told, "values"))
    {
        if (is_complex) {
            is_value(w, i, got[2 * i], cJSON_GetArrayItem(item, 0));
            is_value(w, i, got[2 * i + 1], cJSON_GetArrayItem(item, 1));
        } else if (!cJSON_IsNull(item) && fabs(got[i]) < 0x1p53) {
            is_value(w, i, got[i], item);
        }
        i++;
    }
    assert_int_equal(i, w->count);
    free(got);
}

/* An element's bits where `place` says, as an array would have them. */
static void take(const opened *o, hry_place place, uint8_t *out, uint32_t size)
{
    const uint32_t bits = hry_descriptor_bits(&o->d);
    const uint8_t *bytes = o->buffers[0].bytes;
    memset(out, 0, size);
    for (uint32_t b = 0; b < bits; b++) {
        const uint8_t byte = bytes[place.byte + (place.bit + b) / 8];
        out[b / 8] = (uint8_t)(out[b / 8] | (byte >> (place.bit + b) % 8 & 1U) << b % 8);
    }
}

static void every_element_is_found(const opened *o, const whole *w)
{
    for (uint64_t i = 0; i < w->count; i++) {
        uint64_t index[HRY_MAX_RANK];
        uint8_t element[16] = {0};
        hry_found found;
        unravel(&o->d, i, index);
        assert_ok(hry_element_find(&o->t, o->d.rank, index, &found, &err), &err);
        if (found.stored)
            take(o, found.place, element, w->size);
        assert_memory_equal(element, w->array + i * w->size, w->size);
    }
}

static void writing_back_changes_nothing(opened *o, const whole *w)
{
    const size_t size = (size_t)o->buffers[0].size;
    uint8_t *before = malloc(size + 1);
    assert_non_null(before);
    memcpy(before, o->buffers[0].bytes, size);
    o->t.writable = true;
    assert_ok(hry_region_write(&o->t, origin, o->d.shape, w->array, &err), &err);
    assert_memory_equal(before, o->buffers[0].bytes, size);
    free(before);
}

/* Halves of the first axis read by themselves are parts of the whole. */
static void parts_are_parts_of_the_whole(const opened *o, const whole *w)
{
    if (o->d.rank == 0 || w->count == 0)
        return;
    uint64_t start[HRY_MAX_RANK] = {0};
    uint64_t count[HRY_MAX_RANK];
    memcpy(count, o->d.shape, sizeof count);
    start[0] = o->d.shape[0] / 2;
    count[0] = o->d.shape[0] - start[0];
    const size_t row = (size_t)(w->count / o->d.shape[0]) * w->size;
    uint8_t *part = malloc((size_t)count[0] * row);
    assert_non_null(part);
    assert_ok(hry_region_read(&o->t, start, count, part, &err), &err);
    assert_memory_equal(part, w->array + start[0] * row, (size_t)count[0] * row);
    free(part);
}

static void lookups_are_as_told(const opened *o, const cJSON *told)
{
    const uint32_t bits = hry_descriptor_bits(&o->d);
    const cJSON *item;
    cJSON_ArrayForEach(item, json_field(told, "lookups_s_t_h_d_offset"))
    {
        uint64_t n[5];
        hry_found found;
        for (int i = 0; i < 5; i++)
            n[i] = json_u64_of(cJSON_GetArrayItem(item, i));
        assert_ok(hry_paged_find(&o->t, (uint32_t)n[0], &n[1], &found, &err), &err);
        assert_int_equal(found.position, n[4]);
        assert_int_equal(found.place.byte * 8 + found.place.bit, n[4] * bits);
    }
}

static void lengths_are_as_told(opened *o, whole *w, const cJSON *told)
{
    const cJSON *item;
    uint64_t derived[64];
    size_t n = 0;
    cJSON_ArrayForEach(item, json_field(told, "sequence_tokens")) w->tokens[n++] =
        json_u64_of(item);
    const hry_status status = hry_paged_tokens(&o->t, derived, &err);
    /* The manifest also says yes where filling pages in order happens to be right. */
    if (status == HRY_OK)
        assert_memory_equal(derived, w->tokens, n * sizeof *derived);
    else
        assert_true(status == HRY_ERR_UNSUPPORTED && n > 1);
    if (status == HRY_OK)
        assert_true(cJSON_IsTrue(json_field(told, "sequence_tokens_follow_from_file")));
    o->t.sequence_tokens = w->tokens;
}

static void check_tensor(opened *o, const cJSON *told, const char *file)
{
    whole w = {.file = file, .size = hry_region_element(&o->d)};
    uint64_t bytes;
    if (json_has(told, "element_offsets"))
        offsets_are_as_told(o, told);
    if (o->d.layout_tag == HRY_BLOCK_PAGED) {
        lengths_are_as_told(o, &w, told);
        lookups_are_as_told(o, told);
    }
    assert_ok(hry_tensor_check(&o->t, HRY_STRICT, &err), &err);
    assert_ok(hry_region_size(&o->d, o->d.shape, &bytes, &err), &err);
    w.count = bytes / w.size;
    w.array = malloc((size_t)bytes + 1);
    assert_non_null(w.array);
    assert_ok(hry_region_read(&o->t, origin, o->d.shape, w.array, &err), &err);
    if (json_has(told, "bits"))
        codes_are_as_told(&w, told);
    else if (!json_has(json_field(told, "descriptor"), "quantization"))
        values_are_as_told(&w, &o->d, told);
    every_element_is_found(o, &w);
    parts_are_parts_of_the_whole(o, &w);
    writing_back_changes_nothing(o, &w);
    free(w.array);
}

static void good_tensors_have_the_values_they_should(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *file, *tensor;
    size_t seen = 0;
    cJSON_ArrayForEach(file, manifest_list(root, "good_files"))
        cJSON_ArrayForEach(tensor, json_field(file, "tensors"))
    {
        const uint64_t tag = json_u64(json_field(tensor, "descriptor"), "layout_tag");
        if (strncmp(json_text(file, "file"), "file_", 5) == 0)
            continue; /* about names and containers */
        if (tag == HRY_COMPOSITE || tag >= 0xF0 || json_has(tensor, "values_everywhere"))
            continue;
        opened o;
        opened_read(&o, json_text(file, "file"), json_text(tensor, "name"));
        check_tensor(&o, tensor, json_text(file, "file"));
        opened_free(&o);
        seen++;
    }
    assert_true(seen >= 250);
    cJSON_Delete(root);
}

static void one_stored_element_can_fill_a_huge_shape(void **state)
{
    (void)state;
    opened o;
    opened_read(&o, "shape_large_dims_one_element.hrry", "x");
    const uint64_t last[2] = {o.d.shape[0] - 1, o.d.shape[1] - 1};
    const uint64_t one[2] = {1, 1};
    float v[2];
    hry_place place;
    assert_ok(hry_element_place(&o.d, 2, last, &place, &err), &err);
    assert_int_equal(place.byte, 0);
    assert_ok(hry_region_read(&o.t, last, one, &v[0], &err), &err);
    assert_ok(hry_region_read(&o.t, origin, one, &v[1], &err), &err);
    assert_true(v[0] == v[1]);
    opened_free(&o);
}

/* Parameters of quantization are another module's matter. */
static bool is_about_parameters(const char *file)
{
    static const char *const names[] = {"mxfp", "channel", "block_scale", "nf4"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(file, names[i]) != NULL)
            return true;
    return false;
}

static void bad_data_is_refused_at_its_byte(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *bad;
    size_t seen = 0;
    cJSON_ArrayForEach(bad, manifest_list(root, "bad"))
    {
        const char *file = json_text(bad, "file");
        unsigned buffer, byte;
        if (strcmp(json_text(bad, "stage"), "data") != 0 || is_about_parameters(file))
            continue;
        opened o;
        opened_read(&o, file, json_text(bad, "tensor"));
        err.message[0] = 0;
        if (hry_tensor_check(&o.t, HRY_STRICT, &err) != HRY_ERR_CORRUPT)
            fail_msg("%s: accepted", file);
        if (sscanf(json_text(bad, "field"), "buffer[%u] byte %u", &buffer, &byte) == 2) {
            char name[32];
            snprintf(name, sizeof name, "buffer[%u]", buffer);
            if (err.offset != byte || strncmp(err.message, name, strlen(name)) != 0)
                fail_msg("%s: byte %u: %s", file, (unsigned)err.offset, err.message);
        }
        opened_free(&o);
        seen++;
    }
    assert_true(seen >= 17);
    cJSON_Delete(root);
}

/* Whatever index buffers say, reading stays inside them: sanitizers watch. */
static void lying_index_buffers_are_harmless(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *bad;
    cJSON_ArrayForEach(bad, manifest_list(root, "bad"))
    {
        uint64_t bytes;
        if (strcmp(json_text(bad, "stage"), "data") != 0)
            continue;
        opened o;
        opened_read(&o, json_text(bad, "file"), json_text(bad, "tensor"));
        assert_ok(hry_region_size(&o.d, o.d.shape, &bytes, &err), &err);
        uint8_t *array = malloc((size_t)bytes + 1);
        assert_non_null(array);
        (void)hry_region_read(&o.t, origin, o.d.shape, array, &err);
        free(array);
        opened_free(&o);
    }
    cJSON_Delete(root);
}

static void sparse_layouts_keep_their_structure(void **state)
{
    (void)state;
    opened o;
    opened_read(&o, "sparse_csr_basic.hrry", "x");
    uint8_t array[4096] = {0};
    hry_found found;
    uint64_t index[2] = {0, 0};
    o.t.writable = true;
    for (;; index[1]++) { /* the first structural zero of row 0 */
        assert_ok(hry_element_find(&o.t, 2, index, &found, &err), &err);
        if (!found.stored)
            break;
    }
    const uint64_t one[2] = {1, 1};
    assert_ok(hry_region_write(&o.t, index, one, array, &err), &err);
    array[0] = 1;
    assert_status(HRY_ERR_UNSUPPORTED, hry_region_write(&o.t, index, one, array, &err),
                  &err);
    opened_free(&o);
}

static void small_buffers_are_truncated(void **state)
{
    (void)state;
    opened o;
    opened_read(&o, "sparse_csr_basic.hrry", "x");
    o.buffers[1].size--;
    assert_status(HRY_ERR_TRUNCATED, hry_tensor_check(&o.t, HRY_STRICT, &err), &err);
    uint8_t array[4096];
    assert_status(HRY_ERR_TRUNCATED, hry_region_read(&o.t, origin, o.d.shape, array, &err),
                  &err);
    opened_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_tensors_have_the_values_they_should),
        cmocka_unit_test(one_stored_element_can_fill_a_huge_shape),
        cmocka_unit_test(bad_data_is_refused_at_its_byte),
        cmocka_unit_test(lying_index_buffers_are_harmless),
        cmocka_unit_test(sparse_layouts_keep_their_structure),
        cmocka_unit_test(small_buffers_are_truncated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
