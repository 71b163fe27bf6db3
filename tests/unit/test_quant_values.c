/* SPDX-License-Identifier: Apache-2.0 */
/* Dequantization, number by number: what the formulas of format section 5 give. */
#include "hry/quant.h"

#include "cmocka_all.h"

#include <math.h>
#include <string.h>

static hry_error err;

/* A row-major tensor over arrays of the test. */
typedef struct fixture {
    hry_descriptor d;
    hry_buffer buffers[3];
    hry_tensor t;
} fixture;

static void make(fixture *f, uint8_t type, uint32_t rank, const uint64_t *shape,
                 const void *codes)
{
    assert_ok(hry_descriptor_dense(type, rank, shape, &f->d, &err), &err);
    f->d.flags = HRY_HAS_QUANTIZATION;
    f->d.quantization = (hry_quantization){.version = 1, .zero_buffer = HRY_NO_BUFFER};
    f->buffers[0] = (hry_buffer){.bytes = codes, .size = f->d.buffers[0].byte_size};
    f->t = (hry_tensor){.descriptor = &f->d, .buffers = f->buffers};
}

static void add_buffer(fixture *f, const void *bytes, uint64_t size)
{
    const uint32_t b = f->d.buffer_count++;
    f->d.buffers[b] = (hry_buffer_info){.byte_size = size, .alignment = 64};
    f->buffers[b] = (hry_buffer){.bytes = bytes, .size = size};
}

static void set_scheme(fixture *f, uint8_t scheme, uint32_t axis, uint32_t block)
{
    f->d.quantization.scheme = scheme;
    f->d.quantization.axis = axis;
    f->d.quantization.block = block;
    f->d.quantization.scale_buffer = 1;
    f->d.quantization.scale_type = HRY_FLOAT32;
    if (f->d.buffer_count == 3)
        f->d.quantization.zero_buffer = 2;
    else if (scheme == HRY_QUANT_PER_CHANNEL || scheme == HRY_QUANT_PER_BLOCK)
        f->d.quantization.flags = HRY_QUANT_SYMMETRIC;
}

static void gives(const fixture *f, const float *want)
{
    static const uint64_t start[HRY_MAX_RANK] = {0};
    float got[256];
    uint64_t count;
    assert_ok(hry_descriptor_validate(&f->d, &err), &err);
    assert_ok(hry_descriptor_count(&f->d, &count, &err), &err);
    assert_ok(hry_quant_check(&f->t, HRY_STRICT, &err), &err);
    assert_ok(hry_dequantize(&f->t, start, f->d.shape, got, &err), &err);
    for (uint64_t i = 0; i < count; i++)
        if (memcmp(&got[i], &want[i], sizeof(float)) != 0)
            fail_msg("element %u: want %a, got %a", (unsigned)i, (double)want[i],
                     (double)got[i]);
}

static void per_tensor_subtracts_then_scales(void **state)
{
    (void)state;
    fixture f;
    const uint64_t shape[] = {4};
    const int8_t codes[] = {-128, 127, 3, 0};
    const float want[] = {0.1f * -131, 0.1f * 124, 0.0f, 0.1f * -3};
    make(&f, HRY_INT8, 1, shape, codes);
    f.d.quantization.scheme = HRY_QUANT_PER_TENSOR;
    f.d.quantization.scale = 0.1f;
    f.d.quantization.zero_point = 3;
    gives(&f, want);
}

static void per_tensor_unpacks_nibbles_with_their_sign(void **state)
{
    (void)state;
    fixture f;
    const uint64_t shape[] = {5};
    const uint8_t codes[] = {0x87, 0x1F, 0x0A};
    const float as_signed[] = {7 * 1.5f, -8 * 1.5f, -1 * 1.5f, 1 * 1.5f, -6 * 1.5f};
    const float as_unsigned[] = {7 * 1.5f, 8 * 1.5f, 15 * 1.5f, 1 * 1.5f, 10 * 1.5f};
    make(&f, HRY_INT4, 1, shape, codes);
    f.d.quantization.scheme = HRY_QUANT_PER_TENSOR;
    f.d.quantization.scale = 1.5f;
    gives(&f, as_signed);
    f.d.type_tag = HRY_UINT4;
    gives(&f, as_unsigned);
}

static void a_scalar_has_one_value(void **state)
{
    (void)state;
    fixture f;
    const int16_t code = -300;
    const float want[] = {-150.5f};
    make(&f, HRY_INT16, 0, NULL, &code);
    f.d.quantization.scheme = HRY_QUANT_PER_TENSOR;
    f.d.quantization.scale = 0.5f;
    f.d.quantization.zero_point = 1;
    gives(&f, want);
}

static void differences_wrap_in_32_bits(void **state)
{
    (void)state;
    fixture f;
    const uint64_t shape[] = {2};
    const int32_t codes[] = {INT32_MAX, -5};
    const float want[] = {(float)INT32_MIN, -4.0f};
    make(&f, HRY_INT32, 1, shape, codes);
    f.d.quantization.scheme = HRY_QUANT_PER_TENSOR;
    f.d.quantization.scale = 1;
    f.d.quantization.zero_point = -1;
    gives(&f, want);
}

static void per_channel_takes_each_axis(void **state)
{
    (void)state;
    fixture f;
    const uint64_t shape[] = {2, 3};
    const uint8_t codes[] = {1, 2, 3, 4, 5, 6};
    const float rows[] = {2, -0.5f}, columns[] = {1, 10, 100};
    const int32_t zeros[] = {1, 4, 0};
    const float by_row[] = {2, 4, 6, -2, -2.5f, -3};
    const float by_column[] = {0, -20, 300, 3, 10, 600};
    make(&f, HRY_UINT8, 2, shape, codes);
    add_buffer(&f, rows, sizeof rows);
    set_scheme(&f, HRY_QUANT_PER_CHANNEL, 0, 0);
    gives(&f, by_row);
    make(&f, HRY_UINT8, 2, shape, codes);
    add_buffer(&f, columns, sizeof columns);
    add_buffer(&f, zeros, sizeof zeros);
    set_scheme(&f, HRY_QUANT_PER_CHANNEL, 1, 0);
    gives(&f, by_column);
}

static void per_channel_in_the_middle_covers_what_follows(void **state)
{
    (void)state;
    fixture f;
    const uint64_t shape[] = {2, 2, 3};
    const int8_t codes[] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2};
    const float scales[] = {1, 10};
    const float want[] = {1, 1, 1, 10, 10, 10, 2, 2, 2, 20, 20, 20};
    make(&f, HRY_INT8, 3, shape, codes);
    add_buffer(&f, scales, sizeof scales);
    set_scheme(&f, HRY_QUANT_PER_CHANNEL, 1, 0);
    gives(&f, want);
}

static void per_block_pads_a_partial_last_block_in_storage(void **state)
{
    (void)state;
    fixture f;
    const uint64_t shape[] = {2, 5};
    const int8_t codes[] = {1, 1, 1, 1, 1, 0, 2, 2, 2, 2, 2, 0};
    const float scales[] = {1, 10, 100, 2, 20, 200};
    const float want[] = {1, 1, 10, 10, 100, 4, 4, 40, 40, 400};
    make(&f, HRY_INT8, 2, shape, codes);
    f.d.buffers[0].byte_size = f.buffers[0].size = sizeof codes;
    add_buffer(&f, scales, sizeof scales);
    set_scheme(&f, HRY_QUANT_PER_BLOCK, 1, 2);
    gives(&f, want);
}

static void per_block_counts_blocks_over_the_other_axes_row_major(void **state)
{
    (void)state;
    fixture f;
    const uint64_t shape[] = {4, 2};
    const int8_t codes[] = {1, 1, 1, 1, 1, 1, 1, 1};
    const uint16_t scales[] = {0x3C00, 0x4000, 0x4200, 0x0001}; /* 1 2 3 2^-24 */
    const float want[] = {1, 3, 1, 3, 2, 0x1p-24f, 2, 0x1p-24f};
    make(&f, HRY_INT8, 2, shape, codes);
    add_buffer(&f, scales, sizeof scales);
    set_scheme(&f, HRY_QUANT_PER_BLOCK, 0, 2);
    f.d.quantization.scale_type = HRY_FLOAT16;
    gives(&f, want);
}

static void nf4_reads_its_table(void **state)
{
    (void)state;
    fixture f;
    const uint64_t shape[] = {16};
    const uint8_t codes[] = {0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE};
    const float scales[] = {2, 0.5f};
    const uint32_t bits[] = {0xC0000000, 0xBFB239B1}; /* 2 * -1, 2 * -0.6961928... */
    float want[16] = {0};
    const double levels[] = {-1,
                             -0.6961928009986877,
                             -0.5250730514526367,
                             -0.39491748809814453,
                             -0.28444138169288635,
                             -0.18477343022823334,
                             -0.09105003625154495,
                             0,
                             0.07958029955625534,
                             0.16093020141124725,
                             0.24611230194568634,
                             0.33791524171829224,
                             0.44070982933044434,
                             0.5626170039176941,
                             0.7229568362236023,
                             1};
    for (int i = 0; i < 16; i++)
        want[i] = scales[i / 8] * (float)levels[i];
    assert_memory_equal(want, bits, sizeof bits);
    make(&f, HRY_UINT4, 1, shape, codes);
    add_buffer(&f, scales, sizeof scales);
    set_scheme(&f, HRY_QUANT_NF4, 0, 8);
    gives(&f, want);
}

static void mxfp_scales_by_powers_of_two(void **state)
{
    (void)state;
    fixture f;
    const uint64_t shape[] = {32};
    uint8_t codes[16] = {0x21, 0x76, 0x8F}; /* e2m1: 0.5 1 | 4 6 | -6 -0 */
    const uint8_t scales[] = {128, 1};
    float want[32] = {1, 2, 8, 12, -12, -0.0f};
    codes[8] = 0x97; /* 6, -0.5: the second block */
    want[16] = 6 * 0x1p-126f;
    want[17] = -0.5f * 0x1p-126f;
    make(&f, HRY_FLOAT4_E2M1, 1, shape, codes);
    add_buffer(&f, scales, sizeof scales);
    set_scheme(&f, HRY_QUANT_MXFP, 0, 16);
    gives(&f, want);
}

static void mxfp_keeps_nan_and_overflows_to_infinity(void **state)
{
    (void)state;
    fixture f;
    const uint64_t shape[] = {16};
    const uint8_t codes[16] = {0x7E, 0x7F, 0xFE};
    const uint8_t scale = 254, start[] = {0};
    float got[16];
    const uint64_t from[] = {0};
    (void)start;
    make(&f, HRY_FLOAT8_E4M3, 1, shape, codes);
    add_buffer(&f, &scale, 1);
    set_scheme(&f, HRY_QUANT_MXFP, 0, 16);
    assert_ok(hry_dequantize(&f.t, from, shape, got, &err), &err);
    assert_true(isinf(got[0]) && got[0] > 0);
    assert_true(isnan(got[1]));
    assert_true(isinf(got[2]) && got[2] < 0);
    assert_true(got[3] == 0);
}

/* Every element by the formula, one at a time, against boxes of all sizes. */
static void boxes_give_what_the_whole_gives(void **state)
{
    (void)state;
    static uint8_t codes[6 * 40 * 600];
    static float scales[6 * 40 * 600], whole[6 * 40 * 600], part[6 * 40 * 600];
    const uint64_t shape[] = {6, 40, 600}, zero[3] = {0};
    static const struct {
        uint8_t scheme;
        uint32_t axis, block;
        uint64_t parameters;
    } cases[] = {
        {HRY_QUANT_PER_CHANNEL, 0, 0, 6},         {HRY_QUANT_PER_CHANNEL, 1, 0, 40},
        {HRY_QUANT_PER_CHANNEL, 2, 0, 600},       {HRY_QUANT_PER_BLOCK, 0, 2, 3 * 40 * 600},
        {HRY_QUANT_PER_BLOCK, 1, 8, 6 * 5 * 600}, {HRY_QUANT_PER_BLOCK, 2, 8, 6 * 40 * 75},
    };
    for (size_t i = 0; i < sizeof codes; i++) {
        codes[i] = (uint8_t)(i * 37 + i / 251);
        scales[i] = 1.0f + (float)(i % 1009);
    }
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        fixture f;
        make(&f, HRY_UINT8, 3, shape, codes);
        add_buffer(&f, scales, cases[c].parameters * 4);
        set_scheme(&f, cases[c].scheme, cases[c].axis, cases[c].block);
        assert_ok(hry_descriptor_validate(&f.d, &err), &err);
        assert_ok(hry_dequantize(&f.t, zero, shape, whole, &err), &err);
        const uint64_t k = cases[c].block == 0 ? 1 : cases[c].block;
        for (uint64_t i = 0, at = 0; at < sizeof codes; at++) {
            const uint64_t index[] = {at / 24000, at / 600 % 40, at % 600};
            const uint32_t a = cases[c].axis;
            const uint64_t size = shape[a] / k;
            const uint64_t outer = a == 0   ? index[1] * 600 + index[2]
                                   : a == 1 ? index[0] * 600 + index[2]
                                            : index[0] * 40 + index[1];
            i = (cases[c].block == 0 ? 0 : outer * size) + index[a] / k;
            assert_true(whole[at] == scales[i] * (float)codes[at]);
        }
        const uint64_t starts[][3] = {{1, 3, 5}, {0, 39, 0}, {5, 0, 599}, {2, 7, 100}};
        const uint64_t counts[][3] = {{4, 30, 590}, {6, 1, 600}, {1, 40, 1}, {3, 20, 3}};
        for (size_t b = 0; b < 4; b++) {
            assert_ok(hry_dequantize(&f.t, starts[b], counts[b], part, &err), &err);
            size_t at = 0;
            for (uint64_t x = 0; x < counts[b][0]; x++)
                for (uint64_t y = 0; y < counts[b][1]; y++)
                    for (uint64_t z = 0; z < counts[b][2]; z++)
                        assert_true(
                            part[at++] ==
                            whole[((starts[b][0] + x) * 40 + starts[b][1] + y) * 600 +
                                  starts[b][2] + z]);
        }
    }
}

static void what_a_sparse_layout_lacks_is_zero(void **state)
{
    (void)state;
    fixture f;
    const uint64_t shape[] = {2, 3}, start[] = {0, 0}, column[] = {0, 1}, one[] = {2, 1};
    const uint8_t codes[] = {5, 3};
    const uint64_t indices[] = {0, 1, 1, 2};
    const float want[] = {0, 1, 0, 0, 0, 0};
    float got[6];
    make(&f, HRY_UINT8, 2, shape, codes);
    f.d.layout_tag = HRY_COO;
    f.d.fields.sparse.nnz = 2;
    f.d.fields.sparse.is_sorted = true;
    f.d.buffers[0].byte_size = f.buffers[0].size = 2;
    add_buffer(&f, indices, sizeof indices);
    f.d.quantization.scheme = HRY_QUANT_PER_TENSOR;
    f.d.quantization.scale = 0.5f;
    f.d.quantization.zero_point = 3;
    assert_ok(hry_descriptor_validate(&f.d, &err), &err);
    assert_ok(hry_dequantize(&f.t, start, shape, got, &err), &err);
    assert_memory_equal(got, want, sizeof want);
    assert_ok(hry_dequantize(&f.t, column, one, got, &err), &err);
    assert_true(got[0] == 1 && got[1] == 0);
}

static void refuses_what_it_cannot_read(void **state)
{
    (void)state;
    fixture f;
    const uint64_t shape[] = {4}, start[] = {0}, far[] = {3}, two[] = {2};
    const int8_t codes[4] = {0};
    const float scales[4] = {1, 1, 1, 1};
    float got[4];
    make(&f, HRY_INT8, 1, shape, codes);
    add_buffer(&f, scales, sizeof scales);
    set_scheme(&f, HRY_QUANT_PER_CHANNEL, 0, 0);
    assert_status(HRY_ERR_RANGE, hry_dequantize(&f.t, far, two, got, &err), &err);
    f.buffers[1].size = 12;
    assert_status(HRY_ERR_TRUNCATED, hry_dequantize(&f.t, start, shape, got, &err), &err);
    f.buffers[1] = (hry_buffer){.bytes = NULL, .size = 16};
    assert_status(HRY_ERR_TRUNCATED, hry_dequantize(&f.t, start, shape, got, &err), &err);
    f.d.flags = 0;
    assert_status(HRY_ERR_ARG, hry_dequantize(&f.t, start, shape, got, &err), &err);
    assert_ok(hry_quant_check(&f.t, HRY_STRICT, &err), &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(per_tensor_subtracts_then_scales),
        cmocka_unit_test(per_tensor_unpacks_nibbles_with_their_sign),
        cmocka_unit_test(a_scalar_has_one_value),
        cmocka_unit_test(differences_wrap_in_32_bits),
        cmocka_unit_test(per_channel_takes_each_axis),
        cmocka_unit_test(per_channel_in_the_middle_covers_what_follows),
        cmocka_unit_test(per_block_pads_a_partial_last_block_in_storage),
        cmocka_unit_test(per_block_counts_blocks_over_the_other_axes_row_major),
        cmocka_unit_test(nf4_reads_its_table),
        cmocka_unit_test(mxfp_scales_by_powers_of_two),
        cmocka_unit_test(mxfp_keeps_nan_and_overflows_to_infinity),
        cmocka_unit_test(boxes_give_what_the_whole_gives),
        cmocka_unit_test(what_a_sparse_layout_lacks_is_zero),
        cmocka_unit_test(refuses_what_it_cannot_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
