/* SPDX-License-Identifier: Apache-2.0 */
/* Names made to have one hash: found all the same, and without a scan of all of them. */
#include "container/name_table.h"

#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 50000, LENGTH = 8 };

static char names[MANY][LENGTH];

static hry_name name_of(const void *rows, uint32_t position)
{
    return (hry_name){.text = ((const char(*)[LENGTH])rows)[position], .length = LENGTH};
}

/* The step of the hash, backwards: the multiplier is odd and so has an inverse. */
static uint64_t unmix(uint64_t hash)
{
    const uint64_t multiplier = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t inverse = multiplier;
    for (int i = 0; i < 6; i++)
        inverse *= 2 - multiplier * inverse;
    return (hash ^ hash >> 32) * inverse;
}

static void make_colliding_names(void)
{
    for (uint64_t i = 0; i < MANY; i++) {
        const uint64_t word =
            unmix(unmix(unmix(UINT64_C(0xABCDEF0100000000) | i * 7919))) ^ LENGTH;
        memcpy(names[i], &word, LENGTH);
        assert_int_equal(hry_name_hash(names[i], LENGTH) >> 32, 0xABCDEF01);
    }
}

static hry_name_table table_of(uint32_t count, uint32_t *twice)
{
    hry_error err;
    hry_name_table table;
    assert_ok(hry_name_table_new(count, &table, &err), &err);
    for (uint32_t i = 0; i < count; i++)
        hry_name_table_put(&table, i, names[i], LENGTH);
    assert_ok(hry_name_table_build(&table, names, name_of, twice, &err), &err);
    return table;
}

static void names_of_one_hash_are_found(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 1, 2, 3, 16, 17, 18, 1000, MANY};
    make_colliding_names();
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        uint32_t twice;
        hry_name_table table = table_of(counts[k], &twice);
        assert_int_equal(twice, UINT32_MAX);
        for (uint32_t i = 0; i < counts[k]; i++)
            assert_int_equal(hry_name_table_find(&table, names[i], LENGTH), i);
        assert_int_equal(hry_name_table_find(&table, "no such", 7), UINT32_MAX);
        hry_name_table_free(&table);
    }
}

static void later_of_two_equal_names_is_told(void **state)
{
    (void)state;
    static const uint32_t counts[] = {2, 10, 500};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        uint32_t twice;
        make_colliding_names();
        memcpy(names[counts[k] - 1], names[0], LENGTH);
        hry_name_table table = table_of(counts[k], &twice);
        assert_int_equal(twice, counts[k] - 1);
        hry_name_table_free(&table);
    }
}

static void empty_table_has_no_name(void **state)
{
    (void)state;
    const hry_name_table none = {0};
    assert_int_equal(hry_name_table_find(&none, "a", 1), UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_one_hash_are_found),
        cmocka_unit_test(later_of_two_equal_names_is_told),
        cmocka_unit_test(empty_table_has_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
