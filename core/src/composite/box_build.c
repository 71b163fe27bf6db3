/* SPDX-License-Identifier: Apache-2.0 */
/*
 * box_build.c - boxes into a tree. A node is cut where few of its boxes are cut through and
 * about as many lie on either side; that is judged by a sample of them, so that the top
 * levels cost little.
 */
#include "box_tree.h"

#include "checked.h"
#include "fail.h"

#include <stdlib.h>
#include <string.h>

#define SAMPLE 256
#define SMALL_SAMPLE 48
#define CROSSING 8 /* one box cut through is as bad as so many on the wrong side */

typedef struct cut {
    uint32_t axis;
    uint64_t at; /* the left side ends here */
    uint32_t cost;
} cut;

/* Where sampled rows begin and end on one axis, both ascending. */
typedef struct sample {
    uint32_t count;
    uint64_t low[SAMPLE], high[SAMPLE];
} sample;

static uint64_t mix(uint64_t n)
{
    n = (n ^ n >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    n = (n ^ n >> 27) * UINT64_C(0x94D049BB133111EB);
    return n ^ n >> 31;
}

/* A shell sort: in line, for few numbers. */
static void sort(uint64_t *v, uint32_t count)
{
    static const uint32_t gaps[] = {57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (uint32_t i = gaps[g]; i < count; i++) {
            const uint64_t moved = v[i];
            uint32_t j = i;
            for (; j >= gaps[g] && v[j - gaps[g]] > moved; j -= gaps[g])
                v[j] = v[j - gaps[g]];
            v[j] = moved;
        }
}

/* Rows from all over the node: a regular step could meet a regular grid badly. */
static void take_sample(const hry_box_index *x, const hry_box_node *node, uint32_t axis,
                        uint32_t limit, sample *s)
{
    const uint64_t *row = hry_box_row(x, node->first);
    const size_t pitch = 2 * (size_t)x->axes;
    s->count = node->count < limit ? node->count : limit;
    for (uint32_t i = 0; i < s->count; i++) {
        const uint64_t pick =
            node->count <= limit ? i : mix(node->first + i + 1) % node->count;
        s->low[i] = row[pick * pitch + axis];
        s->high[i] = row[pick * pitch + x->axes + axis];
    }
}

static bool is_left(uint64_t low, uint64_t high, uint64_t at)
{
    return high <= at || (low < at && at - low >= high - at);
}

/* Try every place where a box begins but the first, if an eighth lies on either side. */
static void try_axis(const sample *s, uint32_t axis, cut *best)
{
    const uint32_t n = s->count, least = n / 8;
    uint32_t ended = 0; /* boxes that end there or before */
    for (uint32_t i = 1; i < n; i++) {
        const uint64_t at = s->low[i];
        while (ended < n && s->high[ended] <= at)
            ended++;
        if (at == s->low[i - 1])
            continue;
        const uint32_t crossing = i - ended, behind = n - i;
        if (ended + crossing / 2 < least || behind + crossing / 2 < least)
            continue;
        const uint32_t uneven = ended > behind ? ended - behind : behind - ended;
        const uint32_t cost = CROSSING * crossing + uneven;
        if (cost < best->cost)
            *best = (cut){.axis = axis, .at = at, .cost = cost};
    }
}

/*
 * A cut through no box with a quarter on either side, in the middle of a few boxes: where
 * boxes form a grid there always is one.
 */
static bool is_clean(sample *s, uint64_t *at)
{
    enum { FEW = 7 };
    uint64_t few[FEW];
    uint32_t left = 0, right = 0;
    const uint32_t n = s->count < FEW ? s->count : FEW;
    for (uint32_t i = 0; i < n; i++)
        few[i] = s->low[(uint64_t)s->count * i / n];
    sort(few, n);
    *at = few[n / 2];
    for (uint32_t i = 0; i < s->count; i++) {
        left += s->high[i] <= *at;
        right += s->low[i] >= *at;
    }
    return left + right == s->count && left >= s->count / 4 && right >= s->count / 4;
}

static bool find_clean_cut(const hry_box_index *x, const hry_box_node *node, cut *c)
{
    for (uint32_t axis = 0; axis < x->axes; axis++) {
        sample s;
        take_sample(x, node, axis, SMALL_SAMPLE, &s);
        if (is_clean(&s, &c->at)) {
            c->axis = axis;
            return true;
        }
    }
    return false;
}

static bool find_best_cut(const hry_box_index *x, const hry_box_node *node, cut *c)
{
    c->cost = UINT32_MAX;
    for (uint32_t axis = 0; axis < x->axes; axis++) {
        sample s;
        take_sample(x, node, axis, SAMPLE, &s);
        sort(s.low, s.count);
        sort(s.high, s.count);
        try_axis(&s, axis, c);
    }
    return c->cost < UINT32_MAX;
}

static void swap_rows(hry_box_index *x, uint32_t i, uint32_t j)
{
    uint64_t *a = x->rows + (size_t)i * 2 * x->axes;
    uint64_t *b = x->rows + (size_t)j * 2 * x->axes;
    for (uint32_t k = 0; k < 2 * x->axes; k++) {
        const uint64_t v = a[k];
        a[k] = b[k];
        b[k] = v;
    }
    const uint32_t box = x->box[i];
    x->box[i] = x->box[j];
    x->box[j] = box;
}

/* Rows that belong left of the cut first; returns how many. */
static uint32_t partition(hry_box_index *x, const hry_box_node *node, const cut *c)
{
    uint32_t begin = node->first;
    uint32_t end = node->first + node->count;
    while (begin < end) {
        const uint64_t *row = hry_box_row(x, begin);
        if (is_left(row[c->axis], row[x->axes + c->axis], c->at))
            begin++;
        else
            swap_rows(x, begin, --end);
    }
    return begin - node->first;
}

/* How many rows of the node become its left child's. Boxes that no cut parts are halved as
 * they come. */
static uint32_t divide(hry_box_index *x, const hry_box_node *node)
{
    cut c;
    if (find_clean_cut(x, node, &c) || find_best_cut(x, node, &c)) {
        const uint32_t left = partition(x, node, &c), least = node->count / 8;
        if (left >= least && node->count - left >= least)
            return left;
    }
    return node->count / 2;
}

static void widen(uint64_t *bounds, const uint64_t *row, uint32_t axes)
{
    for (uint32_t k = 0; k < axes; k++) {
        if (row[k] < bounds[k])
            bounds[k] = row[k];
        if (row[axes + k] > bounds[axes + k])
            bounds[axes + k] = row[axes + k];
    }
}

/* Of the rows of a leaf, or of both children, which are bounded. */
static void bound(hry_box_index *x, uint32_t n)
{
    const hry_box_node *node = &x->nodes[n];
    const size_t size = 2 * (size_t)x->axes;
    uint64_t *to = x->bounds + n * size;
    const uint64_t *from = hry_box_row(x, node->first);
    if (node->right != 0) {
        memcpy(to, hry_box_bounds(x, n + 1), size * sizeof *to);
        widen(to, hry_box_bounds(x, node->right), x->axes);
        return;
    }
    memcpy(to, from, size * sizeof *to);
    for (uint32_t i = 1; i < node->count; i++)
        widen(to, from + i * size, x->axes);
}

static hry_status grow(hry_box_index *x, hry_error *err)
{
    const uint64_t room = x->node_room == 0 ? 16 : (uint64_t)x->node_room * 2;
    size_t size, bounds_size;
    if (room > UINT32_MAX || !checked_array(room, sizeof *x->nodes, &size) ||
        !checked_array(room, 2 * (size_t)x->axes * sizeof *x->bounds + 1, &bounds_size))
        return HRY_FAIL(err, HRY_ERR_NOMEM, "an index of %llu nodes is too large",
                        (unsigned long long)room);
    hry_box_node *nodes = realloc(x->nodes, size);
    if (nodes == NULL)
        return HRY_NO_MEMORY(err, size);
    x->nodes = nodes;
    uint64_t *bounds = realloc(x->bounds, bounds_size);
    if (bounds == NULL)
        return HRY_NO_MEMORY(err, bounds_size);
    x->bounds = bounds;
    x->node_room = (uint32_t)room;
    return HRY_OK;
}

/* Recursion is at most HRY_BOX_DEPTH deep: see there. */
static hry_status build(hry_box_index *x, uint32_t first, uint32_t count, hry_error *err)
{
    if (x->node_count == x->node_room)
        HRY_TRY(grow(x, err));
    const uint32_t n = x->node_count++;
    x->nodes[n] = (hry_box_node){.first = first, .count = count};
    if (count > HRY_BOX_LEAF) {
        const uint32_t left = divide(x, &x->nodes[n]);
        HRY_TRY(build(x, first, left, err));
        x->nodes[n].right = x->node_count;
        HRY_TRY(build(x, first + left, count - left, err));
    }
    bound(x, n);
    return HRY_OK;
}

hry_status hry_box_tree_build(hry_box_index *x, hry_error *err)
{
    if (x->filled > 0)
        HRY_TRY(build(x, 0, x->filled, err));
    for (uint32_t i = 0; i < x->count; i++)
        x->row[x->box[i]] = i;
    return HRY_OK;
}
