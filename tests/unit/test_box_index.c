/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boxes found through an index are those that looking at every box finds; and how many are
 * looked at grows with the logarithm of their number.
 */
#include "composite/box_tree.h"

#include "cmocka_all.h"
#include "tilings.h"

#include <math.h>

static hry_error err;

static bool holds(const hry_boxes *b, uint32_t i, const uint64_t *start,
                  const uint64_t *size)
{
    for (uint32_t k = 0; k < b->rank; k++) {
        const uint64_t low = b->start[(size_t)i * b->rank + k];
        const uint64_t high = low + b->size[(size_t)i * b->rank + k];
        if (low == high || size[k] == 0 || low >= start[k] + size[k] || high <= start[k])
            return false;
    }
    return true;
}

static hry_status mark(void *ctx, uint32_t i, hry_error *e)
{
    (void)e;
    ((uint8_t *)ctx)[i]++;
    return HRY_OK;
}

static void random_box(random_state *r, const tiling *t, uint64_t *start, uint64_t *size)
{
    for (uint32_t k = 0; k < t->rank; k++) {
        start[k] = random_in(r, 0, t->shape[k]);
        size[k] = random_in(r, 0, t->shape[k] - start[k]);
    }
}

/* The index against looking at every box. */
static void agrees(const tiling *t, random_state *r, int tries)
{
    const hry_boxes b = tiling_boxes(t);
    hry_box_index *index;
    uint64_t start[HRY_MAX_RANK], size[HRY_MAX_RANK], s[HRY_MAX_RANK], z[HRY_MAX_RANK];
    uint8_t *seen = malloc(t->count + 1);
    assert_non_null(seen);
    assert_ok(hry_box_index_new(&b, &index, &err), &err);
    assert_int_equal(hry_box_index_count(index), t->count);
    for (int n = 0; n < tries; n++) {
        random_box(r, t, start, size);
        memset(seen, 0, t->count + 1);
        assert_ok(hry_box_index_search(index, start, size, mark, seen, &err), &err);
        for (uint32_t i = 0; i < t->count; i++)
            assert_int_equal(seen[i], holds(&b, i, start, size));
    }
    for (uint32_t i = 0; i < t->count; i++) {
        hry_box_index_get(index, i, s, z);
        assert_memory_equal(s, b.start + (size_t)i * t->rank, t->rank * sizeof *s);
        assert_memory_equal(z, b.size + (size_t)i * t->rank, t->rank * sizeof *z);
    }
    hry_box_index_free(index);
    free(seen);
}

static bool any_overlap(const hry_boxes *b)
{
    for (uint32_t i = 0; i < b->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (holds(b, i, b->start + (size_t)j * b->rank, b->size + (size_t)j * b->rank))
                return true;
    return false;
}

static void overlap_is_found(const tiling *t)
{
    const hry_boxes b = tiling_boxes(t);
    hry_box_index *index;
    uint32_t i = 7, j = 7;
    assert_ok(hry_box_index_new(&b, &index, &err), &err);
    const bool found = hry_box_index_overlap(index, &i, &j);
    assert_int_equal(found, any_overlap(&b));
    if (found) {
        assert_true(i < j && j < b.count);
        assert_true(
            holds(&b, i, b.start + (size_t)j * b.rank, b.size + (size_t)j * b.rank));
    }
    hry_box_index_free(index);
}

static void finds_what_looking_at_every_box_finds(void **state)
{
    (void)state;
    random_state r = {.s = 1};
    for (int n = 0; n < 60; n++) {
        const uint32_t rank = (uint32_t)random_in(&r, 1, 5);
        uint64_t shape[5];
        for (uint32_t k = 0; k < rank; k++)
            shape[k] = random_in(&r, 1, 40);
        tiling t = tiling_random(&r, rank, shape, (uint32_t)random_in(&r, 1, 300));
        tiling_shuffle(&t, &r);
        agrees(&t, &r, 50);
        overlap_is_found(&t);
        tiling_free(&t);
    }
}

/* Boxes anywhere, of any size, empty ones too. */
static void boxes_may_overlap_and_be_empty(void **state)
{
    (void)state;
    random_state r = {.s = 2};
    for (int n = 0; n < 200; n++) {
        const uint32_t rank = (uint32_t)random_in(&r, 1, 4);
        uint64_t shape[4], start[4], size[4];
        for (uint32_t k = 0; k < rank; k++)
            shape[k] = random_in(&r, 1, 30);
        tiling t = tiling_of(rank, shape);
        for (uint64_t i = random_in(&r, 0, 40); i > 0; i--) {
            random_box(&r, &t, start, size);
            if (n % 2 == 0)
                for (uint32_t k = 0; k < rank; k++)
                    size[k] = size[k] > 2 ? 2 : size[k];
            tiling_add(&t, start, size);
        }
        agrees(&t, &r, 20);
        overlap_is_found(&t);
        tiling_free(&t);
    }
}

/* Cells of a shape of 64 axes, two along each of ten of them. */
static void sixty_four_axes_are_as_good_as_those_that_differ(void **state)
{
    (void)state;
    random_state r = {.s = 3};
    uint64_t shape[HRY_MAX_RANK], per_axis[HRY_MAX_RANK];
    for (uint32_t k = 0; k < HRY_MAX_RANK; k++) {
        per_axis[k] = k % 6 == 0 && k < 60 ? 2 : 1;
        shape[k] = 2 + k % 3;
    }
    tiling t = tiling_grid(HRY_MAX_RANK, shape, per_axis);
    assert_int_equal(t.count, 1024);
    agrees(&t, &r, 20);
    overlap_is_found(&t);
    tiling_free(&t);
}

static void scalars_have_boxes_of_no_axes(void **state)
{
    (void)state;
    hry_box_index *index;
    uint32_t i = 9;
    uint8_t seen[2] = {0};
    for (uint32_t count = 0; count <= 2; count++) {
        const hry_boxes b = {.rank = 0, .count = count};
        assert_ok(hry_box_index_new(&b, &index, &err), &err);
        assert_status(count > 0 ? HRY_OK : HRY_ERR_NOTFOUND,
                      hry_box_index_find(index, NULL, &i, &err), &err);
        memset(seen, 0, sizeof seen);
        assert_ok(hry_box_index_search(index, NULL, NULL, mark, seen, &err), &err);
        assert_int_equal(seen[0] + seen[1], count);
        assert_int_equal(hry_box_index_overlap(index, NULL, NULL), count > 1);
        hry_box_index_free(index);
    }
    assert_true(i < 2);
}

static void ends_beyond_64_bits_are_refused(void **state)
{
    (void)state;
    hry_box_index *index = NULL;
    uint32_t i;
    uint64_t start[2] = {0, UINT64_MAX - 5}, size[2] = {1, 5};
    hry_boxes b = {.rank = 1, .count = 2, .start = start, .size = size};
    assert_ok(hry_box_index_new(&b, &index, &err), &err);
    const uint64_t last = UINT64_MAX - 1, beyond = UINT64_MAX;
    assert_ok(hry_box_index_find(index, &last, &i, &err), &err);
    assert_int_equal(i, 1);
    assert_status(HRY_ERR_NOTFOUND, hry_box_index_find(index, &beyond, &i, &err), &err);
    hry_box_index_free(index);
    size[1] = 6;
    assert_status(HRY_ERR_RANGE, hry_box_index_new(&b, &index, &err), &err);
    b.rank = HRY_MAX_RANK + 1;
    assert_status(HRY_ERR_ARG, hry_box_index_new(&b, &index, &err), &err);
}

static hry_status stop(void *ctx, uint32_t i, hry_error *e)
{
    (void)e;
    *(uint32_t *)ctx += 1 + 0 * i;
    return HRY_ERR_IO;
}

static void a_visit_can_end_the_search(void **state)
{
    (void)state;
    random_state r = {.s = 4};
    uint32_t visits = 0;
    tiling t = tiling_random(&r, 2, (const uint64_t[]){50, 50}, 100);
    const hry_boxes b = tiling_boxes(&t);
    hry_box_index *index;
    assert_ok(hry_box_index_new(&b, &index, &err), &err);
    assert_int_equal(
        hry_box_index_search(index, (const uint64_t[]){0, 0}, t.shape, stop, &visits, &err),
        HRY_ERR_IO);
    assert_int_equal(visits, 1);
    hry_box_index_free(index);
    tiling_free(&t);
}

/* ---- how much is looked at ---- */

typedef struct effort {
    double per_point; /* boxes and bounds compared to find one element, on average */
    double most;      /* for any one                                               */
    double per_box;   /* to tell whether any two overlap, for each box             */
    uint32_t count;
} effort;

static hry_status count_hit(void *ctx, uint32_t i, hry_error *e)
{
    (void)e;
    *(uint64_t *)ctx += 1 + 0 * i;
    return HRY_OK;
}

static effort effort_of(tiling *t, random_state *r)
{
    const uint64_t one[4] = {1, 1, 1, 1};
    enum { POINTS = 2000 };
    effort e = {.count = t->count};
    uint64_t total = 0;
    tiling_shuffle(t, r);
    const hry_boxes b = tiling_boxes(t);
    hry_box_index *index;
    assert_ok(hry_box_index_new(&b, &index, &err), &err);
    for (int n = 0; n < POINTS; n++) {
        uint64_t point[4], tested = 0, hits = 0;
        /* Half anywhere, half in any box: small ones count as much as large ones. */
        const size_t in = (size_t)random_in(r, 0, t->count - 1) * t->rank;
        for (uint32_t k = 0; k < t->rank; k++)
            point[k] = n % 2 == 0 ? random_in(r, 0, t->shape[k] - 1)
                                  : t->start[in + k] + random_in(r, 0, t->size[in + k] - 1);
        assert_ok(hry_box_tree_search(index, point, one, count_hit, &hits, &tested, &err),
                  &err);
        assert_int_equal(hits, 1);
        total += tested;
        e.most = (double)tested > e.most ? (double)tested : e.most;
    }
    uint64_t tested = 0;
    assert_false(hry_box_tree_overlap(index, NULL, NULL, &tested));
    e.per_point = (double)total / POINTS;
    e.per_box = (double)tested / t->count;
    hry_box_index_free(index);
    tiling_free(t);
    return e;
}

static effort told(const char *name, effort e)
{
    print_message("%-10s %7u boxes: %5.1f compared to find an element (%4.0f at most), "
                  "%5.1f for each box to tell them apart\n",
                  name, (unsigned)e.count, e.per_point, e.most, e.per_box);
    return e;
}

static void is_logarithmic(const char *name, effort e)
{
    const double log_count = log2((double)e.count);
    told(name, e);
    assert_true(e.per_point < 8 + 6 * log_count);
    assert_true(e.most < 8 + 24 * log_count);
    assert_true(e.per_box < 4 * log_count);
}

static void a_hundred_thousand_boxes_are_searched_by_looking_at_few(void **state)
{
    (void)state;
    random_state r = {.s = 5};
    tiling t =
        tiling_grid(3, (const uint64_t[]){4700, 470, 470}, (const uint64_t[]){47, 47, 47});
    is_logarithmic("grid", effort_of(&t, &r));
    t = tiling_grid(1, (const uint64_t[]){1000000}, (const uint64_t[]){100000});
    is_logarithmic("slabs", effort_of(&t, &r));
    t = tiling_random(&r, 2, (const uint64_t[]){1 << 20, 1 << 20}, 100000);
    is_logarithmic("cuts in 2d", effort_of(&t, &r));
    t = tiling_random(&r, 4, (const uint64_t[]){1000, 1000, 1000, 1000}, 100000);
    is_logarithmic("cuts in 4d", effort_of(&t, &r));
    t = tiling_pinwheels(142);
    is_logarithmic("pinwheels", effort_of(&t, &r));
    t = tiling_sticks(&r, 7, 17);
    is_logarithmic("sticks", effort_of(&t, &r));
}

/* A hundred times as many boxes: log2 goes from 10 to 16.6. */
static void a_hundred_times_the_boxes_are_twice_the_work(void **state)
{
    (void)state;
    random_state r = {.s = 6};
    const uint64_t shape[3] = {1 << 20, 1 << 20, 1 << 20};
    tiling few = tiling_random(&r, 3, shape, 1000);
    tiling many = tiling_random(&r, 3, shape, 100000);
    const effort a = told("cuts in 3d", effort_of(&few, &r));
    const effort b = told("cuts in 3d", effort_of(&many, &r));
    assert_true(b.per_point < 2.5 * a.per_point);
    assert_true(b.per_box < 2.5 * a.per_box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_looking_at_every_box_finds),
        cmocka_unit_test(boxes_may_overlap_and_be_empty),
        cmocka_unit_test(sixty_four_axes_are_as_good_as_those_that_differ),
        cmocka_unit_test(scalars_have_boxes_of_no_axes),
        cmocka_unit_test(ends_beyond_64_bits_are_refused),
        cmocka_unit_test(a_visit_can_end_the_search),
        cmocka_unit_test(a_hundred_thousand_boxes_are_searched_by_looking_at_few),
        cmocka_unit_test(a_hundred_times_the_boxes_are_twice_the_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
