/* SPDX-License-Identifier: Apache-2.0 */
/* binder.c - tensors in write order: which belongs to which head (format section 4). */
#include "binder.h"

#include "checked.h"
#include "descriptor/places.h"
#include "fail.h"

#include <stdlib.h>
#include <string.h>

hry_status hry_binder_new(hry_mode mode, hry_binder **out, hry_error *err)
{
    hry_binder *b = out != NULL ? calloc(1, sizeof *b) : NULL;
    if (out == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "out must not be NULL");
    if (b == NULL)
        return HRY_NO_MEMORY(err, sizeof *b);
    b->mode = mode;
    *out = b;
    return HRY_OK;
}

static void frame_free(hry_frame *f)
{
    if (f == NULL)
        return;
    free(f->start);
    free(f->size);
    free(f->place);
    hry_box_index_free(f->index);
    free(f);
}

void hry_binder_free(hry_binder *binder)
{
    if (binder == NULL)
        return;
    for (uint32_t i = 0; i < HRY_COMPOSITE_DEPTH_PERMISSIVE; i++)
        frame_free(binder->frames[i]);
    free(binder);
}

/* ---- heads ---- */

static hry_status push(hry_binder *b, const hry_descriptor *d, uint64_t at, hry_error *err)
{
    const uint32_t limit =
        b->mode == HRY_STRICT ? HRY_COMPOSITE_DEPTH : HRY_COMPOSITE_DEPTH_PERMISSIVE;
    if (b->open == limit)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + HRY_AT_LAYOUT,
                           "layout_tag: a head inside %u others, %u levels are allowed",
                           (unsigned)b->open, (unsigned)limit);
    const hry_frame *around = b->open > 0 ? b->frames[b->open - 1] : NULL;
    HRY_TRY(hry_head_check(d, around, b->mode, at, err));
    frame_free(b->frames[b->open]);
    hry_frame *f = b->frames[b->open] = calloc(1, sizeof *f);
    if (f == NULL)
        return HRY_NO_MEMORY(err, sizeof *f);
    f->rule = d->fields.composite.rule;
    f->combine = d->fields.composite.combine;
    f->declared = d->fields.composite.member_count;
    f->at_count = at + hry_places_of(d).fields + 4;
    f->type_tag = d->type_tag;
    f->has_extension = (d->flags & HRY_HAS_EXTENSION_TYPE) != 0;
    if (f->has_extension)
        f->extension = d->extension_type;
    f->rank = d->rank;
    memcpy(f->shape, d->shape, d->rank * sizeof *f->shape);
    if (f->rule == HRY_PARTITION)
        HRY_TRY(hry_descriptor_count(d, &f->volume, err));
    b->open++;
    return HRY_OK;
}

/* ---- members ---- */

static void *grown(void *array, uint64_t room, size_t item)
{
    size_t size;
    return checked_array(room, item, &size) ? realloc(array, size + 1) : NULL;
}

static hry_status reserve(hry_frame *f, hry_error *err)
{
    if (f->count < f->room)
        return HRY_OK;
    const uint64_t room = f->room == 0 ? 8 : (uint64_t)f->room * 2;
    const size_t numbers = f->rank * sizeof *f->start;
    uint64_t *start = grown(f->start, room, numbers);
    f->start = start != NULL ? start : f->start;
    uint64_t *size = grown(f->size, room, numbers);
    f->size = size != NULL ? size : f->size;
    hry_member_place *place = grown(f->place, room, sizeof *place);
    f->place = place != NULL ? place : f->place;
    if (start == NULL || size == NULL || place == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for the boxes of %llu members",
                        (unsigned long long)room);
    f->room = room > UINT32_MAX ? UINT32_MAX : (uint32_t)room;
    return HRY_OK;
}

static hry_status join(hry_frame *f, const hry_descriptor *d, uint64_t at, hry_error *err)
{
    HRY_TRY(hry_member_of_check(d, f, at, err));
    if (hry_rule_has_boxes(f->rule)) {
        HRY_TRY(reserve(f, err));
        const size_t row = (size_t)f->count * f->rank;
        uint64_t volume = 1;
        for (uint32_t k = 0; k < f->rank; k++) {
            f->start[row + k] = d->shard.offset[k];
            f->size[row + k] = d->shape[k];
            volume *= d->shape[k]; /* may wrap in an overlay, where nobody asks */
        }
        f->place[f->count] = (hry_member_place){
            .at = at, .shard = (uint32_t)hry_places_of(d).section[HRY_SECTION_SHARD]};
        if (!checked_add(f->covered, volume, &f->covered))
            f->covered = UINT64_MAX;
    }
    f->count++;
    return HRY_OK;
}

/* Heads whose last member this was, from the inside out. */
static hry_status close_full(hry_binder *b, uint32_t *closed, hry_error *err)
{
    *closed = 0;
    while (b->open > 0 &&
           b->frames[b->open - 1]->count == b->frames[b->open - 1]->declared) {
        HRY_TRY(hry_frame_close(b->frames[b->open - 1], err));
        b->open--;
        ++*closed;
    }
    return HRY_OK;
}

static bool is_head(const hry_descriptor *d)
{
    return d->layout_tag == HRY_COMPOSITE && !d->opaque;
}

static hry_status add(hry_binder *b, const hry_descriptor *d, uint64_t at, hry_bound *bound,
                      hry_error *err)
{
    *bound = (hry_bound){.depth = b->open, .is_head = is_head(d)};
    if (b->open > 0) {
        hry_frame *f = b->frames[b->open - 1];
        bound->number = f->count;
        HRY_TRY(join(f, d, at, err));
    }
    if (bound->is_head)
        HRY_TRY(push(b, d, at, err));
    return close_full(b, &bound->closed, err);
}

hry_status hry_binder_add(hry_binder *binder, const hry_descriptor *d, uint64_t at,
                          hry_bound *bound, hry_error *err)
{
    hry_bound ignored;
    if (binder == NULL || d == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "binder and descriptor must not be NULL");
    if (binder->broken)
        return HRY_FAIL(err, HRY_ERR_ARG, "an earlier tensor broke its composite");
    const hry_status status = add(binder, d, at, bound != NULL ? bound : &ignored, err);
    binder->broken = status != HRY_OK;
    return status;
}

hry_status hry_binder_end(const hry_binder *binder, hry_error *err)
{
    if (binder->open == 0)
        return HRY_OK;
    const hry_frame *f = binder->frames[binder->open - 1];
    return HRY_FAIL_AT(err, HRY_ERR_TRUNCATED, f->at_count,
                       "member_count: %lu, a torn composite: only %lu tensors follow",
                       (unsigned long)f->declared, (unsigned long)f->count);
}
