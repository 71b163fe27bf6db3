/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builder.h - growing little-endian writing, the twin of cursor.h. Private to core/src.
 *
 * A refused allocation marks the builder failed; later writes do nothing, so an encoder
 * lists its fields and asks bld_ok() once.
 */
#ifndef HRY_BUILDER_H
#define HRY_BUILDER_H

#include "fail.h"
#include "le.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct hry_builder {
    uint8_t *data; /* owned */
    size_t size;   /* bytes written */
    size_t capacity;
    bool failed;
} hry_builder;

static inline void bld_free(hry_builder *b)
{
    free(b->data);
    *b = (hry_builder){0};
}

/* Room for `n` more bytes, counted as written and to be filled by the caller; or NULL. */
static inline uint8_t *bld_take(hry_builder *b, size_t n)
{
    if (b->failed)
        return NULL;
    if (b->data == NULL || n > b->capacity - b->size) {
        size_t want = b->capacity < 256 ? 256 : b->capacity;
        while (want - b->size < n && want <= SIZE_MAX / 4)
            want *= 2;
        uint8_t *grown = want - b->size < n ? NULL : realloc(b->data, want);
        if (grown == NULL) {
            b->failed = true;
            return NULL;
        }
        b->data = grown;
        b->capacity = want;
    }
    uint8_t *at = b->data + b->size;
    b->size += n;
    return at;
}

static inline void bld_bytes(hry_builder *b, const void *bytes, size_t n)
{
    uint8_t *at = bld_take(b, n);
    if (at != NULL && n > 0)
        memcpy(at, bytes, n);
}

static inline void bld_zeros(hry_builder *b, size_t n)
{
    uint8_t *at = bld_take(b, n);
    if (at != NULL && n > 0)
        memset(at, 0, n);
}

static inline void bld_le(hry_builder *b, uint64_t v, size_t width)
{
    uint8_t *at = bld_take(b, width);
    v = le64(v);
    if (at != NULL)
        memcpy(at, &v, width);
}

static inline void bld_u8(hry_builder *b, uint8_t v)
{
    bld_le(b, v, 1);
}

static inline void bld_u16(hry_builder *b, uint16_t v)
{
    bld_le(b, v, 2);
}

static inline void bld_u32(hry_builder *b, uint32_t v)
{
    bld_le(b, v, 4);
}

static inline void bld_u64(hry_builder *b, uint64_t v)
{
    bld_le(b, v, 8);
}

static inline void bld_i64(hry_builder *b, int64_t v)
{
    bld_le(b, (uint64_t)v, 8);
}

static inline void bld_f64(hry_builder *b, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    bld_le(b, bits, 8);
}

static inline void bld_f32(hry_builder *b, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    bld_le(b, bits, 4);
}

/* Zeros up to the next multiple of `alignment` (a power of two) of the size. */
static inline void bld_align(hry_builder *b, size_t alignment)
{
    bld_zeros(b, (size_t)(-b->size & (alignment - 1)));
}

/* Overwrite `width` bytes written before at `at`. */
static inline void bld_patch(hry_builder *b, size_t at, uint64_t v, size_t width)
{
    for (size_t i = 0; !b->failed && i < width; i++, v >>= 8)
        b->data[at + i] = (uint8_t)v;
}

static inline hry_status bld_ok(const hry_builder *b, const char *what, hry_error *err)
{
    if (!b->failed)
        return HRY_OK;
    return HRY_FAIL(err, HRY_ERR_NOMEM, "%s: no memory beyond %zu bytes", what, b->size);
}

#endif
