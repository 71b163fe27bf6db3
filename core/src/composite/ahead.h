/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ahead.h - small stretches of a medium, read ahead where they follow each other and one by
 * one where they do not. Private to core/src/composite.
 */
#ifndef HRY_AHEAD_H
#define HRY_AHEAD_H

#include "hry/io.h"

#define HRY_AHEAD_MOST 65536 /* BYTES that are held, at most */

typedef struct hry_ahead {
    const hry_io *io; /* borrowed */
    size_t first;     /* how much to read where nothing is known, at most HRY_AHEAD_MOST */
    uint8_t *bytes;   /* owned; NULL until it is needed */
    uint64_t at;      /* in the medium                  */
    size_t size, used;
} hry_ahead;

static inline hry_ahead hry_ahead_over(const hry_io *io, size_t first)
{
    return (hry_ahead){.io = io, .first = first};
}

/*
 * `n` (at most HRY_AHEAD_MOST) bytes at `at`; nothing is read at or behind `end`, which is
 * not before their end. *out is borrowed until the next call.
 */
hry_status hry_ahead_look(hry_ahead *a, uint64_t at, size_t n, uint64_t end,
                          const uint8_t **out, hry_error *err);

void hry_ahead_free(hry_ahead *a);

#endif
