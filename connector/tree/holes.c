/* SPDX-License-Identifier: Apache-2.0 */
/* holes.c - see holes.h. */
#include "holes.h"

#include <stdlib.h>
#include <string.h>

enum { LOOKED_AT = 256 }; /* holes tried for a place, so that allocating stays cheap */

static bool push(hvol_hole **list, size_t *count, size_t *room, hvol_hole hole)
{
    if (*count == *room) {
        const size_t more = *room == 0 ? 16 : *room * 2;
        hvol_hole *grown = realloc(*list, more * sizeof *grown);
        if (grown == NULL)
            return false;
        *list = grown;
        *room = more;
    }
    (*list)[(*count)++] = hole;
    return true;
}

void hvol_holes_add(hvol_holes *h, uint64_t offset, uint64_t size)
{
    if (size > 0)
        push(&h->waiting, &h->waiting_count, &h->waiting_room, (hvol_hole){offset, size});
}

static int by_offset(const void *a, const void *b)
{
    const hvol_hole *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

void hvol_holes_settle(hvol_holes *h)
{
    size_t n = 0;
    if (h->waiting_count == 0)
        return;
    for (size_t i = 0; i < h->waiting_count; i++)
        push(&h->ready, &h->ready_count, &h->ready_room, h->waiting[i]);
    h->waiting_count = 0;
    qsort(h->ready, h->ready_count, sizeof *h->ready, by_offset);
    for (size_t i = 1; i < h->ready_count; i++) {
        hvol_hole *last = &h->ready[n];
        if (last->offset + last->size >= h->ready[i].offset) {
            const uint64_t end = h->ready[i].offset + h->ready[i].size;
            if (end > last->offset + last->size)
                last->size = end - last->offset;
        } else {
            h->ready[++n] = h->ready[i];
        }
    }
    h->ready_count = h->ready_count == 0 ? 0 : n + 1;
}

bool hvol_holes_take(hvol_holes *h, uint64_t size, uint64_t alignment, uint64_t *offset)
{
    const size_t count = h->ready_count < LOOKED_AT ? h->ready_count : LOOKED_AT;
    for (size_t i = 0; i < count && size > 0; i++) {
        hvol_hole *hole = &h->ready[i];
        const uint64_t at = (hole->offset + alignment - 1) & ~(alignment - 1);
        const uint64_t skipped = at - hole->offset;
        if (skipped > hole->size || hole->size - skipped < size)
            continue;
        *offset = at;
        hole->offset = at + size; /* what is before it is lost until a repack */
        hole->size -= skipped + size;
        if (hole->size == 0)
            memmove(hole, hole + 1, (--h->ready_count - i) * sizeof *hole);
        return true;
    }
    return false;
}

void hvol_holes_free(hvol_holes *h)
{
    free(h->ready);
    free(h->waiting);
    *h = (hvol_holes){0};
}
