/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk_terms.c - boxes by tables: one term for each index of each axis, summed. Tables
 * are made for a chunk of the box at a time, so that they stay small, and for Morton
 * codes chunks are the aligned blocks that are contiguous in storage.
 */
#include "checked.h"
#include "fail.h"
#include "mover.h"

#include <stdlib.h>

#define CHUNK 4096 /* entries of a table, and of a row, at most */

/* What an axis' table holds: blocks and tiles ask for the same again and again. */
typedef struct table_key {
    uint64_t first, n; /* n 0: nothing yet */
    uint32_t level;
    int64_t range[2];
} table_key;

struct hry_term_walk {
    hry_mover *m;
    const hry_map *map;
    const int64_t *step;
    uint64_t side; /* of a chunk */
    table_key key[HRY_MAX_RANK];
    int64_t *terms[HRY_MAX_RANK]; /* by axis, parts of the memory behind the walk */
    int64_t row[CHUNK];           /* terms of a row: the last axes that go together */
    uint16_t run[CHUNK];          /* lengths of the contiguous runs of a row */
};

/* Morton: blocks of up to CHUNK elements; tables of tiles need no shape of their own. */
static uint64_t side_of(const hry_map *map)
{
    if (map->kind != HRY_MAP_MORTON)
        return CHUNK;
    const uint32_t bits = 12 / map->rank;
    return bits < 2 ? 4 : UINT64_C(1) << bits;
}

hry_status hry_term_walk_new(hry_mover *m, const hry_map *map, const uint64_t *count,
                             const int64_t *step, hry_term_walk **out, hry_error *err)
{
    const uint64_t side = side_of(map);
    size_t entries = 0;
    for (uint32_t k = 0; k < map->rank; k++)
        entries += (size_t)(count[k] < side ? count[k] : side);
    hry_term_walk *w = malloc(sizeof *w + entries * sizeof(int64_t));
    if (w == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %zu address terms", entries);
    w->m = m;
    w->map = map;
    w->step = step;
    w->side = side;
    int64_t *next = (int64_t *)(w + 1);
    for (uint32_t k = 0; k < map->rank; k++) {
        w->key[k].n = 0;
        w->terms[k] = next;
        next += count[k] < side ? count[k] : side;
    }
    *out = w;
    return HRY_OK;
}

void hry_term_walk_free(hry_term_walk *w)
{
    free(w);
}

/*
 * Joins the last axes of the chunk whose elements follow each other in the array into
 * one row of terms. Returns the number of axes left outside it.
 */
static uint32_t make_row(hry_term_walk *w, const uint64_t *n, uint64_t *length)
{
    uint32_t outer = w->map->rank - 1;
    uint64_t size = n[outer];
    for (uint64_t j = 0; j < size; j++)
        w->row[j] = w->terms[outer][j];
    while (outer > 0 && n[outer - 1] * size <= CHUNK &&
           (uint64_t)w->step[outer - 1] == size) {
        outer--;
        for (uint64_t i = n[outer]; i-- > 0;)
            for (uint64_t j = 0; j < size; j++)
                w->row[i * size + j] = w->terms[outer][i] + w->row[j];
        size *= n[outer];
    }
    *length = size;
    return outer;
}

/* Lengths of the row's contiguous runs; 0 when single elements are quicker. */
static uint64_t find_runs(hry_term_walk *w, uint64_t length)
{
    uint64_t runs = 0;
    for (uint64_t j = 0; j < length;) {
        uint64_t end = j + 1;
        while (end < length && w->row[end] == w->row[end - 1] + 1)
            end++;
        w->run[runs++] = (uint16_t)(end - j);
        j = end;
    }
    /* A run costs about as much to start as 16 single elements to move. */
    const uint64_t mean = length / runs;
    const bool worth_it = mean >= 16 || mean * w->m->bytes >= 64;
    return w->m->ops == &hry_run_ops || worth_it ? runs : 0;
}

static void one_row(const hry_term_walk *w, int64_t at, int64_t to, uint64_t length,
                    uint64_t runs)
{
    if (runs == 0) {
        w->m->ops->terms(w->m, at, w->row, to, length);
        return;
    }
    hry_rect r = {.stride = {0, 1}, .step = {0, 1}, .count = {1, 0}};
    for (uint64_t i = 0, j = 0; i < runs; i++, j += r.count[1]) {
        r.at = at + w->row[j];
        r.to = to + (int64_t)j;
        r.count[1] = w->run[i];
        w->m->ops->rect(w->m, &r);
    }
}

static void rows(hry_term_walk *w, const uint64_t *n, int64_t at, int64_t to)
{
    uint64_t length;
    const uint32_t outer = make_row(w, n, &length);
    const uint64_t runs = find_runs(w, length);
    uint64_t index[HRY_MAX_RANK] = {0};
    for (;;) {
        int64_t base = at;
        int64_t there = to;
        for (uint32_t k = 0; k < outer; k++) {
            base += w->terms[k][index[k]];
            there += (int64_t)index[k] * w->step[k];
        }
        one_row(w, base, there, length, runs);
        uint32_t k = outer;
        for (; k > 0; k--) {
            if (++index[k - 1] < n[k - 1])
                break;
            index[k - 1] = 0;
        }
        if (k == 0)
            return;
    }
}

static bool make_table(hry_term_walk *w, uint32_t level, uint32_t k, uint64_t first,
                       uint64_t n)
{
    table_key *key = &w->key[k];
    if (key->n == n && key->first == first && key->level == level)
        return true;
    *key = (table_key){.first = first, .n = n, .level = level};
    if (hry_map_terms(w->map, level, k, first, n, w->terms[k], key->range))
        return true;
    key->n = 0;
    return false;
}

static hry_status chunk(hry_term_walk *w, uint32_t level, const uint64_t *first,
                        const uint64_t *n, int64_t at, int64_t to, hry_error *err)
{
    int64_t low = at;
    int64_t high = at;
    for (uint32_t k = 0; k < w->map->rank; k++) {
        const int64_t *range = w->key[k].range;
        if (!make_table(w, level, k, first[k], n[k]) ||
            !checked_add_i64(low, range[0], &low) ||
            !checked_add_i64(high, range[1], &high))
            return HRY_FAIL(err, HRY_ERR_RANGE, "the box's offsets are beyond 63 bits");
    }
    HRY_TRY(hry_mover_prove(w->m, low, high, err));
    rows(w, n, at, to);
    return w->m->status;
}

hry_status hry_walk_terms(hry_term_walk *w, uint32_t level, const uint64_t *start,
                          const uint64_t *count, int64_t at, int64_t to, hry_error *err)
{
    const uint32_t rank = w->map->rank;
    uint64_t first[HRY_MAX_RANK];
    uint64_t n[HRY_MAX_RANK];
    for (uint32_t k = 0; k < rank; k++)
        first[k] = start[k];
    for (;;) {
        int64_t there = to;
        for (uint32_t k = 0; k < rank; k++) {
            const uint64_t aligned = w->side - first[k] % w->side;
            const uint64_t left = count[k] - (first[k] - start[k]);
            n[k] = aligned < left ? aligned : left;
            there += (int64_t)(first[k] - start[k]) * w->step[k];
        }
        HRY_TRY(chunk(w, level, first, n, at, there, err));
        uint32_t k = rank;
        for (; k > 0; k--) {
            first[k - 1] += n[k - 1];
            if (first[k - 1] - start[k - 1] < count[k - 1])
                break;
            first[k - 1] = start[k - 1];
        }
        if (k == 0)
            return HRY_OK;
    }
}
