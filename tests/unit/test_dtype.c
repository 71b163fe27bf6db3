/* SPDX-License-Identifier: Apache-2.0 */
/* The table of element types is data; what makes it right is checked here, once. */
#include "hry/dtype.h"

#include "cmocka_all.h"

static void is_sorted_and_findable(void **state)
{
    (void)state;
    const hry_dtype *t, *previous = NULL;
    size_t n = 0;
    for (; (t = hry_dtype_at(n)) != NULL; previous = t, n++) {
        assert_true(previous == NULL || previous->tag < t->tag);
        assert_ptr_equal(hry_dtype_by_tag(t->tag), t);
        assert_ptr_equal(hry_dtype_by_name(t->name), t);
    }
    assert_int_equal(n, 26);
    assert_null(hry_dtype_by_tag(0x00));
    assert_null(hry_dtype_by_tag(0x47));
    assert_null(hry_dtype_by_tag(0xFF));
}

static void widths_add_up(void **state)
{
    (void)state;
    const hry_dtype *t;
    for (size_t i = 0; (t = hry_dtype_at(i)) != NULL; i++) {
        const unsigned fields = t->exponent + t->mantissa + (t->has_sign ? 1u : 0u);
        if (t->cls == HRY_CLASS_FLOAT)
            assert_int_equal(fields, t->bits);
        if (t->cls == HRY_CLASS_COMPLEX)
            assert_int_equal(fields * 2, t->bits);
    }
}

static void packs_as_the_format_says(void **state)
{
    (void)state;
    assert_int_equal(hry_packed_size(10, 1), 2);
    assert_int_equal(hry_packed_size(3, 2), 1);
    assert_int_equal(hry_packed_size(3, 4), 2);
    assert_int_equal(hry_packed_size(5, 6), 6);
    assert_int_equal(hry_packed_size(12, 32), 48);
    assert_true(hry_packed_size(UINT64_MAX, 16) == UINT64_MAX);
    assert_int_equal(hry_packed_size(0, 128), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_sorted_and_findable),
        cmocka_unit_test(widths_add_up),
        cmocka_unit_test(packs_as_the_format_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
