/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quant.h - the table of quantization schemes (format section 5): what each puts in a
 * descriptor. A new scheme is one file and one row. Private to core/src.
 */
#ifndef HRY_QUANT_H
#define HRY_QUANT_H

#include "builder.h"
#include "cursor.h"
#include "descriptor/places.h"

/* Bytes from the start of the section, whose first four are its length. */
enum { HRY_QUANT_AT_SCHEME = 4, HRY_QUANT_AT_VERSION = 5, HRY_QUANT_AT_FLAGS = 6 };

/* scheme, version, flags: counted in the section's length. */
#define HRY_QUANT_HEADER_SIZE 4

typedef struct hry_scheme {
    const char *name;       /* NULL: no such scheme                                    */
    uint32_t size;          /* of header and fields, in BYTES                          */
    uint16_t flags;         /* HRY_QUANT_... it allows                                 */
    const uint8_t *storage; /* type tags it stores, ends with 0                        */
    bool has_parameters;    /* scales, and zero points if any, are buffers             */

    /* The fields after the header. */
    hry_status (*decode)(hry_cursor *c, hry_quantization *q, hry_error *err);
    void (*encode)(const hry_quantization *q, hry_builder *b);

    /*
     * Rules of the fields, and sizes of the parameter buffers. `at` is where the section
     * starts. Header, storage type, shape and handles are already proven.
     */
    hry_status (*check)(const hry_descriptor *d, const hry_places *p, size_t at,
                        hry_error *err);
} hry_scheme;

/* NULL when unknown. */
const hry_scheme *hry_scheme_by_tag(uint8_t tag);

bool hry_scheme_stores(const hry_scheme *scheme, uint8_t type_tag);

/* Buffers that the quantization of `d` adds to those of its layout; 0 if none or unknown.
 */
uint32_t hry_quant_buffers(const hry_descriptor *d);

#define HRY_SCHEME_CODEC(name)                                                             \
    hry_status hry_##name##_decode(hry_cursor *c, hry_quantization *q, hry_error *err);    \
    void hry_##name##_encode(const hry_quantization *q, hry_builder *b);                   \
    hry_status hry_##name##_check(const hry_descriptor *d, const hry_places *p, size_t at, \
                                  hry_error *err)
HRY_SCHEME_CODEC(per_tensor);
HRY_SCHEME_CODEC(per_channel);
HRY_SCHEME_CODEC(per_block);
HRY_SCHEME_CODEC(nf4);
HRY_SCHEME_CODEC(mxfp);
#undef HRY_SCHEME_CODEC

#endif
