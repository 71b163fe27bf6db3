/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moments.h - the sums behind the statistics, fed with pieces of values. Private to
 * core/src/quant.
 */
#ifndef HRY_MOMENTS_H
#define HRY_MOMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Count, mean and sum of squared differences to it are merged piece by piece, as Chan,
 * Golub and LeVeque do: no large sums of squares cancel. */
typedef struct hry_moments {
    uint64_t count, nnz;
    double min, max, mean, squares;
    bool has_nan, has_inf;
} hry_moments;

/*
 * Zero-initialise a hry_moments first. After a value that is not finite only count, nnz,
 * has_nan and has_inf mean anything.
 */
void hry_moments_add(hry_moments *m, const double *values, size_t count);

/* Only count, nnz, has_nan and has_inf, of pairs (complex numbers); nonzero[i]: is it? */
void hry_moments_add_pairs(hry_moments *m, const double *parts, size_t count,
                           double *nonzero);

/* Groups of `m` neighbours in rows: the most non-zeros in one of them. */
typedef struct hry_groups {
    uint64_t m; /* 0: not counting */
    uint64_t most;
    uint64_t now, at; /* non-zeros and elements so far in the current group */
} hry_groups;

/*
 * The next `count` values of a row; `ends`: the row, and with it a group, is over. Stops
 * counting (most == m) once a group is full of non-zeros.
 */
void hry_groups_add(hry_groups *g, const double *values, size_t count, bool ends);

#endif
