/* SPDX-License-Identifier: Apache-2.0 */
/* Shared buffers: alignment, owners, and giving foreign memory back exactly once. */
#include "hry/buffer.h"

#include "cmocka_all.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static hry_error err;

static void allocates_what_the_format_asks_for(void **state)
{
    (void)state;
    const uint32_t alignments[] = {0, 64, 128, 4096, 65536};
    for (size_t i = 0; i < sizeof alignments / sizeof *alignments; i++) {
        hry_shared_buffer *b;
        const uint32_t want = alignments[i] == 0 ? 64 : alignments[i];
        assert_ok(hry_buffer_new(100, alignments[i], &b, &err), &err);
        assert_int_equal((uintptr_t)hry_buffer_data(b) % want, 0);
        memset(hry_buffer_edit(b), 1, 100);
        const hry_buffer_info info = hry_buffer_describe(b);
        assert_int_equal(info.byte_size, 100);
        assert_int_equal(info.alignment, want);
        assert_int_equal(hry_buffer_view(b).size, 100);
        assert_ptr_equal(hry_buffer_view(b).bytes, hry_buffer_data(b));
        hry_buffer_free(b);
    }
}

static void refuses_alignments_the_format_refuses(void **state)
{
    (void)state;
    hry_shared_buffer *b = NULL;
    assert_status(HRY_ERR_ARG, hry_buffer_new(8, 32, &b, &err), &err);
    assert_status(HRY_ERR_ARG, hry_buffer_new(8, 96, &b, &err), &err);
    assert_status(HRY_ERR_NOMEM, hry_buffer_new(UINT64_MAX - 3, 64, &b, &err), &err);
    assert_status(HRY_ERR_NOMEM, hry_buffer_new(UINT64_MAX / 2 + 100, 64, &b, &err), &err);
    assert_null(b);
}

static void an_empty_one_has_no_bytes(void **state)
{
    (void)state;
    hry_shared_buffer *b;
    assert_ok(hry_buffer_new(0, 0, &b, &err), &err);
    assert_int_equal(hry_buffer_size(b), 0);
    hry_buffer_free(b);
    hry_buffer_free(NULL);
}

static void count_release(void *ctx, void *data)
{
    assert_non_null(data);
    atomic_fetch_add((atomic_int *)ctx, 1);
}

static void gives_foreign_memory_back_once(void **state)
{
    (void)state;
    static _Alignas(128) uint8_t memory[256];
    atomic_int released = 0;
    const hry_wrap how = {.alignment = 128, .release = count_release, .ctx = &released};
    hry_shared_buffer *b;
    assert_ok(hry_buffer_wrap(memory, sizeof memory, &how, &b, &err), &err);
    assert_ptr_equal(hry_buffer_edit(b), memory);
    assert_ptr_equal(hry_buffer_share(b), b);
    hry_buffer_free(b);
    assert_int_equal(released, 0);
    hry_buffer_free(b);
    assert_int_equal(released, 1);
}

static void leaves_memory_alone_that_it_refuses(void **state)
{
    (void)state;
    static _Alignas(64) uint8_t memory[128];
    atomic_int released = 0;
    hry_wrap how = {.release = count_release, .ctx = &released};
    hry_shared_buffer *b = NULL;
    assert_status(HRY_ERR_RANGE, hry_buffer_wrap(memory + 8, 8, &how, &b, &err), &err);
    assert_status(HRY_ERR_ARG, hry_buffer_wrap(NULL, 8, &how, &b, &err), &err);
    how.alignment = 100;
    assert_status(HRY_ERR_ARG, hry_buffer_wrap(memory, 8, &how, &b, &err), &err);
    assert_int_equal(released, 0);
    assert_null(b);
}

static void read_only_memory_cannot_be_edited(void **state)
{
    (void)state;
    static _Alignas(64) uint8_t memory[64];
    hry_shared_buffer *b;
    const hry_wrap how = {.read_only = true};
    assert_ok(hry_buffer_wrap(memory, 64, &how, &b, &err), &err);
    assert_null(hry_buffer_edit(b));
    assert_ptr_equal(hry_buffer_data(b), memory);
    hry_buffer_free(b);
}

static void *share_and_free(void *arg)
{
    for (int i = 0; i < 20000; i++)
        hry_buffer_free(hry_buffer_share(arg));
    hry_buffer_free(arg);
    return NULL;
}

static void threads_may_share_and_free(void **state)
{
    (void)state;
    static _Alignas(64) uint8_t memory[64];
    atomic_int released = 0;
    const hry_wrap how = {.release = count_release, .ctx = &released};
    hry_shared_buffer *b;
    pthread_t threads[4];
    assert_ok(hry_buffer_wrap(memory, 64, &how, &b, &err), &err);
    for (int i = 0; i < 4; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, share_and_free, hry_buffer_share(b)), 0);
    hry_buffer_free(b);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(released, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocates_what_the_format_asks_for),
        cmocka_unit_test(refuses_alignments_the_format_refuses),
        cmocka_unit_test(an_empty_one_has_no_bytes),
        cmocka_unit_test(gives_foreign_memory_back_once),
        cmocka_unit_test(leaves_memory_alone_that_it_refuses),
        cmocka_unit_test(read_only_memory_cannot_be_edited),
        cmocka_unit_test(threads_may_share_and_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
