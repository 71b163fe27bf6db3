/* SPDX-License-Identifier: Apache-2.0 */
/* member_rules.c - what a member must be for its head (format section 4). */
#include "descriptor/places.h"
#include "hry/dtype.h"
#include "stream/nesting.h"
#include "stream/same_type.h"

static bool is_spatial(const hry_nest *head)
{
    return head->composite.rule == HRY_PARTITION || head->composite.rule == HRY_OVERLAY;
}

static bool is_float(const hry_nest *head)
{
    const hry_dtype *type = hry_dtype_by_tag(head->type_tag);
    return type != NULL ? type->cls == HRY_CLASS_FLOAT : head->extension_type.is_float;
}

/* Quantized members become float32, and that the head's float type. */
static hry_status check_type(const hry_nest *head, const hry_descriptor *d, hry_error *err)
{
    const bool is_quantized = (d->flags & HRY_HAS_QUANTIZATION) != 0;
    if (is_quantized && !is_float(head))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_FLAGS,
                           "a quantized member of a composite of type 0x%02x, which is no "
                           "float",
                           (unsigned)head->type_tag);
    if (is_quantized)
        return HRY_OK;
    if (d->type_tag != head->type_tag ||
        ((d->flags & HRY_HAS_EXTENSION_TYPE) != 0 &&
         !same_extension_type(&d->extension_type, &head->extension_type)))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_TYPE,
                           "type_tag 0x%02x, the composite has 0x%02x",
                           (unsigned)d->type_tag, (unsigned)head->type_tag);
    return HRY_OK;
}

static hry_status check_shard(const hry_nest *head, const hry_descriptor *d, hry_error *err)
{
    if ((d->flags & HRY_HAS_SHARD) == 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_FLAGS,
                           "flags 0x%x: a member of a partition or overlay needs a shard "
                           "section",
                           (unsigned)d->flags);
    if (d->rank != head->rank)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_RANK,
                           "rank %u, the composite has %u", (unsigned)d->rank,
                           (unsigned)head->rank);
    const size_t at = hry_places_of(d).section[HRY_SECTION_SHARD];
    for (uint32_t k = 0; k < d->rank; k++)
        if (d->shard.parent_shape[k] != head->shape[k])
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + (size_t)8 * k,
                               "parent_shape[%u] is %llu, the composite has %llu",
                               (unsigned)k, (unsigned long long)d->shard.parent_shape[k],
                               (unsigned long long)head->shape[k]);
    return HRY_OK;
}

static hry_status check_whole(const hry_nest *head, const hry_descriptor *d, hry_error *err)
{
    for (uint32_t k = 0; k < d->rank; k++)
        if (d->shape[k] != head->shape[k])
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, hry_place_of_dim(k),
                               "shape[%u] of the base is %llu, the overlay has %llu",
                               (unsigned)k, (unsigned long long)d->shape[k],
                               (unsigned long long)head->shape[k]);
    return HRY_OK;
}

/* The first member of an overlay is its base, the others are corrections. */
static hry_status check_role(const hry_nest *head, const hry_descriptor *d, hry_error *err)
{
    const bool has_section = (d->flags & HRY_HAS_COMPOSITE_MEMBER) != 0;
    if (has_section != (head->composite.rule == HRY_OVERLAY))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_FLAGS,
                           "flags 0x%x: members of overlays have a member section, others "
                           "have none",
                           (unsigned)d->flags);
    if (!has_section)
        return HRY_OK;
    const uint8_t role = head->came == 0 ? HRY_ROLE_BASE : HRY_ROLE_CORRECTION;
    if (d->member_role != role)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT,
                           hry_places_of(d).section[HRY_SECTION_MEMBER],
                           "member_role is %u, that of member %u must be %u",
                           (unsigned)d->member_role, (unsigned)head->came, (unsigned)role);
    return role == HRY_ROLE_BASE ? check_whole(head, d, err) : HRY_OK;
}

hry_status hry_member_allowed(const hry_nest *head, const hry_descriptor *d, hry_error *err)
{
    if (head->composite.rule > HRY_GROUP) /* private */
        return HRY_OK;
    if (is_spatial(head)) {
        HRY_TRY(check_shard(head, d, err));
        HRY_TRY(check_type(head, d, err));
    }
    return check_role(head, d, err);
}
