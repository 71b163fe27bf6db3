/* SPDX-License-Identifier: Apache-2.0 */
/* decode.c - bytes to a descriptor (format section 1). */
#include "layout/layout.h"
#include "sections.h"

static hry_status decode_sections(hry_cursor *c, hry_mode mode, hry_descriptor *d,
                                  hry_error *err)
{
    for (int i = 0; i < HRY_SECTION_COUNT; i++) {
        const hry_section *s = &hry_sections[i];
        if ((d->flags & s->flag) == 0)
            continue;
        if (cur_left(c) == 0 && s->size(d) > 0)
            return HRY_FAIL_AT(
                err, HRY_ERR_CORRUPT, HRY_AT_FLAGS,
                "flags are 0x%x, but the descriptor ends before its %s section",
                (unsigned)d->flags, s->name);
        HRY_TRY(s->decode(c, mode, d, err));
    }
    return HRY_OK;
}

static hry_status decode_parts(hry_cursor *c, hry_mode mode, hry_descriptor *d,
                               hry_error *err)
{
    HRY_TRY(hry_shape_decode(c, d, err));
    if (d->opaque)
        return HRY_OK;
    const hry_layout *layout = hry_layout_by_tag(d->layout_tag);
    if (layout->decode != NULL)
        HRY_TRY(layout->decode(c, mode, d, err));
    HRY_TRY(hry_buffers_decode(c, d, err));
    return decode_sections(c, mode, d, err);
}

/* A newer minor version may append what this build does not know. */
static hry_status check_end(const hry_cursor *c, const hry_descriptor *d, hry_error *err)
{
    if (cur_left(c) == 0 || d->version_minor > 0)
        return HRY_OK;
    return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_LENGTH,
                       "descriptor_length is %zu, the fields take %zu", c->size, c->pos);
}

static void copy_fields(hry_descriptor *to, const hry_descriptor *from)
{
    const hry_layout *layout = hry_layout_by_tag(from->layout_tag);
    if (from->layout_tag == HRY_TILED)
        memcpy(&to->fields.tiled, &from->fields.tiled,
               offsetof(hry_tiled, level) +
                   from->fields.tiled.depth * sizeof *from->fields.tiled.level);
    else if (layout->decode != NULL)
        memcpy(&to->fields, &from->fields, sizeof from->fields.strides);
}

/* The whole structure is 15 KB, of which a plain descriptor fills a hundred bytes. */
static void copy_used(hry_descriptor *to, const hry_descriptor *from, bool has_parts)
{
    memcpy(to, from, offsetof(hry_descriptor, shape));
    memcpy(to->shape, from->shape, from->rank * sizeof *from->shape);
    if (!has_parts)
        return;
    memcpy(to->buffers, from->buffers, from->buffer_count * sizeof *from->buffers);
    copy_fields(to, from);
    if ((from->flags & HRY_HAS_QUANTIZATION) != 0)
        to->quantization = from->quantization;
    if ((from->flags & HRY_HAS_SHARD) != 0) {
        memcpy(to->shard.parent_shape, from->shard.parent_shape,
               from->rank * sizeof *from->shard.parent_shape);
        memcpy(to->shard.offset, from->shard.offset,
               from->rank * sizeof *from->shard.offset);
    }
    if ((from->flags & HRY_HAS_STATISTICS) != 0)
        to->statistics = from->statistics;
    if ((from->flags & HRY_HAS_EXTENSION_TYPE) != 0)
        to->extension_type = from->extension_type;
    if ((from->flags & HRY_HAS_COMPOSITE_MEMBER) != 0)
        to->member_role = from->member_role;
}

hry_status hry_descriptor_decode(const void *bytes, size_t size, hry_mode mode,
                                 hry_descriptor *out, size_t *length, hry_error *err)
{
    if ((bytes == NULL && size > 0) || out == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "bytes and out must not be NULL");

    hry_cursor c = cur_over(bytes, size);
    hry_descriptor d; /* deliberately not zeroed: see copy_used() */
    HRY_TRY(hry_fixed_header_decode(&c, mode, &d, err));
    d.buffer_count = 0;
    const bool has_parts = !hry_fixed_header_is_opaque(&d);
    d.opaque = !has_parts;

    const hry_status status = decode_parts(&c, mode, &d, err);
    if (status == HRY_ERR_TRUNCATED) /* of what descriptor_length says is there */
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_LENGTH,
                           "descriptor_length is %zu: at byte %zu its fields need %zu more",
                           c.size, c.pos, c.short_by);
    HRY_TRY(status);
    if (has_parts) {
        const hry_places places = hry_places_of(&d);
        HRY_TRY(hry_parts_check(&d, &places, err));
        HRY_TRY(check_end(&c, &d, err));
    }
    copy_used(out, &d, has_parts);
    if (length != NULL)
        *length = c.size;
    return HRY_OK;
}
