/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c - what the format asks of a head and of each member (section 4). */
#include "binder.h"

#include "descriptor/places.h"
#include "descriptor/same_type.h"
#include "fail.h"
#include "hry/convert.h"

/* ---- the head ---- */

static hry_status check_volume(const hry_descriptor *d, uint64_t at, hry_error *err)
{
    uint64_t count;
    if (hry_descriptor_count(d, &count, NULL) == HRY_OK)
        return HRY_OK;
    return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + hry_place_of_dim(0),
                       "shape: a partition of more than 2^64 - 1 elements");
}

hry_status hry_head_check(const hry_descriptor *d, const hry_frame *around, hry_mode mode,
                          uint64_t at, hry_error *err)
{
    const hry_composite *c = &d->fields.composite;
    if (c->rule == HRY_PARTITION)
        HRY_TRY(check_volume(d, at, err));
    if (mode == HRY_PERMISSIVE)
        return HRY_OK;
    if (c->combine == HRY_COMBINE_ADD && d->type_tag == HRY_BOOL)
        return HRY_FAIL_AT(err, HRY_ERR_UNSUPPORTED, at + HRY_AT_TYPE,
                           "type_tag: bool, which has no sum for an overlay that adds");
    if (around != NULL && hry_rule_has_boxes(around->rule) && !hry_rule_has_boxes(c->rule))
        return HRY_FAIL_AT(err, HRY_ERR_UNSUPPORTED, at + hry_places_of(d).fields,
                           "composite rule: 0x%02x, a member of a partition needs elements",
                           c->rule);
    return HRY_OK;
}

/* ---- members ---- */

static bool is_float(const hry_frame *head)
{
    const hry_dtype *type = hry_dtype_by_tag(head->type_tag);
    return type != NULL ? type->cls == HRY_CLASS_FLOAT
                        : head->has_extension && head->extension.is_float;
}

static hry_status check_type(const hry_descriptor *d, const hry_frame *head, uint64_t at,
                             hry_error *err)
{
    if ((d->flags & HRY_HAS_QUANTIZATION) != 0) {
        if (is_float(head))
            return HRY_OK;
        return HRY_FAIL_AT(
            err, HRY_ERR_CORRUPT, at + HRY_AT_FLAGS,
            "flags: member %lu is quantized, its head's type is %s, no float",
            (unsigned long)head->count, hry_type_name(head->type_tag));
    }
    if (d->type_tag != head->type_tag)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + HRY_AT_TYPE,
                           "type_tag: member %lu is %s, its head %s",
                           (unsigned long)head->count, hry_type_name(d->type_tag),
                           hry_type_name(head->type_tag));
    if (head->has_extension && !same_extension_type(&d->extension_type, &head->extension))
        return HRY_FAIL_AT(
            err, HRY_ERR_CORRUPT, at + hry_places_of(d).section[HRY_SECTION_EXTENSION_TYPE],
            "extension type: member %lu describes type 0x%02x otherwise than its head",
            (unsigned long)head->count, d->type_tag);
    return HRY_OK;
}

static hry_status check_parent(const hry_descriptor *d, const hry_frame *head, uint64_t at,
                               hry_error *err)
{
    if ((d->flags & HRY_HAS_SHARD) == 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + HRY_AT_FLAGS,
                           "flags: 0x%02lx, member %lu has no shard section",
                           (unsigned long)d->flags, (unsigned long)head->count);
    if (d->rank != head->rank)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + HRY_AT_RANK,
                           "rank: %lu in member %lu, %lu in its head",
                           (unsigned long)d->rank, (unsigned long)head->count,
                           (unsigned long)head->rank);
    for (uint32_t k = 0; k < d->rank; k++)
        if (d->shard.parent_shape[k] != head->shape[k])
            return HRY_FAIL_AT(
                err, HRY_ERR_CORRUPT,
                at + hry_places_of(d).section[HRY_SECTION_SHARD] + (size_t)8 * k,
                "parent_shape[%lu]: %llu in member %lu, its head's shape has %llu",
                (unsigned long)k, (unsigned long long)d->shard.parent_shape[k],
                (unsigned long)head->count, (unsigned long long)head->shape[k]);
    return HRY_OK;
}

static hry_status check_base(const hry_descriptor *d, const hry_frame *head, uint64_t at,
                             hry_error *err)
{
    /* A shard that is as large as its parent cannot begin anywhere but at 0. */
    for (uint32_t k = 0; k < d->rank; k++)
        if (d->shape[k] != head->shape[k])
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + hry_place_of_dim(k),
                               "shape[%lu]: %llu in the base, which must be whole: %llu",
                               (unsigned long)k, (unsigned long long)d->shape[k],
                               (unsigned long long)head->shape[k]);
    return HRY_OK;
}

static hry_status check_role(const hry_descriptor *d, const hry_frame *head, uint64_t at,
                             hry_error *err)
{
    const uint8_t want = head->count == 0 ? HRY_ROLE_BASE : HRY_ROLE_CORRECTION;
    if ((d->flags & HRY_HAS_COMPOSITE_MEMBER) == 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + HRY_AT_FLAGS,
                           "flags: 0x%02lx, member %lu of an overlay has no member section",
                           (unsigned long)d->flags, (unsigned long)head->count);
    if (d->member_role != want)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT,
                           at + hry_places_of(d).section[HRY_SECTION_MEMBER],
                           "member_role: %u in member %lu, the first and only the first is "
                           "the base, 1",
                           d->member_role, (unsigned long)head->count);
    return want == HRY_ROLE_BASE ? check_base(d, head, at, err) : HRY_OK;
}

static hry_status check_no_role(const hry_descriptor *d, const hry_frame *head, uint64_t at,
                                hry_error *err)
{
    if ((d->flags & HRY_HAS_COMPOSITE_MEMBER) != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + HRY_AT_FLAGS,
                           "flags: 0x%02lx, member %lu has a member section, which only "
                           "those of an overlay have",
                           (unsigned long)d->flags, (unsigned long)head->count);
    return HRY_OK;
}

hry_status hry_member_of_check(const hry_descriptor *d, const hry_frame *head, uint64_t at,
                               hry_error *err)
{
    const bool has_box = hry_rule_has_boxes(head->rule);
    if (d->opaque && has_box)
        return HRY_FAIL_AT(
            err, HRY_ERR_UNSUPPORTED, at + HRY_AT_TYPE,
            "type_tag: member %lu is of a type, layout or scheme that is not "
            "known",
            (unsigned long)head->count);
    if (d->opaque || head->rule >= 0xF0)
        return HRY_OK;
    if (has_box) {
        HRY_TRY(check_parent(d, head, at, err));
        HRY_TRY(check_type(d, head, at, err));
    }
    return head->rule == HRY_OVERLAY ? check_role(d, head, at, err)
                                     : check_no_role(d, head, at, err);
}
