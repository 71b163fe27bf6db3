/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file with a partition of 64 to 65,536 members of 16 KiB or less: opening it to read one
 * element, further random elements, and the whole, mapped and not. The file is in memory.
 *
 *   bench_head [FOLDER]      default: the current one
 */
#include "hry/composite.h"

#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SIDE 64 /* ELEMENTS of a member on each axis, float32 */
#define ELEMENTS 10000
#define REPEATS 5

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void or_die(hry_status status, const hry_error *err)
{
    if (status == HRY_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

/* per_axis * per_axis squares; element [i, j] is i * 65536 + j. */
static void make_file(const char *path, uint64_t per_axis)
{
    static float square[SIDE * SIDE];
    const uint64_t shape[2] = {per_axis * SIDE, per_axis * SIDE}, size[2] = {SIDE, SIDE};
    const hry_composite partition = {.rule = HRY_PARTITION,
                                     .member_count = (uint32_t)(per_axis * per_axis)};
    hry_descriptor head, d;
    hry_writer *writer;
    hry_composer *composer;
    hry_error err;
    char name[32];
    or_die(hry_head_describe(&partition, HRY_FLOAT32, 2, shape, &head, &err), &err);
    or_die(hry_descriptor_dense(HRY_FLOAT32, 2, size, &d, &err), &err);
    or_die(hry_writer_create(path, NULL, &writer, &err), &err);
    or_die(hry_composer_new(writer, &composer, &err), &err);
    or_die(hry_composer_add(composer, "w", &head, NULL, NULL, &err), &err);
    for (uint64_t m = 0; m < per_axis * per_axis; m++) {
        const uint64_t at[2] = {m / per_axis * SIDE, m % per_axis * SIDE};
        for (uint64_t e = 0; e < SIDE * SIDE; e++)
            square[e] = (float)((at[0] + e / SIDE) * 65536 + at[1] + e % SIDE);
        snprintf(name, sizeof name, "w/%u", (unsigned)m);
        or_die(hry_composer_add(composer, name, &d, at, (const void *[]){square}, &err),
               &err);
    }
    or_die(hry_composer_finish(composer, &err), &err);
    or_die(hry_writer_finish(writer, &err), &err);
}

typedef struct times {
    double file, head, first, next, whole;
} times;

static void read_one(const hry_head *head, random_state *r, uint64_t side)
{
    const uint64_t at[2] = {random_in(r, 0, side - 1), random_in(r, 0, side - 1)};
    const uint64_t one[2] = {1, 1};
    hry_error err;
    float v;
    or_die(hry_head_read(head, at, one, &v, &err), &err);
    if (v != (float)(at[0] * 65536 + at[1]))
        abort();
}

static times measure(const char *path, uint64_t per_axis, bool map, float *array)
{
    const uint64_t shape[2] = {per_axis * SIDE, per_axis * SIDE}, origin[2] = {0, 0};
    const hry_file_options options = {.map = map};
    random_state r = {.s = 1};
    hry_file *file;
    hry_head *head;
    hry_error err;
    uint64_t i;
    times t;
    const double began = now();
    or_die(hry_file_open(path, &options, &file, &err), &err);
    or_die(hry_file_find(file, "w", 1, &i, &err), &err);
    t.file = now() - began;
    or_die(hry_head_open(file, i, NULL, &head, &err), &err);
    t.head = now() - began - t.file;
    read_one(head, &r, shape[0]);
    t.first = now() - began;
    const double opened = now();
    for (int n = 0; n < ELEMENTS; n++)
        read_one(head, &r, shape[0]);
    t.next = (now() - opened) / ELEMENTS;
    const double at = now();
    or_die(hry_head_read(head, origin, shape, array, &err), &err);
    t.whole = (double)(shape[0] * shape[1] * sizeof *array) / (now() - at);
    hry_head_close(head);
    hry_file_close(file);
    return t;
}

static double less(double a, double b)
{
    return a < b ? a : b;
}

static times best_of(const char *path, uint64_t per_axis, bool map, float *array)
{
    times best = measure(path, per_axis, map, array);
    for (int n = 1; n < REPEATS; n++) {
        const times t = measure(path, per_axis, map, array);
        best.file = less(best.file, t.file);
        best.head = less(best.head, t.head);
        best.first = less(best.first, t.first);
        best.next = less(best.next, t.next);
        best.whole = -less(-best.whole, -t.whole);
    }
    return best;
}

int main(int argc, char **argv)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/bench_head.%ld.hrry", argc > 1 ? argv[1] : ".",
             (long)getpid());
    printf("%8s %7s %9s %9s %12s %9s %9s\n", "members", "", "file ms", "head ms",
           "1st elem. ms", "next us", "GB/s");
    for (uint64_t per_axis = 8; per_axis <= 128; per_axis *= 2) {
        const size_t size = (size_t)(per_axis * per_axis) * SIDE * SIDE * sizeof(float);
        float *array = malloc(size);
        if (array == NULL)
            return 1;
        memset(array, 0, size);
        make_file(path, per_axis);
        for (int map = 1; map >= 0; map--) {
            const times t = best_of(path, per_axis, map != 0, array);
            printf("%8u %7s %9.3f %9.3f %12.3f %9.2f %9.2f\n",
                   (unsigned)(per_axis * per_axis), map != 0 ? "mapped" : "read",
                   t.file * 1e3, t.head * 1e3, t.first * 1e3, t.next * 1e6, t.whole / 1e9);
        }
        free(array);
    }
    unlink(path);
    return 0;
}
