/* SPDX-License-Identifier: Apache-2.0 */
/* composite_member.c - the section of an overlay's members (format section 1). */
#include "sections.h"
#include "wire.h"

enum { RESERVED = 15, SIZE = 16 };

size_t hry_member_size(const hry_descriptor *d)
{
    (void)d;
    return SIZE;
}

hry_status hry_member_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d,
                             hry_error *err)
{
    (void)mode;
    d->member_role = cur_u8(c);
    return wire_zeros(c, RESERVED, "composite member", err);
}

void hry_member_encode(const hry_descriptor *d, hry_builder *b)
{
    bld_u8(b, d->member_role);
    bld_zeros(b, RESERVED);
}

hry_status hry_member_check(const hry_descriptor *d, const hry_places *p, hry_error *err)
{
    if (d->member_role > HRY_ROLE_BASE)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, p->section[HRY_SECTION_MEMBER],
                           "member_role is %u, must be 0 or 1", d->member_role);
    return HRY_OK;
}
