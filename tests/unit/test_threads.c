/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several threads on one open file and one open head: boxes, members, descriptors, names.
 * Under the thread sanitizer it says more.
 */
#include "hry/reader.h"

#include "cmocka_all.h"
#include "random_composite.h"

#include <pthread.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 60 };

typedef struct shared {
    hry_file *file;
    const hry_head *head;
    const dense_array *expected;
} shared;

typedef struct worker {
    const shared *s;
    pthread_t thread;
    random_state r;
    int wrong; /* cmocka's assertions are for the main thread */
} worker;

static int box_differs(const shared *s, random_state *r)
{
    uint64_t start[HRY_MAX_RANK], count[HRY_MAX_RANK], total = 1;
    const dense_array *a = s->expected;
    for (uint32_t k = 0; k < a->rank; k++) {
        start[k] = random_in(r, 0, a->shape[k]);
        count[k] = random_in(r, 0, a->shape[k] - start[k]);
        total *= count[k];
    }
    uint8_t *got = malloc((size_t)total * a->element + 1);
    uint8_t *want = dense_array_box(a, start, count);
    const int differs = got == NULL ||
                        hry_head_read(s->head, start, count, got, NULL) != HRY_OK ||
                        memcmp(got, want, (size_t)total * a->element) != 0;
    free(want);
    free(got);
    return differs;
}

static int tensor_differs(const shared *s, random_state *r)
{
    hry_descriptor d;
    hry_entry e;
    uint64_t i, found, offset;
    i = random_in(r, 0, hry_file_count(s->file) - 1);
    if (hry_file_entry(s->file, i, &e, NULL) != HRY_OK ||
        hry_file_find(s->file, e.name, e.name_length, &found, NULL) != HRY_OK ||
        found != i || hry_file_descriptor(s->file, i, &d, NULL) != HRY_OK)
        return 1;
    for (uint32_t b = 0; b < d.buffer_count; b++)
        if (hry_file_buffer(s->file, i, &d, b, &offset, NULL) != HRY_OK)
            return 1;
    return 0;
}

static void *work(void *arg)
{
    worker *w = arg;
    for (int i = 0; i < ROUNDS; i++)
        w->wrong += box_differs(w->s, &w->r) + tensor_differs(w->s, &w->r);
    return NULL;
}

static void read_by_many(const char *path, bool map, const dense_array *expected)
{
    const hry_file_options options = {.map = map};
    worker workers[THREADS];
    shared s = {.expected = expected};
    hry_head *head;
    hry_error err;
    uint64_t i;
    assert_ok(hry_file_open(path, &options, &s.file, &err), &err);
    assert_ok(hry_file_find(s.file, "head", 4, &i, &err), &err);
    assert_ok(hry_head_open(s.file, i, NULL, &head, &err), &err);
    s.head = head;
    for (int t = 0; t < THREADS; t++) {
        workers[t] = (worker){.s = &s, .r = {.s = (uint64_t)t}};
        assert_int_equal(pthread_create(&workers[t].thread, NULL, work, &workers[t]), 0);
    }
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_join(workers[t].thread, NULL), 0);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(workers[t].wrong, 0);
    hry_head_close(head);
    hry_file_close(s.file);
}

static void threads_share_an_open_head(void **state)
{
    (void)state;
    static const random_composite_options options = {
        .overlays = true, .quantized = true, .sparse = true};
    random_state r = {.s = 3};
    char path[] = "/tmp/test_threads.XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    for (int n = 0; n < 12; n++) {
        random_composite c = random_composite_make(&r, &options);
        FILE *out = fopen(path, "wb");
        assert_non_null(out);
        assert_int_equal(fwrite(c.file.data, 1, c.file.size, out), c.file.size);
        assert_int_equal(fclose(out), 0);
        read_by_many(path, n % 2 == 0, &c.expected);
        random_composite_free(&c);
    }
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_an_open_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
