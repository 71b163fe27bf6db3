/* SPDX-License-Identifier: Apache-2.0 */
/* composite.c - the head of a composite: no data, members follow (format section 4). */
#include "descriptor/wire.h"
#include "layout.h"

/* Bytes from the start of the fields. */
enum { AT_RULE = 0, AT_COMBINE = 1, AT_MEMBER_COUNT = 4, SIZE = 8 };

static bool is_private(uint8_t rule)
{
    return rule >= 0xF0 && rule <= 0xFE;
}

size_t hry_composite_size(const hry_descriptor *d)
{
    (void)d;
    return SIZE;
}

hry_status hry_composite_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d,
                                hry_error *err)
{
    hry_composite *composite = &d->fields.composite;
    const size_t at = c->pos;
    composite->rule = cur_u8(c);
    composite->combine = cur_u8(c);
    HRY_TRY(wire_zeros(c, 2, "composite", err));
    composite->member_count = cur_u32(c);
    HRY_TRY(cur_ok(c, "composite fields", err));
    if (mode == HRY_STRICT && is_private(composite->rule))
        return HRY_FAIL_AT(err, HRY_ERR_UNSUPPORTED, at + AT_RULE,
                           "composite rule 0x%02x is private", composite->rule);
    return HRY_OK;
}

void hry_composite_encode(const hry_descriptor *d, hry_builder *b)
{
    const hry_composite *composite = &d->fields.composite;
    bld_u8(b, composite->rule);
    bld_u8(b, composite->combine);
    bld_u16(b, 0);
    bld_u32(b, composite->member_count);
}

static hry_status check_rule(const hry_composite *composite, size_t at, hry_error *err)
{
    const uint8_t rule = composite->rule, combine = composite->combine;
    if ((rule < HRY_PARTITION || rule > HRY_GROUP) && !is_private(rule))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_RULE,
                           "composite rule is 0x%02x, must be 1, 2 or 3", rule);
    if (rule == HRY_OVERLAY && combine != HRY_COMBINE_REPLACE && combine != HRY_COMBINE_ADD)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_COMBINE,
                           "combine is %u, must be 1 or 2 for an overlay", combine);
    if (rule != HRY_OVERLAY && combine != HRY_COMBINE_NONE && !is_private(rule))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_COMBINE,
                           "combine is %u, must be 0 but for an overlay", combine);
    return HRY_OK;
}

hry_status hry_composite_check(const hry_descriptor *d, const hry_places *p, hry_error *err)
{
    const hry_composite *composite = &d->fields.composite;
    const uint32_t count = composite->member_count;
    HRY_TRY(check_rule(composite, p->fields, err));
    if (count == UINT32_MAX || (count == 0 && composite->rule == HRY_OVERLAY))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, p->fields + AT_MEMBER_COUNT,
                           "member_count is %u: an overlay needs a base, and 2^32-1 is "
                           "reserved",
                           (unsigned)count);
    const bool needs_sizes =
        composite->rule == HRY_PARTITION || composite->rule == HRY_OVERLAY;
    for (uint32_t k = 0; needs_sizes && k < d->rank; k++)
        if (d->shape[k] == HRY_DYNAMIC)
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, hry_place_of_dim(k),
                               "shape[%u] is dynamic, only a group may be", (unsigned)k);
    return HRY_OK;
}
