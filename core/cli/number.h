/* SPDX-License-Identifier: Apache-2.0 */
/* number.h - numbers as text that reads back as the same number. */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdbool.h>

enum { NUMBER_SIZE = 64 }; /* enough for any number here, with its NUL */

/*
 * The shortest text that strtod() reads as the same double, always with a point or an
 * exponent, so that it reads as a float: "0.1", "2.0", "1e+22". "nan", "inf", "-inf".
 */
void number_of_double(double value, char out[NUMBER_SIZE]);

/* Is this text a JSON number, not a word for something else? */
bool number_is_finite(const char *text);

#endif
