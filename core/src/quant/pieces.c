/* SPDX-License-Identifier: Apache-2.0 */
/* pieces.c - see pieces.h. */
#include "pieces.h"

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void fit(hry_pieces *p)
{
    p->elements = 1;
    p->first = 0;
    for (uint32_t k = 0; k < p->rank; k++) {
        p->count[k] = least(p->step[k], p->high[k] - p->start[k]);
        p->elements *= p->count[k];
        p->first = p->first * (p->high[k] - p->low[k]) + (p->start[k] - p->low[k]);
    }
}

bool hry_pieces_begin(hry_pieces *p, uint32_t rank, const uint64_t *start,
                      const uint64_t *count, uint64_t room, uint64_t row)
{
    p->rank = rank;
    p->pitch = rank == 0 ? 1 : count[rank - 1];
    uint64_t left = room;
    for (uint32_t k = rank; k-- > 0;) {
        if (count[k] == 0)
            return false;
        p->low[k] = p->start[k] = start[k];
        p->high[k] = start[k] + count[k];
        p->step[k] = least(count[k], k + 1 == rank ? least(left, row) : left);
        left /= p->step[k];
    }
    fit(p);
    return true;
}

bool hry_pieces_next(hry_pieces *p)
{
    for (uint32_t k = p->rank; k-- > 0;) {
        p->start[k] += p->step[k];
        if (p->start[k] < p->high[k]) {
            fit(p);
            return true;
        }
        p->start[k] = p->low[k];
    }
    return false;
}
