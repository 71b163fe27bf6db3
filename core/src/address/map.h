/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.h - the address arithmetic of a dense layout, prepared once. Private to core/src.
 *
 * In every dense layout but Hilbert an element's offset is a sum of one term for each
 * axis: strided layouts add index * stride, tiled ones do so at every level, and Morton
 * codes give each axis bits of its own. So a map answers for one axis at a time, and
 * regions work on tables of terms.
 */
#ifndef HRY_MAP_H
#define HRY_MAP_H

#include "hry/layout.h"

typedef enum hry_map_kind { HRY_MAP_STRIDES, HRY_MAP_MORTON, HRY_MAP_HILBERT } hry_map_kind;

typedef struct hry_map {
    hry_map_kind kind;
    uint32_t rank;
    uint32_t bits;        /* of one element                                          */
    uint32_t bytes;       /* of one element; 0 for types below 8 bits                */
    uint32_t levels;      /* HRY_MAP_STRIDES: of tiles; 0 is a plain strided layout  */
    uint32_t order;       /* HRY_MAP_HILBERT                                         */
    uint64_t byte_offset; /* of element [0,..,0]                                     */
    uint64_t shape[HRY_MAX_RANK];
    uint64_t mask[HRY_MAX_RANK]; /* HRY_MAP_MORTON: the code's bits of each axis     */
    uint64_t tile[HRY_MAX_TILE_DEPTH][HRY_MAX_RANK];
    int64_t stride[HRY_MAX_TILE_DEPTH + 1][HRY_MAX_RANK]; /* in ELEMENTS             */
} hry_map;

/* HRY_ERR_UNSUPPORTED: not dense. HRY_ERR_RANGE: dynamic, or strides beyond 63 bits. */
hry_status hry_map_init(const hry_descriptor *d, hry_map *map, hry_error *err);

/* One layout's part of hry_map_init(). */
hry_status hry_map_row_major(const hry_descriptor *d, hry_map *map, hry_error *err);
hry_status hry_map_column_major(const hry_descriptor *d, hry_map *map, hry_error *err);
hry_status hry_map_strided(const hry_descriptor *d, hry_map *map, hry_error *err);
hry_status hry_map_tiled(const hry_descriptor *d, hry_map *map, hry_error *err);
hry_status hry_map_morton(const hry_descriptor *d, hry_map *map, hry_error *err);
hry_status hry_map_hilbert(const hry_descriptor *d, hry_map *map, hry_error *err);

/*
 * Strides of a dense block of `dims` whose elements are `unit` apart: row_major or not.
 * False when they do not fit. All 0 when the block is empty.
 */
bool hry_dense_strides(uint32_t rank, const uint64_t *dims, bool row_major, int64_t unit,
                       int64_t *strides);

/*
 * The term of index `i` on axis `k`, from tile level `level` down (0: the whole layout);
 * false on overflow. Not for Hilbert.
 */
bool hry_map_term(const hry_map *map, uint32_t level, uint32_t k, uint64_t i,
                  int64_t *term);

/* Terms of the indices first .. first + n - 1, n > 0, and their least and greatest. */
bool hry_map_terms(const hry_map *map, uint32_t level, uint32_t k, uint64_t first,
                   uint64_t n, int64_t *terms, int64_t range[2]);

/* Offset of a whole index, proven inside the shape by the caller. */
bool hry_map_offset(const hry_map *map, const uint64_t *index, int64_t *offset);

/* Place of an element offset; false when the element is not inside `size` bytes. */
bool hry_map_place(const hry_map *map, int64_t offset, uint64_t size, hry_place *place);

#endif
