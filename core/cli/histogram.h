/* SPDX-License-Identifier: Apache-2.0 */
/* histogram.h - counts of numbers whose range is not known before: bins are 2^k wide and
 * begin at multiples of that, and are joined in pairs when there are too many. Exact. */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

enum { HISTOGRAM_MOST = 64 };

/* Starts with histogram_of(). Bin i holds [first + i, first + i + 1) * 2^exponent. */
struct histogram {
    size_t most; /* bins at most */
    int exponent;
    double scale; /* 2^-exponent, or 0 when that is no double */
    int64_t first;
    size_t bins; /* used; 0: nothing was added */
    uint64_t counts[HISTOGRAM_MOST];
};

/* most: 2 to HISTOGRAM_MOST. */
struct histogram histogram_of(size_t most);

/* A finite number, so many times. */
void histogram_add(struct histogram *h, double value, uint64_t count);

/* Where bin i begins. */
double histogram_edge(const struct histogram *h, size_t i);

#endif
