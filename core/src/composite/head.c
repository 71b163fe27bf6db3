/* SPDX-License-Identifier: Apache-2.0 */
/* head.c - opening a head: its members, the heads inside it, and their boxes. */
#include "head.h"

#include "binder.h"
#include "checked.h"
#include "container/file.h"
#include "fail.h"
#include "written.h"

#include <stdlib.h>
#include <string.h>

void hry_head_close(hry_head *head)
{
    if (head == NULL)
        return;
    for (uint32_t i = 0; i < head->inside_count; i++) /* at most 64 deep */
        hry_head_close(head->inside[i].head);
    free(head->inside);
    free(head->members);
    hry_box_index_free(head->index);
    free(head);
}

hry_head_info hry_head_get_info(const hry_head *head)
{
    return head->info;
}

uint32_t hry_head_element(const hry_head *head)
{
    const hry_dtype *type = hry_dtype_by_tag(head->info.type_tag);
    const uint32_t bits = type != NULL                   ? type->bits
                          : head->info.extension != NULL ? head->extension.bit_width
                                                         : 0;
    return bits / 8 + (bits % 8 != 0);
}

/* ---- opening ---- */

/* Heads under way, from the outside in. */
typedef struct opening {
    hry_head *stack[HRY_COMPOSITE_DEPTH_PERMISSIVE]; /* [0] is owned, it owns the others */
} opening;

static hry_status new_head(const hry_written *w, hry_head **out, hry_error *err)
{
    const hry_descriptor *d = &w->d;
    hry_head *head = calloc(1, sizeof *head);
    if (head == NULL)
        return HRY_NO_MEMORY(err, sizeof *head);
    head->file = w->file;
    memcpy(head->shape, d->shape, d->rank * sizeof *head->shape);
    head->info = (hry_head_info){.tensor = w->tensor,
                                 .rule = d->fields.composite.rule,
                                 .combine = d->fields.composite.combine,
                                 .type_tag = d->type_tag,
                                 .declared_count = d->fields.composite.member_count,
                                 .rank = d->rank,
                                 .shape = head->shape};
    if ((d->flags & HRY_HAS_EXTENSION_TYPE) != 0) {
        head->extension = d->extension_type;
        head->info.extension = &head->extension;
    }
    *out = head;
    return HRY_OK;
}

/* Room for one more item. */
static hry_status reserve(void **array, uint32_t count, uint32_t *room, size_t item,
                          hry_error *err)
{
    if (count < *room)
        return HRY_OK;
    const uint64_t more = *room == 0 ? 8 : (uint64_t)*room * 2;
    size_t size;
    void *grown = checked_array(more, item, &size) ? realloc(*array, size) : NULL;
    if (grown == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %llu members",
                        (unsigned long long)more);
    *array = grown;
    *room = more > UINT32_MAX ? UINT32_MAX : (uint32_t)more;
    return HRY_OK;
}

static hry_status add_member(hry_head *head, uint64_t tensor, hry_error *err)
{
    void *members = head->members;
    const hry_status status =
        reserve(&members, head->info.member_count, &head->room, sizeof *head->members, err);
    head->members = members;
    if (status == HRY_OK)
        head->members[head->info.member_count++] = tensor;
    return status;
}

static hry_status add_inside(hry_head *head, uint32_t number, hry_head *member,
                             hry_error *err)
{
    void *inside = head->inside;
    const hry_status status =
        reserve(&inside, head->inside_count, &head->inside_room, sizeof *head->inside, err);
    head->inside = inside;
    if (status == HRY_OK)
        head->inside[head->inside_count++] = (hry_inside){.number = number, .head = member};
    return status;
}

static hry_status place_tensor(opening *o, const hry_written *w, hry_error *err)
{
    const uint32_t depth = w->bound.depth;
    if (depth > 0)
        HRY_TRY(add_member(o->stack[depth - 1], w->tensor, err));
    if (!w->bound.is_head)
        return HRY_OK;
    hry_head *head;
    HRY_TRY(new_head(w, &head, err));
    if (depth > 0) {
        const hry_status status =
            add_inside(o->stack[depth - 1], w->bound.number, head, err);
        if (status != HRY_OK) {
            hry_head_close(head);
            return status;
        }
    }
    o->stack[depth] = head;
    return HRY_OK;
}

/* Heads that are complete get the index that the binder made for them. */
static void take_indices(opening *o, hry_binder *binder, uint32_t closed)
{
    for (uint32_t level = binder->open; level < binder->open + closed; level++) {
        o->stack[level]->index = binder->frames[level]->index;
        binder->frames[level]->index = NULL;
    }
}

static hry_status open_all(opening *o, hry_written *w, hry_binder *binder, hry_error *err)
{
    do {
        HRY_TRY(hry_written_next(w, binder, err));
        if (w->bound.depth == 0 && !w->bound.is_head)
            return HRY_FAIL(err, HRY_ERR_ARG, "tensor %llu is no composite head",
                            (unsigned long long)w->tensor);
        HRY_TRY(place_tensor(o, w, err));
        take_indices(o, binder, w->bound.closed);
    } while (binder->open > 0 && w->place < w->order->count);
    if (w->file->mode == HRY_STRICT)
        return hry_binder_end(binder, err);
    for (uint32_t level = 0; level < binder->open; level++)
        o->stack[level]->info.is_torn = true;
    return HRY_OK;
}

static hry_status open_at(hry_written *w, uint64_t i, hry_head **out, hry_error *err)
{
    opening o = {.stack = {NULL}};
    hry_binder *binder;
    if (!hry_order_find(w->order, w->file, i, &w->place))
        return HRY_FAIL(err, HRY_ERR_ARG, "the order is of another file");
    HRY_TRY(hry_binder_new(w->file->mode, &binder, err));
    const hry_status status = open_all(&o, w, binder, err);
    hry_binder_free(binder);
    if (status == HRY_OK)
        *out = o.stack[0];
    else
        hry_head_close(o.stack[0]);
    return status;
}

hry_status hry_head_open(hry_file *file, uint64_t i, const hry_order *order, hry_head **out,
                         hry_error *err)
{
    if (file == NULL || out == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "file and out must not be NULL");
    if (i >= file->index.count)
        return HRY_FAIL(err, HRY_ERR_RANGE, "tensor %llu of %zu", (unsigned long long)i,
                        file->index.count);
    hry_order *made = NULL;
    if (order == NULL)
        HRY_TRY(hry_order_new(file, &made, err));
    hry_written w = {.file = file, .order = order != NULL ? order : made};
    hry_status status = HRY_OK;
    if (w.order->count != file->index.count)
        status = HRY_FAIL(err, HRY_ERR_ARG, "the order is of another file");
    if (status == HRY_OK)
        status = open_at(&w, i, out, err);
    hry_order_free(made);
    return status;
}

/* ---- members ---- */

const hry_head *hry_head_inside(const hry_head *head, uint32_t number)
{
    uint32_t low = 0, high = head->inside_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (head->inside[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < head->inside_count && head->inside[low].number == number
               ? head->inside[low].head
               : NULL;
}

static hry_status check_number(const hry_head *head, uint32_t number, hry_error *err)
{
    if (number < head->info.member_count)
        return HRY_OK;
    return HRY_FAIL(err, HRY_ERR_RANGE, "member %lu of %lu", (unsigned long)number,
                    (unsigned long)head->info.member_count);
}

hry_status hry_head_member(const hry_head *head, uint32_t number, hry_member *out,
                           hry_error *err)
{
    hry_entry entry;
    HRY_TRY(check_number(head, number, err));
    HRY_TRY(hry_file_entry(head->file, head->members[number], &entry, err));
    *out = (hry_member){.tensor = head->members[number],
                        .name = entry.name,
                        .name_length = entry.name_length,
                        .inside = hry_head_inside(head, number)};
    return HRY_OK;
}

static uint64_t offset_of(const hry_head *head, uint64_t tensor)
{
    return head->file->index.rows[tensor].descriptor_offset;
}

/* Members come in the order of their descriptors. */
hry_status hry_head_member_of(const hry_head *head, uint64_t tensor, uint32_t *number,
                              hry_error *err)
{
    uint32_t low = 0, high = head->info.member_count;
    if (tensor >= head->file->index.count)
        return HRY_FAIL(err, HRY_ERR_NOTFOUND, "tensor %llu of %zu",
                        (unsigned long long)tensor, head->file->index.count);
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (offset_of(head, head->members[middle]) < offset_of(head, tensor))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == head->info.member_count || head->members[low] != tensor)
        return HRY_FAIL(err, HRY_ERR_NOTFOUND, "tensor %llu is no member",
                        (unsigned long long)tensor);
    *number = low;
    return HRY_OK;
}

hry_status hry_head_box(const hry_head *head, uint32_t number, uint64_t *start,
                        uint64_t *size, hry_error *err)
{
    if (head->index == NULL)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "members of a %s have no boxes",
                        head->info.is_torn ? "torn composite" : "group");
    HRY_TRY(check_number(head, number, err));
    hry_box_index_get(head->index, number, start, size);
    return HRY_OK;
}
