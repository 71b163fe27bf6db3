/* SPDX-License-Identifier: Apache-2.0 */
/* summary.h - what a pass over the elements of a tensor shows: range, moments, zeros, a
 * histogram. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "histogram.h"
#include "source.h"

/*
 * Of complex numbers the magnitude is looked at, of bool 0 and 1. Range, moments and
 * histogram are those of the finite elements, and mean something if there are any.
 */
struct summary {
    uint64_t count, zeros, nans, infinities;
    uint64_t finite;
    double min, max, mean, sum_of_squares; /* of distances from the mean */
    struct histogram histogram;
};

/* In one pass; of a sparse tensor over what is stored. Errors are reported; returns an exit
 * code. */
int summary_of(struct source *s, size_t bins, struct summary *out);

/* Of the population; 0 of fewer than two. */
double summary_deviation(const struct summary *s);

#endif
