/* SPDX-License-Identifier: Apache-2.0 */
/* sequential_end.c - the end of a file read front to back, held to what came before. */
#include "container/sequential.h"

#include "checked.h"

enum { STEP = 65536 };

/* All that is left goes into the window: the trailer, at its end, says what it is. */
static hry_status take_rest(hry_reader *r, hry_error *err)
{
    hry_window *w = &r->window;
    while (!w->ended) {
        HRY_TRY(hry_window_fill(w, hry_window_left(w) + STEP, err));
        if (hry_window_left(w) > r->footer_limit)
            return HRY_FAIL_AT(err, HRY_ERR_UNSUPPORTED, w->at,
                               "no descriptor here, and more than %llu bytes follow",
                               (unsigned long long)r->footer_limit);
    }
    r->info.size = w->at + hry_window_left(w);
    if (hry_window_left(w) < HRY_FILE_TRAILER_SIZE)
        return HRY_FAIL_AT(err, HRY_ERR_TRUNCATED, r->info.size,
                           "size: no room for a trailer after %llu",
                           (unsigned long long)w->at);
    return hry_trailer_decode(hry_window_data(w) + hry_window_left(w) -
                                  HRY_FILE_TRAILER_SIZE,
                              r->mode, &r->info, err);
}

/* A section's bytes in the window; it is known to lie before the trailer. */
static hry_status section(const hry_reader *r, const char *name, uint64_t offset,
                          unsigned field, const uint8_t **bytes, hry_error *err)
{
    const hry_window *w = &r->window;
    if (offset < w->at)
        return HRY_FAIL_AT(err, HRY_ERR_UNSUPPORTED, hry_trailer_at(&r->info) + field,
                           "%s_offset: %llu, before the end of the tensors at %llu", name,
                           (unsigned long long)offset, (unsigned long long)w->at);
    *bytes = hry_window_data(w) + (offset - w->at);
    return HRY_OK;
}

/* An index row and where its descriptor is, to be sorted as the tensors came. */
typedef struct placed {
    uint64_t descriptor_offset;
    uint32_t row;
} placed;

static int by_offset(const void *left, const void *right)
{
    const placed *a = left, *b = right;
    if (a->descriptor_offset != b->descriptor_offset)
        return a->descriptor_offset < b->descriptor_offset ? -1 : 1;
    return a->row < b->row ? -1 : 1;
}

static hry_status sort_rows(const hry_index *index, uint32_t *order, hry_error *err)
{
    size_t size;
    placed *rows = NULL;
    if (!checked_array(index->count, sizeof *rows, &size) ||
        (rows = malloc(size + 1)) == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory to sort %zu tensors", index->count);
    for (uint32_t i = 0; i < index->count; i++)
        rows[i] = (placed){index->rows[i].descriptor_offset, i};
    qsort(rows, index->count, sizeof *rows, by_offset);
    for (uint32_t i = 0; i < index->count; i++)
        order[i] = rows[i].row;
    free(rows);
    return HRY_OK;
}

/* The field of `row` that differs from what came, or -1. Where nothing lies, as after a
 * head, data_offset means nothing. */
static int difference(const hry_entry *row, const hry_seen *seen, hry_mode mode)
{
    if (row->descriptor_offset != seen->descriptor_offset)
        return HRY_ROW_DESCRIPTOR_OFFSET;
    if (row->descriptor_length != seen->descriptor_length)
        return HRY_ROW_DESCRIPTOR_LENGTH;
    if (seen->data_length > 0 && row->data_offset != seen->data_offset)
        return HRY_ROW_DATA_OFFSET;
    if (mode == HRY_STRICT && row->data_length != seen->data_length)
        return HRY_ROW_DATA_LENGTH;
    return -1;
}

static hry_status compare(const hry_reader *r, const uint32_t *order, hry_error *err)
{
    hry_cursor c = cur_over(r->seen.data, r->seen.size);
    for (size_t i = 0; i < r->index.count; i++) {
        const hry_entry *row = &r->index.rows[order[i]];
        hry_seen seen;
        memcpy(&seen, cur_take(&c, sizeof seen), sizeof seen);
        const int field = difference(row, &seen, r->mode);
        if (field >= 0)
            return HRY_FAIL_AT(err, HRY_ERR_UNSUPPORTED,
                               hry_index_field(&r->index, row, (unsigned)field),
                               "index: the entry of \"%.*s\" is not of tensor %zu, whose "
                               "descriptor came at %llu",
                               (int)row->name_length, row->name, i,
                               (unsigned long long)seen.descriptor_offset);
    }
    return HRY_OK;
}

static hry_status hold_to_index(hry_reader *r, uint32_t **order, hry_error *err)
{
    const size_t count = hry_seen_count(r);
    if (r->index.count != count)
        return HRY_FAIL_AT(err, HRY_ERR_UNSUPPORTED, r->info.index_offset,
                           "index_entry_count: %zu, but %zu tensors came one after another",
                           r->index.count, count);
    *order = malloc(count * sizeof **order + 1);
    if (*order == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %zu tensors", count);
    HRY_TRY(sort_rows(&r->index, *order, err));
    return compare(r, *order, err);
}

hry_status hry_reader_end(hry_reader *reader, hry_error *err)
{
    const uint8_t *bytes;
    HRY_TRY(take_rest(reader, err));
    const hry_file_info *info = &reader->info;
    HRY_TRY(section(reader, "index", info->index_offset, HRY_AT_INDEX_OFFSET, &bytes, err));
    HRY_TRY(hry_index_decode(bytes, info, &reader->index, err));
    if (info->kv_offset != 0) {
        HRY_TRY(section(reader, "kv", info->kv_offset, HRY_AT_KV_OFFSET, &bytes, err));
        HRY_TRY(hry_kv_decode(bytes, info->kv_length, info->kv_offset, reader->mode,
                              &reader->kv, err));
    }
    uint32_t *order = NULL;
    const hry_status status = hold_to_index(reader, &order, err);
    if (status == HRY_OK)
        reader->order = order;
    else
        free(order);
    return status;
}
