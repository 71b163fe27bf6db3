/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h - the table of layouts (format section 3): what each adds to a descriptor.
 * A new layout is one file and one row. Private to core/src.
 */
#ifndef HRY_LAYOUT_H
#define HRY_LAYOUT_H

#include "builder.h"
#include "cursor.h"
#include "descriptor/places.h"

typedef struct hry_layout {
    const char *name; /* NULL: no such layout */
    uint8_t rank_min, rank_max;
    bool reads_scalar;        /* permissive readers take rank 0 although rank_min is 1  */
    uint8_t buffers;          /* of its own, before the parameters of a quantization    */
    uint8_t buffers_per_rank; /* more of its own, times the rank                        */
    bool more_buffers;        /* may declare more than these                            */
    bool no_byte_offset;      /* byte_offset must be 0                                  */
    bool is_sparse;           /* fields.sparse.nnz is filled                            */
    uint32_t forbidden_flags; /* HRY_HAS_...: sections it must not have                 */

    /* Its fields. All three NULL when it has none. */
    hry_status (*decode)(hry_cursor *c, hry_mode mode, hry_descriptor *d, hry_error *err);
    void (*encode)(const hry_descriptor *d, hry_builder *b);
    size_t (*size)(const hry_descriptor *d); /* encoded, in BYTES */

    /*
     * Rules of the fields, and sizes of the layout's buffers against shape and type. Rank,
     * shape, type, the handles by themselves and the quantization are already proven.
     */
    hry_status (*check)(const hry_descriptor *d, const hry_places *p, hry_error *err);
} hry_layout;

/* NULL when unknown; private tags (0xF0..0xFE) share one row. */
const hry_layout *hry_layout_by_tag(uint8_t tag);

/* Buffers of its own at that rank; the quantization's parameters follow them. */
static inline uint32_t hry_layout_buffers(const hry_layout *layout, uint32_t rank)
{
    return layout->buffers + layout->buffers_per_rank * rank;
}

#define HRY_LAYOUT_CODEC(name)                                                             \
    hry_status hry_##name##_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d,        \
                                   hry_error *err);                                        \
    void hry_##name##_encode(const hry_descriptor *d, hry_builder *b);                     \
    size_t hry_##name##_size(const hry_descriptor *d);                                     \
    hry_status hry_##name##_check(const hry_descriptor *d, const hry_places *p,            \
                                  hry_error *err)

hry_status hry_dense_check(const hry_descriptor *d, const hry_places *p, hry_error *err);
HRY_LAYOUT_CODEC(strided);
HRY_LAYOUT_CODEC(tiled);
HRY_LAYOUT_CODEC(morton);
HRY_LAYOUT_CODEC(hilbert);
HRY_LAYOUT_CODEC(coo);
HRY_LAYOUT_CODEC(csr); /* and CSC */
HRY_LAYOUT_CODEC(csf);
HRY_LAYOUT_CODEC(block_paged);
HRY_LAYOUT_CODEC(composite);
HRY_LAYOUT_CODEC(private_layout);
#undef HRY_LAYOUT_CODEC

#endif
