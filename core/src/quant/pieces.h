/* SPDX-License-Identifier: Apache-2.0 */
/* pieces.h - walking a box in boxes that fit a small array. Private to core/src/quant. */
#ifndef HRY_PIECES_H
#define HRY_PIECES_H

#include "hry/descriptor.h"

/* The current piece is `count` elements by dimension at `start`. */
typedef struct hry_pieces {
    uint32_t rank;
    uint64_t start[HRY_MAX_RANK], count[HRY_MAX_RANK];
    uint64_t elements; /* of the current piece                                       */
    uint64_t first;    /* its first element in the row-major array of the whole box  */
    uint64_t pitch;    /* ELEMENTS from one row of that array to the next            */
    uint64_t low[HRY_MAX_RANK], high[HRY_MAX_RANK], step[HRY_MAX_RANK];
} hry_pieces;

/*
 * First piece of the box [start, start + count), which is inside a tensor. Pieces have at
 * most `room` elements and `row` along the last axis (both powers of two), and their rows
 * follow each other in the box. When row == room, a piece has whole rows, or is part of
 * one: the pieces then follow each other without gaps. False when the box is empty.
 */
bool hry_pieces_begin(hry_pieces *p, uint32_t rank, const uint64_t *start,
                      const uint64_t *count, uint64_t room, uint64_t row);

/* The next piece; false past the last one. */
bool hry_pieces_next(hry_pieces *p);

#endif
