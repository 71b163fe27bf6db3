/* SPDX-License-Identifier: Apache-2.0 */
/* nesting.c - the composites that are open as tensors go by (format sections 4 and 7). */
#include "stream/nesting.h"

#include "descriptor/places.h"
#include "hry/tiling.h"

static hry_status open_head(hry_nesting *n, const hry_descriptor *d, hry_mode mode,
                            hry_error *err)
{
    const uint32_t limit = mode == HRY_STRICT ? HRY_NESTING_STRICT : HRY_NESTING_PERMISSIVE;
    if (n->depth == limit)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_LAYOUT,
                           "a composite inside %u others, at most %u may be nested",
                           (unsigned)n->depth, (unsigned)limit);
    hry_nest *nest = calloc(1, sizeof *nest);
    if (nest == NULL)
        return HRY_NO_MEMORY(err, sizeof *nest);
    nest->type_tag = d->type_tag;
    nest->rank = d->rank;
    nest->composite = d->fields.composite;
    if ((d->flags & HRY_HAS_EXTENSION_TYPE) != 0)
        nest->extension_type = d->extension_type;
    memcpy(nest->shape, d->shape, d->rank * sizeof *d->shape);
    n->level[n->depth++] = nest;
    return HRY_OK;
}

static void drop_innermost(hry_nesting *n)
{
    hry_nest *nest = n->level[--n->depth];
    bld_free(&nest->start);
    bld_free(&nest->size);
    free(nest);
}

/* Only a partition's boxes are needed when it closes. */
static hry_status keep_box(hry_nest *head, const hry_descriptor *d, hry_error *err)
{
    if (head->composite.rule != HRY_PARTITION)
        return HRY_OK;
    bld_bytes(&head->start, d->shard.offset, d->rank * sizeof *d->shape);
    bld_bytes(&head->size, d->shape, d->rank * sizeof *d->shape);
    HRY_TRY(bld_ok(&head->start, "boxes", err));
    return bld_ok(&head->size, "boxes", err);
}

hry_status hry_nesting_add(hry_nesting *n, const hry_descriptor *d, hry_mode mode,
                           hry_error *err)
{
    hry_nest *head = n->depth > 0 ? n->level[n->depth - 1] : NULL;
    if (head != NULL)
        HRY_TRY(hry_member_allowed(head, d, err));
    if (d->layout_tag == HRY_COMPOSITE)
        HRY_TRY(open_head(n, d, mode, err));
    if (head == NULL)
        return HRY_OK;
    head->came++;
    return keep_box(head, d, err);
}

static hry_status check_cover(const hry_nest *head, hry_error *err)
{
    static const uint64_t none[1];
    hry_error why;
    if (head->composite.rule != HRY_PARTITION)
        return HRY_OK;
    const bool has_boxes = head->came > 0 && head->rank > 0;
    const uint64_t *start = has_boxes ? (const void *)head->start.data : none;
    const uint64_t *size = has_boxes ? (const void *)head->size.data : none;
    if (hry_boxes_tile(start, size, head->came, head->rank, head->shape, &why) == HRY_OK)
        return HRY_OK;
    return HRY_FAIL(err, HRY_ERR_CORRUPT, "partition of %u members: %s",
                    (unsigned)head->came, why.message);
}

hry_status hry_nesting_close(hry_nesting *n, hry_error *err)
{
    while (n->depth > 0) {
        const hry_nest *head = n->level[n->depth - 1];
        if (head->came < head->composite.member_count)
            return HRY_OK;
        HRY_TRY(check_cover(head, err));
        drop_innermost(n);
    }
    return HRY_OK;
}

hry_status hry_nesting_end(const hry_nesting *n, hry_error *err)
{
    if (n->depth == 0)
        return HRY_OK;
    const hry_nest *head = n->level[n->depth - 1];
    return HRY_FAIL(err, HRY_ERR_TRUNCATED, "composite: %u of %u members came",
                    (unsigned)head->came, (unsigned)head->composite.member_count);
}

void hry_nesting_free(hry_nesting *n)
{
    while (n->depth > 0)
        drop_innermost(n);
}
