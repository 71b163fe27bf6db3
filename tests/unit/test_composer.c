/* SPDX-License-Identifier: Apache-2.0 */
/* Composites written in order; what would break one is refused before it is written. */
#include "hry/composite.h"

#include "bytes.h"
#include "cmocka_all.h"
#include "member.h"

static hry_error err;

typedef struct writing {
    blob bytes;
    hry_writer *writer;
    hry_composer *composer;
} writing;

static void begin(writing *w)
{
    *w = (writing){.bytes = {0}};
    assert_ok(hry_writer_new(bytes_sink, &w->bytes, NULL, &w->writer, &err), &err);
    assert_ok(hry_composer_new(w->writer, &w->composer, &err), &err);
}

static void abandon(writing *w)
{
    hry_composer_abandon(w->composer);
    hry_writer_abandon(w->writer);
    bytes_free(&w->bytes);
}

static const uint64_t ten[1] = {10}, six[1] = {6}, four[1] = {4}, one[1] = {1};
static const float numbers[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

static hry_descriptor dense_of(const uint64_t *size)
{
    hry_descriptor d;
    assert_ok(hry_descriptor_dense(HRY_FLOAT32, 1, size, &d, &err), &err);
    return d;
}

static hry_status add_head(writing *w, const char *name, hry_composite c,
                           const uint64_t *shape, const uint64_t *offset)
{
    hry_descriptor d;
    assert_ok(hry_head_describe(&c, HRY_FLOAT32, 1, shape, &d, &err), &err);
    return hry_composer_add(w->composer, name, &d, offset, NULL, &err);
}

static hry_status add_plain(writing *w, const char *name, const uint64_t *size,
                            const uint64_t *offset)
{
    const hry_descriptor d = dense_of(size);
    return hry_composer_add(w->composer, name, &d, offset, (const void *[]){numbers}, &err);
}

/* A group of a partition, which has an overlay in it, and a plain tensor; then another. */
static void nested_composites_are_written_in_order(void **state)
{
    (void)state;
    writing w;
    hry_io io;
    hry_file *file;
    hry_head *group;
    hry_member member;
    float got[10];
    const hry_composite g = {.rule = HRY_GROUP, .member_count = 2};
    const hry_composite p = {.rule = HRY_PARTITION, .member_count = 2};
    const hry_composite o = {
        .rule = HRY_OVERLAY, .combine = HRY_COMBINE_ADD, .member_count = 2};
    begin(&w);
    assert_ok(add_head(&w, "g", g, ten, NULL), &err);
    assert_ok(add_head(&w, "p", p, ten, NULL), &err);
    assert_ok(add_plain(&w, "p0", four, NULL), &err);
    assert_ok(add_head(&w, "o", o, six, four), &err);
    const hry_descriptor base = dense_of(six);
    assert_ok(hry_composer_begin(w.composer, "base", &base, NULL, &err), &err);
    assert_ok(hry_writer_write(w.writer, numbers, 24, &err), &err);
    assert_ok(add_plain(&w, "fix", one, four), &err);
    assert_ok(add_plain(&w, "plain", one, NULL), &err);
    assert_ok(hry_writer_add(w.writer, "other", &base, (const void *[]){numbers}, &err),
              &err);
    assert_ok(add_head(&w, "again", (hry_composite){.rule = HRY_GROUP}, ten, NULL), &err);
    assert_ok(hry_composer_finish(w.composer, &err), &err);
    assert_ok(hry_writer_finish(w.writer, &err), &err);

    assert_ok(hry_io_memory(w.bytes.data, w.bytes.size, &io, &err), &err);
    assert_ok(hry_file_open_io(io, NULL, &file, &err), &err);
    assert_ok(hry_composites_check(file, NULL, NULL, &err), &err);
    assert_ok(hry_head_open(file, 0, NULL, &group, &err), &err);
    assert_ok(hry_head_member(group, 0, &member, &err), &err);
    assert_memory_equal(member.name, "p", 1);
    const float want[10] = {0, 1, 2, 3, 0, 1, 2, 3, 4 + 0, 5};
    assert_ok(hry_head_read(member.inside, (const uint64_t[]){0}, ten, got, &err), &err);
    assert_memory_equal(got, want, sizeof want);
    assert_ok(hry_head_member(group, 1, &member, &err), &err);
    assert_memory_equal(member.name, "plain", 5);
    assert_null(member.inside);
    hry_head_close(group);
    hry_file_close(file);
    bytes_free(&w.bytes);
}

static void a_member_that_breaks_the_composite_is_not_written(void **state)
{
    (void)state;
    writing w;
    const hry_composite p = {.rule = HRY_PARTITION, .member_count = 2};
    begin(&w);
    assert_ok(add_head(&w, "p", p, ten, NULL), &err);
    assert_ok(add_plain(&w, "p0", four, NULL), &err);
    const size_t before = w.bytes.size;
    assert_status(HRY_ERR_CORRUPT, add_plain(&w, "p1", six, (const uint64_t[]){3}), &err);
    assert_int_equal(w.bytes.size, before);
    assert_status(HRY_ERR_ARG, add_plain(&w, "p1", six, four), &err);
    assert_status(HRY_ERR_ARG, hry_composer_finish(w.composer, &err), &err);
    w.composer = NULL;
    abandon(&w);
}

static void too_few_members_are_found_at_the_end(void **state)
{
    (void)state;
    writing w;
    begin(&w);
    assert_ok(
        add_head(&w, "g", (hry_composite){.rule = HRY_GROUP, .member_count = 1}, ten, NULL),
        &err);
    assert_status(HRY_ERR_TRUNCATED, hry_composer_finish(w.composer, &err), &err);
    w.composer = NULL;
    abandon(&w);
}

static void offsets_are_for_boxes_and_ranks_are_the_same(void **state)
{
    (void)state;
    writing w;
    begin(&w);
    assert_status(HRY_ERR_ARG, add_plain(&w, "x", four, four), &err);
    abandon(&w);
    begin(&w);
    hry_descriptor d;
    assert_ok(hry_descriptor_dense(HRY_FLOAT32, 2, (const uint64_t[]){2, 2}, &d, &err),
              &err);
    const hry_composite p = {.rule = HRY_PARTITION, .member_count = 1};
    assert_ok(add_head(&w, "p", p, four, NULL), &err);
    assert_status(HRY_ERR_ARG, hry_composer_begin(w.composer, "x", &d, NULL, &err), &err);
    abandon(&w);
    begin(&w);
    assert_ok(add_head(&w, "p", p, four, NULL), &err);
    assert_status(HRY_ERR_CORRUPT, add_plain(&w, "x", four, one), &err);
    abandon(&w);
}

static void names_are_taken_once(void **state)
{
    (void)state;
    writing w;
    begin(&w);
    assert_ok(
        add_head(&w, "g", (hry_composite){.rule = HRY_GROUP, .member_count = 2}, ten, NULL),
        &err);
    assert_status(HRY_ERR_ARG, add_plain(&w, "g", four, NULL), &err);
    abandon(&w);
}

static void heads_that_break_the_format_are_not_described(void **state)
{
    (void)state;
    hry_descriptor d;
    hry_composite c = {.rule = HRY_OVERLAY, .combine = HRY_COMBINE_ADD};
    assert_status(HRY_ERR_CORRUPT, hry_head_describe(&c, HRY_FLOAT32, 1, ten, &d, &err),
                  &err);
    c = (hry_composite){.rule = HRY_PARTITION, .combine = HRY_COMBINE_ADD};
    assert_status(HRY_ERR_CORRUPT, hry_head_describe(&c, HRY_FLOAT32, 1, ten, &d, &err),
                  &err);
    c.combine = HRY_COMBINE_NONE;
    assert_status(HRY_ERR_ARG, hry_head_describe(&c, 0, 1, ten, &d, &err), &err);
    assert_status(HRY_ERR_ARG, hry_head_describe(&c, HRY_FLOAT32, 65, ten, &d, &err), &err);
    assert_ok(hry_head_describe(&c, HRY_FLOAT32, 0, NULL, &d, &err), &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_composites_are_written_in_order),
        cmocka_unit_test(a_member_that_breaks_the_composite_is_not_written),
        cmocka_unit_test(too_few_members_are_found_at_the_end),
        cmocka_unit_test(offsets_are_for_boxes_and_ranks_are_the_same),
        cmocka_unit_test(names_are_taken_once),
        cmocka_unit_test(heads_that_break_the_format_are_not_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
