/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mover.h - how elements move between storage and array. Private to core/src.
 *
 * Walks over layouts know where elements are, movers know what to do with them: read,
 * write, or report runs, for one width of element each. Positions `at` in storage and
 * `to` in the array count elements; the walk has proven them.
 */
#ifndef HRY_MOVER_H
#define HRY_MOVER_H

#include "address/map.h"
#include "hry/region.h"

typedef struct hry_mover hry_mover;

/* Elements at + i * stride[0] + j * stride[1], with j inner, i < count[0], j < count[1]. */
typedef struct hry_rect {
    int64_t at, to;
    int64_t stride[2]; /* in storage */
    int64_t step[2];   /* in the array */
    uint64_t count[2];
} hry_rect;

typedef struct hry_mover_ops {
    void (*rect)(hry_mover *m, const hry_rect *r);
    /*
     * A rect to transpose: step[1] is 1, storage runs along the other axis. At most
     * HRY_BLOCK_LINE bytes along that (elements, below 8 bits) and HRY_BLOCK_LINES lines.
     * NULL: rect will do.
     */
    void (*block)(hry_mover *m, const hry_rect *r);
    /* storage at + terms[j] and array to + j */
    void (*terms)(hry_mover *m, int64_t at, const int64_t *terms, int64_t to, uint64_t n);
    /* storage at[j] and array to[j] */
    void (*pairs)(hry_mover *m, const int64_t *at, const int64_t *to, uint64_t n);
} hry_mover_ops;

struct hry_mover {
    const hry_mover_ops *ops;
    uint32_t bits, bytes; /* as in hry_map */
    uint64_t byte_offset; /* of the element at 0 */
    uint64_t size;        /* of storage, in BYTES */
    uint8_t *storage;     /* the element at 0 */
    uint8_t *array;
    const int64_t *step; /* of dense layouts: of the array, 1 for the last axis; NULL: the
                            array is row-major over the box */
    /* Of the mover that reports runs: */
    hry_run_visit visit;
    void *ctx;
    hry_run pending; /* joined so far; count 0: none */
    hry_status status;
    hry_error *err;
};

#define HRY_BLOCK_LINE 256
#define HRY_BLOCK_LINES 64

/* The operations for a width: reading from storage, or writing to it. */
const hry_mover_ops *hry_mover_for(uint32_t bits, bool write);

extern const hry_mover_ops hry_run_ops;
/* Hands over the last run; the visit's status. */
hry_status hry_run_end(hry_mover *m);

/* Elements low .. high, both included, are in storage. */
hry_status hry_mover_prove(const hry_mover *m, int64_t low, int64_t high, hry_error *err);

/*
 * A box that is strided on both sides. Steps are those of a row-major array.
 * HRY_ERR_RANGE when it leaves the storage.
 */
hry_status hry_move_box(hry_mover *m, uint32_t rank, const uint64_t *count, int64_t at,
                        const int64_t *stride, int64_t to, const int64_t *step,
                        hry_error *err);

/* A box of a dense layout. The box is inside the shape and not empty. */
hry_status hry_walk(hry_mover *m, const hry_map *map, const uint64_t *start,
                    const uint64_t *count, hry_error *err);

/* The parts of hry_walk(). */
hry_status hry_walk_tiles(hry_mover *m, const hry_map *map, const uint64_t *start,
                          const uint64_t *count, const int64_t *step, hry_error *err);
hry_status hry_walk_hilbert(hry_mover *m, const hry_map *map, const uint64_t *start,
                            const uint64_t *count, const int64_t *step, hry_error *err);

/*
 * By tables of terms, from tile level `level` down, in chunks of at most 2^side_bits on
 * each axis, aligned to that.
 */
typedef struct hry_term_walk hry_term_walk;
hry_status hry_term_walk_new(hry_mover *m, const hry_map *map, const uint64_t *count,
                             const int64_t *step, hry_term_walk **out, hry_error *err);
void hry_term_walk_free(hry_term_walk *w);
hry_status hry_walk_terms(hry_term_walk *w, uint32_t level, const uint64_t *start,
                          const uint64_t *count, int64_t at, int64_t to, hry_error *err);

/* Steps of a row-major array of `count`; false when it has more than 2^63 elements. */
static inline bool hry_box_steps(uint32_t rank, const uint64_t *count, int64_t *step)
{
    return hry_dense_strides(rank, count, true, 1, step);
}

#endif
