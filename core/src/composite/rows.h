/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - a box inside a row-major array, as stretches of elements that follow each other
 * there. Private to core/src/composite.
 */
#ifndef HRY_ROWS_H
#define HRY_ROWS_H

#include "hry/descriptor.h"

typedef struct hry_rows {
    uint64_t to;     /* where the stretch is in the array, in ELEMENTS   */
    uint64_t length; /* of every stretch, in ELEMENTS                    */
    uint32_t outer;  /* axes that are stepped through                    */
    uint64_t left[HRY_MAX_RANK];
    const uint64_t *count;
    uint64_t step[HRY_MAX_RANK];
} hry_rows;

/* First stretch of the box count[] at at[] in an array of shape[]; not empty. */
static inline void rows_first(hry_rows *r, uint32_t rank, const uint64_t *shape,
                              const uint64_t *at, const uint64_t *count)
{
    uint64_t step = 1;
    bool joined = true; /* with all later axes */
    r->to = 0;
    r->length = 1;
    r->outer = 0;
    r->count = count;
    for (uint32_t k = rank; k > 0; k--) {
        r->to += at[k - 1] * step;
        r->step[k - 1] = step;
        if (joined)
            r->length *= count[k - 1];
        else if (r->outer < k)
            r->outer = k;
        joined = joined && count[k - 1] == shape[k - 1];
        step *= shape[k - 1];
    }
    for (uint32_t k = 0; k < r->outer; k++)
        r->left[k] = count[k];
}

/* The next stretch, in row-major order; false past the last. */
static inline bool rows_next(hry_rows *r)
{
    for (uint32_t k = r->outer; k > 0; k--) {
        r->to += r->step[k - 1];
        if (--r->left[k - 1] > 0)
            return true;
        r->to -= r->step[k - 1] * r->count[k - 1];
        r->left[k - 1] = r->count[k - 1];
    }
    return false;
}

/* Is the first stretch the whole box? */
static inline bool rows_is_one(const hry_rows *r)
{
    for (uint32_t k = 0; k < r->outer; k++)
        if (r->count[k] != 1)
            return false;
    return true;
}

#endif
