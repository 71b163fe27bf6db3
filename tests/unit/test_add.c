/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of every type: rounded once, integers wrapping. */
#include "composite/add.h"

#include "cmocka_all.h"
#include "random.h"

#include <string.h>

static hry_error err;

static void sum_is(hry_type type, const void *a, const void *b, const void *want,
                   size_t size)
{
    uint8_t to[32];
    memcpy(to, a, size);
    assert_ok(hry_add(type, to, b, 1, &err), &err);
    assert_memory_equal(to, want, size);
}

static void integers_wrap(void **state)
{
    (void)state;
    const uint64_t max = UINT64_MAX, two = 2, one = 1;
    const int32_t low = INT32_MIN, minus = -1, high = INT32_MAX;
    sum_is(hry_type_builtin(HRY_UINT64), &max, &two, &one, 8);
    sum_is(hry_type_builtin(HRY_INT32), &low, &minus, &high, 4);
    sum_is(hry_type_builtin(HRY_UINT16), &max, &two, &one, 2);
    sum_is(hry_type_builtin(HRY_INT8), &max, &two, &one, 1);
    sum_is(hry_type_builtin(HRY_INT4), "\x0F", "\x02", "\x01", 1);
    sum_is(hry_type_builtin(HRY_UINT2), "\x03", "\x03", "\x02", 1);
}

static void private_integers_of_whole_bytes_wrap(void **state)
{
    (void)state;
    hry_extension_type e = {.bit_width = 24, .packing = 1};
    const hry_type type = {.tag = 0xF0, .extension = &e};
    uint8_t to[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00};
    const uint8_t from[6] = {0x02, 0, 0, 0x01, 0, 0};
    const uint8_t want[6] = {0x01, 0, 0, 0x00, 0x01, 0};
    assert_ok(hry_add(type, to, from, 2, &err), &err);
    assert_memory_equal(to, want, sizeof want);
    e.bit_width = 12;
    assert_status(HRY_ERR_UNSUPPORTED, hry_add(type, to, from, 1, &err), &err);
    e.bit_width = 4;
    sum_is(type, "\x0E", "\x03", "\x01", 1);
}

static void floats_are_rounded_once(void **state)
{
    (void)state;
    const float a = 1.0f, b = 0x1.000002p-24f, c = 1.0f + 0x1p-23f;
    const double x = 1, y = 0x1p-53, z = 1;
    const double x2 = 1, y2 = 0x1.0000000000001p-53, z2 = 1 + 0x1p-52;
    sum_is(hry_type_builtin(HRY_FLOAT32), &a, &b, &c, 4);
    sum_is(hry_type_builtin(HRY_FLOAT64), &x, &y, &z, 8);
    sum_is(hry_type_builtin(HRY_FLOAT64), &x2, &y2, &z2, 8);
    /* float16 2048 + 1 is a tie to even, 2048 + 1.0009765625 is above it */
    const uint16_t h2048 = 0x6800, h1 = 0x3C00, above = 0x3C01, h2050 = 0x6801;
    sum_is(hry_type_builtin(HRY_FLOAT16), &h2048, &h1, &h2048, 2);
    sum_is(hry_type_builtin(HRY_FLOAT16), &h2048, &above, &h2050, 2);
}

static void complex_numbers_are_added_by_parts(void **state)
{
    (void)state;
    const float a[2] = {1, 2}, b[2] = {10, -20}, c[2] = {11, -18};
    const double x[2] = {1, 2}, y[2] = {10, -20}, z[2] = {11, -18};
    sum_is(hry_type_builtin(HRY_COMPLEX64), a, b, c, sizeof c);
    sum_is(hry_type_builtin(HRY_COMPLEX128), x, y, z, sizeof z);
}

/* Every pair of codes of the small floats, against sums of doubles, in one long call. */
static void small_floats_add_as_doubles_do(void **state)
{
    (void)state;
    static const uint8_t tags[] = {HRY_FLOAT8_E4M3, HRY_FLOAT8_E5M2, HRY_FLOAT6_E3M2,
                                   HRY_FLOAT6_E2M3, HRY_FLOAT4_E2M1};
    for (size_t t = 0; t < sizeof tags; t++) {
        const hry_type type = hry_type_builtin(tags[t]);
        const unsigned codes = 1U << hry_dtype_by_tag(tags[t])->bits;
        for (unsigned a = 0; a < codes; a++) {
            uint8_t to[256], from[256], want[256];
            double x[256], y[256];
            for (unsigned b = 0; b < codes; b++) {
                to[b] = (uint8_t)a;
                from[b] = (uint8_t)b;
            }
            assert_ok(hry_to_double(type, to, x, codes, &err), &err);
            assert_ok(hry_to_double(type, from, y, codes, &err), &err);
            for (unsigned b = 0; b < codes; b++)
                x[b] += y[b];
            assert_ok(hry_from_double(x, type, want, codes, &err), &err);
            assert_ok(hry_add(type, to, from, codes, &err), &err);
            assert_memory_equal(to, want, codes);
        }
    }
}

static void long_arrays_are_added_to_their_end(void **state)
{
    (void)state;
    uint16_t to[1000], from[1000];
    double x[1000];
    const hry_type type = hry_type_builtin(HRY_BFLOAT16);
    for (int i = 0; i < 1000; i++)
        x[i] = i % 100;
    assert_ok(hry_from_double(x, type, to, 1000, &err), &err);
    memcpy(from, to, sizeof to);
    assert_ok(hry_add(type, to, from, 1000, &err), &err);
    assert_ok(hry_to_double(type, to, x, 1000, &err), &err);
    for (int i = 0; i < 1000; i++)
        assert_true(x[i] == 2 * (i % 100));
}

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 quad;

/* Exponents close to each other and to both ends; few bits, or many. */
static void random_quad(random_state *r, uint64_t code[2])
{
    const uint64_t near[] = {0, 1, 2, 3, 100, 0x3FFF, 0x7FFD, 0x7FFE, 0x7FFF};
    const uint64_t exponent = near[random_in(r, 0, 8)] + random_in(r, 0, 130);
    code[0] = random_next(r);
    code[1] = random_next(r) >> 16;
    if (random_in(r, 0, 1) == 0)
        code[0] = random_in(r, 0, 1) == 0 ? 0 : UINT64_MAX;
    if (random_in(r, 0, 2) == 0)
        code[1] = random_in(r, 0, 1) == 0 ? 0 : UINT64_MAX >> 16;
    code[1] |= (exponent & 0x7FFF) << 48 | random_in(r, 0, 1) << 63;
}

static void float128_is_added_as_compilers_do(void **state)
{
    (void)state;
    random_state r = {.s = 40};
    const hry_type type = hry_type_builtin(HRY_FLOAT128);
    for (int n = 0; n < 1000000; n++) {
        uint64_t a[2], b[2], want[2];
        quad x, y;
        random_quad(&r, a);
        random_quad(&r, b);
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        x += y;
        memcpy(want, &x, sizeof x);
        assert_ok(hry_add(type, a, b, 1, &err), &err);
        if (x == x)
            assert_memory_equal(a, want, sizeof want);
        else
            assert_true((a[1] & UINT64_C(0x7FFF800000000000)) ==
                        UINT64_C(0x7FFF800000000000));
    }
}
#endif

static void float128_keeps_what_a_double_cannot(void **state)
{
    (void)state;
    const uint64_t big[2] = {0, 0x3FFF000000000000 + (UINT64_C(112) << 48)}; /* 2^112 */
    const uint64_t unit[2] = {0, 0x3FFF000000000000}, more[2] = {1, big[1]};
    const uint64_t minus[2] = {0, unit[1] | UINT64_C(1) << 63};
    const hry_type type = hry_type_builtin(HRY_FLOAT128);
    const uint64_t zero[2] = {0, 0};
    sum_is(type, big, unit, more, 16);
    sum_is(type, more, minus, big, 16);
    sum_is(type, unit, minus, zero, 16);
}

static void what_has_no_sum_is_refused(void **state)
{
    (void)state;
    uint8_t to[16] = {0}, from[16] = {0};
    const hry_extension_type wide = {.bit_width = 64,
                                     .packing = 1,
                                     .is_float = true,
                                     .sign_bits = 1,
                                     .exponent_bits = 11,
                                     .mantissa_bits = 52,
                                     .exponent_bias = 1023};
    hry_type type = {.tag = 0xF0, .extension = &wide};
    assert_status(HRY_ERR_UNSUPPORTED, hry_add(type, to, from, 1, &err), &err);
    type.extension = NULL;
    assert_status(HRY_ERR_UNSUPPORTED, hry_add(type, to, from, 1, &err), &err);
    type.tag = HRY_BOOL;
    assert_status(HRY_ERR_UNSUPPORTED, hry_add(type, to, from, 1, &err), &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_wrap),
        cmocka_unit_test(private_integers_of_whole_bytes_wrap),
        cmocka_unit_test(floats_are_rounded_once),
        cmocka_unit_test(complex_numbers_are_added_by_parts),
        cmocka_unit_test(small_floats_add_as_doubles_do),
        cmocka_unit_test(long_arrays_are_added_to_their_end),
#ifdef __SIZEOF_FLOAT128__
        cmocka_unit_test(float128_is_added_as_compilers_do),
#endif
        cmocka_unit_test(float128_keeps_what_a_double_cannot),
        cmocka_unit_test(what_has_no_sum_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
