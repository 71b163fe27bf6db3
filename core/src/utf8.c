/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.c - strict UTF-8 (RFC 3629, table of well-formed byte sequences). */
#include "utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool between(uint8_t byte, uint8_t low, uint8_t high)
{
    return byte >= low && byte <= high;
}

/* Length of the sequence that starts with a byte above 0x7F, or 0 when it is bad. */
static size_t sequence(const uint8_t *s, size_t left)
{
    const size_t length = between(s[0], 0xC2, 0xDF)   ? 2
                          : between(s[0], 0xE0, 0xEF) ? 3
                          : between(s[0], 0xF0, 0xF4) ? 4
                                                      : 0;
    if (length == 0 || length > left)
        return 0;
    /* The second byte tells overlong forms, surrogates and too large values. */
    const uint8_t low = s[0] == 0xE0 ? 0xA0 : s[0] == 0xF0 ? 0x90 : 0x80;
    const uint8_t high = s[0] == 0xED ? 0x9F : s[0] == 0xF4 ? 0x8F : 0xBF;
    if (!between(s[1], low, high))
        return 0;
    for (size_t i = 2; i < length; i++)
        if (!between(s[i], 0x80, 0xBF))
            return 0;
    return length;
}

static bool all_ascii(const uint8_t *s)
{
    uint64_t eight;
    memcpy(&eight, s, sizeof eight);
    return (eight & UINT64_C(0x8080808080808080)) == 0;
}

size_t hry_utf8_valid_prefix(const void *text, size_t size)
{
    const uint8_t *s = text;
    size_t i = 0;
    while (i < size) {
        if (size - i >= 8 && all_ascii(s + i)) {
            i += 8;
            continue;
        }
        const size_t length = s[i] < 0x80 ? 1 : sequence(s + i, size - i);
        if (length == 0)
            break;
        i += length;
    }
    return i;
}
