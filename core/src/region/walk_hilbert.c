/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk_hilbert.c - boxes of the Hilbert layout. The curve runs through every aligned
 * block in the same way, up to an exchange and mirroring of axes: codes of one block
 * come from a table, and only the blocks themselves are encoded.
 */
#include "address/hilbert.h"
#include "fail.h"
#include "mover.h"

#include <stdlib.h>

#define BLOCK_BITS 12 /* of the codes in a block, at most */

typedef struct hilbert_walk {
    hry_mover *m;
    const hry_map *map;
    const int64_t *step;
    uint32_t low;                   /* bits of a coordinate inside a block */
    uint16_t code[1 << BLOCK_BITS]; /* by local coordinates, row-major */
    int64_t at[1 << BLOCK_BITS];
    int64_t to[1 << BLOCK_BITS];
} hilbert_walk;

static void make_table(hilbert_walk *w)
{
    const uint32_t rank = w->map->rank;
    const uint64_t mask = (UINT64_C(1) << w->low) - 1;
    for (uint64_t i = 0; i < UINT64_C(1) << rank * w->low; i++) {
        uint64_t index[HRY_MAX_RANK] = {0};
        for (uint32_t k = 0; k < rank; k++)
            index[k] = i >> (rank - 1 - k) * w->low & mask;
        w->code[i] = (uint16_t)hry_hilbert_code(rank, w->low, index);
    }
}

/* The local coordinate `x` of axis `k`, turned, as its part of the table's index. */
static uint32_t turned(const hilbert_walk *w, const hry_hilbert_turn *turn, uint32_t k,
                       uint64_t x)
{
    const uint32_t mask = (1U << w->low) - 1;
    const uint32_t local = ((uint32_t)x & mask) ^ (turn->mirror[k] ? mask : 0);
    return local << (w->map->rank - 1 - turn->to[k]) * w->low;
}

/* The part of the box in one block: indices first .. first + n - 1, array from `to`. */
static void block(hilbert_walk *w, const uint64_t *first, const uint64_t *n, int64_t to)
{
    const uint32_t rank = w->map->rank;
    const uint32_t last = rank - 1;
    uint64_t position[HRY_MAX_RANK];
    hry_hilbert_turn turn;
    for (uint32_t k = 0; k < rank; k++)
        position[k] = first[k] >> w->low;
    hry_hilbert_turn_of(rank, w->map->order, w->low, position, &turn);
    uint64_t index[HRY_MAX_RANK] = {0};
    uint64_t filled = 0;
    for (;;) {
        uint32_t row = 0;
        int64_t there = to;
        for (uint32_t k = 0; k < last; k++) {
            row |= turned(w, &turn, k, first[k] + index[k]);
            there += (int64_t)index[k] * w->step[k];
        }
        for (uint64_t j = 0; j < n[last]; j++) {
            const uint32_t local = row | turned(w, &turn, last, first[last] + j);
            w->at[filled] = (int64_t)(turn.base | (w->code[local] ^ turn.invert));
            w->to[filled++] = there + (int64_t)j;
        }
        uint32_t k = last;
        for (; k > 0; k--) {
            if (++index[k - 1] < n[k - 1])
                break;
            index[k - 1] = 0;
        }
        if (k == 0)
            break;
    }
    w->m->ops->pairs(w->m, w->at, w->to, filled);
}

static hry_status blocks(hilbert_walk *w, const uint64_t *start, const uint64_t *count)
{
    const uint32_t rank = w->map->rank;
    const uint64_t side = UINT64_C(1) << w->low;
    uint64_t first[HRY_MAX_RANK];
    uint64_t n[HRY_MAX_RANK];
    for (uint32_t k = 0; k < rank; k++)
        first[k] = start[k];
    for (;;) {
        int64_t to = 0;
        for (uint32_t k = 0; k < rank; k++) {
            const uint64_t aligned = side - (first[k] & (side - 1));
            const uint64_t left = start[k] + count[k] - first[k];
            n[k] = aligned < left ? aligned : left;
            to += (int64_t)(first[k] - start[k]) * w->step[k];
        }
        block(w, first, n, to);
        uint32_t k = rank;
        for (; k > 0; k--) {
            first[k - 1] += n[k - 1];
            if (first[k - 1] < start[k - 1] + count[k - 1])
                break;
            first[k - 1] = start[k - 1];
        }
        if (k == 0 || w->m->status != HRY_OK)
            return w->m->status;
    }
}

hry_status hry_walk_hilbert(hry_mover *m, const hry_map *map, const uint64_t *start,
                            const uint64_t *count, const int64_t *step, hry_error *err)
{
    const int64_t end = (int64_t)((UINT64_C(1) << map->rank * map->order) - 1);
    HRY_TRY(hry_mover_prove(m, 0, end, err));
    hilbert_walk *w = malloc(sizeof *w);
    if (w == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a table of Hilbert codes");
    const uint32_t most = BLOCK_BITS / map->rank;
    w->m = m;
    w->map = map;
    w->step = step;
    w->low = most < map->order ? most : map->order;
    make_table(w);
    const hry_status status = blocks(w, start, count);
    free(w);
    return status;
}
