/* SPDX-License-Identifier: Apache-2.0 */
/* aligned.h - many decimals written alike, so that their points stand below each other. */
#ifndef ALIGNED_H
#define ALIGNED_H

#include "decimal.h"

enum { ALIGNED_TEXT = 128 };

/* How all of them are written; found from all of them. */
struct aligned {
    bool has_exponent; /* d.ddde+XX, else ddd.ddd                              */
    bool has_sign;     /* every one has + or -: imaginary parts                */
    int left, right;   /* columns before and behind the point                  */
    int exponent;      /* digits of the exponent                               */
};

/* For count decimals, every `step`th of a list. */
struct aligned aligned_for(const struct decimal *list, size_t count, size_t step,
                           bool has_sign);

/* One of them, as wide as all others. */
void aligned_text(const struct aligned *a, const struct decimal *d, char out[ALIGNED_TEXT]);

#endif
