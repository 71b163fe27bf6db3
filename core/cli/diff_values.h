/* SPDX-License-Identifier: Apache-2.0 */
/* diff_values.h - the elements of two sources of one shape, side by side. */
#ifndef DIFF_VALUES_H
#define DIFF_VALUES_H

#include "source.h"

/* When two numbers are the same: |a - b| <= absolute + relative * |b|. */
struct tolerance {
    double absolute, relative;
    bool nan_differs; /* else any NaN is like any other */
};

enum { DIFF_KEPT = 32 };

/* Elements that are not the same; the first few of them as JSON has them. */
struct difference {
    uint64_t count, total;
    double largest; /* of all distances; infinite beside what is not finite */
    uint64_t at[HRY_MAX_RANK];
    size_t kept, limit;
    struct {
        uint64_t index[HRY_MAX_RANK];
        char a[VALUE_TEXT], b[VALUE_TEXT];
    } first[DIFF_KEPT];
};

/*
 * Shapes are equal. Integers are compared exactly without tolerances, others as doubles.
 * limit: how many to keep, at most DIFF_KEPT. Errors are reported; returns an exit code.
 */
int diff_values(struct source *a, struct source *b, const struct tolerance *t, size_t limit,
                struct difference *out);

#endif
