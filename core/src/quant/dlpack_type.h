/* SPDX-License-Identifier: Apache-2.0 */
/* dlpack_type.h - which element type is which in DLPack. Private to core/src/quant. */
#ifndef HRY_DLPACK_TYPE_H
#define HRY_DLPACK_TYPE_H

#include "hry/dlpack.h"

/* HRY_ERR_UNSUPPORTED when the other side has no such type. */
hry_status hry_dl_type_of(uint8_t type_tag, hry_dl_type *out, hry_error *err);
hry_status hry_dl_type_tag(hry_dl_type type, uint8_t *type_tag, hry_error *err);

/*
 * Copy the elements of a dense box between two places, in row-major order. Offsets and
 * strides are in UNITS of the place: bits where `bits` is set (one bit per element), else
 * elements of `size` bytes. The caller has proven every offset.
 */
typedef struct hry_dl_place {
    void *base;
    int64_t first;          /* of element [0,..,0] */
    const int64_t *strides; /* by dimension        */
    uint32_t bits;          /* 0: whole bytes; 1, 2, 4: packed, low bits first */
} hry_dl_place;

void hry_dl_copy(uint32_t rank, const uint64_t *shape, size_t size,
                 const hry_dl_place *from, const hry_dl_place *to);

/* Row-major strides in ELEMENTS. The caller has proven that the count fits. */
void hry_dl_row_major(uint32_t rank, const uint64_t *shape, int64_t *strides);

/*
 * The lowest and highest element offset of a strided box that is not empty.
 * HRY_ERR_RANGE when they do not fit.
 */
hry_status hry_dl_extent(uint32_t rank, const uint64_t *shape, const int64_t *strides,
                         int64_t *low, int64_t *high, hry_error *err);

#endif
