/* SPDX-License-Identifier: Apache-2.0 */
/* Strict UTF-8 and CRC-32C against what their definitions say. */
#include "crc32c.h"
#include "utf8.h"

#include "cmocka_all.h"

#include <string.h>

static void finds_the_first_bad_sequence(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t valid;
    } cases[] = {
        {"plain ascii, longer than eight", 30},
        {"\x7F", 1},
        {"\x80", 0},
        {"ab\xBF", 2},
        {"\xC2\x80\xDF\xBF", 4},
        {"\xC0\x80", 0},                         /* overlong */
        {"\xC1\xBF", 0},                         /* overlong */
        {"\xE0\xA0\x80\xEF\xBF\xBF", 6},         /* U+0800, U+FFFF */
        {"\xE0\x9F\xBF", 0},                     /* overlong */
        {"\xED\x9F\xBF\xEE\x80\x80", 6},         /* around the surrogates */
        {"\xED\xA0\x80", 0},                     /* surrogate */
        {"\xED\xBF\xBF", 0},                     /* surrogate */
        {"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", 8}, /* U+10000, U+10FFFF */
        {"\xF0\x8F\xBF\xBF", 0},                 /* overlong */
        {"\xF4\x90\x80\x80", 0},                 /* above U+10FFFF */
        {"\xF5\x80\x80\x80", 0},
        {"\xFF", 0},
        {"abcdefgh\xC3", 8},             /* cut off */
        {"abcdefghijk\xE2\x82", 11},     /* cut off */
        {"abcdefg\xC3\xA9xyz\xC3x", 12}, /* astride a block of eight */
        {"\xE2\x28\xA1", 0},
        {"\xF0\x90\x28\xBC", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(hry_utf8_valid_prefix(cases[i].text, strlen(cases[i].text)),
                         cases[i].valid);
    assert_int_equal(hry_utf8_valid_prefix("a\0b", 3), 3);
    assert_int_equal(hry_utf8_valid_prefix(NULL, 0), 0);
}

/* Bit by bit, as the polynomial says. */
static uint32_t slow_crc(const uint8_t *p, size_t n)
{
    uint32_t crc = ~0u;
    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (int k = 0; k < 8; k++)
            crc = (crc & 1) != 0 ? crc >> 1 ^ 0x82F63B78u : crc >> 1;
    }
    return ~crc;
}

static void both_ways_give_the_castagnoli_crc(void **state)
{
    (void)state;
    uint8_t bytes[300];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 167 + 13);
    assert_int_equal(hry_crc32c(0, "123456789", 9), 0xE3069283);
    for (size_t at = 0; at < 9; at++)
        for (size_t n = 0; n + at <= sizeof bytes; n += 1 + n / 16) {
            const uint32_t want = slow_crc(bytes + at, n);
            assert_int_equal(hry_crc32c(0, bytes + at, n), want);
            assert_int_equal(hry_crc32c_portable(0, bytes + at, n), want);
        }
}

static void crc_goes_on_where_it_stopped(void **state)
{
    (void)state;
    const char text[] = "The quick brown fox jumps over the lazy dog";
    const uint32_t whole = hry_crc32c(0, text, sizeof text);
    for (size_t cut = 0; cut <= sizeof text; cut++) {
        const uint32_t first = hry_crc32c(0, text, cut);
        assert_int_equal(hry_crc32c(first, text + cut, sizeof text - cut), whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_first_bad_sequence),
        cmocka_unit_test(both_ways_give_the_castagnoli_crc),
        cmocka_unit_test(crc_goes_on_where_it_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
