/* SPDX-License-Identifier: Apache-2.0 */
/* decimal.h - a number as its decimal digits: what is needed to tell it from its
 * neighbours, or exact. */
#ifndef DECIMAL_H
#define DECIMAL_H

#include "hry/convert.h"

enum { DECIMAL_DIGITS = 36 }; /* enough to give any float128 back */

enum decimal_class { DECIMAL_FINITE, DECIMAL_INFINITE, DECIMAL_NAN };

/* (-1)^negative * d.ddd * 10^exponent; no zero digits at the end, but "0" for zero. */
struct decimal {
    enum decimal_class cls;
    bool negative;
    int exponent, count;
    char digits[DECIMAL_DIGITS + 1];
};

/* The fewest digits that give `value` back when they are rounded to `type`, a float. */
struct decimal decimal_of(double value, hry_type type);

/* Of 16 bytes of a float128: exact where 36 digits are enough, else rounded to them. */
struct decimal decimal_of_float128(const void *bytes);

/* Rounded to `count` digits, which may be 0 or less: then it is 0 or 1 of the last place.
 */
struct decimal decimal_rounded(const struct decimal *d, int count);

enum { DECIMAL_TEXT = 64 };

/* As JSON: "0.5", "-1e+300", or the words "nan", "inf", "-inf" in quotes. */
void decimal_json(const struct decimal *d, char out[DECIMAL_TEXT]);

#endif
