/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a request become tensors in memory; shards of any layout become one. */
#include "hry/hry.h"

#include "bytes.h"
#include "cmocka_all.h"

static void tensor_begins(hry_collector *c, const hry_descriptor *d, uint32_t shard,
                          uint32_t shards)
{
    hry_error err;
    const hry_event e = {
        .kind = HRY_EVENT_TENSOR, .descriptor = d, .shard = shard, .shards = shards};
    assert_ok(hry_collector_add(c, &e, &err), &err);
}

static void data_come(hry_collector *c, const void *bytes, size_t size, uint32_t shard)
{
    hry_error err;
    for (size_t at = 0; at < size; at++) { /* a byte at a time */
        const hry_event e = {.kind = HRY_EVENT_DATA,
                             .bytes = (const uint8_t *)bytes + at,
                             .size = 1,
                             .shard = shard};
        assert_ok(hry_collector_add(c, &e, &err), &err);
    }
}

static hry_status tensor_ends(hry_collector *c, uint32_t shard, hry_error *err)
{
    const hry_event e = {.kind = HRY_EVENT_END, .shard = shard};
    return hry_collector_add(c, &e, err);
}

/* The box of a [5, 7] tensor of 4-bit codes i * 7 + j mod 16, in that layout. */
static void add_box(hry_collector *c, uint8_t layout, uint32_t shard, const uint64_t *start,
                    const uint64_t *size)
{
    hry_error err;
    hry_descriptor d, like = {.layout_tag = layout};
    hry_transcoded *made;
    uint8_t codes[35], packed[20] = {0};
    const uint64_t origin[2] = {0, 0};
    assert_ok(hry_descriptor_dense(HRY_UINT4, 2, size, &d, &err), &err);
    d.flags = HRY_HAS_SHARD;
    for (uint32_t k = 0; k < 2; k++) {
        d.shard.parent_shape[k] = k == 0 ? 5 : 7;
        d.shard.offset[k] = start[k];
    }
    for (uint64_t i = 0; i < size[0] * size[1]; i++)
        codes[i] = (uint8_t)(((start[0] + i / size[1]) * 7 + start[1] + i % size[1]) % 16);
    hry_buffer buffer = {.writable = packed, .size = d.buffers[0].byte_size};
    const hry_tensor t = {.descriptor = &d, .buffers = &buffer, .writable = true};
    assert_ok(hry_region_write(&t, origin, size, codes, &err), &err);
    assert_ok(hry_transcode(&t, &like, 0, &made, &err), &err);
    const hry_tensor *m = hry_transcoded_tensor(made);
    tensor_begins(c, m->descriptor, shard, 4);
    for (uint32_t b = 0; b < m->descriptor->buffer_count; b++)
        data_come(c, m->buffers[b].bytes, (size_t)m->buffers[b].size, shard);
    hry_transcoded_free(made);
}

static void shards_of_any_layout_become_one_tensor(void **state)
{
    (void)state;
    static const uint8_t layouts[] = {HRY_ROW_MAJOR, HRY_COLUMN_MAJOR, HRY_COO, HRY_CSR};
    static const uint64_t start[4][2] = {{0, 0}, {0, 3}, {2, 0}, {2, 3}};
    static const uint64_t size[4][2] = {{2, 3}, {2, 4}, {3, 3}, {3, 4}};
    const uint64_t origin[2] = {0, 0}, shape[2] = {5, 7};
    for (size_t l = 0; l < 4; l++) {
        hry_error err;
        hry_collector *c;
        uint8_t codes[35];
        assert_ok(hry_collector_new(&c, &err), &err);
        for (uint32_t i = 4; i-- > 0;)
            add_box(c, layouts[l], i, start[i], size[i]);
        for (uint32_t i = 0; i < 4; i++)
            assert_ok(tensor_ends(c, i, &err), &err);
        assert_int_equal(hry_collector_count(c), 1);
        const hry_tensor *t = hry_collector_tensor(c, 0);
        assert_int_equal(t->descriptor->layout_tag, HRY_ROW_MAJOR);
        assert_int_equal(t->descriptor->flags, 0);
        assert_ok(hry_tensor_check(t, HRY_STRICT, &err), &err);
        assert_ok(hry_region_read(t, origin, shape, codes, &err), &err);
        for (uint8_t i = 0; i < 35; i++)
            assert_int_equal(codes[i], i % 16);
        hry_collector_free(c);
    }
}

static void quantization_of_the_whole_stays(void **state)
{
    (void)state;
    hry_error err;
    hry_collector *c;
    hry_descriptor d;
    assert_ok(hry_collector_new(&c, &err), &err);
    assert_ok(hry_descriptor_dense(HRY_INT8, 1, (uint64_t[]){2}, &d, &err), &err);
    d.flags = HRY_HAS_SHARD | HRY_HAS_QUANTIZATION;
    d.quantization = (hry_quantization){
        .scheme = HRY_QUANT_PER_TENSOR, .version = 1, .scale = 0.5f, .zero_point = 1};
    d.shard.parent_shape[0] = 4;
    for (uint32_t i = 0; i < 2; i++) {
        d.shard.offset[0] = 2 * i;
        tensor_begins(c, &d, i, 2);
        data_come(c, i == 0 ? "ab" : "cd", 2, i);
    }
    assert_ok(tensor_ends(c, 1, &err), &err);
    assert_ok(tensor_ends(c, 0, &err), &err);
    const hry_tensor *t = hry_collector_tensor(c, 0);
    assert_memory_equal(t->buffers[0].bytes, "abcd", 4);
    assert_int_equal(t->descriptor->flags, HRY_HAS_QUANTIZATION);
    assert_true(t->descriptor->quantization.scale == 0.5f);
    hry_collector_free(c);
}

static void other_quantization_is_not_joined(void **state)
{
    (void)state;
    hry_error err;
    hry_collector *c;
    hry_descriptor d;
    assert_ok(hry_collector_new(&c, &err), &err);
    assert_ok(hry_descriptor_dense(HRY_INT8, 1, (uint64_t[]){2}, &d, &err), &err);
    d.flags = HRY_HAS_SHARD | HRY_HAS_QUANTIZATION;
    d.quantization = (hry_quantization){.scheme = HRY_QUANT_PER_CHANNEL,
                                        .version = 1,
                                        .flags = HRY_QUANT_SYMMETRIC,
                                        .scale_buffer = 1,
                                        .zero_buffer = HRY_NO_BUFFER,
                                        .scale_type = HRY_FLOAT32};
    d.buffer_count = 2;
    d.buffers[1] = (hry_buffer_info){.byte_size = 8, .alignment = 64};
    d.shard.parent_shape[0] = 4;
    for (uint32_t i = 0; i < 2; i++) {
        d.shard.offset[0] = 2 * i;
        tensor_begins(c, &d, i, 2);
        data_come(c, "ab12345678", 10, i);
    }
    assert_ok(tensor_ends(c, 0, &err), &err);
    assert_status(HRY_ERR_UNSUPPORTED, tensor_ends(c, 1, &err), &err);
    hry_collector_free(c);
}

static void many_tensors_stay_in_order(void **state)
{
    (void)state;
    hry_error err;
    hry_collector *c;
    hry_descriptor d;
    assert_ok(hry_collector_new(&c, &err), &err);
    assert_status(HRY_ERR_ARG, tensor_ends(c, 0, &err), &err);
    assert_ok(hry_descriptor_dense(HRY_INT8, 0, NULL, &d, &err), &err);
    for (uint8_t i = 0; i < 50; i++) {
        tensor_begins(c, &d, 0, 1);
        data_come(c, &i, 1, 0);
        assert_ok(tensor_ends(c, 0, &err), &err);
    }
    assert_int_equal(hry_collector_count(c), 50);
    for (uint32_t i = 0; i < 50; i++)
        assert_int_equal(*(const uint8_t *)hry_collector_tensor(c, i)->buffers[0].bytes, i);
    hry_collector_free(c);
    hry_collector_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shards_of_any_layout_become_one_tensor),
        cmocka_unit_test(quantization_of_the_whole_stays),
        cmocka_unit_test(other_quantization_is_not_joined),
        cmocka_unit_test(many_tensors_stay_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
