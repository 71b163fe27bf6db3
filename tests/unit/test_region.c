/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boxes of dense tensors: for random types, layouts, shapes and boxes, reading, writing
 * and runs agree with addressing every element by itself.
 */
#include "cmocka_all.h"
#include "dense.h"
#include "random.h"

#include "hry/region.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER = 1 << 19, ROUNDS = 3000 };

static uint32_t bits_of(const hry_descriptor *d)
{
    return d->flags & HRY_HAS_EXTENSION_TYPE ? d->extension_type.bit_width
                                             : hry_dtype_by_tag(d->type_tag)->bits;
}

static void random_type(random_state *r, hry_descriptor *d)
{
    static const uint8_t types[] = {HRY_BOOL,    HRY_UINT2,       HRY_INT4,
                                    HRY_INT8,    HRY_FLOAT6_E2M3, HRY_FLOAT16,
                                    HRY_FLOAT32, HRY_FLOAT64,     HRY_FLOAT128};
    const uint64_t i = random_in(r, 0, sizeof types);
    if (i < sizeof types) {
        d->type_tag = types[i];
        return;
    }
    d->type_tag = 0xF0;
    d->flags |= HRY_HAS_EXTENSION_TYPE;
    d->extension_type = (hry_extension_type){.bit_width = 24, .packing = 1};
}

/* Strides of a dense array with its axes in random order, padded and mirrored. */
static void random_strides(random_state *r, hry_descriptor *d)
{
    bool used[4] = {false};
    int64_t step = 1;
    int64_t back = 0;
    for (uint32_t i = 0; i < d->rank; i++) {
        uint64_t k = random_in(r, 0, d->rank - 1);
        while (used[k])
            k = (k + 1) % d->rank;
        used[k] = true;
        const bool mirror = random_in(r, 0, 3) == 0;
        d->fields.strides[k] = mirror ? -step : step;
        back += mirror ? step * (int64_t)(d->shape[k] - 1) : 0;
        step *= (int64_t)(d->shape[k] + random_in(r, 0, 1));
    }
    const uint64_t group = back > 0 ? ((uint64_t)back / 8 + 1) * 8 : 0;
    d->byte_offset += group * bits_of(d) / 8;
}

static void random_tiles(random_state *r, hry_descriptor *d)
{
    hry_tiled *t = &d->fields.tiled;
    t->depth = (uint32_t)random_in(r, 1, 3);
    for (uint32_t l = 0; l < t->depth; l++) {
        t->level[l].outer = (uint8_t)random_in(r, HRY_ROW_MAJOR, HRY_COLUMN_MAJOR);
        t->level[l].inner = l + 1 < t->depth ? HRY_TILED : (uint8_t)random_in(r, 1, 2);
        const uint32_t bits = (d->rank < 3 ? 2 : 1) * (t->depth - l);
        for (uint32_t k = 0; k < d->rank; k++)
            t->level[l].tile_shape[k] = UINT64_C(1) << (bits - random_in(r, 0, 1));
    }
}

static void random_layout(random_state *r, hry_descriptor *d)
{
    static const uint8_t layouts[] = {HRY_ROW_MAJOR, HRY_COLUMN_MAJOR, HRY_STRIDED,
                                      HRY_TILED,     HRY_MORTON,       HRY_HILBERT};
    d->layout_tag = layouts[random_in(r, 0, 5)];
    d->rank = (uint32_t)random_in(r, d->layout_tag == HRY_HILBERT ? 2 : 1, 4);
    static const uint64_t most[] = {0, 700, 40, 14, 7};
    for (uint32_t k = 0; k < d->rank; k++) {
        d->shape[k] = random_in(r, 1, most[d->rank]);
        d->fields.morton_bits[k] = 0;
    }
    if (d->layout_tag == HRY_STRIDED)
        random_strides(r, d);
    if (d->layout_tag == HRY_TILED)
        random_tiles(r, d);
    const uint32_t order = d->rank == 1 ? 10 : d->rank == 2 ? 6 : d->rank == 3 ? 4 : 3;
    for (uint32_t k = 0; d->layout_tag == HRY_MORTON && k < d->rank; k++)
        d->fields.morton_bits[k] = order;
    if (d->layout_tag == HRY_HILBERT) {
        d->fields.hilbert_order = (uint32_t)random_in(r, 1, order);
        for (uint32_t k = 0; k < d->rank; k++)
            d->shape[k] = UINT64_C(1) << d->fields.hilbert_order;
    }
}

typedef struct sample {
    hry_descriptor d;
    uint64_t start[4], count[4];
    uint64_t total; /* elements of the box */
    uint8_t *storage, *copy, *array;
} sample;

static void random_sample(random_state *r, sample *s)
{
    memset(&s->d, 0, sizeof s->d);
    s->d.buffer_count = 1;
    s->d.buffers[0].byte_size = BUFFER;
    s->d.byte_offset = random_in(r, 0, 3);
    random_type(r, &s->d);
    random_layout(r, &s->d);
    s->total = 1;
    for (uint32_t k = 0; k < s->d.rank; k++) {
        const bool whole = random_in(r, 0, 1) == 0;
        s->start[k] = whole ? 0 : random_in(r, 0, s->d.shape[k] - 1);
        s->count[k] = s->d.shape[k] - s->start[k];
        s->count[k] = whole ? s->count[k] : random_in(r, 1, s->count[k]);
        s->total *= s->count[k];
    }
}

/* Steps to the next index of the box; false past the last. */
static bool next_index(const sample *s, uint64_t *index)
{
    for (uint32_t k = s->d.rank; k-- > 0;) {
        if (++index[k] < s->start[k] + s->count[k])
            return true;
        index[k] = s->start[k];
    }
    return false;
}

/* One element, bit by bit: from storage to `out`, or from `out` to storage. */
static void naive(const sample *s, const uint64_t *index, uint8_t *storage, uint8_t *out,
                  bool write)
{
    const uint32_t bits = bits_of(&s->d);
    hry_place place;
    hry_error err;
    assert_ok(hry_element_place(&s->d, s->d.rank, index, &place, &err), &err);
    if (!write)
        memset(out, 0, bits / 8 + (bits % 8 != 0));
    for (uint32_t b = 0; b < bits; b++) {
        uint8_t *byte = &storage[place.byte + (place.bit + b) / 8];
        const uint32_t at = (place.bit + b) % 8;
        if (write)
            *byte = (uint8_t)((*byte & ~(1U << at)) | (out[b / 8] >> b % 8 & 1U) << at);
        else
            out[b / 8] = (uint8_t)(out[b / 8] | (*byte >> at & 1U) << b % 8);
    }
}

static void check_read(const sample *s, const hry_tensor *t)
{
    const uint32_t size = hry_region_element(&s->d);
    uint64_t index[4];
    uint64_t bytes;
    hry_error err;
    assert_ok(hry_region_size(&s->d, s->count, &bytes, &err), &err);
    assert_int_equal(bytes, s->total * size);
    uint8_t *array = malloc(bytes); /* exactly: sanitizers see a byte too many */
    assert_non_null(array);
    assert_ok(hry_region_read(t, s->start, s->count, array, &err), &err);
    memcpy(index, s->start, sizeof index);
    for (uint64_t i = 0; i < s->total; i++, next_index(s, index)) {
        uint8_t want[16];
        naive(s, index, s->storage, want, false);
        if (memcmp(want, array + i * size, size) != 0)
            fail_msg("layout %s, type 0x%02x: element %llu of %llu differs",
                     s->d.layout_tag == HRY_TILED ? "tiled" : "other", s->d.type_tag,
                     (unsigned long long)i, (unsigned long long)s->total);
    }
    free(array);
}

static void check_write(random_state *r, const sample *s, const hry_tensor *t)
{
    const uint32_t size = hry_region_element(&s->d);
    uint64_t index[4];
    hry_error err;
    for (uint64_t i = 0; i < s->total * size; i++)
        s->array[i] = (uint8_t)random_next(r);
    memcpy(s->copy, s->storage, BUFFER);
    memcpy(index, s->start, sizeof index);
    for (uint64_t i = 0; i < s->total; i++, next_index(s, index))
        naive(s, index, s->copy, s->array + i * size, true);
    assert_ok(hry_region_write(t, s->start, s->count, s->array, &err), &err);
    assert_memory_equal(s->copy, s->storage, BUFFER);
}

typedef struct run_sum {
    const sample *s;
    uint64_t elements;
    uint32_t size;
} run_sum;

static hry_status copy_run(void *ctx, const hry_run *run, hry_error *err)
{
    run_sum *sum = ctx;
    (void)err;
    for (uint64_t i = 0; i < run->count; i++)
        memcpy(sum->s->array + (run->first + i * run->step) * sum->size,
               sum->s->storage + run->byte + i * sum->size, sum->size);
    sum->elements += run->count;
    return HRY_OK;
}

static void check_runs(const sample *s, const hry_tensor *t)
{
    run_sum sum = {s, 0, hry_region_element(&s->d)};
    hry_error err;
    if (bits_of(&s->d) < 8) {
        assert_status(HRY_ERR_UNSUPPORTED,
                      hry_region_runs(&s->d, s->start, s->count, copy_run, &sum, &err),
                      &err);
        return;
    }
    assert_ok(hry_region_runs(&s->d, s->start, s->count, copy_run, &sum, &err), &err);
    assert_int_equal(sum.elements, s->total);
    assert_ok(hry_region_read(t, s->start, s->count, s->copy, &err), &err);
    assert_memory_equal(s->copy, s->array, s->total * sum.size);
}

static void boxes_agree_with_single_elements(void **state)
{
    (void)state;
    random_state r = {1};
    sample s = {.storage = malloc(BUFFER), .copy = malloc(BUFFER), .array = malloc(BUFFER)};
    for (size_t i = 0; i < BUFFER; i++)
        s.storage[i] = (uint8_t)random_next(&r);
    for (int round = 0; round < ROUNDS; round++) {
        random_sample(&r, &s);
        const hry_buffer buffer = {.writable = s.storage, .size = BUFFER};
        const hry_tensor t = {.descriptor = &s.d, .buffers = &buffer, .writable = true};
        check_read(&s, &t);
        check_write(&r, &s, &t);
        check_runs(&s, &t);
    }
    free(s.storage);
    free(s.copy);
    free(s.array);
}

static void large_transposes_and_tiles_are_right(void **state)
{
    (void)state;
    enum { SIDE = 300 };
    uint32_t *storage = malloc(SIDE * SIDE * 4);
    uint32_t *array = malloc(SIDE * SIDE * 4);
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        storage[i] = i;
    hry_descriptor d =
        dense(HRY_UINT32, HRY_COLUMN_MAJOR, SIDE * SIDE * 4, 2, SHAPE(SIDE, SIDE));
    const hry_buffer buffer = {.writable = storage, .size = SIDE * SIDE * 4};
    const hry_tensor t = {.descriptor = &d, .buffers = &buffer, .writable = true};
    hry_error err;
    assert_ok(hry_region_read(&t, SHAPE(0, 0), SHAPE(SIDE, SIDE), array, &err), &err);
    for (uint32_t i = 0; i < SIDE; i++)
        for (uint32_t j = 0; j < SIDE; j++)
            assert_int_equal(array[i * SIDE + j], j * SIDE + i);
    d.layout_tag = HRY_TILED;
    d.fields.tiled.depth = 1;
    d.fields.tiled.level[0] = (hry_tile_level){
        .tile_shape = {20, 20}, .outer = HRY_ROW_MAJOR, .inner = HRY_COLUMN_MAJOR};
    assert_ok(hry_region_read(&t, SHAPE(0, 0), SHAPE(SIDE, SIDE), array, &err), &err);
    for (uint32_t i = 0; i < SIDE; i++)
        for (uint32_t j = 0; j < SIDE; j++)
            assert_int_equal(array[i * SIDE + j],
                             (i / 20 * 15 + j / 20) * 400 + j % 20 * 20 + i % 20);
    free(storage);
    free(array);
}

static hry_status count_runs(void *ctx, const hry_run *run, hry_error *err)
{
    (void)err;
    uint64_t *n = ctx;
    n[0]++;
    n[1] += run->count;
    return HRY_OK;
}

static hry_status stop(void *ctx, const hry_run *run, hry_error *err)
{
    (void)ctx;
    (void)run;
    (void)err;
    return HRY_ERR_IO;
}

static void runs_are_as_long_as_they_can_be(void **state)
{
    (void)state;
    const hry_descriptor row = dense(HRY_FLOAT32, HRY_ROW_MAJOR, 4096, 3, SHAPE(4, 16, 16));
    uint64_t n[2] = {0, 0};
    hry_error err;
    assert_ok(hry_region_runs(&row, SHAPE(1, 0, 0), SHAPE(3, 16, 16), count_runs, n, &err),
              &err);
    assert_int_equal(n[0], 1);
    assert_int_equal(n[1], 768);
    const hry_descriptor column =
        dense(HRY_FLOAT32, HRY_COLUMN_MAJOR, 4096, 2, SHAPE(64, 16));
    n[0] = n[1] = 0;
    assert_ok(hry_region_runs(&column, SHAPE(0, 2), SHAPE(64, 3), count_runs, n, &err),
              &err);
    assert_int_equal(n[0], 3);
    assert_status(HRY_ERR_IO,
                  hry_region_runs(&column, SHAPE(0, 2), SHAPE(64, 3), stop, NULL, &err),
                  &err);
}

static void refuses_boxes_outside_and_small_buffers(void **state)
{
    (void)state;
    hry_descriptor d = dense(HRY_FLOAT32, HRY_ROW_MAJOR, 48, 2, SHAPE(3, 4));
    uint8_t bytes[48] = {0};
    uint8_t array[48];
    hry_buffer buffer = {.bytes = bytes, .size = sizeof bytes};
    const hry_tensor t = {.descriptor = &d, .buffers = &buffer};
    hry_error err;
    assert_ok(hry_region_read(&t, SHAPE(3, 0), SHAPE(0, 4), array, &err), &err);
    assert_status(HRY_ERR_RANGE, hry_region_read(&t, SHAPE(1, 0), SHAPE(3, 4), array, &err),
                  &err);
    assert_status(HRY_ERR_RANGE,
                  hry_region_read(&t, SHAPE(0, UINT64_MAX), SHAPE(1, 2), array, &err),
                  &err);
    assert_status(HRY_ERR_ARG, hry_region_write(&t, SHAPE(0, 0), SHAPE(1, 1), array, &err),
                  &err);
    buffer.size = 47;
    assert_ok(hry_region_read(&t, SHAPE(0, 0), SHAPE(2, 4), array, &err), &err);
    assert_status(HRY_ERR_RANGE, hry_region_read(&t, SHAPE(0, 0), SHAPE(3, 4), array, &err),
                  &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_agree_with_single_elements),
        cmocka_unit_test(large_transposes_and_tiles_are_right),
        cmocka_unit_test(runs_are_as_long_as_they_can_be),
        cmocka_unit_test(refuses_boxes_outside_and_small_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
