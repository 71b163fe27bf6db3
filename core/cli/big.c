/* SPDX-License-Identifier: Apache-2.0 */
/* big.c - see big.h. */
#include "big.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define BASE UINT32_C(1000000000)
enum { LIMB_DIGITS = 9 };

/* b = b * factor + carry */
static void multiply(struct big *b, uint32_t factor, uint64_t carry)
{
    for (int i = 0; i < b->count; i++) {
        carry += (uint64_t)b->limb[i] * factor;
        b->limb[i] = (uint32_t)(carry % BASE);
        carry /= BASE;
    }
    for (; carry > 0; carry /= BASE) {
        assert(b->count < BIG_LIMBS);
        b->limb[b->count++] = (uint32_t)(carry % BASE);
    }
}

void big_set(struct big *b, uint64_t high, uint64_t low)
{
    const uint32_t parts[] = {(uint32_t)(high >> 32), (uint32_t)high, (uint32_t)(low >> 32),
                              (uint32_t)low};
    b->count = 0;
    for (int i = 0; i < 4; i++) {
        multiply(b, UINT32_C(1) << 16, 0);
        multiply(b, UINT32_C(1) << 16, parts[i]);
    }
}

int big_scale(struct big *b, int power)
{
    enum { TWOS = 29, FIVES = 13 };
    for (int left = power; left > 0; left -= TWOS)
        multiply(b, UINT32_C(1) << (left < TWOS ? left : TWOS), 0);
    for (int left = -power; left > 0; left -= FIVES) {
        uint32_t factor = 1;
        for (int i = 0; i < FIVES && i < left; i++)
            factor *= 5;
        multiply(b, factor, 0);
    }
    return power < 0 ? -power : 0;
}

/* Is what follows the first `taken` digits more than half, and not half with an even digit
 * before it? */
static bool rounds_up(const char *text, int length, int taken)
{
    if (taken >= length || text[taken] < '5')
        return false;
    if (text[taken] > '5')
        return true;
    for (int i = taken + 1; i < length; i++)
        if (text[i] != '0')
            return true;
    return taken > 0 && (text[taken - 1] - '0') % 2 == 1;
}

int big_digits(const struct big *b, char *digits, int limit, int *count)
{
    char text[BIG_LIMBS * LIMB_DIGITS + 2] = "0";
    int length = b->count > 0 ? 0 : 1;
    for (int i = b->count; i-- > 0;)
        length += sprintf(text + length, i == b->count - 1 ? "%lu" : "%09lu",
                          (unsigned long)b->limb[i]);
    *count = length < limit ? length : limit;
    memcpy(digits, text, (size_t)*count);
    digits[*count] = '\0';
    if (!rounds_up(text, length, *count))
        return length;
    int i = *count;
    while (i > 0 && digits[i - 1] == '9')
        digits[--i] = '0';
    if (i > 0) {
        digits[i - 1]++;
        return length;
    }
    digits[0] = '1'; /* 99..9 became 100..0 */
    return length + 1;
}
