/* SPDX-License-Identifier: Apache-2.0 */
/* ints.c - arrays of integers and booleans to and from 64 bits. */
#include "numeric.h"

#include <string.h>

#define LOAD(type)                                                                         \
    for (size_t i = 0; i < count; i++) {                                                   \
        type v;                                                                            \
        memcpy(&v, bytes + i * sizeof v, sizeof v);                                        \
        dst[i] = (int64_t)v;                                                               \
    }                                                                                      \
    return

/* Any width: the low `bits` of each element, with its sign. */
static void load_any(const hry_numeric *n, const uint8_t *bytes, int64_t *dst, size_t count)
{
    const uint32_t unused = 64 - n->bits;
    for (size_t i = 0; i < count; i++) {
        uint64_t v = 0;
        memcpy(&v, bytes + i * n->bytes, n->bytes);
        v <<= unused;
        dst[i] = n->has_sign ? (int64_t)v >> unused : (int64_t)(v >> unused);
    }
}

void hry_ints_load(const hry_numeric *n, const void *src, int64_t *dst, size_t count)
{
    const uint8_t *bytes = src;
    switch (n->has_sign ? -(int)n->bits : (int)n->bits) {
    case 8:
        LOAD(uint8_t);
    case -8:
        LOAD(int8_t);
    case 16:
        LOAD(uint16_t);
    case -16:
        LOAD(int16_t);
    case 32:
        LOAD(uint32_t);
    case -32:
        LOAD(int32_t);
    case 64:
    case -64:
        memcpy(dst, src, count * sizeof *dst);
        return;
    default:
        load_any(n, bytes, dst, count);
    }
}

typedef struct limits {
    int64_t low, high; /* high as a bit pattern for 64 unsigned bits */
} limits;

static limits limits_of(const hry_numeric *n)
{
    const uint64_t most = UINT64_MAX >> (64 - n->bits + (n->has_sign ? 1 : 0));
    return (limits){.low = n->has_sign ? -(int64_t)most - 1 : 0, .high = (int64_t)most};
}

static int64_t clamp(int64_t v, limits l, bool is_unsigned)
{
    if (is_unsigned)
        return (uint64_t)v > (uint64_t)l.high ? l.high : v;
    if (v < l.low)
        return l.low;
    return v > 0 && (uint64_t)v > (uint64_t)l.high ? l.high : v;
}

void hry_ints_store(const hry_numeric *n, const int64_t *src, bool is_unsigned, void *dst,
                    size_t count)
{
    uint8_t *bytes = dst;
    if (n->cls == HRY_CLASS_BOOL) {
        for (size_t i = 0; i < count; i++)
            bytes[i] = src[i] != 0;
        return;
    }
    const limits l = limits_of(n);
    const uint64_t mask = UINT64_MAX >> (64 - n->bits);
    for (size_t i = 0; i < count; i++) {
        const uint64_t v = (uint64_t)clamp(src[i], l, is_unsigned) & mask;
        memcpy(bytes + i * n->bytes, &v, n->bytes);
    }
}
