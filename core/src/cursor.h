/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cursor.h - bounded, sticky, little-endian reading. Private to core/src.
 *
 * A read past the end yields 0 and marks the cursor short; later reads do
 * nothing. So a decoder lists its fields as the specification's table does and
 * asks cur_ok() once, BEFORE a decoded number bounds a loop, sizes an
 * allocation or indexes anything.
 */
#ifndef HRY_CURSOR_H
#define HRY_CURSOR_H

#include "fail.h"
#include "le.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct hry_cursor {
    const uint8_t *data;
    size_t size;     /* readable bytes                              */
    size_t pos;      /* next unread byte; invariant: pos <= size    */
    size_t short_by; /* bytes missing at the first failed read, or 0 */
} hry_cursor;

static inline hry_cursor cur_over(const void *data, size_t size)
{
    return (hry_cursor){.data = data, .size = size};
}

static inline size_t cur_left(const hry_cursor *c)
{
    return c->size - c->pos;
}

/* Does an array of `count` items of `item` (> 0) bytes still fit? Cannot overflow. */
static inline bool cur_fits(const hry_cursor *c, uint64_t count, size_t item)
{
    return c->short_by == 0 && count <= cur_left(c) / item;
}

static inline const uint8_t *cur_take(hry_cursor *c, size_t n)
{
    if (c->short_by != 0)
        return NULL;
    if (n > cur_left(c)) {
        c->short_by = n - cur_left(c);
        return NULL;
    }
    const uint8_t *at = c->data + c->pos;
    c->pos += n;
    return at;
}

static inline uint64_t cur_le(hry_cursor *c, size_t width)
{
    const uint8_t *p = cur_take(c, width);
    uint64_t v = 0;
    if (p != NULL)
        memcpy(&v, p, width);
    return le64(v);
}

static inline uint8_t cur_u8(hry_cursor *c)
{
    return (uint8_t)cur_le(c, 1);
}

static inline uint16_t cur_u16(hry_cursor *c)
{
    return (uint16_t)cur_le(c, 2);
}

static inline uint32_t cur_u32(hry_cursor *c)
{
    return (uint32_t)cur_le(c, 4);
}

static inline uint64_t cur_u64(hry_cursor *c)
{
    return cur_le(c, 8);
}

static inline int64_t cur_i64(hry_cursor *c)
{
    const uint64_t bits = cur_le(c, 8);
    int64_t v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline double cur_f64(hry_cursor *c)
{
    const uint64_t bits = cur_le(c, 8);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline float cur_f32(hry_cursor *c)
{
    const uint32_t bits = cur_u32(c);
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* The one check a decoder makes per group of fields; `what` names the group. */
static inline hry_status cur_ok(const hry_cursor *c, const char *what, hry_error *err)
{
    if (c->short_by == 0)
        return HRY_OK;
    return HRY_FAIL_AT(err, HRY_ERR_TRUNCATED, c->pos, "%s: %zu more bytes needed", what,
                       c->short_by);
}

#endif
