/* SPDX-License-Identifier: Apache-2.0 */
/* Quantizing float32: parameters and codes worked out by hand, and what comes back. */
#include "hry/quant.h"

#include "cmocka_all.h"

#include <float.h>
#include <math.h>
#include <string.h>

static hry_error err;

static hry_quantized *make(const float *values, uint32_t rank, const uint64_t *shape,
                           uint8_t type, hry_quantization how)
{
    hry_quantized *q = NULL;
    assert_ok(hry_quantize(values, rank, shape, type, &how, &q, &err), &err);
    const hry_tensor *t = hry_quantized_tensor(q);
    assert_ok(hry_descriptor_validate(t->descriptor, &err), &err);
    assert_ok(hry_quant_check(t, HRY_STRICT, &err), &err);
    return q;
}

static const void *buffer(const hry_quantized *q, uint32_t b)
{
    return hry_quantized_tensor(q)->buffers[b].bytes;
}

static void holds(const hry_quantized *q, uint32_t b, const void *want, size_t size)
{
    assert_int_equal(hry_quantized_tensor(q)->buffers[b].size, size);
    assert_memory_equal(buffer(q, b), want, size);
}

static void affine_maps_the_range_with_zero_in_it(void **state)
{
    (void)state;
    const uint64_t shape[] = {4};
    const float values[] = {-1, 0, 1.5f, 4.1f};
    hry_quantized *q = make(values, 1, shape, HRY_UINT8,
                            (hry_quantization){.scheme = HRY_QUANT_PER_TENSOR});
    const hry_descriptor *d = hry_quantized_tensor(q)->descriptor;
    assert_true(d->quantization.scale == 0.02f); /* (4.1 + 1) / 255 */
    assert_int_equal(d->quantization.zero_point, 50);
    const uint8_t codes[] = {0, 50, 125, 255};
    holds(q, 0, codes, sizeof codes);
    assert_true(hry_quantized_error(q).max_abs < 1e-6);
    hry_quantized_free(q);
}

static void symmetric_keeps_zero_at_zero(void **state)
{
    (void)state;
    const uint64_t shape[] = {2, 2};
    const float values[] = {-127, 63.5f, 0.5f, -254};
    hry_quantized *q = make(
        values, 2, shape, HRY_INT8,
        (hry_quantization){.scheme = HRY_QUANT_PER_CHANNEL, .flags = HRY_QUANT_SYMMETRIC});
    const float scales[] = {1, 2};
    const int8_t codes[] = {-127, 64, 0, -127}; /* 63.5: the tie goes to even */
    holds(q, 0, codes, sizeof codes);
    holds(q, 1, scales, sizeof scales);
    assert_int_equal(hry_quantized_tensor(q)->descriptor->buffer_count, 2);
    assert_true(hry_quantized_error(q).max_abs == 0.5);
    assert_true(hry_quantized_error(q).rms == sqrt(0.5 / 4));
    hry_quantized_free(q);
}

static void per_block_pads_and_packs(void **state)
{
    (void)state;
    const uint64_t shape[] = {2, 5};
    const float values[] = {7, -7, 3.5f, 0, 14, 0, 0, 1.75f, 0.25f, -3.5f};
    hry_quantized *q = make(values, 2, shape, HRY_INT4,
                            (hry_quantization){.scheme = HRY_QUANT_PER_BLOCK,
                                               .flags = HRY_QUANT_SYMMETRIC,
                                               .axis = 1,
                                               .block = 4,
                                               .scale_type = HRY_FLOAT16});
    const uint16_t scales[] = {0x3C00, 0x4000, 0x3400, 0x3800}; /* 1 2 0.25 0.5 */
    /* 7 -7 4 0 | 7 . . . || 0 0 7 1 | -7 . . . */
    const uint8_t codes[] = {0x97, 0x04, 0x07, 0, 0x00, 0x17, 0x09, 0};
    holds(q, 0, codes, sizeof codes);
    holds(q, 1, scales, sizeof scales);
    hry_quantized_free(q);
}

static void nf4_takes_the_nearest_level(void **state)
{
    (void)state;
    const uint64_t shape[] = {8};
    const float values[] = {-2, 2, 0, 0.07f, 0.08f, -1.4f, 1.0f, 0.65f};
    hry_quantized *q = make(values, 1, shape, HRY_UINT4,
                            (hry_quantization){.scheme = HRY_QUANT_NF4, .block = 8});
    const float scale = 2;
    /* 0 15 7 7 | 8 (0.04 > 0.0398) 1 13 (0.5 -> 0.4407 or 0.5626: 12) 11 */
    const uint8_t codes[] = {0xF0, 0x77, 0x18, 0xBC};
    holds(q, 0, codes, sizeof codes);
    holds(q, 1, &scale, 4);
    hry_quantized_free(q);
}

static void mxfp_shares_the_exponent_of_the_greatest(void **state)
{
    (void)state;
    const uint64_t shape[] = {32};
    float values[32] = {7, 0.25f, 0.75f, -5, 2.5f, 3.5f, -0.0f};
    values[16] = 0x1p-100f;
    hry_quantized *q = make(values, 1, shape, HRY_FLOAT4_E2M1,
                            (hry_quantization){.scheme = HRY_QUANT_MXFP, .block = 16});
    /* floor(log2 7) - 2 = 0; 7 saturates at 6; ties to even: 0.25 -> 0, 0.75 -> 1,
     * -5 -> -4, 2.5 -> 2, 3.5 -> 4 */
    const uint8_t scales[] = {127, 127 - 102};
    const uint8_t codes[16] = {0x07, 0xE2, 0x64, 0x08, [8] = 0x06};
    holds(q, 0, codes, sizeof codes);
    holds(q, 1, scales, 2);
    hry_quantized_free(q);
}

static void mxfp_takes_every_element_type(void **state)
{
    (void)state;
    static const struct {
        uint8_t type;
        uint8_t scale; /* of 448 */
        uint8_t code;  /* of 448 */
        double back;
    } cases[] = {
        {HRY_FLOAT8_E4M3, 127, 0x7E, 448}, {HRY_FLOAT8_E5M2, 120, 0x7B, 448},
        {HRY_FLOAT6_E2M3, 133, 0x1E, 448}, {HRY_FLOAT6_E3M2, 131, 0x1F, 448},
        {HRY_FLOAT4_E2M1, 133, 0x07, 384}, {HRY_INT8, 129, 112, 448},
        {HRY_INT4, 133, 7, 448},
    };
    const uint64_t shape[] = {16}, start[] = {0};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        float values[16] = {448}, back[16];
        hry_quantized *q = make(values, 1, shape, cases[c].type,
                                (hry_quantization){.scheme = HRY_QUANT_MXFP, .block = 16});
        const uint8_t *scale = buffer(q, 1), *code = buffer(q, 0);
        assert_int_equal(*scale, cases[c].scale);
        assert_int_equal(*code, cases[c].code);
        assert_ok(hry_dequantize(hry_quantized_tensor(q), start, shape, back, &err), &err);
        assert_true((double)back[0] == cases[c].back);
        hry_quantized_free(q);
    }
}

static void zeros_and_extremes_have_valid_parameters(void **state)
{
    (void)state;
    static const uint8_t schemes[] = {HRY_QUANT_PER_TENSOR, HRY_QUANT_PER_CHANNEL,
                                      HRY_QUANT_PER_BLOCK, HRY_QUANT_NF4, HRY_QUANT_MXFP};
    static const uint8_t scale_types[] = {HRY_FLOAT16, HRY_BFLOAT16, HRY_FLOAT32};
    static const float extremes[] = {0, FLT_MAX, FLT_MIN, 0x1p-149f, 1};
    const uint64_t shape[] = {16};
    for (size_t s = 0; s < 5; s++)
        for (size_t t = 0; t < 3; t++)
            for (size_t x = 0; x < 5; x++) {
                float values[16] = {extremes[x], -extremes[x]};
                const uint8_t type = schemes[s] == HRY_QUANT_NF4 ? HRY_UINT4 : HRY_INT8;
                hry_quantized *q = make(values, 1, shape, type,
                                        (hry_quantization){.scheme = schemes[s],
                                                           .block = 16,
                                                           .scale_type = scale_types[t]});
                assert_true(isfinite(hry_quantized_error(q).max_abs));
                hry_quantized_free(q);
            }
}

static void errors_stay_within_half_a_step(void **state)
{
    (void)state;
    static const uint8_t types[] = {HRY_INT8,  HRY_UINT8,  HRY_INT16, HRY_UINT16,
                                    HRY_INT32, HRY_UINT32, HRY_INT4,  HRY_UINT4,
                                    HRY_INT2,  HRY_UINT2};
    const uint64_t shape[] = {7, 9};
    float values[63];
    for (int i = 0; i < 63; i++)
        values[i] = (float)((i * 29) % 63) / 10 - 2;
    for (size_t t = 0; t < sizeof types; t++) {
        hry_quantized *q =
            make(values, 2, shape, types[t],
                 (hry_quantization){.scheme = HRY_QUANT_PER_CHANNEL, .axis = 1});
        const float *scales = buffer(q, 1);
        double most = 0;
        for (int i = 0; i < 9; i++)
            most = fmax(most, (double)scales[i]);
        assert_true(hry_quantized_error(q).max_abs <= most * 0.51 + 1e-6);
        assert_true(hry_quantized_error(q).rms <= hry_quantized_error(q).max_abs);
        hry_quantized_free(q);
    }
}

static void long_rows_are_done_in_parts(void **state)
{
    (void)state;
    static float values[10000], back[10000];
    const uint64_t shape[] = {10000}, start[] = {0};
    for (int i = 0; i < 10000; i++)
        values[i] = (float)(i % 97) - 48;
    hry_quantized *q = make(values, 1, shape, HRY_INT8,
                            (hry_quantization){.scheme = HRY_QUANT_PER_BLOCK,
                                               .flags = HRY_QUANT_SYMMETRIC,
                                               .block = 64,
                                               .scale_type = HRY_FLOAT32});
    double worst = 0;
    assert_ok(hry_dequantize(hry_quantized_tensor(q), start, shape, back, &err), &err);
    for (int i = 0; i < 10000; i++)
        worst = fmax(worst, fabs((double)back[i] - (double)values[i]));
    assert_true(worst == hry_quantized_error(q).max_abs);
    assert_true(worst < 0.2);
    hry_quantized_free(q);
}

static void takes_scalars_and_empty_tensors(void **state)
{
    (void)state;
    const uint64_t shape[] = {3, 0};
    const float value = -5;
    hry_quantized *q =
        make(&value, 0, NULL, HRY_INT8, (hry_quantization){.scheme = HRY_QUANT_PER_TENSOR});
    assert_true(hry_quantized_error(q).max_abs < 0.02);
    hry_quantized_free(q);
    q = make(&value, 2, shape, HRY_INT8,
             (hry_quantization){.scheme = HRY_QUANT_PER_CHANNEL, .axis = 1});
    assert_true(hry_quantized_error(q).max_abs == 0 && hry_quantized_error(q).rms == 0);
    hry_quantized_free(q);
}

static void refuses(const float *values, uint8_t type, hry_quantization how,
                    hry_status want)
{
    const uint64_t shape[] = {16};
    hry_quantized *q = NULL;
    assert_int_equal(hry_quantize(values, 1, shape, type, &how, &q, &err), want);
    assert_null(q);
}

static void refuses_what_the_format_refuses(void **state)
{
    (void)state;
    float values[16] = {-1};
    const hry_quantization tensor = {.scheme = HRY_QUANT_PER_TENSOR};
    const hry_quantization symmetric = {.scheme = HRY_QUANT_PER_TENSOR,
                                        .flags = HRY_QUANT_SYMMETRIC};
    refuses(values, HRY_INT64, tensor, HRY_ERR_CORRUPT);
    refuses(values, HRY_FLOAT32, tensor, HRY_ERR_CORRUPT);
    refuses(values, 0x99, tensor, HRY_ERR_ARG);
    refuses(values, HRY_UINT8, symmetric, HRY_ERR_ARG);
    refuses(values, HRY_INT8, (hry_quantization){.scheme = 9, .block = 1},
            HRY_ERR_UNSUPPORTED);
    refuses(values, HRY_INT8,
            (hry_quantization){.scheme = HRY_QUANT_PER_CHANNEL, .axis = 1}, HRY_ERR_ARG);
    refuses(values, HRY_INT8,
            (hry_quantization){
                .scheme = HRY_QUANT_PER_BLOCK, .block = 6, .scale_type = HRY_FLOAT32},
            HRY_ERR_CORRUPT);
    refuses(values, HRY_UINT4, (hry_quantization){.scheme = HRY_QUANT_NF4, .block = 32},
            HRY_ERR_CORRUPT);
    values[3] = NAN;
    refuses(values, HRY_INT8, tensor, HRY_ERR_RANGE);
    values[3] = INFINITY;
    refuses(values, HRY_INT8, tensor, HRY_ERR_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(affine_maps_the_range_with_zero_in_it),
        cmocka_unit_test(symmetric_keeps_zero_at_zero),
        cmocka_unit_test(per_block_pads_and_packs),
        cmocka_unit_test(nf4_takes_the_nearest_level),
        cmocka_unit_test(mxfp_shares_the_exponent_of_the_greatest),
        cmocka_unit_test(mxfp_takes_every_element_type),
        cmocka_unit_test(zeros_and_extremes_have_valid_parameters),
        cmocka_unit_test(errors_stay_within_half_a_step),
        cmocka_unit_test(long_rows_are_done_in_parts),
        cmocka_unit_test(takes_scalars_and_empty_tensors),
        cmocka_unit_test(refuses_what_the_format_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
