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
    snprintf(out, NUMBER_SIZE, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    return true;
}

static void mark_as_float(char out[NUMBER_SIZE])
{
    if (strpbrk(out, ".e") == NULL)
        memcpy(out + strlen(out), ".0", sizeof ".0");
}

static bool gives_back(double value, int digits, char out[NUMBER_SIZE])
{
    snprintf(out, NUMBER_SIZE, "%.*g", digits, value);
    return strtod(out, NULL) == value;
}

/* 17 digits always do. Most numbers need 16 or 17, and only those that need fewer than 16
 * are tried with fewer. */
static void shortest(double value, char out[NUMBER_SIZE])
{
    char shorter[NUMBER_SIZE];
    int digits = 16;
    if (!gives_back(value, digits, out)) {
        gives_back(value, digits + 1, out);
        return;
    }
    const int least = fabs(value) < DBL_MIN ? 1 : 15;
    for (digits--; digits >= least && gives_back(value, digits, shorter); digits--)
        memcpy(out, shorter, NUMBER_SIZE);
}

void number_of_double(double value, char out[NUMBER_SIZE])
{
    if (write_word(value, out))
        return;
    if (value == floor(value) && fabs(value) < 1e15) {
        snprintf(out, NUMBER_SIZE, "%.1f", value);
        return;
    }
    shortest(value, out);
    mark_as_float(out);
}

bool number_is_finite(const char *text)
{
    return strpbrk(text, "0123456789") != NULL;
}
