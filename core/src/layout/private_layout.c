/* SPDX-License-Identifier: Apache-2.0 */
/*
 * private_layout.c - layouts 0xF0..0xFE: an id and bytes that only its owner knows
 * (format section 3). Strict readers refuse them, permissive ones keep them.
 */
#include "layout.h"

enum { AT_LENGTH = 8, HEAD_SIZE = 12 };

size_t hry_private_layout_size(const hry_descriptor *d)
{
    return HEAD_SIZE + (size_t)d->fields.extension.length;
}

hry_status hry_private_layout_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d,
                                     hry_error *err)
{
    const size_t at = c->pos;
    d->fields.extension.id = cur_u64(c);
    d->fields.extension.length = cur_u32(c);
    d->fields.extension.bytes = cur_take(c, d->fields.extension.length);
    HRY_TRY(cur_ok(c, "private layout", err));
    if (mode == HRY_STRICT)
        return HRY_FAIL_AT(err, HRY_ERR_UNSUPPORTED, at,
                           "private layout 0x%02x with id 0x%llx is unknown", d->layout_tag,
                           (unsigned long long)d->fields.extension.id);
    return HRY_OK;
}

void hry_private_layout_encode(const hry_descriptor *d, hry_builder *b)
{
    bld_u64(b, d->fields.extension.id);
    bld_u32(b, d->fields.extension.length);
    bld_bytes(b, d->fields.extension.bytes, d->fields.extension.length);
}

hry_status hry_private_layout_check(const hry_descriptor *d, const hry_places *p,
                                    hry_error *err)
{
    if (d->fields.extension.bytes == NULL && d->fields.extension.length > 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, p->fields + AT_LENGTH,
                           "private layout: length is %u, but there are no bytes",
                           (unsigned)d->fields.extension.length);
    return HRY_OK;
}
