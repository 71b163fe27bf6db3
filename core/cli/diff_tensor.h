/* SPDX-License-Identifier: Apache-2.0 */
/* diff_tensor.h - two tensors compared: what they are, then what they hold. */
#ifndef DIFF_TENSOR_H
#define DIFF_TENSOR_H

#include "diff_report.h"

/* How to compare. */
struct comparing {
    struct tolerance tolerance;
    size_t limit;   /* pairs of values shown */
    bool structure; /* layouts and notes too, and no values */
    bool force;     /* more than 2^32 values */
    struct reading how;
};

/* By names, which may have slices. Differences and errors are reported; returns an exit
 * code of errors. */
int diff_tensors(const struct comparing *c, const struct input *a, const char *name_a,
                 const struct input *b, const char *name_b, struct diff_report *r);

/* By their positions. */
int diff_tensors_at(const struct comparing *c, const struct input *a, uint64_t at_a,
                    const struct input *b, uint64_t at_b, struct diff_report *r);

#endif
