/* SPDX-License-Identifier: Apache-2.0 */
/* big.h - whole numbers as large as a float128 needs to be written in decimal. */
#ifndef BIG_H
#define BIG_H

#include <stdint.h>

/* 2^113 * 5^16494, the largest that is made here, has 11,563 digits; nine in each limb. */
enum { BIG_LIMBS = 1300 };

struct big {
    int count; /* limbs used; 0 is zero */
    uint32_t limb[BIG_LIMBS];
};

/* high * 2^64 + low; high below 2^60. */
void big_set(struct big *b, uint64_t high, uint64_t low);

/*
 * Multiplies by 2^power, -16494 <= power <= 16271, exactly: by powers of two, or, when it
 * is negative, by powers of five. Returns the power of ten that the result is too large by.
 */
int big_scale(struct big *b, int power);

/*
 * The first `limit` digits, rounded to nearest (half to even by all further digits), NUL
 * terminated; *count of them. Returns how many digits the number has (one more when
 * rounding carried all the way).
 */
int big_digits(const struct big *b, char *digits, int limit, int *count);

#endif
