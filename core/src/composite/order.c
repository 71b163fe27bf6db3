/* SPDX-License-Identifier: Apache-2.0 */
/* order.c - the tensors of a file in the order they were written, and all its composites.
 */
#include "binder.h"
#include "head.h"
#include "written.h"

#include "checked.h"
#include "container/file.h"
#include "fail.h"
#include "tensor/sort.h"

#include <stdlib.h>

hry_status hry_order_new(const hry_file *file, hry_order **out, hry_error *err)
{
    if (file == NULL || out == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "file and out must not be NULL");
    const size_t count = file->index.count;
    size_t size;
    if (!checked_array(count, sizeof(uint64_t), &size))
        return HRY_FAIL(err, HRY_ERR_NOMEM, "%zu tensors are too many", count);
    uint64_t *offsets = malloc(size + 1);
    hry_order *order = calloc(1, sizeof *order);
    hry_status status = HRY_OK;
    if (offsets == NULL || order == NULL)
        status = HRY_NO_MEMORY(err, size);
    for (size_t i = 0; status == HRY_OK && i < count; i++)
        offsets[i] = file->index.rows[i].descriptor_offset;
    const hry_entry_list list = {.index = offsets, .count = count, .rank = 1};
    if (status == HRY_OK)
        status = hry_entry_sort(&list, &order->tensors, err);
    free(offsets);
    if (status != HRY_OK) {
        free(order);
        return status;
    }
    order->count = count;
    *out = order;
    return HRY_OK;
}

void hry_order_free(hry_order *order)
{
    if (order != NULL)
        free(order->tensors);
    free(order);
}

uint64_t hry_order_count(const hry_order *order)
{
    return order->count;
}

uint64_t hry_order_tensor(const hry_order *order, uint64_t place)
{
    return order->tensors[place];
}

static uint64_t offset_at(const hry_file *file, const hry_order *order, uint64_t place)
{
    return file->index.rows[order->tensors[place]].descriptor_offset;
}

bool hry_order_find(const hry_order *order, const hry_file *file, uint64_t tensor,
                    uint64_t *place)
{
    const uint64_t offset = file->index.rows[tensor].descriptor_offset;
    uint64_t low = 0, high = order->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (offset_at(file, order, middle) < offset)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < order->count && order->tensors[low] != tensor &&
           offset_at(file, order, low) == offset)
        low++;
    *place = low;
    return low < order->count && order->tensors[low] == tensor;
}

static hry_status check_alone(const hry_written *w, hry_error *err)
{
    const uint64_t place = w->place;
    const uint64_t offset = offset_at(w->file, w->order, place);
    const bool shared =
        (place > 0 && offset_at(w->file, w->order, place - 1) == offset) ||
        (place + 1 < w->order->count && offset_at(w->file, w->order, place + 1) == offset);
    if (!shared || (w->bound.depth == 0 && !w->bound.is_head))
        return HRY_OK;
    const hry_entry *row = &w->file->index.rows[w->tensor];
    return HRY_FAIL_AT(err, HRY_ERR_CORRUPT,
                       hry_index_field(&w->file->index, row, HRY_ROW_DESCRIPTOR_OFFSET),
                       "descriptor_offset: %llu, a head or member under two names",
                       (unsigned long long)offset);
}

hry_status hry_written_next(hry_written *w, hry_binder *binder, hry_error *err)
{
    w->tensor = w->order->tensors[w->place];
    HRY_TRY(hry_file_descriptor(w->file, w->tensor, &w->d, err));
    const uint64_t at = w->file->index.rows[w->tensor].descriptor_offset;
    HRY_TRY(hry_binder_add(binder, &w->d, at, &w->bound, err));
    HRY_TRY(check_alone(w, err));
    w->place++;
    return HRY_OK;
}

static hry_status check_all(hry_written *w, hry_binder *binder, hry_tensor_visit visit,
                            void *ctx, hry_error *err)
{
    while (w->place < w->order->count) {
        HRY_TRY(hry_written_next(w, binder, err));
        if (visit != NULL)
            HRY_TRY(visit(ctx, w->tensor, &w->d, &w->bound, err));
    }
    return w->file->mode == HRY_STRICT ? hry_binder_end(binder, err) : HRY_OK;
}

hry_status hry_composites_check(hry_file *file, hry_tensor_visit visit, void *ctx,
                                hry_error *err)
{
    hry_order *order = NULL;
    hry_binder *binder = NULL;
    hry_written w = {.file = file};
    hry_status status = hry_order_new(file, &order, err);
    if (status == HRY_OK)
        status = hry_binder_new(file->mode, &binder, err);
    w.order = order;
    if (status == HRY_OK)
        status = check_all(&w, binder, visit, ctx, err);
    hry_binder_free(binder);
    hry_order_free(order);
    return status;
}
