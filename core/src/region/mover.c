/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mover.c - reading and writing elements of one width. One body for each operation is
 * inlined with the width and the direction as constants, so that each row of the table
 * is a loop over fixed-size loads and stores.
 */
#include "mover.h"

#include "values/bits.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

INLINE void move(uint8_t *storage, uint8_t *array, size_t size, bool write)
{
    if (write)
        memcpy(storage, array, size);
    else
        memcpy(array, storage, size);
}

/* A short row, inline: a call costs more than the bytes do. */
INLINE void short_row(uint8_t *storage, uint8_t *array, size_t row, size_t size, bool write)
{
    size_t i = 0;
    for (; i + 16 <= row; i += 16)
        move(storage + i, array + i, 16, write);
    for (; i < row; i += size)
        move(storage + i, array + i, size, write);
}

INLINE void whole_rows(hry_mover *m, const hry_rect *r, size_t size, bool write)
{
    uint8_t *storage = m->storage + r->at * (int64_t)size;
    uint8_t *array = m->array + r->to * (int64_t)size;
    const size_t row = (size_t)r->count[1] * size;
    for (uint64_t i = 0; i < r->count[0]; i++) {
        if (row <= 96 && size <= 16 && 16 % size == 0)
            short_row(storage, array, row, size, write);
        else
            move(storage, array, row, write);
        storage += r->stride[0] * (int64_t)size;
        array += r->step[0] * (int64_t)size;
    }
}

INLINE void whole_rect(hry_mover *m, const hry_rect *r, size_t size, bool write)
{
    if (r->stride[1] == 1 && r->step[1] == 1) {
        whole_rows(m, r, size, write);
        return;
    }
    const int64_t stride = r->stride[1] * (int64_t)size;
    const int64_t step = r->step[1] * (int64_t)size;
    for (uint64_t i = 0; i < r->count[0]; i++) {
        uint8_t *storage = m->storage + (r->at + (int64_t)i * r->stride[0]) * (int64_t)size;
        uint8_t *array = m->array + (r->to + (int64_t)i * r->step[0]) * (int64_t)size;
        for (uint64_t j = 0; j < r->count[1]; j++)
            move(storage + (int64_t)j * stride, array + (int64_t)j * step, size, write);
    }
}

/* n elements, from `stride` to `step` elements apart. */
INLINE void spread(uint8_t *to, int64_t step, const uint8_t *from, int64_t stride, size_t n,
                   size_t size)
{
    if (step == 1 && stride == 1) {
        memcpy(to, from, n * size);
        return;
    }
    for (size_t i = 0; i < n; i++)
        memcpy(to + (int64_t)i * step * (int64_t)size,
               from + (int64_t)i * stride * (int64_t)size, size);
}

/*
 * Lines of the source go to a tile in the first-level cache, lines of the target come
 * from there: either side's cache lines are touched once, whole, and many at a time.
 */
INLINE void whole_block(hry_mover *m, const hry_rect *r, size_t size, bool write)
{
    uint8_t tile[HRY_BLOCK_LINE * HRY_BLOCK_LINES];
    const size_t line = (size_t)r->count[0];
    const size_t lines = (size_t)r->count[1];
    uint8_t *storage = m->storage + r->at * (int64_t)size;
    uint8_t *array = m->array + r->to * (int64_t)size;
    const int64_t next = r->stride[1] * (int64_t)size; /* line of storage */
    const int64_t row = r->step[0] * (int64_t)size;
    for (size_t i = 0; write && i < line; i++)
        spread(tile + i * lines * size, 1, array + (int64_t)i * row, 1, lines, size);
    for (size_t j = 0; j < lines; j++) {
        if (write)
            spread(storage + (int64_t)j * next, r->stride[0], tile + j * size,
                   (int64_t)lines, line, size);
        else
            spread(tile + j * line * size, 1, storage + (int64_t)j * next, r->stride[0],
                   line, size);
    }
    for (size_t i = 0; !write && i < line; i++)
        spread(array + (int64_t)i * row, 1, tile + i * size, (int64_t)line, lines, size);
}

INLINE void whole_terms(hry_mover *m, int64_t at, const int64_t *terms, int64_t to,
                        uint64_t n, size_t size, bool write)
{
    uint8_t *storage = m->storage + at * (int64_t)size;
    uint8_t *array = m->array + to * (int64_t)size;
    for (uint64_t j = 0; j < n; j++)
        move(storage + terms[j] * (int64_t)size, array + j * size, size, write);
}

INLINE void whole_pairs(hry_mover *m, const int64_t *at, const int64_t *to, uint64_t n,
                        size_t size, bool write)
{
    for (uint64_t j = 0; j < n; j++)
        move(m->storage + at[j] * (int64_t)size, m->array + to[j] * (int64_t)size, size,
             write);
}

INLINE void move_bits(hry_mover *m, int64_t at, int64_t to, uint32_t bits, bool write)
{
    if (write)
        bits_put(m->storage, at, bits, m->array[to]);
    else
        m->array[to] = bits_get(m->storage, at, bits);
}

INLINE void bits_rect(hry_mover *m, const hry_rect *r, uint32_t bits, bool write)
{
    for (uint64_t i = 0; i < r->count[0]; i++) {
        const int64_t at = r->at + (int64_t)i * r->stride[0];
        const int64_t to = r->to + (int64_t)i * r->step[0];
        if (r->stride[1] != 1 || r->step[1] != 1 || r->count[1] < 8) {
            for (uint64_t j = 0; j < r->count[1]; j++)
                move_bits(m, at + (int64_t)j * r->stride[1], to + (int64_t)j * r->step[1],
                          bits, write);
        } else if (write) {
            hry_bits_pack(bits, m->array + to, (size_t)r->count[1], m->storage, at);
        } else {
            hry_bits_unpack(bits, m->storage, at, m->array + to, (size_t)r->count[1]);
        }
    }
}

INLINE void bits_line(hry_mover *m, const hry_rect *r, uint64_t j, uint8_t *codes,
                      uint32_t bits, bool write)
{
    const int64_t at = r->at + (int64_t)j * r->stride[1];
    const size_t line = (size_t)r->count[0];
    if (r->stride[0] == 1 && write)
        hry_bits_pack(bits, codes, line, m->storage, at);
    else if (r->stride[0] == 1)
        hry_bits_unpack(bits, m->storage, at, codes, line);
    else
        for (size_t i = 0; i < line; i++) {
            const int64_t element = at + (int64_t)i * r->stride[0];
            if (write)
                bits_put(m->storage, element, bits, codes[i]);
            else
                codes[i] = bits_get(m->storage, element, bits);
        }
}

INLINE void bits_block(hry_mover *m, const hry_rect *r, uint32_t bits, bool write)
{
    uint8_t tile[HRY_BLOCK_LINE * HRY_BLOCK_LINES];
    uint8_t codes[HRY_BLOCK_LINE];
    const size_t line = (size_t)r->count[0];
    const size_t lines = (size_t)r->count[1];
    uint8_t *array = m->array + r->to;
    for (size_t i = 0; write && i < line; i++)
        memcpy(tile + i * lines, array + (int64_t)i * r->step[0], lines);
    for (size_t j = 0; j < lines; j++) {
        if (write)
            spread(codes, 1, tile + j, (int64_t)lines, line, 1);
        bits_line(m, r, j, write ? codes : tile + j * line, bits, write);
    }
    for (size_t i = 0; !write && i < line; i++)
        spread(array + (int64_t)i * r->step[0], 1, tile + i, (int64_t)line, lines, 1);
}

INLINE void bits_terms(hry_mover *m, int64_t at, const int64_t *terms, int64_t to,
                       uint64_t n, uint32_t bits, bool write)
{
    for (uint64_t j = 0; j < n; j++)
        move_bits(m, at + terms[j], to + (int64_t)j, bits, write);
}

INLINE void bits_pairs(hry_mover *m, const int64_t *at, const int64_t *to, uint64_t n,
                       uint32_t bits, bool write)
{
    for (uint64_t j = 0; j < n; j++)
        move_bits(m, at[j], to[j], bits, write);
}

/* The table rows: `kind` is whole or bits, `width` bytes or bits. */
#define MOVER(name, kind, width, write)                                                    \
    static void name##_rect(hry_mover *m, const hry_rect *r)                               \
    {                                                                                      \
        kind##_rect(m, r, width, write);                                                   \
    }                                                                                      \
    static void name##_block(hry_mover *m, const hry_rect *r)                              \
    {                                                                                      \
        kind##_block(m, r, width, write);                                                  \
    }                                                                                      \
    static void name##_terms(hry_mover *m, int64_t at, const int64_t *terms, int64_t to,   \
                             uint64_t n)                                                   \
    {                                                                                      \
        kind##_terms(m, at, terms, to, n, width, write);                                   \
    }                                                                                      \
    static void name##_pairs(hry_mover *m, const int64_t *at, const int64_t *to,           \
                             uint64_t n)                                                   \
    {                                                                                      \
        kind##_pairs(m, at, to, n, width, write);                                          \
    }                                                                                      \
    static const hry_mover_ops name = {name##_rect, name##_block, name##_terms,            \
                                       name##_pairs};

#define BOTH(suffix, kind, width)                                                          \
    MOVER(get_##suffix, kind, width, false)                                                \
    MOVER(put_##suffix, kind, width, true)

BOTH(8, whole, 1)
BOTH(16, whole, 2)
BOTH(32, whole, 4)
BOTH(64, whole, 8)
BOTH(128, whole, 16)
BOTH(other, whole, m->bytes)
BOTH(1, bits, 1)
BOTH(2, bits, 2)
BOTH(4, bits, 4)
BOTH(6, bits, 6)

const hry_mover_ops *hry_mover_for(uint32_t bits, bool write)
{
    static const struct {
        uint32_t bits;
        const hry_mover_ops *get, *put;
    } rows[] = {
        {8, &get_8, &put_8},    {16, &get_16, &put_16},    {32, &get_32, &put_32},
        {64, &get_64, &put_64}, {128, &get_128, &put_128}, {1, &get_1, &put_1},
        {2, &get_2, &put_2},    {4, &get_4, &put_4},       {6, &get_6, &put_6},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].bits == bits)
            return write ? rows[i].put : rows[i].get;
    return write ? &put_other : &get_other;
}
