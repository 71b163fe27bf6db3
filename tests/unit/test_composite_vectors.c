/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Composites that another implementation wrote: members bound as told, every broken rule
 * refused at the byte at fault.
 */
#include "hry/composite.h"

#include "cmocka_all.h"
#include "manifest.h"
#include "member.h"

#include <string.h>

static hry_error err;

static hry_file *open_vector(const char *name, hry_mode mode)
{
    char path[512];
    hry_file *file = NULL;
    const hry_file_options options = {.mode = mode, .map = true};
    vector_path("interop", name, path);
    assert_ok(hry_file_open(path, &options, &file, &err), &err);
    return file;
}

static uint64_t find(hry_file *file, const char *name)
{
    uint64_t i = 0;
    assert_ok(hry_file_find(file, name, strlen(name), &i, &err), &err);
    return i;
}

static uint8_t rule_of(const char *name)
{
    return strcmp(name, "partition") == 0 ? HRY_PARTITION
           : strcmp(name, "overlay") == 0 ? HRY_OVERLAY
                                          : HRY_GROUP;
}

static void box_is_as_told(const hry_head *head, uint32_t number, const cJSON *told)
{
    uint64_t start[HRY_MAX_RANK], size[HRY_MAX_RANK];
    const cJSON *item;
    uint32_t k = 0;
    assert_ok(hry_head_box(head, number, start, size, &err), &err);
    cJSON_ArrayForEach(item, json_field(told, "shard_offset"))
        assert_int_equal(start[k++], json_u64_of(item));
    k = 0;
    cJSON_ArrayForEach(item, json_field(told, "shape"))
        assert_int_equal(size[k++], json_u64_of(item));
}

static void member_is_as_told(const hry_head *head, hry_file *file, uint32_t number,
                              const cJSON *told)
{
    const char *name = json_text(told, "name");
    hry_member member;
    uint32_t again;
    assert_ok(hry_head_member(head, number, &member, &err), &err);
    assert_int_equal(member.name_length, strlen(name));
    assert_memory_equal(member.name, name, member.name_length);
    assert_int_equal(member.tensor, find(file, name));
    assert_ok(hry_head_member_of(head, member.tensor, &again, &err), &err);
    assert_int_equal(again, number);
    assert_int_equal(member.inside != NULL, strcmp(json_text(told, "kind"), "tensor") != 0);
    if (hry_head_get_info(head).rule != HRY_GROUP)
        box_is_as_told(head, number, told);
    else
        assert_status(HRY_ERR_UNSUPPORTED, hry_head_box(head, number, NULL, NULL, &err),
                      &err);
}

/* Heads of a file may be opened by themselves, inside others or not. */
static void head_is_as_told(hry_file *file, const hry_order *order, const cJSON *told)
{
    const cJSON *item;
    hry_head *head;
    hry_member member;
    uint32_t number = 0;
    const uint64_t i = find(file, json_text(told, "head"));
    assert_ok(hry_head_open(file, i, order, &head, &err), &err);
    const hry_head_info info = hry_head_get_info(head);
    assert_int_equal(info.tensor, i);
    assert_int_equal(info.rule, rule_of(json_text(told, "rule")));
    assert_int_equal(info.member_count, json_u64(told, "member_count"));
    assert_int_equal(info.declared_count, info.member_count);
    assert_false(info.is_torn);
    if (json_has(told, "combine"))
        assert_int_equal(info.combine, strcmp(json_text(told, "combine"), "add") == 0
                                           ? HRY_COMBINE_ADD
                                           : HRY_COMBINE_REPLACE);
    cJSON_ArrayForEach(item, json_field(told, "members"))
        member_is_as_told(head, file, number++, item);
    assert_int_equal(number, info.member_count);
    assert_status(HRY_ERR_RANGE, hry_head_member(head, number, &member, &err), &err);
    assert_status(HRY_ERR_NOTFOUND, hry_head_member_of(head, i, &number, &err), &err);
    hry_head_close(head);
}

/* Counts the tensors of a file by their depth. */
typedef struct seen {
    uint64_t heads, members, others, closed;
} seen;

static hry_status count(void *ctx, uint64_t tensor, const hry_descriptor *d,
                        const hry_bound *bound, hry_error *e)
{
    seen *s = ctx;
    (void)tensor;
    (void)e;
    assert_int_equal(bound->is_head, d->layout_tag == HRY_COMPOSITE);
    s->heads += bound->is_head;
    s->members += bound->depth > 0;
    s->others += bound->depth == 0 && !bound->is_head;
    s->closed += bound->closed;
    return HRY_OK;
}

static void file_is_as_told(const cJSON *told)
{
    const cJSON *item;
    seen want = {0}, got = {0};
    hry_order *order;
    hry_file *file = open_vector(json_text(told, "file"), HRY_STRICT);
    assert_ok(hry_order_new(file, &order, &err), &err);
    assert_int_equal(hry_order_count(order), hry_file_count(file));
    cJSON_ArrayForEach(item, json_field(told, "composites"))
    {
        head_is_as_told(file, order, item);
        head_is_as_told(file, NULL, item);
        want.heads++;
        want.members += json_u64(item, "member_count");
    }
    assert_ok(hry_composites_check(file, count, &got, &err), &err);
    assert_int_equal(got.heads, want.heads);
    assert_int_equal(got.closed, want.heads);
    assert_int_equal(got.members, want.members);
    hry_order_free(order);
    hry_file_close(file);
}

static void members_are_bound_as_told(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *file;
    size_t composites = 0;
    cJSON_ArrayForEach(file, manifest_list(root, "good_files"))
    {
        const bool is_private = strstr(json_text(file, "file"), "private_layout") != NULL;
        if (is_private) /* strict readers refuse it */
            continue;
        file_is_as_told(file);
        composites += cJSON_GetArraySize(json_field(file, "composites")) > 0;
    }
    assert_true(composites >= 23);
    cJSON_Delete(root);
}

static void golden_files_keep_the_rules(void **state)
{
    (void)state;
    char path[512];
    hry_file *file;
    seen got = {0};
    vector_path("golden", "files/basic.hrry", path);
    assert_ok(hry_file_open(path, NULL, &file, &err), &err);
    assert_ok(hry_composites_check(file, count, &got, &err), &err);
    assert_int_equal(got.heads + got.members, 0);
    assert_int_equal(got.others, hry_file_count(file));
    hry_file_close(file);
    /* The head that the golden descriptors have: of two halves. */
    size_t size;
    hry_descriptor head;
    hry_binder *b;
    hry_bound bound;
    uint8_t *bytes =
        vector_read("golden", "descriptors/composite_head_partition.bin", &size);
    assert_ok(hry_descriptor_decode(bytes, size, HRY_STRICT, &head, NULL, &err), &err);
    assert_ok(hry_binder_new(HRY_STRICT, &b, &err), &err);
    assert_ok(hry_binder_add(b, &head, 0, &bound, &err), &err);
    for (uint64_t half = 0; half < 2; half++) {
        assert_int_equal(bound.closed, 0);
        const hry_descriptor d =
            member_of(&head, (const uint64_t[]){4 * half, 0}, (const uint64_t[]){4, 8});
        assert_ok(hry_binder_add(b, &d, 0, &bound, &err), &err);
    }
    assert_int_equal(bound.closed, 1);
    hry_binder_free(b);
    free(bytes);
}

/* Decision 9: a quantized member becomes any float type. */
static bool is_allowed(const cJSON *bad)
{
    const bool allowed = strstr(json_text(bad, "file"), "quantized_type_mismatch") != NULL;
    assert_true(!allowed || strcmp(json_text(bad, "duty"), "must_be") == 0);
    return allowed;
}

static void broken_rules_are_refused_at_their_byte(void **state)
{
    (void)state;
    cJSON *root = manifest_load("interop/manifest.json");
    const cJSON *bad;
    size_t refused = 0;
    cJSON_ArrayForEach(bad, manifest_list(root, "bad"))
    {
        if (strcmp(json_text(bad, "stage"), "composite") != 0)
            continue;
        const char *name = json_text(bad, "file");
        hry_file *file = open_vector(name, HRY_STRICT);
        hry_head *head = NULL;
        const uint64_t i = find(file, json_text(bad, "tensor"));
        const hry_status opened = hry_head_open(file, i, NULL, &head, &err);
        if ((opened == HRY_OK) != is_allowed(bad))
            fail_msg("%s: %s", name, opened == HRY_OK ? "accepted" : err.message);
        if (opened != HRY_OK) {
            if (err.offset != json_u64(bad, "offset"))
                fail_msg("%s: byte %llu: %s", name, (unsigned long long)err.offset,
                         err.message);
            hry_error whole;
            assert_status(opened, hry_composites_check(file, NULL, NULL, &whole), &whole);
            assert_int_equal(whole.offset, err.offset);
            refused++;
        }
        hry_head_close(head);
        hry_file_close(file);
    }
    assert_true(refused >= 16);
    cJSON_Delete(root);
}

static void a_torn_composite_shows_its_members_to_permissive_readers(void **state)
{
    (void)state;
    hry_member member;
    hry_head *head;
    const char *const names[] = {"bad/bad_torn_partition.hrry",
                                 "bad/bad_torn_huge_member_count.hrry"};
    for (size_t n = 0; n < 2; n++) {
        hry_file *strict = open_vector(names[n], HRY_STRICT);
        assert_status(HRY_ERR_TRUNCATED,
                      hry_head_open(strict, find(strict, "w"), NULL, &head, &err), &err);
        hry_file_close(strict);
        hry_file *file = open_vector(names[n], HRY_PERMISSIVE);
        assert_ok(hry_head_open(file, find(file, "w"), NULL, &head, &err), &err);
        const hry_head_info info = hry_head_get_info(head);
        assert_true(info.is_torn);
        assert_int_equal(info.member_count, 2);
        assert_int_equal(info.declared_count, n == 0 ? 3 : 0xFFFFFFFE);
        assert_ok(hry_head_member(head, 1, &member, &err), &err);
        assert_ok(hry_composites_check(file, NULL, NULL, &err), &err);
        hry_head_close(head);
        hry_file_close(file);
    }
}

static void nine_levels_are_for_permissive_readers(void **state)
{
    (void)state;
    hry_head *head;
    hry_file *file = open_vector("bad/bad_composite_depth_9.hrry", HRY_PERMISSIVE);
    assert_ok(hry_head_open(file, find(file, "d0"), NULL, &head, &err), &err);
    hry_head_close(head);
    assert_ok(hry_head_open(file, find(file, "d1"), NULL, &head, &err), &err);
    hry_head_close(head);
    hry_file_close(file);
}

static void what_is_no_head_is_not_opened(void **state)
{
    (void)state;
    hry_head *head = NULL;
    hry_order *order;
    hry_file *file = open_vector("composite_partition_1d.hrry", HRY_STRICT);
    hry_file *other = open_vector("composite_partition_many.hrry", HRY_STRICT);
    assert_ok(hry_order_new(other, &order, &err), &err);
    assert_status(HRY_ERR_ARG, hry_head_open(file, find(file, "w.1"), NULL, &head, &err),
                  &err);
    assert_status(HRY_ERR_RANGE, hry_head_open(file, 99, NULL, &head, &err), &err);
    assert_status(HRY_ERR_ARG, hry_head_open(file, 0, order, &head, &err), &err);
    assert_null(head);
    hry_head_close(NULL);
    hry_order_free(order);
    hry_file_close(other);
    hry_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_bound_as_told),
        cmocka_unit_test(golden_files_keep_the_rules),
        cmocka_unit_test(broken_rules_are_refused_at_their_byte),
        cmocka_unit_test(a_torn_composite_shows_its_members_to_permissive_readers),
        cmocka_unit_test(nine_levels_are_for_permissive_readers),
        cmocka_unit_test(what_is_no_head_is_not_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
