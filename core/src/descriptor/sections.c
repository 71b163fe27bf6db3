/* SPDX-License-Identifier: Apache-2.0 */
/* sections.c - the optional sections as a table, and what follows from it. */
#include "sections.h"

#include "layout/layout.h"

/* clang-format off */
const hry_section hry_sections[HRY_SECTION_COUNT] = {
    [HRY_SECTION_QUANTIZATION] = {
        .flag = HRY_HAS_QUANTIZATION, .name = "quantization",
        .decode = hry_quantization_decode, .encode = hry_quantization_encode,
        .size = hry_quantization_size},
    [HRY_SECTION_SHARD] = {
        .flag = HRY_HAS_SHARD, .name = "shard",
        .decode = hry_shard_decode, .encode = hry_shard_encode, .size = hry_shard_size},
    [HRY_SECTION_STATISTICS] = {
        .flag = HRY_HAS_STATISTICS, .name = "statistics",
        .decode = hry_statistics_decode, .encode = hry_statistics_encode,
        .size = hry_statistics_size},
    [HRY_SECTION_EXTENSION_TYPE] = {
        .flag = HRY_HAS_EXTENSION_TYPE, .name = "extension type",
        .decode = hry_extension_type_decode, .encode = hry_extension_type_encode,
        .size = hry_extension_type_size},
    [HRY_SECTION_MEMBER] = {
        .flag = HRY_HAS_COMPOSITE_MEMBER, .name = "composite member",
        .decode = hry_member_decode, .encode = hry_member_encode, .size = hry_member_size},
};
/* clang-format on */

hry_places hry_places_of(const hry_descriptor *d)
{
    const hry_layout *layout = hry_layout_by_tag(d->layout_tag);
    hry_places p;
    p.byte_offset = hry_place_of_dim(d->rank);
    p.fields = p.byte_offset + 8;
    p.table = p.fields + (layout->size != NULL ? layout->size(d) : 0);
    size_t at = hry_place_of_buffer(&p, d->buffer_count);
    for (int i = 0; i < HRY_SECTION_COUNT; i++) {
        p.section[i] = at;
        if ((d->flags & hry_sections[i].flag) != 0)
            at += hry_sections[i].size(d);
    }
    p.end = at;
    return p;
}

/* The type's width before sizes, quantization before the sizes it pads. */
hry_status hry_parts_check(const hry_descriptor *d, const hry_places *p, hry_error *err)
{
    const hry_layout *layout = hry_layout_by_tag(d->layout_tag);
    HRY_TRY(hry_shape_check(d, err));
    if ((d->flags & HRY_HAS_EXTENSION_TYPE) != 0)
        HRY_TRY(hry_extension_type_check(d, p, err));
    HRY_TRY(hry_buffers_check(d, p, err));
    if ((d->flags & HRY_HAS_QUANTIZATION) != 0)
        HRY_TRY(hry_quantization_check(d, p, err));
    HRY_TRY(layout->check(d, p, err));
    if ((d->flags & HRY_HAS_SHARD) != 0)
        HRY_TRY(hry_shard_check(d, p, err));
    if ((d->flags & HRY_HAS_STATISTICS) != 0)
        HRY_TRY(hry_statistics_check(d, p, err));
    if ((d->flags & HRY_HAS_COMPOSITE_MEMBER) != 0)
        HRY_TRY(hry_member_check(d, p, err));
    return HRY_OK;
}
