/* SPDX-License-Identifier: Apache-2.0 */
/*
 * holes.h - space of a file that nothing needs any more. What a commit on the medium still
 * names may not be overwritten: freed space waits until the next commit is there.
 */
#ifndef HVOL_HOLES_H
#define HVOL_HOLES_H

#include "hry/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hvol_hole {
    uint64_t offset, size; /* in BYTES */
} hvol_hole;

typedef struct hvol_holes {
    hvol_hole *ready; /* by offset, none touching; owned */
    size_t ready_count, ready_room;
    hvol_hole *waiting; /* freed since the last commit; owned */
    size_t waiting_count, waiting_room;
} hvol_holes;

/* Nothing needs this space from the next commit on. Without memory it is lost until the
 * file is repacked, which is no error. */
void hvol_holes_add(hvol_holes *holes, uint64_t offset, uint64_t size);

/* A commit is on the medium: what waited may be used. */
void hvol_holes_settle(hvol_holes *holes);

/* Take `size` bytes at a multiple of `alignment`; false when no hole is large enough. */
bool hvol_holes_take(hvol_holes *holes, uint64_t size, uint64_t alignment,
                     uint64_t *offset);

void hvol_holes_free(hvol_holes *holes);

#endif
