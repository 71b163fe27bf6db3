/* SPDX-License-Identifier: Apache-2.0 */
/* decimal.c - see decimal.h. */
#include "decimal.h"

#include "big.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void trim(struct decimal *d)
{
    while (d->count > 1 && d->digits[d->count - 1] == '0')
        d->count--;
    d->digits[d->count] = '\0';
    if (d->count == 1 && d->digits[0] == '0')
        d->exponent = 0;
}

/* ---- of doubles ---- */

/* From "%.*e": d.ddde+XX. */
static struct decimal parse(const char *text)
{
    struct decimal d = {.negative = *text == '-'};
    text += d.negative;
    for (; *text != 'e'; text++)
        if (*text != '.')
            d.digits[d.count++] = *text;
    d.exponent = (int)strtol(text + 1, NULL, 10);
    trim(&d);
    return d;
}

static bool gives_back(const char *text, double value, hry_type type)
{
    uint8_t code[16];
    double back, read = strtod(text, NULL);
    return hry_from_double(&read, type, code, 1, NULL) == HRY_OK &&
           hry_to_double(type, code, &back, 1, NULL) == HRY_OK && back == value;
}

struct decimal decimal_of(double value, hry_type type)
{
    char text[40];
    if (!isfinite(value))
        return (struct decimal){.cls = isnan(value) ? DECIMAL_NAN : DECIMAL_INFINITE,
                                .negative = signbit(value) != 0};
    int digits = 0;
    do
        snprintf(text, sizeof text, "%.*e", digits, value);
    while (!gives_back(text, value, type) && ++digits < 17);
    return parse(text);
}

/* ---- of float128 ---- */

enum { FRACTION_BITS = 112, BIAS = 16383, ALL_ONES = 0x7FFF };

struct decimal decimal_of_float128(const void *bytes)
{
    uint64_t low, high;
    memcpy(&low, bytes, 8);
    memcpy(&high, (const char *)bytes + 8, 8);
    struct decimal d = {.negative = high >> 63 != 0};
    const int exponent = (int)(high >> 48 & ALL_ONES);
    high &= (UINT64_C(1) << 48) - 1;
    if (exponent == ALL_ONES) {
        d.cls = (high | low) != 0 ? DECIMAL_NAN : DECIMAL_INFINITE;
        return d;
    }
    if (exponent > 0)
        high |= UINT64_C(1) << 48;
    struct big big;
    const int power = (exponent > 0 ? exponent : 1) - BIAS - FRACTION_BITS;
    big_set(&big, high, low);
    const int tenths = big_scale(&big, power); /* value = big / 10^tenths */
    const int length = big_digits(&big, d.digits, DECIMAL_DIGITS, &d.count);
    d.exponent = length - 1 - tenths;
    trim(&d);
    return d;
}

/* ---- rounding and text ---- */

/* Adds one to the last digit; all nines become a one with one digit less behind it. */
static void increment(struct decimal *d)
{
    int i = d->count;
    while (i > 0 && d->digits[i - 1] == '9')
        d->digits[--i] = '0';
    if (i > 0) {
        d->digits[i - 1]++;
        return;
    }
    d->digits[0] = '1';
    d->exponent++;
}

struct decimal decimal_rounded(const struct decimal *d, int count)
{
    struct decimal r = *d;
    if (d->cls != DECIMAL_FINITE || count >= d->count)
        return r;
    const bool up = count >= 0 && d->digits[count] >= '5';
    if (count <= 0) {
        r.exponent = up ? d->exponent + 1 : 0;
        r.count = 1;
        r.digits[0] = up ? '1' : '0';
        r.digits[1] = '\0';
        return r;
    }
    r.count = count;
    if (up)
        increment(&r);
    trim(&r);
    return r;
}

static void positional(const struct decimal *d, char *to)
{
    for (int place = 0; place > d->exponent; place--) {
        *to++ = '0';
        if (place == 0)
            *to++ = '.';
    }
    for (int i = 0; i < d->count || i <= d->exponent; i++) {
        *to++ = i < d->count ? d->digits[i] : '0';
        if (i == d->exponent)
            *to++ = '.';
    }
    if (to[-1] == '.')
        *to++ = '0';
    *to = '\0';
}

void decimal_json(const struct decimal *d, char out[DECIMAL_TEXT])
{
    if (d->cls != DECIMAL_FINITE) {
        snprintf(out, DECIMAL_TEXT, "\"%s\"",
                 d->cls == DECIMAL_NAN ? "nan"
                 : d->negative         ? "-inf"
                                       : "inf");
        return;
    }
    if (d->negative)
        *out++ = '-';
    if (d->exponent >= -5 && d->exponent < DECIMAL_DIGITS)
        positional(d, out);
    else
        sprintf(out, "%c%s%se%+03d", d->digits[0], d->count > 1 ? "." : "", d->digits + 1,
                d->exponent);
}
