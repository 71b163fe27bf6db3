/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of every type: codes against the formats' formulas, rounding by brute force. */
#include "cmocka_all.h"
#include "random.h"

#include "hry/convert.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void convert(hry_type from, const void *src, hry_type to, void *dst, size_t count)
{
    hry_error err;
    assert_ok(hry_convert(from, src, to, dst, count, &err), &err);
}

static double decode(uint8_t tag, uint64_t code)
{
    double v;
    convert(hry_type_builtin(tag), &code, hry_type_builtin(HRY_FLOAT64), &v, 1);
    return v;
}

static uint64_t encode(uint8_t tag, double v)
{
    uint64_t code = 0;
    convert(hry_type_builtin(HRY_FLOAT64), &v, hry_type_builtin(tag), &code, 1);
    return code;
}

static void assert_same(double got, double want)
{
    if (!(got == want && signbit(got) == signbit(want)) && !(isnan(got) && isnan(want)))
        fail_msg("%a instead of %a", got, want);
}

static void known_codes_have_known_values(void **state)
{
    (void)state;
    assert_same(decode(HRY_FLOAT8_E4M3, 0x7E), 448);
    assert_same(decode(HRY_FLOAT8_E4M3, 0xFF), NAN);
    assert_same(decode(HRY_FLOAT8_E4M3, 0x01), 0x1p-9);
    assert_same(decode(HRY_FLOAT8_E5M2, 0x7B), 57344);
    assert_same(decode(HRY_FLOAT8_E5M2, 0xFC), -INFINITY);
    assert_same(decode(HRY_FLOAT8_E8M0, 127), 1);
    assert_same(decode(HRY_FLOAT8_E8M0, 0), 0x1p-127);
    assert_same(decode(HRY_FLOAT8_E8M0, 255), NAN);
    assert_same(decode(HRY_FLOAT4_E2M1, 0x7), 6);
    assert_same(decode(HRY_FLOAT4_E2M1, 0xF9), -0.5); /* high bits do not matter */
    assert_same(decode(HRY_FLOAT6_E2M3, 0x1F), 7.5);
    assert_same(decode(HRY_FLOAT6_E3M2, 0x1F), 28);
    assert_same(decode(HRY_FLOAT16, 0x0001), 0x1p-24);
    assert_same(decode(HRY_FLOAT16, 0x8000), -0.0);
    assert_same(decode(HRY_BFLOAT16, 0x3F80), 1);
    assert_same(decode(HRY_INT4, 0x8), -8);
    assert_same(decode(HRY_UINT4, 0x8), 8);
    assert_same(decode(HRY_INT2, 0x3), -1);
    assert_same(decode(HRY_BOOL, 1), 1);
}

static const uint8_t small[] = {HRY_FLOAT16,     HRY_BFLOAT16,    HRY_FLOAT8_E4M3,
                                HRY_FLOAT8_E5M2, HRY_FLOAT8_E8M0, HRY_FLOAT4_E2M1,
                                HRY_FLOAT6_E2M3, HRY_FLOAT6_E3M2};

static void every_code_survives_a_trip_through_double_and_float(void **state)
{
    (void)state;
    for (size_t t = 0; t < sizeof small; t++) {
        const uint32_t bits = hry_dtype_by_tag(small[t])->bits;
        for (uint64_t code = small[t] == HRY_FLOAT8_E8M0; code < 1U << bits; code++) {
            const double v = decode(small[t], code);
            uint64_t again = 0;
            float f;
            convert(hry_type_builtin(small[t]), &code, hry_type_builtin(HRY_FLOAT32), &f,
                    1);
            assert_same(f, v);
            convert(hry_type_builtin(HRY_FLOAT32), &f, hry_type_builtin(small[t]), &again,
                    1);
            if (isnan(v)) {
                assert_same(decode(small[t], again), NAN);
                continue;
            }
            assert_int_equal(again, code);
            assert_int_equal(encode(small[t], v), code);
        }
    }
}

/* The code whose value is nearest, the even one of two; by looking at all. */
static uint64_t nearest(uint8_t tag, double v)
{
    const hry_dtype *type = hry_dtype_by_tag(tag);
    uint64_t best = 0;
    double distance = INFINITY;
    for (uint64_t code = tag == HRY_FLOAT8_E8M0; code < 1U << type->bits; code++) {
        const double w = decode(tag, code);
        if (!isfinite(w) || (w == 0 && signbit(w) != signbit(v)))
            continue;
        const double d = fabs(w - v);
        if (d < distance || (d == distance && (code & 1) == 0)) {
            best = code;
            distance = d;
        }
    }
    return best;
}

static void rounds_to_the_nearest_code_and_ties_to_even(void **state)
{
    (void)state;
    random_state r = {7};
    for (size_t t = 2; t < sizeof small; t++) {
        const bool scale = small[t] == HRY_FLOAT8_E8M0;
        const double most = scale                         ? 0x1p127
                            : small[t] == HRY_FLOAT8_E5M2 ? 57344
                                                          : INFINITY;
        for (int i = 0; i < 800; i++) {
            /* few bits, so that ties are common */
            double v = ldexp((double)random_in(&r, 1, 63), (int)random_in(&r, 0, 24) - 18);
            if (v > most)
                continue;
            v = !scale && i % 2 == 0 ? -v : v;
            assert_int_equal(encode(small[t], v), nearest(small[t], v));
        }
    }
}

static void what_is_too_large_becomes_infinity_or_the_largest(void **state)
{
    (void)state;
    assert_int_equal(encode(HRY_FLOAT16, 65519.99), 0x7BFF);
    assert_int_equal(encode(HRY_FLOAT16, 65520), 0x7C00);
    assert_int_equal(encode(HRY_FLOAT16, -1e300), 0xFC00);
    assert_int_equal(encode(HRY_FLOAT8_E5M2, 61440), 0x7C);
    assert_int_equal(encode(HRY_FLOAT8_E4M3, 1e6), 0x7E);
    assert_int_equal(encode(HRY_FLOAT8_E4M3, -INFINITY), 0xFE);
    assert_int_equal(encode(HRY_FLOAT8_E4M3, NAN) & 0x7F, 0x7F);
    assert_int_equal(encode(HRY_FLOAT4_E2M1, 100), 0x7);
    assert_int_equal(encode(HRY_FLOAT4_E2M1, NAN), 0);
    assert_int_equal(encode(HRY_FLOAT8_E8M0, -1), 1);
    assert_int_equal(encode(HRY_FLOAT8_E8M0, NAN), 255);
    assert_int_equal(encode(HRY_FLOAT8_E8M0, DBL_MAX), 254);
    const double v = 1e300;
    float f;
    convert(hry_type_builtin(HRY_FLOAT64), &v, hry_type_builtin(HRY_FLOAT32), &f, 1);
    assert_true(isinf(f));
}

static void integers_round_and_saturate(void **state)
{
    (void)state;
    assert_int_equal((int8_t)encode(HRY_INT8, 2.5), 2);
    assert_int_equal((int8_t)encode(HRY_INT8, 3.5), 4);
    assert_int_equal((int8_t)encode(HRY_INT8, -0.5), 0);
    assert_int_equal((int8_t)encode(HRY_INT8, -1000), -128);
    assert_int_equal(encode(HRY_UINT8, -3), 0);
    assert_int_equal(encode(HRY_UINT8, INFINITY), 255);
    assert_int_equal(encode(HRY_INT32, NAN), 0);
    assert_int_equal(encode(HRY_INT4, -8.4), 0x8);
    assert_int_equal(encode(HRY_UINT2, 9), 3);
    assert_int_equal(encode(HRY_BOOL, -0.0), 0);
    assert_int_equal(encode(HRY_BOOL, NAN), 1);
    assert_int_equal(encode(HRY_BOOL, 1e-300), 1);
    assert_int_equal(encode(HRY_UINT64, 0x1p64), UINT64_MAX);
    assert_int_equal(encode(HRY_UINT64, 0x1.8p63), UINT64_C(3) << 62);
    assert_int_equal((int64_t)encode(HRY_INT64, 0x1p63), INT64_MAX);
    assert_int_equal((int64_t)encode(HRY_INT64, -0x1p63), INT64_MIN);
    const uint64_t large[2] = {UINT64_MAX, 5};
    int64_t narrow[2];
    convert(hry_type_builtin(HRY_UINT64), large, hry_type_builtin(HRY_INT64), narrow, 2);
    assert_int_equal(narrow[0], INT64_MAX);
    assert_int_equal(narrow[1], 5);
    const int64_t negative = -7;
    uint64_t clipped;
    convert(hry_type_builtin(HRY_INT64), &negative, hry_type_builtin(HRY_UINT64), &clipped,
            1);
    assert_int_equal(clipped, 0);
}

static void nothing_is_rounded_twice(void **state)
{
    (void)state;
    /* 1 + 2^-8 + 2^-60 is above a tie of bfloat16, but a double makes it the tie. */
    const int64_t whole = (INT64_C(1) << 62) + (INT64_C(1) << 54) + 1;
    uint16_t brain;
    convert(hry_type_builtin(HRY_INT64), &whole, hry_type_builtin(HRY_BFLOAT16), &brain, 1);
    assert_int_equal(brain, ((127 + 62) << 7) + 1);
    const uint64_t quad[2] = {1, UINT64_C(0x3FFF) << 48 | UINT64_C(1) << 39};
    /* 1 + 2^-9 + 2^-112: a tie of bfloat16 no more, but towards 1 + 0 */
    convert(hry_type_builtin(HRY_FLOAT128), quad, hry_type_builtin(HRY_BFLOAT16), &brain,
            1);
    assert_int_equal(brain, 0x3F80);
    const uint64_t tie[2] = {1, UINT64_C(0x3FFF) << 48 | UINT64_C(1) << 40};
    convert(hry_type_builtin(HRY_FLOAT128), tie, hry_type_builtin(HRY_BFLOAT16), &brain, 1);
    assert_int_equal(brain, 0x3F81);
    const uint64_t tie24[2] = {1, UINT64_C(0x3FFF) << 48 | UINT64_C(1) << 24};
    float f;
    convert(hry_type_builtin(HRY_FLOAT128), tie24, hry_type_builtin(HRY_FLOAT32), &f, 1);
    assert_same(f, 1 + 0x1p-23);
}

static void float128_and_double_agree_by_their_bits(void **state)
{
    (void)state;
    static const double values[] = {0.0,     -0.0,    1.0,       -1.5,       DBL_MAX,
                                    3.14159, DBL_MIN, 0x1p-1074, -0x3p-1060, INFINITY};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        uint64_t quad[2];
        double again;
        convert(hry_type_builtin(HRY_FLOAT64), &values[i], hry_type_builtin(HRY_FLOAT128),
                quad, 1);
        convert(hry_type_builtin(HRY_FLOAT128), quad, hry_type_builtin(HRY_FLOAT64), &again,
                1);
        assert_same(again, values[i]);
    }
    uint64_t one[2];
    const double v = 1;
    convert(hry_type_builtin(HRY_FLOAT64), &v, hry_type_builtin(HRY_FLOAT128), one, 1);
    assert_int_equal(one[0], 0);
    assert_int_equal(one[1], UINT64_C(0x3FFF) << 48);
    const uint64_t nan[2] = {0, UINT64_C(0x7FFF8) << 44};
    double d;
    convert(hry_type_builtin(HRY_FLOAT128), nan, hry_type_builtin(HRY_FLOAT64), &d, 1);
    assert_true(isnan(d));
}

#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 quad_oracle;

static void float128_agrees_with_the_compiler(void **state)
{
    (void)state;
    random_state r = {3};
    for (int i = 0; i < 20000; i++) {
        uint64_t bits[2] = {random_next(&r), random_next(&r)};
        const uint64_t exponent = 0x3FFF + random_in(&r, 0, 2400) - 1200;
        bits[1] = (bits[1] & ~(UINT64_C(0x7FFF) << 48)) | exponent << 48;
        if (i % 3 == 0)
            bits[0] = 0; /* ties */
        quad_oracle q;
        memcpy(&q, bits, sizeof q);
        double d;
        convert(hry_type_builtin(HRY_FLOAT128), bits, hry_type_builtin(HRY_FLOAT64), &d, 1);
        assert_same(d, (double)q);
        float f;
        convert(hry_type_builtin(HRY_FLOAT128), bits, hry_type_builtin(HRY_FLOAT32), &f, 1);
        assert_same(f, (float)q);
        const int64_t whole = (int64_t)random_next(&r) >> random_in(&r, 0, 63);
        const quad_oracle exact = (quad_oracle)whole;
        int64_t back;
        convert(hry_type_builtin(HRY_INT64), &whole, hry_type_builtin(HRY_FLOAT128), bits,
                1);
        assert_memory_equal(bits, &exact, 16);
        convert(hry_type_builtin(HRY_FLOAT128), bits, hry_type_builtin(HRY_INT64), &back,
                1);
        assert_int_equal(back, whole);
    }
}
#endif

static void halves_agree_with_the_general_way(void **state)
{
    (void)state;
    random_state r = {11};
    for (int i = 0; i < 200000; i++) {
        uint32_t bits = (uint32_t)random_next(&r);
        if (i % 2 == 0)
            bits = (bits & 0x80FFF000U) + (uint32_t)random_in(&r, 95, 145) * 0x800000U;
        float f;
        memcpy(&f, &bits, sizeof f);
        for (int t = 0; t < 2 && !isnan(f); t++) {
            uint16_t fast;
            convert(hry_type_builtin(HRY_FLOAT32), &f, hry_type_builtin(small[t]), &fast,
                    1);
            assert_int_equal(fast, encode(small[t], f));
        }
    }
}

static void private_types_follow_their_description(void **state)
{
    (void)state;
    const hry_extension_type half = {.bit_width = 16,
                                     .packing = 1,
                                     .is_float = true,
                                     .sign_bits = 1,
                                     .exponent_bits = 5,
                                     .mantissa_bits = 10,
                                     .exponent_bias = 15,
                                     .has_nan = true,
                                     .has_inf = true};
    const hry_extension_type int24 = {.bit_width = 24, .packing = 1, .is_signed = true};
    const hry_type f = {0xF0, &half};
    const hry_type i = {0xFE, &int24};
    for (uint64_t code = 0; code < 0x10000; code++) {
        double v;
        convert(f, &code, hry_type_builtin(HRY_FLOAT64), &v, 1);
        assert_same(v, decode(HRY_FLOAT16, code));
    }
    const uint8_t bytes[] = {0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x80, 0x56, 0x34, 0x12};
    int32_t whole[3];
    uint8_t again[9];
    convert(i, bytes, hry_type_builtin(HRY_INT32), whole, 3);
    assert_int_equal(whole[0], -1);
    assert_int_equal(whole[1], -0x800000);
    assert_int_equal(whole[2], 0x123456);
    convert(hry_type_builtin(HRY_INT32), whole, i, again, 3);
    assert_memory_equal(again, bytes, 9);
    const hry_extension_type wide = {.bit_width = 96, .packing = 1};
    hry_error err;
    double v;
    assert_status(HRY_ERR_UNSUPPORTED,
                  hry_to_double((hry_type){0xF1, &wide}, bytes, &v, 1, &err), &err);
}

static void complex_numbers_go_by_parts(void **state)
{
    (void)state;
    hry_error err;
    const float parts[4] = {1, -2, 3.5F, 4};
    double wide[4];
    const hry_type c64 = hry_type_builtin(HRY_COMPLEX64);
    assert_ok(hry_to_double(c64, parts, wide, 2, &err), &err);
    for (int i = 0; i < 4; i++)
        assert_same(wide[i], parts[i]);
    const int8_t real[600] = {5, -6, 7};
    float widened[1200];
    convert(hry_type_builtin(HRY_INT8), real, c64, widened, 600);
    for (size_t i = 0; i < 600; i++) {
        assert_same(widened[2 * i], real[i]);
        assert_same(widened[2 * i + 1], 0);
    }
    assert_status(HRY_ERR_UNSUPPORTED,
                  hry_convert(c64, parts, hry_type_builtin(HRY_FLOAT32), wide, 1, &err),
                  &err);
}

/* 1 is a value of every type. */
static void every_pair_of_types_converts_long_arrays(void **state)
{
    (void)state;
    enum { COUNT = 1100 };
    static uint8_t a[COUNT * 16], b[COUNT * 16];
    const hry_dtype *from, *to;
    hry_error err;
    double ones[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        ones[i] = 1;
    for (size_t f = 0; (from = hry_dtype_at(f)) != NULL; f++) {
        if (from->cls == HRY_CLASS_COMPLEX)
            continue;
        assert_ok(hry_from_double(ones, hry_type_builtin(from->tag), a, COUNT, &err), &err);
        for (size_t t = 0; (to = hry_dtype_at(t)) != NULL; t++) {
            double back[2 * COUNT];
            convert(hry_type_builtin(from->tag), a, hry_type_builtin(to->tag), b, COUNT);
            assert_ok(hry_to_double(hry_type_builtin(to->tag), b, back, COUNT, &err), &err);
            const bool is_complex = to->cls == HRY_CLASS_COMPLEX;
            for (size_t i = 0; i < COUNT; i++)
                assert_same(back[is_complex ? 2 * i : i], 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_codes_have_known_values),
        cmocka_unit_test(every_code_survives_a_trip_through_double_and_float),
        cmocka_unit_test(rounds_to_the_nearest_code_and_ties_to_even),
        cmocka_unit_test(what_is_too_large_becomes_infinity_or_the_largest),
        cmocka_unit_test(integers_round_and_saturate),
        cmocka_unit_test(nothing_is_rounded_twice),
        cmocka_unit_test(float128_and_double_agree_by_their_bits),
#if defined(__SIZEOF_FLOAT128__)
        cmocka_unit_test(float128_agrees_with_the_compiler),
#endif
        cmocka_unit_test(halves_agree_with_the_general_way),
        cmocka_unit_test(private_types_follow_their_description),
        cmocka_unit_test(complex_numbers_go_by_parts),
        cmocka_unit_test(every_pair_of_types_converts_long_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
