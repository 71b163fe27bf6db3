/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partitions of 100 to 100,000 members: how long it takes to check them and to find an
 * element or a box, and how that grows. Baselines: qsort() of as many rows of numbers, and
 * looking at every box for a point.
 */
#include "hry/composite.h"

#include "tilings.h"

#include <stdio.h>
#include <time.h>

#define POINTS 100000

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

typedef struct times {
    uint32_t members;
    double check; /* all members through a binder, seconds          */
    double sort;  /* of the boxes' starts, by qsort()               */
    double index; /* boxes alone: index and proof that none overlap */
    double point; /* seconds each, as all below                     */
    double box;   /* that meets about 8 boxes                       */
    double naive; /* a point by looking at every box                */
} times;

static void or_die(hry_status status)
{
    if (status != HRY_OK)
        abort();
}

static double time_check(const tiling *t)
{
    hry_descriptor head, d;
    hry_binder *binder;
    or_die(hry_descriptor_dense(HRY_FLOAT32, 0, NULL, &d, NULL));
    head = d;
    head.layout_tag = HRY_COMPOSITE;
    head.buffer_count = 0;
    head.rank = t->rank;
    head.fields.composite =
        (hry_composite){.rule = HRY_PARTITION, .member_count = t->count};
    memcpy(head.shape, t->shape, t->rank * sizeof *t->shape);
    d.rank = t->rank;
    d.flags = HRY_HAS_SHARD;
    memcpy(d.shard.parent_shape, t->shape, t->rank * sizeof *t->shape);
    const double began = now();
    or_die(hry_binder_new(HRY_STRICT, &binder, NULL));
    or_die(hry_binder_add(binder, &head, 0, NULL, NULL));
    for (uint32_t i = 0; i < t->count; i++) {
        memcpy(d.shard.offset, t->start + (size_t)i * t->rank, t->rank * sizeof *t->start);
        memcpy(d.shape, t->size + (size_t)i * t->rank, t->rank * sizeof *t->size);
        or_die(hry_binder_add(binder, &d, 0, NULL, NULL));
    }
    or_die(hry_binder_end(binder, NULL));
    hry_binder_free(binder);
    return now() - began;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static double time_sort(const tiling *t)
{
    const size_t row = t->rank * sizeof *t->start;
    uint64_t *rows = malloc(t->count * row);
    if (rows == NULL)
        abort();
    memcpy(rows, t->start, t->count * row);
    const double began = now();
    qsort(rows, t->count, row, compare);
    const double took = now() - began;
    free(rows);
    return took;
}

static double time_index(const hry_boxes *b, hry_box_index **index)
{
    const double began = now();
    or_die(hry_box_index_new(b, index, NULL));
    if (hry_box_index_overlap(*index, NULL, NULL))
        abort();
    return now() - began;
}

static double time_points(const tiling *t, const hry_box_index *index, random_state *r)
{
    uint64_t point[HRY_MAX_RANK];
    uint32_t box, sum = 0;
    const double began = now();
    for (int n = 0; n < POINTS; n++) {
        for (uint32_t k = 0; k < t->rank; k++)
            point[k] = random_in(r, 0, t->shape[k] - 1);
        or_die(hry_box_index_find(index, point, &box, NULL));
        sum += box;
    }
    const double took = now() - began;
    return sum == UINT32_MAX ? 0 : took / POINTS;
}

static hry_status count_hit(void *ctx, uint32_t i, hry_error *err)
{
    (void)err;
    *(uint64_t *)ctx += 1 + 0 * i;
    return HRY_OK;
}

static double time_boxes(const tiling *t, const hry_box_index *index, random_state *r)
{
    uint64_t start[HRY_MAX_RANK], size[HRY_MAX_RANK], hits = 0;
    const double began = now();
    for (int n = 0; n < POINTS / 10; n++) {
        const size_t like = (size_t)random_in(r, 0, t->count - 1) * t->rank;
        for (uint32_t k = 0; k < t->rank; k++) {
            size[k] = t->size[like + k];
            start[k] = random_in(r, 0, t->shape[k] - size[k]);
        }
        or_die(hry_box_index_search(index, start, size, count_hit, &hits, NULL));
    }
    return (now() - began) / (double)(hits + 1) * 8;
}

static double time_naive(const tiling *t, random_state *r)
{
    enum { TRIES = 20 };
    uint64_t point[HRY_MAX_RANK], hits = 0;
    const double began = now();
    for (int n = 0; n < TRIES; n++) {
        for (uint32_t k = 0; k < t->rank; k++)
            point[k] = random_in(r, 0, t->shape[k] - 1);
        for (uint32_t i = 0; i < t->count; i++) {
            bool inside = true;
            for (uint32_t k = 0; inside && k < t->rank; k++) {
                const size_t at = (size_t)i * t->rank + k;
                inside = point[k] - t->start[at] < t->size[at];
            }
            hits += inside;
        }
    }
    return hits == TRIES ? (now() - began) / TRIES : 0;
}

static times measure(tiling *t, random_state *r)
{
    hry_box_index *index;
    tiling_shuffle(t, r);
    const hry_boxes b = tiling_boxes(t);
    times m = {.members = t->count, .check = time_check(t), .sort = time_sort(t)};
    m.index = time_index(&b, &index);
    m.point = time_points(t, index, r);
    m.box = time_boxes(t, index, r);
    m.naive = time_naive(t, r);
    hry_box_index_free(index);
    tiling_free(t);
    return m;
}

static void print(const times *m, const times *before)
{
    printf("%8u %10.3f %10.3f %9.3f %9.3f %10.2f %6.1f %6.0f", (unsigned)m->members,
           m->check * 1e3, m->index * 1e3, m->point * 1e6, m->box * 1e6, m->naive * 1e6,
           m->check / m->sort, m->naive / m->point);
    if (before != NULL)
        printf("   x%5.1f x%5.1f x%5.1f", m->check / before->check,
               m->index / before->index, m->point / before->point);
    printf("\n");
}

typedef tiling make(random_state *r, uint64_t count);

static tiling make_grid(random_state *r, uint64_t count)
{
    uint64_t side = 1;
    (void)r;
    while ((side + 1) * (side + 1) <= count)
        side++;
    return tiling_grid(2, (const uint64_t[]){side * 64, side * 64},
                       (const uint64_t[]){side, side});
}

static tiling make_slabs(random_state *r, uint64_t count)
{
    (void)r;
    return tiling_grid(1, &(uint64_t){count * 100}, &count);
}

static tiling make_cuts(random_state *r, uint64_t count)
{
    return tiling_random(r, 3, (const uint64_t[]){1 << 20, 1 << 20, 1 << 20},
                         (uint32_t)count);
}

int main(void)
{
    static const struct {
        const char *name;
        make *make;
    } kinds[] = {{"slabs (1-D)", make_slabs},
                 {"grid (2-D)", make_grid},
                 {"random cuts (3-D)", make_cuts}};
    random_state r = {.s = 1};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        times before = {0};
        printf("%s\n%8s %10s %10s %9s %9s %10s %6s %6s   growth of the first three\n",
               kinds[k].name, "members", "check ms", "index ms", "point us", "8 hits us",
               "scan us", "check/", "scan/");
        printf("%8s %10s %10s %9s %9s %10s %6s %6s\n", "", "", "", "", "", "", "sort",
               "point");
        for (uint64_t count = 100; count <= 100000; count *= 10) {
            tiling t = kinds[k].make(&r, count);
            const times m = measure(&t, &r);
            print(&m, count > 100 ? &before : NULL);
            before = m;
        }
    }
    return 0;
}
