/* SPDX-License-Identifier: Apache-2.0 */
/* Packed elements: the format's examples, and every phase against one bit at a time. */
#include "cmocka_all.h"

#include "hry/pack.h"

#include <stdbool.h>
#include <string.h>

static void expect_packed(uint32_t bits, const uint8_t *codes, size_t count,
                          const uint8_t *want, size_t size)
{
    uint8_t packed[16] = {0};
    uint8_t again[16] = {0};
    hry_error err;
    assert_ok(hry_pack(bits, codes, count, packed, 0, &err), &err);
    assert_memory_equal(packed, want, size);
    assert_ok(hry_unpack(bits, packed, 0, again, count, &err), &err);
    assert_memory_equal(again, codes, count);
}

static void examples_of_the_format(void **state)
{
    (void)state;
    expect_packed(6, (const uint8_t[]){1, 2, 4, 8}, 4, (const uint8_t[]){0x81, 0x40, 0x20},
                  3);
    expect_packed(2, (const uint8_t[]){3, 1, 2}, 3, (const uint8_t[]){0x27}, 1);
    expect_packed(4, (const uint8_t[]){5, 12, 3}, 3, (const uint8_t[]){0xC5, 0x03}, 2);
    expect_packed(1, (const uint8_t[]){1, 0, 1, 1, 0}, 5, (const uint8_t[]){0x0D}, 1);
}

enum { ELEMENTS = 64 };

static uint8_t one(const uint8_t *packed, uint32_t bits, size_t i)
{
    uint8_t code = 0;
    for (uint32_t b = 0; b < bits; b++) {
        const size_t at = i * bits + b;
        code = (uint8_t)(code | (packed[at / 8] >> at % 8 & 1) << b);
    }
    return code;
}

static void check_phase(uint32_t bits, size_t first, size_t count)
{
    uint8_t packed[ELEMENTS];
    uint8_t codes[ELEMENTS];
    hry_error err;
    for (size_t i = 0; i < sizeof packed; i++)
        packed[i] = (uint8_t)(i * 151 + 17);
    assert_ok(hry_unpack(bits, packed, first, codes, count, &err), &err);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(codes[i], one(packed, bits, first + i));
    uint8_t target[ELEMENTS];
    memset(target, 0xA5, sizeof target);
    uint8_t untouched[ELEMENTS];
    memcpy(untouched, target, sizeof target);
    for (size_t i = 0; i < count; i++)
        codes[i] |= (uint8_t)(0xFFU << bits); /* high bits of codes do not matter */
    assert_ok(hry_pack(bits, codes, count, target, first, &err), &err);
    for (size_t i = 0; i < ELEMENTS; i++) {
        const bool inside = i >= first && i < first + count;
        assert_int_equal(one(target, bits, i), one(inside ? packed : untouched, bits, i));
    }
}

static void any_phase_and_length(void **state)
{
    (void)state;
    for (uint32_t bits = 1; bits <= 6; bits += bits == 4 ? 2 : bits)
        for (size_t first = 0; first < 20; first++)
            for (size_t count = 0; count < 40; count++)
                check_phase(bits, first, count);
}

static void refuses_other_widths(void **state)
{
    (void)state;
    uint8_t byte = 0;
    hry_error err;
    for (uint32_t bits = 0; bits < 40; bits++)
        if (bits != 1 && bits != 2 && bits != 4 && bits != 6)
            assert_status(HRY_ERR_ARG, hry_unpack(bits, &byte, 0, &byte, 0, &err), &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_the_format),
        cmocka_unit_test(any_phase_and_length),
        cmocka_unit_test(refuses_other_widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
