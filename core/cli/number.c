/* SPDX-License-Identifier: Apache-2.0 */
/* number.c - see number.h. */
#include "number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool write_word(double value, char out[NUMBER_SIZE])
{
    if (isfinite(value))
        return false;
    strcpy(out, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    return true;
}

static void mark_as_float(char out[NUMBER_SIZE])
{
    if (strpbrk(out, ".e") == NULL)
        strcat(out, ".0");
}

void number_of_double(double value, char out[NUMBER_SIZE])
{
    if (write_word(value, out))
        return;
    if (value == floor(value) && fabs(value) < 1e15) {
        snprintf(out, NUMBER_SIZE, "%.1f", value);
        return;
    }
    int digits = fabs(value) < DBL_MIN ? 1 : 15;
    do
        snprintf(out, NUMBER_SIZE, "%.*g", digits++, value);
    while (digits <= 17 && strtod(out, NULL) != value);
    mark_as_float(out);
}

bool number_is_finite(const char *text)
{
    return strpbrk(text, "0123456789") != NULL;
}
