/* SPDX-License-Identifier: Apache-2.0 */
/* compose.c - writing heads and members in order. */
#include "binder.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

hry_status hry_head_describe(const hry_composite *composite, uint8_t type_tag,
                             uint32_t rank, const uint64_t *shape, hry_descriptor *out,
                             hry_error *err)
{
    hry_descriptor d;
    if (rank > HRY_MAX_RANK)
        return HRY_FAIL(err, HRY_ERR_ARG, "rank %lu: at most %d", (unsigned long)rank,
                        HRY_MAX_RANK);
    HRY_TRY(hry_descriptor_dense(type_tag, 0, NULL, &d, err));
    d.layout_tag = HRY_COMPOSITE;
    d.buffer_count = 0;
    d.rank = rank;
    for (uint32_t k = 0; k < rank; k++)
        d.shape[k] = shape[k];
    d.fields.composite = *composite;
    HRY_TRY(hry_descriptor_validate(&d, err));
    *out = d;
    return HRY_OK;
}

struct hry_composer {
    hry_writer *writer; /* borrowed */
    hry_binder *binder; /* owned */
    bool broken;
    hry_descriptor d; /* as it is written */
};

hry_status hry_composer_new(hry_writer *writer, hry_composer **out, hry_error *err)
{
    if (writer == NULL || out == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "writer and out must not be NULL");
    hry_composer *c = calloc(1, sizeof *c);
    if (c == NULL)
        return HRY_NO_MEMORY(err, sizeof *c);
    c->writer = writer;
    const hry_status status = hry_binder_new(HRY_STRICT, &c->binder, err);
    if (status == HRY_OK)
        *out = c;
    else
        free(c);
    return status;
}

void hry_composer_abandon(hry_composer *composer)
{
    if (composer != NULL)
        hry_binder_free(composer->binder);
    free(composer);
}

/* What the head around it asks for. */
static void bind_to(hry_descriptor *d, const hry_frame *head, const uint64_t *offset)
{
    d->flags |= HRY_HAS_SHARD;
    for (uint32_t k = 0; k < d->rank; k++) {
        d->shard.parent_shape[k] = k < head->rank ? head->shape[k] : 0;
        d->shard.offset[k] = offset != NULL ? offset[k] : 0;
    }
    d->flags &= ~(uint32_t)HRY_HAS_COMPOSITE_MEMBER;
    if (head->rule == HRY_OVERLAY) {
        d->flags |= HRY_HAS_COMPOSITE_MEMBER;
        d->member_role = head->count == 0 ? HRY_ROLE_BASE : HRY_ROLE_CORRECTION;
    }
}

static hry_status prepare(hry_composer *c, const hry_descriptor *d, const uint64_t *offset,
                          hry_error *err)
{
    const hry_binder *b = c->binder;
    const hry_frame *head = b->open > 0 ? b->frames[b->open - 1] : NULL;
    const bool has_box = head != NULL && hry_rule_has_boxes(head->rule);
    if (c->broken)
        return HRY_FAIL(err, HRY_ERR_ARG, "an earlier tensor was refused");
    if (offset != NULL && !has_box)
        return HRY_FAIL(err, HRY_ERR_ARG, "an offset for what is no part of a box");
    if (has_box && d->rank != head->rank)
        return HRY_FAIL(err, HRY_ERR_ARG, "rank %lu in a head of rank %lu",
                        (unsigned long)d->rank, (unsigned long)head->rank);
    c->d = *d;
    if (has_box)
        bind_to(&c->d, head, offset);
    HRY_TRY(hry_descriptor_validate(&c->d, err));
    return hry_binder_add(c->binder, &c->d, 0, NULL, err);
}

hry_status hry_composer_begin(hry_composer *composer, const char *name,
                              const hry_descriptor *d, const uint64_t *offset,
                              hry_error *err)
{
    if (composer == NULL || d == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "composer and descriptor must not be NULL");
    hry_status status = prepare(composer, d, offset, err);
    if (status == HRY_OK)
        status = hry_writer_begin(composer->writer, name, &composer->d, err);
    composer->broken = status != HRY_OK;
    return status;
}

hry_status hry_composer_add(hry_composer *composer, const char *name,
                            const hry_descriptor *d, const uint64_t *offset,
                            const void *const *buffers, hry_error *err)
{
    if (composer == NULL || d == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "composer and descriptor must not be NULL");
    hry_status status = prepare(composer, d, offset, err);
    if (status == HRY_OK)
        status = hry_writer_add(composer->writer, name, &composer->d, buffers, err);
    composer->broken = status != HRY_OK;
    return status;
}

hry_status hry_composer_finish(hry_composer *composer, hry_error *err)
{
    if (composer == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "composer must not be NULL");
    const hry_status status =
        composer->broken ? HRY_FAIL(err, HRY_ERR_ARG, "an earlier tensor was refused")
                         : hry_binder_end(composer->binder, err);
    hry_composer_abandon(composer);
    return status;
}
