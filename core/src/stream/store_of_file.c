/* SPDX-License-Identifier: Apache-2.0 */
/* store_of_file.c - a file as what a server has. */
#include "fail.h"
#include "hry/composite.h"
#include "hry/server.h"

#include <stdlib.h>

typedef struct file_store {
    hry_file *file;   /* borrowed */
    hry_order *order; /* owned */
    uint64_t *places; /* owned: of each row of the index, where in the order it is */
} file_store;

/* A tensor and those behind it, of which one is decoded. */
typedef struct file_item {
    const file_store *store;
    uint64_t first; /* place in the order */
    uint64_t k;     /* of `d`; UINT64_MAX: none */
    hry_descriptor d;
} file_item;

static hry_status open_item(void *ctx, hry_message_text key, void **out, hry_error *err)
{
    const file_store *s = ctx;
    uint64_t i;
    HRY_TRY(hry_file_find(s->file, key.bytes, key.length, &i, err));
    file_item *item = malloc(sizeof *item);
    if (item == NULL)
        return HRY_NO_MEMORY(err, sizeof *item);
    item->store = s;
    item->first = s->places[i];
    item->k = UINT64_MAX;
    *out = item;
    return HRY_OK;
}

static hry_status row_of(const file_item *item, uint64_t k, uint64_t *row, hry_error *err)
{
    const uint64_t count = hry_order_count(item->store->order);
    if (k >= count - item->first)
        return HRY_FAIL(err, HRY_ERR_TRUNCATED,
                        "a torn composite: the file has no tensors behind it");
    *row = hry_order_tensor(item->store->order, item->first + k);
    return HRY_OK;
}

static hry_status decode(file_item *item, uint64_t k, uint64_t *row, hry_error *err)
{
    HRY_TRY(row_of(item, k, row, err));
    if (item->k == k)
        return HRY_OK;
    item->k = UINT64_MAX;
    HRY_TRY(hry_file_descriptor(item->store->file, *row, &item->d, err));
    item->k = k;
    return HRY_OK;
}

static hry_status describe(void *ctx, uint64_t k, hry_descriptor *d, hry_error *err)
{
    file_item *item = ctx;
    uint64_t row;
    HRY_TRY(decode(item, k, &row, err));
    *d = item->d;
    return HRY_OK;
}

static hry_status read_item(void *ctx, uint64_t k, uint64_t offset, void *dst, size_t size,
                            hry_error *err)
{
    file_item *item = ctx;
    const hry_file *file = item->store->file;
    uint8_t *to = dst;
    uint64_t row, at;
    HRY_TRY(decode(item, k, &row, err));
    for (uint32_t b = 0; b < item->d.buffer_count && size > 0; b++) {
        const uint64_t own = item->d.buffers[b].byte_size;
        if (offset >= own) {
            offset -= own;
            continue;
        }
        const size_t n = size < own - offset ? size : (size_t)(own - offset);
        HRY_TRY(hry_file_buffer(file, row, &item->d, b, &at, err));
        HRY_TRY(hry_file_read(file, at + offset, to, n, err));
        to += n;
        size -= n;
        offset = 0;
    }
    if (size > 0)
        return HRY_FAIL(err, HRY_ERR_RANGE, "%zu bytes behind the last buffer", size);
    return HRY_OK;
}

static hry_status find_places(file_store *s, hry_error *err)
{
    HRY_TRY(hry_order_new(s->file, &s->order, err));
    const uint64_t count = hry_order_count(s->order);
    s->places = calloc((size_t)count + 1, sizeof *s->places);
    if (s->places == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for the places of %llu tensors",
                        (unsigned long long)count);
    for (uint64_t place = 0; place < count; place++)
        s->places[hry_order_tensor(s->order, place)] = place;
    return HRY_OK;
}

hry_status hry_file_store_open(hry_file *file, hry_store *out, hry_error *err)
{
    static const hry_store_ops ops = {
        .open = open_item, .describe = describe, .read = read_item, .close = free};
    if (file == NULL || out == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "file and out must not be NULL");
    file_store *s = calloc(1, sizeof *s);
    if (s == NULL)
        return HRY_NO_MEMORY(err, sizeof *s);
    s->file = file;
    hry_store made = {.ops = &ops, .ctx = s};
    const hry_status status = find_places(s, err);
    if (status != HRY_OK) {
        hry_file_store_close(&made);
        return status;
    }
    *out = made;
    return HRY_OK;
}

void hry_file_store_close(hry_store *store)
{
    if (store == NULL || store->ctx == NULL)
        return;
    file_store *s = store->ctx;
    hry_order_free(s->order);
    free(s->places);
    free(s);
    *store = (hry_store){.ops = NULL};
}
