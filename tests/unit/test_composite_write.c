/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of partitions written in place, against a plain array. */
#include "cmocka_all.h"
#include "faulty_io.h"
#include "manifest.h"
#include "random_composite.h"

static hry_error err;

typedef struct opened {
    faulty_io medium;
    hry_file *file;
    hry_head *head;
} opened;

/* The file in place, so that writes change it. */
static void open_writable(opened *o, uint8_t *bytes, size_t size, const char *name)
{
    uint64_t i;
    o->medium = (faulty_io){.data = bytes, .size = size, .fuse = -1};
    assert_ok(hry_file_open_io(faulty_io_writable(&o->medium), NULL, &o->file, &err), &err);
    assert_ok(hry_file_find(o->file, name, strlen(name), &i, &err), &err);
    assert_ok(hry_head_open(o->file, i, NULL, &o->head, &err), &err);
}

static void close_all(opened *o)
{
    hry_head_close(o->head);
    hry_file_close(o->file);
}

static void random_box(random_state *r, const dense_array *a, uint64_t *start,
                       uint64_t *count)
{
    for (uint32_t k = 0; k < a->rank; k++) {
        start[k] = random_in(r, 0, a->shape[k] - 1);
        count[k] = random_in(r, 1, a->shape[k] - start[k]);
    }
}

static void whole_is(const hry_head *head, const dense_array *want, int n)
{
    static const uint64_t origin[HRY_MAX_RANK];
    const size_t size = (size_t)want->count * want->element;
    uint8_t *got = malloc(size + 1);
    assert_non_null(got);
    assert_ok(hry_head_read(head, origin, want->shape, got, &err), &err);
    if (memcmp(got, want->bytes, size) != 0)
        fail_msg("composite %d, type %s: other than what was written", n,
                 hry_type_name(want->type.tag));
    free(got);
}

static void write_boxes(random_composite *c, random_state *r, int n)
{
    opened o;
    dense_array *a = &c->expected, news = *a;
    open_writable(&o, c->file.data, c->file.size, "head");
    news.bytes = malloc((size_t)a->count * a->element + 1);
    assert_non_null(news.bytes);
    for (int b = 0; b < 5; b++) {
        uint64_t start[HRY_MAX_RANK], count[HRY_MAX_RANK];
        dense_array_fill(&news, r);
        random_box(r, a, start, count);
        assert_ok(hry_head_write(o.head, start, count, news.bytes, &err), &err);
        dense_array_put(a, start, count, news.bytes);
        whole_is(o.head, a, n);
    }
    assert_ok(hry_composites_check(o.file, NULL, NULL, &err), &err);
    free(news.bytes);
    close_all(&o);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    random_state r = {.s = 30};
    const random_composite_options options = {.large = false};
    for (int n = 0; n < 200; n++) {
        random_composite c = random_composite_make(&r, &options);
        write_boxes(&c, &r, n);
        random_composite_free(&c);
    }
}

static void large_boxes_too(void **state)
{
    (void)state;
    random_state r = {.s = 31};
    const random_composite_options options = {.large = true};
    for (int n = 0; n < 12; n++) {
        random_composite c = random_composite_make(&r, &options);
        write_boxes(&c, &r, n);
        random_composite_free(&c);
    }
}

/* What is read may be written back anywhere, and then no byte of the file is another. */
static void writing_back_changes_nothing(void **state)
{
    (void)state;
    random_state r = {.s = 32};
    const random_composite_options options = {.sparse = true};
    for (int n = 0; n < 200; n++) {
        random_composite c = random_composite_make(&r, &options);
        blob before = bytes_copy(c.file.data, c.file.size);
        uint64_t start[HRY_MAX_RANK], count[HRY_MAX_RANK];
        opened o;
        random_box(&r, &c.expected, start, count);
        uint8_t *box = dense_array_box(&c.expected, start, count);
        open_writable(&o, c.file.data, c.file.size, "head");
        assert_ok(hry_head_write(o.head, start, count, box, &err), &err);
        assert_memory_equal(before.data, c.file.data, before.size);
        close_all(&o);
        free(box);
        bytes_free(&before);
        random_composite_free(&c);
    }
}

static hry_status write_nothing_new(const char *file, const char *name)
{
    static const uint64_t origin[HRY_MAX_RANK];
    opened o;
    size_t size;
    uint8_t array[4096];
    uint8_t *bytes = vector_read("interop", file, &size);
    uint8_t *before = malloc(size);
    assert_non_null(before);
    memcpy(before, bytes, size);
    open_writable(&o, bytes, size, name);
    const hry_head_info info = hry_head_get_info(o.head);
    memset(array, 7, sizeof array);
    const hry_status status = hry_head_write(o.head, origin, info.shape, array, &err);
    if (status != HRY_OK)
        assert_memory_equal(before, bytes, size);
    close_all(&o);
    free(before);
    free(bytes);
    return status;
}

static void
overlays_and_quantized_members_are_refused_before_a_byte_is_written(void **state)
{
    (void)state;
    assert_int_equal(write_nothing_new("composite_partition_with_overlay_member.hrry", "p"),
                     HRY_ERR_UNSUPPORTED);
    assert_int_equal(write_nothing_new("composite_overlay_base_only.hrry", "o"),
                     HRY_ERR_UNSUPPORTED);
    assert_int_equal(write_nothing_new("composite_partition_3d_uneven_quantized.hrry", "v"),
                     HRY_ERR_UNSUPPORTED);
    assert_int_equal(write_nothing_new("composite_group_unlike.hrry", "g"),
                     HRY_ERR_UNSUPPORTED);
    assert_int_equal(write_nothing_new("composite_partition_2d_pinwheel.hrry", "w"),
                     HRY_OK);
}

static void sparse_members_take_what_they_have_places_for(void **state)
{
    (void)state;
    opened o;
    size_t size;
    const uint64_t at[3] = {1, 2, 0}, count[3] = {2, 2, 2}; /* v.coo, which stores two */
    float values[8], got[8];
    uint8_t *bytes =
        vector_read("interop", "composite_partition_3d_uneven_quantized.hrry", &size);
    open_writable(&o, bytes, size, "v");
    assert_ok(hry_head_read(o.head, at, count, values, &err), &err);
    for (int i = 0; i < 8; i++)
        values[i] *= 2;
    assert_ok(hry_head_write(o.head, at, count, values, &err), &err);
    assert_ok(hry_head_read(o.head, at, count, got, &err), &err);
    assert_memory_equal(got, values, sizeof got);
    for (int i = 0; i < 8; i++)
        values[i] = 1;
    assert_status(HRY_ERR_UNSUPPORTED, hry_head_write(o.head, at, count, values, &err),
                  &err);
    close_all(&o);
    free(bytes);
}

/* Elements of a private type, larger than what is read ahead or gathered. */
static void elements_may_be_large(void **state)
{
    (void)state;
    enum { SIZE = 70000 };
    static uint8_t columns[4 * SIZE], rows[4 * SIZE];
    static const uint64_t shape[2] = {2, 2}, origin[2];
    const hry_extension_type type = {.bit_width = SIZE * 8, .packing = 1};
    const hry_composite whole = {.rule = HRY_PARTITION, .member_count = 1};
    hry_descriptor head, d;
    blob bytes = {0};
    hry_writer *writer;
    hry_composer *composer;
    opened o;
    for (int i = 0; i < 4 * SIZE; i++)
        columns[i] = (uint8_t)(i / 7);
    assert_ok(hry_head_describe(&whole, HRY_FLOAT64, 2, shape, &head, &err), &err);
    assert_ok(hry_descriptor_dense(HRY_FLOAT64, 2, shape, &d, &err), &err);
    d.type_tag = head.type_tag = 0xF0;
    d.flags = head.flags = HRY_HAS_EXTENSION_TYPE;
    d.extension_type = head.extension_type = type;
    d.layout_tag = HRY_COLUMN_MAJOR;
    d.buffers[0].byte_size = sizeof columns;
    assert_ok(hry_writer_new(bytes_sink, &bytes, NULL, &writer, &err), &err);
    assert_ok(hry_composer_new(writer, &composer, &err), &err);
    assert_ok(hry_composer_add(composer, "head", &head, NULL, NULL, &err), &err);
    assert_ok(
        hry_composer_add(composer, "member", &d, origin, (const void *[]){columns}, &err),
        &err);
    assert_ok(hry_composer_finish(composer, &err), &err);
    assert_ok(hry_writer_finish(writer, &err), &err);
    open_writable(&o, bytes.data, bytes.size, "head");
    for (int n = 0; n < 2; n++) {
        assert_ok(hry_head_read(o.head, origin, shape, rows, &err), &err);
        for (int i = 0; i < 4; i++)
            assert_memory_equal(rows + i * SIZE, columns + (i % 2 * 2 + i / 2) * SIZE,
                                SIZE);
        for (int i = 0; i < 4 * SIZE; i++)
            columns[i] = (uint8_t)(i / 11);
        for (int i = 0; i < 4; i++)
            memcpy(rows + i * SIZE, columns + (i % 2 * 2 + i / 2) * SIZE, SIZE);
        assert_ok(hry_head_write(o.head, origin, shape, rows, &err), &err);
    }
    close_all(&o);
    bytes_free(&bytes);
}

static void media_that_cannot_be_written_say_so(void **state)
{
    (void)state;
    hry_io io;
    hry_file *file;
    hry_head *head;
    size_t size;
    const uint64_t zero[1] = {0}, ten[1] = {10}, eleven[1] = {11};
    const float values[11] = {0};
    uint8_t *bytes = vector_read("interop", "composite_partition_1d.hrry", &size);
    assert_ok(hry_io_memory(bytes, size, &io, &err), &err);
    assert_ok(hry_file_open_io(io, NULL, &file, &err), &err);
    assert_ok(hry_head_open(file, 0, NULL, &head, &err), &err);
    assert_status(HRY_ERR_UNSUPPORTED, hry_head_write(head, zero, ten, values, &err), &err);
    assert_status(HRY_ERR_RANGE, hry_head_write(head, zero, eleven, values, &err), &err);
    hry_head_close(head);
    hry_file_close(file);
    free(bytes);
}

static void every_failed_operation_is_an_error(void **state)
{
    (void)state;
    size_t size;
    uint64_t origin[2] = {0};
    float values[96] = {0};
    hry_status status = HRY_ERR_IO;
    long fuse = 0;
    for (; status != HRY_OK; fuse++) {
        opened o;
        uint8_t *bytes =
            vector_read("interop", "composite_partition_mixed_layouts.hrry", &size);
        open_writable(&o, bytes, size, "m");
        const hry_head_info info = hry_head_get_info(o.head);
        o.medium.fuse = fuse;
        status = hry_head_write(o.head, origin, info.shape, values, &err);
        assert_true(status == HRY_OK || status == HRY_ERR_IO);
        close_all(&o);
        free(bytes);
    }
    assert_true(fuse > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(large_boxes_too),
        cmocka_unit_test(writing_back_changes_nothing),
        cmocka_unit_test(
            overlays_and_quantized_members_are_refused_before_a_byte_is_written),
        cmocka_unit_test(sparse_members_take_what_they_have_places_for),
        cmocka_unit_test(elements_may_be_large),
        cmocka_unit_test(media_that_cannot_be_written_say_so),
        cmocka_unit_test(every_failed_operation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
