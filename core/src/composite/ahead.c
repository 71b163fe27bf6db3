/* SPDX-License-Identifier: Apache-2.0 */
/* ahead.c - how far to read ahead: twice as far when half of the last stretch was used. */
#include "ahead.h"

#include "fail.h"

#include <stdlib.h>

void hry_ahead_free(hry_ahead *a)
{
    free(a->bytes);
    a->bytes = NULL;
    a->size = 0;
}

static size_t how_much(const hry_ahead *a, uint64_t at)
{
    const bool follows = a->size > 0 && at >= a->at && at - a->at <= 2 * (uint64_t)a->size;
    if (!follows || a->used < a->size / 2)
        return a->first;
    return a->size < HRY_AHEAD_MOST / 2 ? 2 * a->size : HRY_AHEAD_MOST;
}

hry_status hry_ahead_look(hry_ahead *a, uint64_t at, size_t n, uint64_t end,
                          const uint8_t **out, hry_error *err)
{
    if (a->size < n || at < a->at || at - a->at > a->size - n) {
        if (a->bytes == NULL && (a->bytes = malloc(HRY_AHEAD_MOST)) == NULL)
            return HRY_NO_MEMORY(err, HRY_AHEAD_MOST);
        size_t size = how_much(a, at);
        size = size < n ? n : size;
        size = size < end - at ? size : (size_t)(end - at);
        a->size = a->used = 0;
        HRY_TRY(hry_io_read(a->io, at, a->bytes, size, err));
        a->at = at;
        a->size = size;
    }
    a->used += n;
    *out = a->bytes + (at - a->at);
    return HRY_OK;
}
