/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of composites that another implementation wrote: whole, in random boxes, element
 * by element, mapped and not.
 */
#include "hry/composite.h"
#include "hry/convert.h"

#include "cmocka_all.h"
#include "manifest.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

static hry_error err;

typedef struct opened_head {
    hry_file *file;
    hry_head *head;
    hry_head_info info;
    hry_type type;
    uint64_t count; /* elements */
} opened_head;

static opened_head open_head(const char *path, const char *name, bool map)
{
    char full[512];
    opened_head o;
    uint64_t i;
    const hry_file_options options = {.mode = HRY_STRICT, .map = map};
    vector_path("interop", path, full);
    assert_ok(hry_file_open(full, &options, &o.file, &err), &err);
    assert_ok(hry_file_find(o.file, name, strlen(name), &i, &err), &err);
    assert_ok(hry_head_open(o.file, i, NULL, &o.head, &err), &err);
    o.info = hry_head_get_info(o.head);
    o.type = (hry_type){.tag = o.info.type_tag, .extension = o.info.extension};
    o.count = 1;
    for (uint32_t k = 0; k < o.info.rank; k++)
        o.count *= o.info.shape[k];
    return o;
}

static void close_head(opened_head *o)
{
    hry_head_close(o->head);
    hry_file_close(o->file);
}

static double *read_box(const opened_head *o, const uint64_t *start, const uint64_t *count)
{
    uint64_t n = 1;
    for (uint32_t k = 0; k < o->info.rank; k++)
        n *= count[k];
    uint8_t *array = malloc((size_t)n * 16 + 1);
    double *values = malloc((size_t)(n + 1) * sizeof *values);
    assert_non_null(array);
    assert_non_null(values);
    assert_ok(hry_head_read(o->head, start, count, array, &err), &err);
    assert_ok(hry_to_double(o->type, array, values, (size_t)n, &err), &err);
    free(array);
    return values;
}

static const uint64_t origin[HRY_MAX_RANK];

static void whole_is_as_told(const opened_head *o, const cJSON *told, double *values)
{
    const cJSON *item;
    uint64_t i = 0;
    double *got = read_box(o, origin, o->info.shape);
    cJSON_ArrayForEach(item, json_field(told, "values"))
    {
        if (got[i] != json_real_of(item))
            fail_msg("element %u is %a, not %a", (unsigned)i, got[i], json_real_of(item));
        values[i] = got[i];
        i++;
    }
    assert_int_equal(i, o->count);
    free(got);
}

static uint64_t ravel(const opened_head *o, const uint64_t *index)
{
    uint64_t i = 0;
    for (uint32_t k = 0; k < o->info.rank; k++)
        i = i * o->info.shape[k] + index[k];
    return i;
}

static void boxes_are_parts_of_the_whole(const opened_head *o, const double *values,
                                         random_state *r)
{
    const uint32_t rank = o->info.rank;
    for (int n = 0; n < 60 && o->count > 0; n++) {
        uint64_t start[HRY_MAX_RANK], count[HRY_MAX_RANK], index[HRY_MAX_RANK], total = 1;
        for (uint32_t k = 0; k < rank; k++) {
            start[k] = random_in(r, 0, o->info.shape[k] - 1);
            count[k] = n < 20 ? 1 : random_in(r, 0, o->info.shape[k] - start[k]);
            total *= count[k];
        }
        double *got = read_box(o, start, count);
        for (uint64_t i = 0; i < total; i++) {
            uint64_t left = i;
            for (uint32_t k = rank; k-- > 0; left /= count[k])
                index[k] = start[k] + left % count[k];
            assert_true(got[i] == values[ravel(o, index)]);
        }
        free(got);
    }
}

/* member_of: the direct member of each element. */
static void elements_are_found_as_told(const opened_head *o, const cJSON *told)
{
    const cJSON *item;
    uint64_t i = 0;
    cJSON_ArrayForEach(item, json_field(told, "member_of"))
    {
        uint64_t index[HRY_MAX_RANK], local[HRY_MAX_RANK], tensor, left = i++;
        uint64_t start[HRY_MAX_RANK], size[HRY_MAX_RANK];
        const uint32_t number = (uint32_t)json_u64_of(item);
        hry_member member;
        for (uint32_t k = o->info.rank; k-- > 0; left /= o->info.shape[k])
            index[k] = left % o->info.shape[k];
        assert_ok(hry_head_find(o->head, index, &tensor, local, &err), &err);
        assert_ok(hry_head_member(o->head, number, &member, &err), &err);
        assert_ok(hry_head_box(o->head, number, start, size, &err), &err);
        if (member.inside != NULL)
            continue;
        assert_int_equal(tensor, member.tensor);
        for (uint32_t k = 0; k < o->info.rank; k++)
            assert_int_equal(start[k] + local[k], index[k]);
    }
}

static void head_is_as_told(const char *path, const cJSON *told, bool map, random_state *r)
{
    opened_head o = open_head(path, json_text(told, "name"), map);
    double *values = malloc((size_t)(o.count + 1) * sizeof *values);
    assert_non_null(values);
    whole_is_as_told(&o, told, values);
    boxes_are_parts_of_the_whole(&o, values, r);
    if (json_has(told, "member_of"))
        elements_are_found_as_told(&o, told);
    free(values);
    close_head(&o);
}

static void composites_have_the_values_they_should(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *file, *tensor;
    random_state r = {.s = 3};
    size_t seen = 0;
    cJSON_ArrayForEach(file, manifest_list(root, "good_files"))
        cJSON_ArrayForEach(tensor, json_field(file, "tensors"))
    {
        const uint64_t tag = json_u64(json_field(tensor, "descriptor"), "layout_tag");
        if (tag != HRY_COMPOSITE || !json_has(tensor, "values"))
            continue;
        head_is_as_told(json_text(file, "file"), tensor, true, &r);
        head_is_as_told(json_text(file, "file"), tensor, false, &r);
        seen++;
    }
    assert_true(seen >= 28);
    cJSON_Delete(root);
}

static void what_has_no_elements_says_so(void **state)
{
    (void)state;
    const uint64_t zero[1] = {0}, one[1] = {1}, two[1] = {2};
    uint64_t tensor, local[1];
    uint8_t array[64];
    opened_head o = open_head("composite_group_unlike.hrry", "g", true);
    assert_status(HRY_ERR_UNSUPPORTED, hry_head_read(o.head, zero, one, array, &err), &err);
    assert_status(HRY_ERR_UNSUPPORTED, hry_head_find(o.head, zero, &tensor, local, &err),
                  &err);
    assert_status(HRY_ERR_RANGE, hry_head_read(o.head, zero, two, array, &err), &err);
    assert_status(HRY_ERR_RANGE, hry_head_find(o.head, one, &tensor, local, &err), &err);
    close_head(&o);
}

/* A plain tensor read by itself, row by row of its first axis. */
static void plain_is_as_told(hry_file *file, const cJSON *told)
{
    const char *name = json_text(told, "name");
    const bool is_quantized = json_has(json_field(told, "descriptor"), "quantization");
    const cJSON *item = json_field(told, "values")->child;
    hry_descriptor d;
    uint64_t i, start[HRY_MAX_RANK] = {0}, count[HRY_MAX_RANK], n = 1;
    assert_ok(hry_file_find(file, name, strlen(name), &i, &err), &err);
    assert_ok(hry_file_descriptor(file, i, &d, &err), &err);
    memcpy(count, d.shape, sizeof count);
    for (uint32_t k = 1; k < d.rank; k++)
        n *= count[k];
    count[0] = 1;
    uint8_t *array = malloc((size_t)n * 16);
    double *got = malloc((size_t)n * sizeof *got);
    assert_non_null(array);
    assert_non_null(got);
    for (uint64_t row = 0; row < (d.rank > 0 ? d.shape[0] : 1); row++) {
        start[0] = row;
        assert_ok(hry_plain_read(file, i, start, count, array, &err), &err);
        assert_ok(
            hry_to_double(is_quantized ? hry_type_builtin(HRY_FLOAT32) : hry_type_of(&d),
                          array, got, (size_t)n, &err),
            &err);
        for (uint64_t e = 0; e < n; e++, item = item->next)
            assert_true(got[e] == json_real_of(item));
    }
    assert_null(item);
    free(array);
    free(got);
}

static void members_of_a_group_are_read_by_themselves(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *file, *tensor;
    size_t seen = 0;
    cJSON_ArrayForEach(file, manifest_list(root, "good_files"))
    {
        if (strcmp(json_text(file, "file"), "composite_group_unlike.hrry") != 0)
            continue;
        for (int map = 0; map < 2; map++) {
            opened_head o = open_head(json_text(file, "file"), "g", map != 0);
            cJSON_ArrayForEach(tensor, json_field(file, "tensors"))
            {
                if (!json_has(tensor, "values"))
                    continue;
                plain_is_as_told(o.file, tensor);
                seen++;
            }
            uint8_t array[4];
            const uint64_t zero[1] = {0}, one[1] = {1};
            assert_status(HRY_ERR_UNSUPPORTED,
                          hry_plain_read(o.file, o.info.tensor, zero, one, array, &err),
                          &err);
            close_head(&o);
        }
    }
    assert_int_equal(seen, 14);
    cJSON_Delete(root);
}

static void torn_composites_are_read_by_member_only(void **state)
{
    (void)state;
    char full[512];
    hry_file *file;
    hry_head *head;
    const uint64_t zero[1] = {0}, one[1] = {1};
    const hry_file_options options = {.mode = HRY_PERMISSIVE};
    uint8_t array[64];
    uint64_t i;
    vector_path("interop", "bad/bad_torn_partition.hrry", full);
    assert_ok(hry_file_open(full, &options, &file, &err), &err);
    assert_ok(hry_file_find(file, "w", 1, &i, &err), &err);
    assert_ok(hry_head_open(file, i, NULL, &head, &err), &err);
    assert_status(HRY_ERR_TRUNCATED, hry_head_read(head, zero, one, array, &err), &err);
    hry_head_close(head);
    hry_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(composites_have_the_values_they_should),
        cmocka_unit_test(what_has_no_elements_says_so),
        cmocka_unit_test(members_of_a_group_are_read_by_themselves),
        cmocka_unit_test(torn_composites_are_read_by_member_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
