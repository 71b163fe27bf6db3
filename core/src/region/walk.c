/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.c - boxes of dense layouts. A strided layout is one strided box; tiles are
 * strided boxes of their own when they are large enough to be worth it, and otherwise
 * go by tables of terms, as Morton codes do.
 */
#include "checked.h"
#include "fail.h"
#include "mover.h"

/* A tile of fewer elements costs more to set up than its elements do in a table. */
#define SMALL_TILE 256

typedef struct tile_walk {
    hry_mover *m;
    const hry_map *map;
    const int64_t *step;
    hry_term_walk *terms;
} tile_walk;

static bool is_small(const hry_map *map, uint32_t level, const uint64_t *count)
{
    uint64_t volume = 1;
    for (uint32_t k = 0; k < map->rank; k++) {
        const uint64_t side = map->tile[level][k];
        volume *= side < count[k] ? side : count[k];
        if (volume >= SMALL_TILE)
            return false;
    }
    return true;
}

static hry_status strided(const tile_walk *w, const uint64_t *start, const uint64_t *count,
                          int64_t at, int64_t to, hry_error *err)
{
    const hry_map *map = w->map;
    const int64_t *stride = map->stride[map->levels];
    for (uint32_t k = 0; k < map->rank; k++) {
        int64_t part = 0;
        if (stride[k] != 0 &&
            (start[k] > INT64_MAX || !checked_mul_i64((int64_t)start[k], stride[k], &part)))
            return HRY_FAIL(err, HRY_ERR_RANGE, "the box's offsets are beyond 63 bits");
        if (!checked_add_i64(at, part, &at))
            return HRY_FAIL(err, HRY_ERR_RANGE, "the box's offsets are beyond 63 bits");
    }
    return hry_move_box(w->m, map->rank, count, at, stride, to, w->step, err);
}

/* The part of a box on one axis that lies in tile `t`. */
static void cut(uint64_t start, uint64_t count, uint64_t side, uint64_t t, uint64_t *first,
                uint64_t *n)
{
    const uint64_t begin = t == start / side ? start % side : 0;
    const uint64_t rest = start + count - t * side; /* from the tile's start to the end */
    *first = begin;
    *n = (rest < side ? rest : side) - begin;
}

static hry_status tile_at(const tile_walk *w, uint32_t level, const uint64_t *t,
                          int64_t *at)
{
    for (uint32_t k = 0; k < w->map->rank; k++) {
        int64_t part;
        if (t[k] > INT64_MAX ||
            !checked_mul_i64((int64_t)t[k], w->map->stride[level][k], &part) ||
            !checked_add_i64(*at, part, at))
            return HRY_ERR_RANGE;
    }
    return HRY_OK;
}

/* Recursion is as deep as tiles are nested, HRY_MAX_TILE_DEPTH at most. */
static hry_status tiles(const tile_walk *w, uint32_t level, const uint64_t *start,
                        const uint64_t *count, int64_t at, int64_t to, hry_error *err)
{
    const hry_map *map = w->map;
    if (level == map->levels)
        return strided(w, start, count, at, to, err);
    if (is_small(map, level, count))
        return hry_walk_terms(w->terms, level, start, count, at, to, err);
    uint64_t t[HRY_MAX_RANK];
    uint64_t first[HRY_MAX_RANK];
    uint64_t n[HRY_MAX_RANK];
    const uint64_t *side = map->tile[level];
    for (uint32_t k = 0; k < map->rank; k++) {
        t[k] = start[k] / side[k];
        cut(start[k], count[k], side[k], t[k], &first[k], &n[k]);
    }
    for (;;) {
        int64_t tile = at;
        int64_t there = to;
        if (tile_at(w, level, t, &tile) != HRY_OK)
            return HRY_FAIL(err, HRY_ERR_RANGE, "a tile's offset is beyond 63 bits");
        for (uint32_t k = 0; k < map->rank; k++)
            there += (int64_t)(t[k] * side[k] + first[k] - start[k]) * w->step[k];
        HRY_TRY(tiles(w, level + 1, first, n, tile, there, err));
        uint32_t k = map->rank;
        for (; k > 0; k--) {
            const uint32_t a = k - 1;
            const bool more = ++t[a] <= (start[a] + count[a] - 1) / side[a];
            t[a] = more ? t[a] : start[a] / side[a];
            cut(start[a], count[a], side[a], t[a], &first[a], &n[a]);
            if (more)
                break;
        }
        if (k == 0)
            return HRY_OK;
    }
}

hry_status hry_walk_tiles(hry_mover *m, const hry_map *map, const uint64_t *start,
                          const uint64_t *count, const int64_t *step, hry_error *err)
{
    tile_walk w = {.m = m, .map = map, .step = step};
    if (map->levels > 0)
        HRY_TRY(hry_term_walk_new(m, map, count, step, &w.terms, err));
    const hry_status status = tiles(&w, 0, start, count, 0, 0, err);
    hry_term_walk_free(w.terms);
    return status;
}

hry_status hry_walk(hry_mover *m, const hry_map *map, const uint64_t *start,
                    const uint64_t *count, hry_error *err)
{
    int64_t own[HRY_MAX_RANK];
    const int64_t *step = m->step != NULL ? m->step : own;
    if (m->step == NULL && !hry_box_steps(map->rank, count, own))
        return HRY_FAIL(err, HRY_ERR_RANGE, "a box of more than 2^63 elements");
    if (map->kind == HRY_MAP_HILBERT)
        return hry_walk_hilbert(m, map, start, count, step, err);
    if (map->kind == HRY_MAP_STRIDES)
        return hry_walk_tiles(m, map, start, count, step, err);
    hry_term_walk *w;
    HRY_TRY(hry_term_walk_new(m, map, count, step, &w, err));
    const hry_status status = hry_walk_terms(w, 0, start, count, 0, 0, err);
    hry_term_walk_free(w);
    return status;
}
