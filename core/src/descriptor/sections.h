/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sections.h - the parts of a descriptor, in the order of format section 1. Each has
 *   _decode  reads its fields and what the bytes alone can break (reserved bytes);
 *   _encode  writes them;
 *   _check   every rule that the value can show, for decoded and for made descriptors.
 * Private to core/src/descriptor.
 */
#ifndef HRY_SECTIONS_H
#define HRY_SECTIONS_H

#include "builder.h"
#include "cursor.h"
#include "places.h"

/* Narrows the cursor to descriptor_length, so that nothing beyond it can be read. */
hry_status hry_fixed_header_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d,
                                   hry_error *err);
void hry_fixed_header_encode(const hry_descriptor *d, uint32_t length, hry_builder *b);
/* Permissive: an unknown type or layout passes; is it one of these? */
hry_status hry_fixed_header_check(const hry_descriptor *d, hry_mode mode, hry_error *err);
bool hry_fixed_header_is_opaque(const hry_descriptor *d);

hry_status hry_shape_decode(hry_cursor *c, hry_descriptor *d, hry_error *err);
void hry_shape_encode(const hry_descriptor *d, hry_builder *b);
hry_status hry_shape_check(const hry_descriptor *d, hry_error *err);

hry_status hry_buffers_decode(hry_cursor *c, hry_descriptor *d, hry_error *err);
void hry_buffers_encode(const hry_descriptor *d, hry_builder *b);
hry_status hry_buffers_check(const hry_descriptor *d, const hry_places *p, hry_error *err);

/* Sets d->opaque when the scheme is unknown and the mode permissive. */
hry_status hry_quantization_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d,
                                   hry_error *err);
void hry_quantization_encode(const hry_descriptor *d, hry_builder *b);
size_t hry_quantization_size(const hry_descriptor *d);
hry_status hry_quantization_check(const hry_descriptor *d, const hry_places *p,
                                  hry_error *err);

hry_status hry_shard_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d,
                            hry_error *err);
void hry_shard_encode(const hry_descriptor *d, hry_builder *b);
size_t hry_shard_size(const hry_descriptor *d);
hry_status hry_shard_check(const hry_descriptor *d, const hry_places *p, hry_error *err);

hry_status hry_statistics_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d,
                                 hry_error *err);
void hry_statistics_encode(const hry_descriptor *d, hry_builder *b);
size_t hry_statistics_size(const hry_descriptor *d);
hry_status hry_statistics_check(const hry_descriptor *d, const hry_places *p,
                                hry_error *err);

hry_status hry_extension_type_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d,
                                     hry_error *err);
void hry_extension_type_encode(const hry_descriptor *d, hry_builder *b);
size_t hry_extension_type_size(const hry_descriptor *d);
hry_status hry_extension_type_check(const hry_descriptor *d, const hry_places *p,
                                    hry_error *err);

hry_status hry_member_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d,
                             hry_error *err);
void hry_member_encode(const hry_descriptor *d, hry_builder *b);
size_t hry_member_size(const hry_descriptor *d);
hry_status hry_member_check(const hry_descriptor *d, const hry_places *p, hry_error *err);

/* A row of the table of optional sections. */
typedef struct hry_section {
    uint32_t flag; /* HRY_HAS_... */
    const char *name;
    hry_status (*decode)(hry_cursor *c, hry_mode mode, hry_descriptor *d, hry_error *err);
    void (*encode)(const hry_descriptor *d, hry_builder *b);
    size_t (*size)(const hry_descriptor *d); /* encoded, in BYTES */
} hry_section;

extern const hry_section hry_sections[HRY_SECTION_COUNT];

/* Every rule of every part but the header's. `d` passed hry_fixed_header_check(). */
hry_status hry_parts_check(const hry_descriptor *d, const hry_places *p, hry_error *err);

#endif
