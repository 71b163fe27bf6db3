/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - a box of a head as an array. Dense parts, and those that are one stretch of the
 * array, are read in place; others in slabs that stay in the cache, and from there row by
 * row.
 */
#include "head.h"

#include "add.h"
#include "checked.h"
#include "fail.h"
#include "region/entries.h"
#include "rows.h"
#include "stored.h"
#include "tensor/slabs.h"

#include <stdlib.h>
#include <string.h>

#define SLAB_BYTES (1 << 18)

typedef struct reading {
    const hry_head *head;
    const uint64_t *count; /* of the asked box */
    hry_type type;
    uint32_t element; /* in BYTES */
    uint8_t *dst;
    uint8_t *slab; /* owned */
    size_t room;   /* of it, in BYTES */
    hry_stored stored;
} reading;

static hry_status reserve(reading *r, uint64_t elements, hry_error *err)
{
    size_t size;
    if (!checked_array(elements, r->element, &size))
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %llu elements",
                        (unsigned long long)elements);
    if (size <= r->room)
        return HRY_OK;
    free(r->slab);
    r->room = 0;
    r->slab = malloc(size);
    if (r->slab == NULL)
        return HRY_NO_MEMORY(err, size);
    r->room = size;
    return HRY_OK;
}

/* ---- from the slab to the array ---- */

static hry_status place_slab(const reading *r, const hry_part *part, const hry_slabs *s,
                             hry_error *err)
{
    const uint32_t rank = r->head->info.rank;
    uint64_t at[HRY_MAX_RANK];
    hry_rows rows;
    const uint8_t *from = r->slab;
    for (uint32_t k = 0; k < rank; k++)
        at[k] = part->at[k] + s->start[k];
    rows_first(&rows, rank, r->count, at, s->count);
    const size_t size = (size_t)rows.length * r->element;
    do {
        uint8_t *to = r->dst + rows.to * r->element;
        if (part->combine == HRY_COMBINE_ADD)
            HRY_TRY(hry_add(r->type, to, from, (size_t)rows.length, err));
        else
            memcpy(to, from, size);
        from += size;
    } while (rows_next(&rows));
    return HRY_OK;
}

/* Stored entries only: what a sparse correction leaves out, it leaves as it is. */
typedef struct scatter {
    const reading *r;
    const hry_part *part;
    uint64_t step_from[HRY_MAX_RANK], step_to[HRY_MAX_RANK]; /* in ELEMENTS */
    hry_error *err;
} scatter;

static hry_status place_entry(void *ctx, uint64_t position, const uint64_t *index)
{
    const scatter *c = ctx;
    uint64_t from = 0, to = 0;
    (void)position;
    for (uint32_t k = 0; k < c->r->head->info.rank; k++) {
        const uint64_t i = index[k] - c->part->start[k];
        from += i * c->step_from[k];
        to += (c->part->at[k] + i) * c->step_to[k];
    }
    uint8_t *element = c->r->dst + to * c->r->element;
    const uint8_t *value = c->r->slab + from * c->r->element;
    if (c->part->combine == HRY_COMBINE_ADD)
        return hry_add(c->r->type, element, value, 1, c->err);
    memcpy(element, value, c->r->element);
    return HRY_OK;
}

static hry_status place_entries(const reading *r, const hry_part *part, hry_error *err)
{
    scatter c = {.r = r, .part = part, .err = err};
    uint64_t from = 1, to = 1;
    for (uint32_t k = r->head->info.rank; k > 0; k--) {
        c.step_from[k - 1] = from;
        c.step_to[k - 1] = to;
        from *= part->count[k - 1];
        to *= r->count[k - 1];
    }
    const hry_entry_walk walk = {.t = &r->stored.t,
                                 .start = part->start,
                                 .count = part->count,
                                 .visit = place_entry,
                                 .ctx = &c};
    return hry_entries(&walk, err);
}

/* ---- parts ---- */

static bool is_sparse_correction(const reading *r, const hry_part *part)
{
    return part->combine != HRY_COMBINE_NONE &&
           hry_layout_is_sparse(r->stored.d.layout_tag);
}

static hry_status read_slabs(reading *r, const hry_part *part, hry_error *err)
{
    const uint32_t rank = r->head->info.rank;
    /* A sparse tensor is gone through once, not once for each slab. */
    const bool whole = hry_layout_is_sparse(r->stored.d.layout_tag);
    const uint64_t limit = r->element < SLAB_BYTES ? SLAB_BYTES / r->element : 1;
    uint64_t start[HRY_MAX_RANK];
    hry_slabs s;
    slabs_first(&s, rank, part->count, whole ? UINT64_MAX : limit);
    HRY_TRY(reserve(r, s.size, err));
    do {
        for (uint32_t k = 0; k < rank; k++)
            start[k] = part->start[k] + s.start[k];
        HRY_TRY(hry_stored_read(&r->stored, start, s.count, r->type, r->slab, err));
        HRY_TRY(is_sparse_correction(r, part) ? place_entries(r, part, err)
                                              : place_slab(r, part, &s, err));
    } while (slabs_next(&s));
    return HRY_OK;
}

/* Steps of the asked array; within 63 bits, as its bytes are. */
static void steps_of(const reading *r, int64_t *step)
{
    int64_t n = 1;
    for (uint32_t k = r->head->info.rank; k > 0; k--) {
        step[k - 1] = n;
        n *= (int64_t)r->count[k - 1];
    }
}

static hry_status read_stored(reading *r, const hry_part *part, hry_error *err)
{
    int64_t step[HRY_MAX_RANK];
    hry_rows rows;
    rows_first(&rows, r->head->info.rank, r->count, part->at, part->count);
    uint8_t *to = r->dst + rows.to * r->element;
    if (part->combine == HRY_COMBINE_ADD || is_sparse_correction(r, part))
        return read_slabs(r, part, err);
    if (rows_is_one(&rows))
        return hry_stored_read(&r->stored, part->start, part->count, r->type, to, err);
    if (!hry_stored_is_direct(&r->stored))
        return read_slabs(r, part, err);
    steps_of(r, step);
    return hry_stored_read_into(&r->stored, part->start, part->count, to, step, err);
}

static hry_status read_part(void *ctx, const hry_part *part, hry_error *err)
{
    reading *r = ctx;
    hry_status status =
        hry_stored_open(r->head->file, part->tensor, false, &r->stored, err);
    if (status == HRY_OK)
        status = read_stored(r, part, err);
    hry_stored_close(&r->stored);
    return status;
}

hry_status hry_head_check_size(const hry_head *head, const uint64_t *count, hry_error *err)
{
    uint64_t size = hry_head_element(head);
    size_t fits;
    bool is_empty = false;
    for (uint32_t k = 0; k < head->info.rank; k++)
        is_empty = is_empty || count[k] == 0;
    for (uint32_t k = 0; !is_empty && k < head->info.rank; k++)
        if (!checked_mul(size, count[k], &size))
            size = UINT64_MAX;
    if (hry_head_element(head) == 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "type 0x%02x has no known width",
                        head->info.type_tag);
    return checked_array(size, 1, &fits)
               ? HRY_OK
               : HRY_FAIL(err, HRY_ERR_RANGE, "a box of more bytes than memory can have");
}

hry_status hry_head_read(const hry_head *head, const uint64_t *start, const uint64_t *count,
                         void *dst, hry_error *err)
{
    reading r;
    r.head = head;
    r.count = count;
    r.type = (hry_type){.tag = head->info.type_tag, .extension = head->info.extension};
    r.element = hry_head_element(head);
    r.dst = dst;
    r.slab = NULL;
    r.room = 0;
    HRY_TRY(hry_head_check_size(head, count, err));
    const hry_status status = hry_head_search(head, start, count, read_part, &r, err);
    free(r.slab);
    return status;
}
