/* SPDX-License-Identifier: Apache-2.0 */
/* Random composites, nested, of every layout and many types, against a plain array. */
#include "hry/reader.h"

#include "cmocka_all.h"
#include "random_composite.h"

static hry_error err;

static hry_head *open_bytes(const blob *b, bool map, hry_file **file)
{
    hry_io io;
    hry_head *head;
    uint64_t i;
    const hry_file_options options = {.map = map};
    assert_ok(hry_io_memory(b->data, b->size, &io, &err), &err);
    assert_ok(hry_file_open_io(io, &options, file, &err), &err);
    assert_ok(hry_file_find(*file, "head", 4, &i, &err), &err);
    assert_ok(hry_head_open(*file, i, NULL, &head, &err), &err);
    return head;
}

static void box_is_as_expected(const hry_head *head, const dense_array *a,
                               const uint64_t *start, const uint64_t *count, int n)
{
    uint64_t total = 1;
    for (uint32_t k = 0; k < a->rank; k++)
        total *= count[k];
    const size_t size = (size_t)total * a->element;
    uint8_t *want = dense_array_box(a, start, count);
    uint8_t *got = malloc(size + 1); /* as large as it must be: sanitizers watch */
    assert_non_null(got);
    memset(got, 0xA5, size);
    assert_ok(hry_head_read(head, start, count, got, &err), &err);
    if (memcmp(want, got, size) != 0)
        fail_msg("composite %d, type %s: a box is other than expected", n,
                 hry_type_name(a->type.tag));
    free(want);
    free(got);
}

/* Every element is in one part that says it has it, and corrections come after it. */
typedef struct parts {
    uint8_t *seen; /* of the asked box */
    const uint64_t *count;
    uint32_t rank;
} parts;

static hry_status mark_part(void *ctx, const hry_part *part, hry_error *e)
{
    parts *p = ctx;
    uint64_t total = 1;
    (void)e;
    for (uint32_t k = 0; k < p->rank; k++)
        total *= part->count[k];
    for (uint64_t i = 0; i < total; i++) {
        uint64_t at = 0, left = i, scale = 1;
        for (uint32_t k = p->rank; k-- > 0;) {
            at += (part->at[k] + left % part->count[k]) * scale;
            scale *= p->count[k];
            left /= part->count[k];
        }
        if (part->combine == HRY_COMBINE_NONE)
            assert_int_equal(p->seen[at]++, 0);
        else
            assert_int_equal(p->seen[at], 1);
    }
    return HRY_OK;
}

static void parts_cover_the_box(const hry_head *head, const dense_array *a,
                                const uint64_t *start, const uint64_t *count)
{
    uint64_t total = 1;
    for (uint32_t k = 0; k < a->rank; k++)
        total *= count[k];
    parts p = {.seen = calloc(total + 1, 1), .count = count, .rank = a->rank};
    assert_non_null(p.seen);
    assert_ok(hry_head_search(head, start, count, mark_part, &p, &err), &err);
    for (uint64_t i = 0; i < total; i++)
        assert_int_equal(p.seen[i], 1);
    free(p.seen);
}

static void composite_is_as_expected(const random_composite *c, bool map, random_state *r,
                                     int n)
{
    static const uint64_t origin[HRY_MAX_RANK];
    hry_file *file;
    hry_head *head = open_bytes(&c->file, map, &file);
    const dense_array *a = &c->expected;
    box_is_as_expected(head, a, origin, a->shape, n);
    for (int b = 0; b < 12; b++) {
        uint64_t start[HRY_MAX_RANK], count[HRY_MAX_RANK];
        for (uint32_t k = 0; k < a->rank; k++) {
            start[k] = random_in(r, 0, a->shape[k] - 1);
            count[k] = b < 4 ? 1 : random_in(r, b < 6 ? 0 : 1, a->shape[k] - start[k]);
        }
        box_is_as_expected(head, a, start, count, n);
        parts_cover_the_box(head, a, start, count);
    }
    assert_ok(hry_composites_check(file, NULL, NULL, &err), &err);
    assert_ok(hry_file_check_canonical(file, &err), &err);
    hry_head_close(head);
    hry_file_close(file);
}

static void are_as_expected(const random_composite_options *options, uint64_t seed,
                            int many)
{
    random_state r = {.s = seed};
    for (int n = 0; n < many; n++) {
        random_composite c = random_composite_make(&r, options);
        composite_is_as_expected(&c, true, &r, n);
        composite_is_as_expected(&c, false, &r, n);
        random_composite_free(&c);
    }
}

static void random_composites_are_the_arrays_they_should_be(void **state)
{
    (void)state;
    const random_composite_options options = {
        .overlays = true, .quantized = true, .sparse = true};
    are_as_expected(&options, 20, 500);
}

/* Parts that are read slab by slab, and runs longer than the window of a reader. */
static void large_ones_too(void **state)
{
    (void)state;
    const random_composite_options options = {
        .overlays = true, .quantized = true, .sparse = true, .large = true};
    are_as_expected(&options, 21, 30);
}

/* Columns of 20,000 elements, each read in more than one window. */
static void long_columns_are_read_in_pieces(void **state)
{
    (void)state;
    enum { ROWS = 20000 };
    static const uint64_t shape[2] = {ROWS, 2}, origin[2];
    double *column = malloc(sizeof *column * ROWS * 2),
           *row = malloc(sizeof *row * ROWS * 2);
    const hry_composite whole = {.rule = HRY_PARTITION, .member_count = 1};
    hry_descriptor head, d;
    blob bytes = {0};
    hry_writer *writer;
    hry_composer *composer;
    assert_non_null(column);
    assert_non_null(row);
    for (int i = 0; i < ROWS * 2; i++)
        column[i] = i;
    assert_ok(hry_head_describe(&whole, HRY_FLOAT64, 2, shape, &head, &err), &err);
    assert_ok(hry_descriptor_dense(HRY_FLOAT64, 2, shape, &d, &err), &err);
    d.layout_tag = HRY_COLUMN_MAJOR;
    assert_ok(hry_writer_new(bytes_sink, &bytes, NULL, &writer, &err), &err);
    assert_ok(hry_composer_new(writer, &composer, &err), &err);
    assert_ok(hry_composer_add(composer, "head", &head, NULL, NULL, &err), &err);
    assert_ok(
        hry_composer_add(composer, "member", &d, origin, (const void *[]){column}, &err),
        &err);
    assert_ok(hry_composer_finish(composer, &err), &err);
    assert_ok(hry_writer_finish(writer, &err), &err);
    hry_file *file;
    hry_head *opened = open_bytes(&bytes, false, &file);
    assert_ok(hry_head_read(opened, origin, shape, row, &err), &err);
    for (int i = 0; i < ROWS; i++)
        assert_true(row[2 * i] == column[i] && row[2 * i + 1] == column[ROWS + i]);
    hry_head_close(opened);
    hry_file_close(file);
    bytes_free(&bytes);
    free(column);
    free(row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_composites_are_the_arrays_they_should_be),
        cmocka_unit_test(large_ones_too),
        cmocka_unit_test(long_columns_are_read_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
