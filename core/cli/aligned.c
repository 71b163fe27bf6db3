/* SPDX-License-Identifier: Apache-2.0 */
/* aligned.c - see aligned.h. The rules are NumPy's: at most eight digits behind the point,
 * no zeros at the end; an exponent when sizes are very large, small or different. */
#include "aligned.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRECISION = 8, LARGE = 8, SMALL = -4, APART = 1000 };

static bool is_zero(const struct decimal *d)
{
    return d->count == 1 && d->digits[0] == '0';
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* The first digits, as a number of 1 to 10. */
static double mantissa(const struct decimal *d)
{
    char text[16];
    snprintf(text, sizeof text, "%c.%.10s", d->digits[0], d->digits + 1);
    return strtod(text, NULL);
}

/* a / b of magnitudes. */
static double ratio(const struct decimal *a, const struct decimal *b)
{
    return mantissa(a) / mantissa(b) * pow(10, a->exponent - b->exponent);
}

static bool needs_exponent(const struct decimal *list, size_t count, size_t step)
{
    const struct decimal *most = NULL, *least = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct decimal *d = &list[i * step];
        if (d->cls != DECIMAL_FINITE || is_zero(d))
            continue;
        most = most == NULL || ratio(d, most) > 1 ? d : most;
        least = least == NULL || ratio(d, least) < 1 ? d : least;
    }
    return most != NULL && (most->exponent >= LARGE || least->exponent < SMALL ||
                            ratio(most, least) > APART);
}

static struct decimal shortened(const struct aligned *a, const struct decimal *d)
{
    return decimal_rounded(d, PRECISION + 1 + (a->has_exponent ? 0 : d->exponent));
}

/* Room for one more. */
static void widen(struct aligned *a, const struct decimal *whole)
{
    const struct decimal d = shortened(a, whole);
    const int sign = a->has_sign || d.negative;
    const int before = a->has_exponent || d.exponent < 0 ? 1 : d.exponent + 1;
    const int behind = d.count - 1 - (a->has_exponent ? 0 : d.exponent);
    a->left = larger(a->left, sign + before);
    a->right = larger(a->right, is_zero(&d) ? 0 : behind);
    if (a->has_exponent)
        a->exponent = larger(a->exponent, d.exponent > 99 || d.exponent < -99 ? 3 : 2);
    if (a->has_exponent && (d.exponent > 999 || d.exponent < -999))
        a->exponent = 4;
}

static const char *word(const struct aligned *a, const struct decimal *d)
{
    static const char *const words[2][3] = {{"inf", "+inf", "-inf"},
                                            {"nan", "+nan", "nan"}};
    const bool negative = d->negative && d->cls == DECIMAL_INFINITE;
    return words[d->cls == DECIMAL_NAN][negative ? 2 : a->has_sign ? 1 : 0];
}

static int width_of(const struct aligned *a)
{
    return a->left + 1 + a->right + (a->has_exponent ? 2 + a->exponent : 0);
}

struct aligned aligned_for(const struct decimal *list, size_t count, size_t step,
                           bool has_sign)
{
    struct aligned a = {.has_sign = has_sign,
                        .has_exponent = needs_exponent(list, count, step)};
    for (size_t i = 0; i < count; i++)
        if (list[i * step].cls == DECIMAL_FINITE)
            widen(&a, &list[i * step]);
    for (size_t i = 0; i < count; i++) {
        if (list[i * step].cls == DECIMAL_FINITE)
            continue;
        const int missing = (int)strlen(word(&a, &list[i * step])) - width_of(&a);
        a.left += larger(missing, 0);
    }
    return a;
}

/* Digits before and behind the point, without blanks. */
static void split(const struct aligned *a, const struct decimal *d, char before[48],
                  char behind[48])
{
    const int point = a->has_exponent ? 0 : d->exponent;
    char *to = before;
    if (d->negative || a->has_sign)
        *to++ = d->negative ? '-' : '+';
    if (point < 0)
        *to++ = '0';
    for (int i = 0; i <= point; i++)
        *to++ = i < d->count ? d->digits[i] : '0';
    *to = '\0';
    to = behind;
    for (int place = -1; place > point; place--)
        *to++ = '0';
    for (int i = point < 0 ? 0 : point + 1; i < d->count && !is_zero(d); i++)
        *to++ = d->digits[i];
    *to = '\0';
}

void aligned_text(const struct aligned *a, const struct decimal *d, char out[ALIGNED_TEXT])
{
    char before[48], behind[48];
    if (d->cls != DECIMAL_FINITE) {
        snprintf(out, ALIGNED_TEXT, "%*s", width_of(a), word(a, d));
        return;
    }
    const struct decimal s = shortened(a, d);
    split(a, &s, before, behind);
    if (!a->has_exponent) {
        snprintf(out, ALIGNED_TEXT, "%*s.%-*s", a->left, before, a->right, behind);
        return;
    }
    char power[16];
    snprintf(power, sizeof power, "%0*d", a->exponent, abs(s.exponent));
    snprintf(out, ALIGNED_TEXT, "%*s.%s%.*s%s%s", a->left, before, behind,
             a->right - (int)strlen(behind), "00000000", s.exponent < 0 ? "e-" : "e+",
             power);
}
