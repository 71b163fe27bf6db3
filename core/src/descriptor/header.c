/* SPDX-License-Identifier: Apache-2.0 */
/* header.c - the fixed header of a descriptor (format section 1). */
#include "layout/layout.h"
#include "sections.h"

enum { VERSION_MAJOR = 1, VERSION_MINOR = 0, KNOWN_FLAGS = 0x1F };

static const uint8_t magic[4] = {'H', 'R', 'R', 'Y'};

static bool is_private(uint8_t tag)
{
    return tag >= 0xF0 && tag <= 0xFE;
}

hry_status hry_fixed_header_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d,
                                   hry_error *err)
{
    const uint8_t *m = cur_take(c, sizeof magic);
    if (m != NULL && memcmp(m, magic, sizeof magic) != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_MAGIC,
                           "magic is %02x %02x %02x %02x, must be \"HRRY\"", m[0], m[1],
                           m[2], m[3]);
    d->version_major = cur_u8(c);
    d->version_minor = cur_u8(c);
    const uint32_t length = cur_u32(c);
    d->flags = cur_u32(c);
    d->type_tag = cur_u8(c);
    d->layout_tag = cur_u8(c);
    d->rank = cur_u32(c);
    HRY_TRY(cur_ok(c, "fixed header", err));
    if (length < HRY_AT_SHAPE)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_LENGTH,
                           "descriptor_length is %u, must be at least %d", (unsigned)length,
                           HRY_AT_SHAPE);
    HRY_TRY(hry_fixed_header_check(d, mode, err));
    if (length > c->size)
        return HRY_FAIL_AT(err, HRY_ERR_TRUNCATED, HRY_AT_LENGTH,
                           "descriptor_length is %u, only %zu bytes are there",
                           (unsigned)length, c->size);
    c->size = length;
    return HRY_OK;
}

void hry_fixed_header_encode(const hry_descriptor *d, uint32_t length, hry_builder *b)
{
    bld_bytes(b, magic, sizeof magic);
    bld_u8(b, d->version_major);
    bld_u8(b, d->version_minor);
    bld_u32(b, length);
    bld_u32(b, d->flags);
    bld_u8(b, d->type_tag);
    bld_u8(b, d->layout_tag);
    bld_u32(b, d->rank);
}

static hry_status check_version(const hry_descriptor *d, hry_error *err)
{
    if (d->version_major > VERSION_MAJOR)
        return HRY_FAIL_AT(err, HRY_ERR_UNSUPPORTED, HRY_AT_VERSION_MAJOR,
                           "version_major is %u, this build reads %d", d->version_major,
                           VERSION_MAJOR);
    if (d->version_major == 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_VERSION_MAJOR,
                           "version_major is 0, must be at least 1");
    return HRY_OK;
}

static hry_status check_type(const hry_descriptor *d, hry_mode mode, hry_error *err)
{
    const uint8_t tag = d->type_tag;
    const bool has_section = (d->flags & HRY_HAS_EXTENSION_TYPE) != 0;
    if (tag == 0x00 || tag == 0xFF)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_TYPE, "type_tag 0x%02x is invalid",
                           tag);
    if (is_private(tag) && !has_section)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_FLAGS,
                           "flags 0x%x: private type_tag 0x%02x needs HAS_EXTENSION_TYPE",
                           (unsigned)d->flags, tag);
    if (!is_private(tag) && has_section)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_TYPE,
                           "type_tag 0x%02x: HAS_EXTENSION_TYPE needs a private type", tag);
    if (mode == HRY_STRICT && !is_private(tag) && hry_dtype_by_tag(tag) == NULL)
        return HRY_FAIL_AT(err, HRY_ERR_UNSUPPORTED, HRY_AT_TYPE,
                           "type_tag 0x%02x is unknown", tag);
    return HRY_OK;
}

static hry_status check_rank(const hry_descriptor *d, const hry_layout *layout,
                             hry_mode mode, hry_error *err)
{
    const bool scalar_is_allowed =
        layout->rank_min == 0 || (layout->reads_scalar && mode == HRY_PERMISSIVE);
    if (d->rank == 0 && !scalar_is_allowed)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_LAYOUT,
                           "layout_tag is %s, a scalar must be row_major", layout->name);
    if (d->rank != 0 && (d->rank < layout->rank_min || d->rank > layout->rank_max))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_RANK,
                           "rank is %u, %s needs %u to %u", (unsigned)d->rank, layout->name,
                           layout->rank_min, layout->rank_max);
    return HRY_OK;
}

static hry_status check_layout(const hry_descriptor *d, hry_mode mode, hry_error *err)
{
    const uint8_t tag = d->layout_tag;
    const hry_layout *layout = hry_layout_by_tag(tag);
    if (tag == 0x00 || tag == 0xFF)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_LAYOUT,
                           "layout_tag 0x%02x is invalid", tag);
    if (layout == NULL && mode == HRY_STRICT)
        return HRY_FAIL_AT(err, HRY_ERR_UNSUPPORTED, HRY_AT_LAYOUT,
                           "layout_tag 0x%02x is unknown", tag);
    if (layout == NULL)
        return HRY_OK;
    if ((d->flags & layout->forbidden_flags) != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_FLAGS,
                           "flags are 0x%x, %s must not have 0x%x", (unsigned)d->flags,
                           layout->name, (unsigned)layout->forbidden_flags);
    return check_rank(d, layout, mode, err);
}

hry_status hry_fixed_header_check(const hry_descriptor *d, hry_mode mode, hry_error *err)
{
    HRY_TRY(check_version(d, err));
    if ((d->flags & ~(uint32_t)KNOWN_FLAGS) != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_FLAGS,
                           "flags are 0x%08x, reserved bits must be 0", (unsigned)d->flags);
    if (d->rank > HRY_MAX_RANK)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_RANK, "rank is %u, at most %d",
                           (unsigned)d->rank, HRY_MAX_RANK);
    HRY_TRY(check_type(d, mode, err));
    return check_layout(d, mode, err);
}

bool hry_fixed_header_is_opaque(const hry_descriptor *d)
{
    return hry_layout_by_tag(d->layout_tag) == NULL ||
           (!is_private(d->type_tag) && hry_dtype_by_tag(d->type_tag) == NULL);
}
