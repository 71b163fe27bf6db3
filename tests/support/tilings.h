/* SPDX-License-Identifier: Apache-2.0 */
/* tilings.h - boxes that tile a shape, of several kinds, for tests and benchmarks. */
#ifndef TILINGS_H
#define TILINGS_H

#include "hry/box_index.h"

#include "random.h"

#include <stdlib.h>
#include <string.h>

typedef struct tiling {
    uint32_t rank, count, room;
    uint64_t shape[HRY_MAX_RANK];
    uint64_t *start, *size; /* owned */
} tiling;

static inline void tiling_free(tiling *t)
{
    free(t->start);
    free(t->size);
}

static inline hry_boxes tiling_boxes(const tiling *t)
{
    return (hry_boxes){
        .rank = t->rank, .count = t->count, .start = t->start, .size = t->size};
}

static inline void tiling_add(tiling *t, const uint64_t *start, const uint64_t *size)
{
    if (t->count == t->room) {
        t->room = t->room == 0 ? 64 : t->room * 2;
        const size_t bytes = (size_t)t->room * (t->rank + 1) * sizeof *t->start;
        t->start = realloc(t->start, bytes);
        t->size = realloc(t->size, bytes);
        if (t->start == NULL || t->size == NULL)
            abort();
    }
    for (uint32_t k = 0; k < t->rank; k++) {
        t->start[(size_t)t->count * t->rank + k] = start[k];
        t->size[(size_t)t->count * t->rank + k] = size[k];
    }
    t->count++;
}

static inline tiling tiling_of(uint32_t rank, const uint64_t *shape)
{
    tiling t = {.rank = rank};
    memcpy(t.shape, shape, rank * sizeof *shape);
    return t;
}

/* Cut in two again and again, anywhere along any axis, until there are `count` boxes or
 * only single elements: very uneven. */
static inline void tiling_cut(tiling *t, random_state *r, const uint64_t *start,
                              const uint64_t *size, uint32_t count)
{
    uint64_t low[HRY_MAX_RANK], rest[HRY_MAX_RANK];
    uint32_t k = 0, widths = 0;
    for (uint32_t a = 0; a < t->rank; a++)
        widths += size[a] > 1;
    if (count <= 1 || widths == 0) {
        tiling_add(t, start, size);
        return;
    }
    for (uint64_t n = random_in(r, 1, widths); n > 0; k++)
        n -= size[k] > 1;
    k--;
    memcpy(low, start, t->rank * sizeof *low);
    memcpy(rest, size, t->rank * sizeof *rest);
    const uint64_t at = random_in(r, 1, size[k] - 1);
    const uint32_t share = (uint32_t)((double)count * (double)at / (double)size[k]);
    const uint32_t left = share < 1 ? 1 : share >= count ? count - 1 : share;
    rest[k] = at;
    tiling_cut(t, r, low, rest, left);
    low[k] += at;
    rest[k] = size[k] - at;
    tiling_cut(t, r, low, rest, count - left);
}

static inline tiling tiling_random(random_state *r, uint32_t rank, const uint64_t *shape,
                                   uint32_t count)
{
    static const uint64_t origin[HRY_MAX_RANK];
    tiling t = tiling_of(rank, shape);
    tiling_cut(&t, r, origin, shape, count);
    return t;
}

/* per_axis[k] boxes along axis k, as even as they go. */
static inline tiling tiling_grid(uint32_t rank, const uint64_t *shape,
                                 const uint64_t *per_axis)
{
    tiling t = tiling_of(rank, shape);
    uint64_t cell[HRY_MAX_RANK] = {0}, start[HRY_MAX_RANK], size[HRY_MAX_RANK];
    for (;;) {
        for (uint32_t k = 0; k < rank; k++) {
            start[k] = shape[k] * cell[k] / per_axis[k];
            size[k] = shape[k] * (cell[k] + 1) / per_axis[k] - start[k];
        }
        tiling_add(&t, start, size);
        uint32_t k = rank;
        while (k > 0 && ++cell[k - 1] == per_axis[k - 1])
            cell[--k] = 0;
        if (k == 0)
            return t;
    }
}

/* Squares of 3 by 3 units, `side` by `side` of them, each of five boxes that no straight
 * cut separates. */
static inline tiling tiling_pinwheels(uint64_t side)
{
    static const uint64_t wheel[5][4] = {
        {0, 0, 1, 2}, {0, 2, 2, 1}, {2, 1, 1, 2}, {1, 0, 2, 1}, {1, 1, 1, 1}};
    tiling t = tiling_of(2, (const uint64_t[]){3 * side, 3 * side});
    for (uint64_t i = 0; i < side; i++)
        for (uint64_t j = 0; j < side; j++)
            for (int b = 0; b < 5; b++)
                tiling_add(&t, (const uint64_t[]){3 * i + wheel[b][0], 3 * j + wheel[b][1]},
                           &wheel[b][2]);
    return t;
}

/* Cubes of long sticks along one axis each, axes mixed: `side`^3 cubes of `width`^2. */
static inline tiling tiling_sticks(random_state *r, uint64_t side, uint64_t width)
{
    const uint64_t n = side * width;
    tiling t = tiling_of(3, (const uint64_t[]){n, n, n});
    for (uint64_t c = 0; c < side * side * side; c++) {
        const uint64_t corner[3] = {c / (side * side) * width, c / side % side * width,
                                    c % side * width};
        const uint32_t along = (uint32_t)random_in(r, 0, 2);
        for (uint64_t s = 0; s < width * width; s++) {
            uint64_t start[3], size[3];
            uint64_t at = s;
            for (uint32_t k = 0; k < 3; k++) {
                start[k] = corner[k] + (k == along ? 0 : at % width);
                size[k] = k == along ? width : 1;
                at = k == along ? at : at / width;
            }
            tiling_add(&t, start, size);
        }
    }
    return t;
}

/* Members come in any order. */
static inline void tiling_shuffle(tiling *t, random_state *r)
{
    for (uint32_t i = t->count; i > 1; i--) {
        const size_t j = (size_t)random_in(r, 0, i - 1) * t->rank;
        for (uint32_t k = 0; k < t->rank; k++) {
            const size_t a = (size_t)(i - 1) * t->rank + k;
            const uint64_t start = t->start[a], size = t->size[a];
            t->start[a] = t->start[j + k];
            t->size[a] = t->size[j + k];
            t->start[j + k] = start;
            t->size[j + k] = size;
        }
    }
}

#endif
