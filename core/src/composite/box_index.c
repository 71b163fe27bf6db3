/* SPDX-License-Identifier: Apache-2.0 */
/* box_index.c - making a box index, and what it knows of each box (hry/box_index.h). */
#include "box_tree.h"

#include "checked.h"
#include "fail.h"

#include <stdlib.h>

static hry_status check(const hry_boxes *b, hry_error *err)
{
    if (b->rank > HRY_MAX_RANK)
        return HRY_FAIL(err, HRY_ERR_ARG, "rank %u: at most %d", (unsigned)b->rank,
                        HRY_MAX_RANK);
    for (size_t i = 0; i < (size_t)b->count * b->rank; i++)
        if (b->size[i] > UINT64_MAX - b->start[i])
            return HRY_FAIL(err, HRY_ERR_RANGE,
                            "box %zu: %llu elements from %llu on end beyond 2^64 - 1",
                            i / b->rank, (unsigned long long)b->size[i],
                            (unsigned long long)b->start[i]);
    return HRY_OK;
}

/* Which axes to keep: those on which some box is unlike the first. */
static void choose_axes(hry_box_index *x, const hry_boxes *b)
{
    bool differ[HRY_MAX_RANK] = {false};
    for (uint32_t i = 1; i < b->count; i++) {
        const uint64_t *start = b->start + (size_t)i * b->rank;
        const uint64_t *size = b->size + (size_t)i * b->rank;
        for (uint32_t k = 0; k < b->rank; k++)
            differ[k] = differ[k] || start[k] != b->start[k] || size[k] != b->size[k];
    }
    for (uint32_t k = 0; k < b->rank; k++) {
        if (differ[k])
            x->axis[x->axes++] = k;
        x->low[k] = b->count > 0 ? b->start[k] : 0;
        x->high[k] = b->count > 0 ? b->start[k] + b->size[k] : 0;
    }
}

static bool is_empty(const hry_boxes *b, uint32_t i)
{
    for (uint32_t k = 0; k < b->rank; k++)
        if (b->size[(size_t)i * b->rank + k] == 0)
            return true;
    return false;
}

static void fill_rows(hry_box_index *x, const hry_boxes *b)
{
    uint32_t last = x->count;
    for (uint32_t i = 0; i < b->count; i++) {
        const size_t from = (size_t)i * b->rank;
        const uint32_t row = is_empty(b, i) ? --last : x->filled++;
        uint64_t *to = x->rows + (size_t)row * 2 * x->axes;
        for (uint32_t k = 0; k < x->axes; k++) {
            to[k] = b->start[from + x->axis[k]];
            to[x->axes + k] = to[k] + b->size[from + x->axis[k]];
        }
        x->box[row] = i;
    }
}

static hry_status allocate(hry_box_index *x, hry_error *err)
{
    size_t rows, numbers;
    if (!checked_array(x->count, 2 * (size_t)x->axes * sizeof *x->rows, &rows) ||
        !checked_array(x->count, sizeof *x->box, &numbers))
        return HRY_FAIL(err, HRY_ERR_NOMEM, "%u boxes are too many", (unsigned)x->count);
    x->rows = malloc(rows + 1);
    x->box = malloc(numbers + 1);
    x->row = malloc(numbers + 1);
    if (x->rows == NULL || x->box == NULL || x->row == NULL)
        return HRY_NO_MEMORY(err, rows + 2 * numbers);
    return HRY_OK;
}

static hry_status build(hry_box_index *x, const hry_boxes *boxes, hry_error *err)
{
    x->rank = boxes->rank;
    x->count = boxes->count;
    choose_axes(x, boxes);
    HRY_TRY(allocate(x, err));
    fill_rows(x, boxes);
    return hry_box_tree_build(x, err);
}

hry_status hry_box_index_new(const hry_boxes *boxes, hry_box_index **out, hry_error *err)
{
    if (boxes == NULL || out == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "boxes and out must not be NULL");
    HRY_TRY(check(boxes, err));
    hry_box_index *x = calloc(1, sizeof *x);
    if (x == NULL)
        return HRY_NO_MEMORY(err, sizeof *x);
    const hry_status status = build(x, boxes, err);
    if (status == HRY_OK)
        *out = x;
    else
        hry_box_index_free(x);
    return status;
}

void hry_box_index_free(hry_box_index *index)
{
    if (index == NULL)
        return;
    free(index->rows);
    free(index->box);
    free(index->row);
    free(index->nodes);
    free(index->bounds);
    free(index);
}

uint32_t hry_box_index_count(const hry_box_index *index)
{
    return index->count;
}

void hry_box_index_get(const hry_box_index *index, uint32_t i, uint64_t *start,
                       uint64_t *size)
{
    const uint64_t *row = hry_box_row(index, index->row[i]);
    for (uint32_t k = 0; k < index->rank; k++) {
        start[k] = index->low[k];
        size[k] = index->high[k] - index->low[k];
    }
    for (uint32_t k = 0; k < index->axes; k++) {
        start[index->axis[k]] = row[k];
        size[index->axis[k]] = row[index->axes + k] - row[k];
    }
}
