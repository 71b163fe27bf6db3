/* SPDX-License-Identifier: Apache-2.0 */
/*
 * box.c - boxes that are strided on both sides. Axes that are one on both sides become
 * one; what is left is copied in rows when both sides run along the last axis, else in
 * blocks of two axes that stay in the cache while they are transposed.
 */
#include "checked.h"
#include "fail.h"
#include "mover.h"

#include <string.h>

hry_status hry_mover_prove(const hry_mover *m, int64_t low, int64_t high, hry_error *err)
{
    const hry_map map = {.bits = m->bits, .bytes = m->bytes, .byte_offset = m->byte_offset};
    hry_place place;
    if (hry_map_place(&map, low, m->size, &place) &&
        hry_map_place(&map, high, m->size, &place))
        return HRY_OK;
    return HRY_FAIL(err, HRY_ERR_RANGE,
                    "elements %lld to %lld lie outside the buffer of %llu bytes",
                    (long long)low, (long long)high, (unsigned long long)m->size);
}

typedef struct box {
    uint32_t rank;
    uint64_t count[HRY_MAX_RANK];
    int64_t stride[HRY_MAX_RANK];
    int64_t step[HRY_MAX_RANK];
} box;

static hry_status prove(const hry_mover *m, const box *b, int64_t at, hry_error *err)
{
    int64_t low = at;
    int64_t high = at;
    for (uint32_t k = 0; k < b->rank; k++) {
        int64_t span;
        if (!checked_mul_i64((int64_t)(b->count[k] - 1), b->stride[k], &span) ||
            !checked_add_i64(span < 0 ? low : high, span, span < 0 ? &low : &high))
            return HRY_FAIL(err, HRY_ERR_RANGE, "the box's offsets are beyond 63 bits");
    }
    return hry_mover_prove(m, low, high, err);
}

/* Drop axes of one element and join neighbours; at least one axis stays. */
static void simplify(box *b, uint32_t rank, const uint64_t *count, const int64_t *stride,
                     const int64_t *step)
{
    b->rank = 0;
    for (uint32_t k = 0; k < rank; k++) {
        if (count[k] == 1)
            continue;
        const uint32_t last = b->rank - 1;
        const int64_t n = (int64_t)count[k];
        int64_t stride_n;
        int64_t step_n;
        if (b->rank > 0 && checked_mul_i64(stride[k], n, &stride_n) &&
            checked_mul_i64(step[k], n, &step_n) && b->stride[last] == stride_n &&
            b->step[last] == step_n) {
            b->count[last] *= count[k];
            b->stride[last] = stride[k];
            b->step[last] = step[k];
            continue;
        }
        b->count[b->rank] = count[k];
        b->stride[b->rank] = stride[k];
        b->step[b->rank++] = step[k];
    }
    if (b->rank == 0)
        *b = (box){.rank = 1, .count = {1}, .stride = {1}, .step = {1}};
}

static uint64_t magnitude(int64_t n)
{
    return n < 0 ? -(uint64_t)n : (uint64_t)n;
}

/* The outer axis of the innermost two: the one storage runs along fastest. */
static uint32_t partner(const box *b)
{
    uint32_t best = b->rank - 2;
    if (b->stride[b->rank - 1] == 1)
        return best;
    for (uint32_t k = 0; k + 1 < b->rank; k++)
        if (magnitude(b->stride[k]) < magnitude(b->stride[best]))
            best = k;
    return best;
}

/* Elements of a line of storage that a block holds; 0 when elements are too large. */
static uint64_t line_of(const hry_mover *m)
{
    return m->bytes == 0 ? HRY_BLOCK_LINE : HRY_BLOCK_LINE / m->bytes;
}

static void transpose(hry_mover *m, const hry_rect *whole, uint64_t line)
{
    for (uint64_t j = 0; j < whole->count[1]; j += HRY_BLOCK_LINES) {
        for (uint64_t i = 0; i < whole->count[0]; i += line) {
            hry_rect r = *whole;
            r.at += (int64_t)i * r.stride[0] + (int64_t)j * r.stride[1];
            r.to += (int64_t)i * r.step[0] + (int64_t)j * r.step[1];
            r.count[0] = r.count[0] - i < line ? r.count[0] - i : line;
            r.count[1] =
                r.count[1] - j < HRY_BLOCK_LINES ? r.count[1] - j : HRY_BLOCK_LINES;
            m->ops->block(m, &r);
        }
    }
}

static void plane(hry_mover *m, const hry_rect *r)
{
    const bool along = magnitude(r->stride[0]) >= magnitude(r->stride[1]);
    const uint64_t line = line_of(m);
    if (m->ops->block == NULL || r->stride[1] == 1 || along || r->step[1] != 1 ||
        line < 4 || r->count[0] < 4)
        m->ops->rect(m, r);
    else
        transpose(m, r, line);
}

hry_status hry_move_box(hry_mover *m, uint32_t rank, const uint64_t *count, int64_t at,
                        const int64_t *stride, int64_t to, const int64_t *step,
                        hry_error *err)
{
    box b;
    simplify(&b, rank, count, stride, step);
    HRY_TRY(prove(m, &b, at, err));
    const uint32_t last = b.rank - 1;
    hry_rect r = {.at = at, .to = to, .count = {1, b.count[last]}};
    r.stride[1] = b.stride[last];
    r.step[1] = b.step[last];
    if (b.rank > 1) {
        const uint32_t p = partner(&b);
        r.count[0] = b.count[p];
        r.stride[0] = b.stride[p];
        r.step[0] = b.step[p];
        for (uint32_t k = p; k + 2 < b.rank; k++) { /* the others, in order */
            b.count[k] = b.count[k + 1];
            b.stride[k] = b.stride[k + 1];
            b.step[k] = b.step[k + 1];
        }
    }
    const uint32_t outer = b.rank > 2 ? b.rank - 2 : 0;
    uint64_t index[HRY_MAX_RANK];
    memset(index, 0, outer * sizeof *index);
    for (;;) {
        plane(m, &r);
        uint32_t k = outer;
        for (; k > 0; k--) {
            r.at += b.stride[k - 1];
            r.to += b.step[k - 1];
            if (++index[k - 1] < b.count[k - 1])
                break;
            r.at -= (int64_t)b.count[k - 1] * b.stride[k - 1];
            r.to -= (int64_t)b.count[k - 1] * b.step[k - 1];
            index[k - 1] = 0;
        }
        if (k == 0)
            return m->status;
    }
}
