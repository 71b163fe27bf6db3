/* SPDX-License-Identifier: Apache-2.0 */
/* memory_store.h - a hry_store of tensors in memory, which can also be put; and fails when
 * told to. For tests. */
#ifndef MEMORY_STORE_H
#define MEMORY_STORE_H

#include "hry/session.h"

#include "bytes.h"

enum { MEMORY_TENSORS = 12, MEMORY_ITEMS = 12 };

typedef struct memory_tensor {
    hry_descriptor d;
    blob data; /* all buffers, one after another */
} memory_tensor;

typedef struct memory_item {
    char name[40];
    memory_tensor tensors[MEMORY_TENSORS];
    size_t count;
    struct memory_store *store;
} memory_item;

typedef struct memory_store {
    memory_item *items[MEMORY_ITEMS];
    size_t count;
    int open;  /* items opened or created, and neither closed nor ended yet */
    long fuse; /* operations that still succeed; negative: all              */
} memory_store;

static inline hry_status memory_step(memory_store *m, hry_error *err)
{
    if (m->fuse == 0) {
        *err = (hry_error){HRY_ERR_IO, HRY_NO_OFFSET, "the store failed"};
        return HRY_ERR_IO;
    }
    m->fuse -= m->fuse > 0;
    return HRY_OK;
}

static inline memory_item *memory_find(const memory_store *m, const char *name, size_t n)
{
    for (size_t i = 0; i < m->count; i++)
        if (strlen(m->items[i]->name) == n && memcmp(m->items[i]->name, name, n) == 0)
            return m->items[i];
    return NULL;
}

static inline memory_item *memory_new_item(memory_store *m, const char *name, size_t n)
{
    memory_item *item = calloc(1, sizeof *item);
    if (item == NULL || n >= sizeof item->name)
        abort();
    memcpy(item->name, name, n);
    item->store = m;
    return item;
}

static inline void memory_free_item(memory_item *item)
{
    for (size_t i = 0; i < item->count; i++)
        bytes_free(&item->tensors[i].data);
    free(item);
}

/* ---- for the test ---- */

static inline memory_item *memory_add(memory_store *m, const char *name)
{
    memory_item *item = memory_new_item(m, name, strlen(name));
    if (m->count == MEMORY_ITEMS)
        abort();
    m->items[m->count++] = item;
    return item;
}

/* Another tensor of the item; data byte i is `first` + i. */
static inline hry_descriptor *memory_add_tensor(memory_item *item, const hry_descriptor *d,
                                                unsigned first)
{
    memory_tensor *t = &item->tensors[item->count++];
    uint64_t size = 0;
    t->d = *d;
    for (uint32_t b = 0; b < d->buffer_count; b++)
        size += d->buffers[b].byte_size;
    t->data = bytes_copy("", 0);
    for (uint64_t i = 0; i < size; i++)
        bytes_append(&t->data, &(uint8_t){(uint8_t)(first + i)}, 1);
    return &t->d;
}

static inline void memory_free(memory_store *m)
{
    for (size_t i = 0; i < m->count; i++)
        memory_free_item(m->items[i]);
    m->count = 0;
}

/* ---- the store ---- */

static inline hry_status memory_open(void *ctx, hry_message_text key, void **item,
                                     hry_error *err)
{
    memory_store *m = ctx;
    if (memory_step(m, err) != HRY_OK)
        return HRY_ERR_IO;
    *item = memory_find(m, key.bytes, key.length);
    if (*item == NULL) {
        *err = (hry_error){HRY_ERR_NOTFOUND, HRY_NO_OFFSET, "no such tensor"};
        return HRY_ERR_NOTFOUND;
    }
    m->open++;
    return HRY_OK;
}

static inline hry_status memory_describe(void *ctx, uint64_t k, hry_descriptor *d,
                                         hry_error *err)
{
    memory_item *item = ctx;
    if (memory_step(item->store, err) != HRY_OK)
        return HRY_ERR_IO;
    if (k >= item->count) {
        *err = (hry_error){HRY_ERR_TRUNCATED, HRY_NO_OFFSET, "the composite is torn"};
        return HRY_ERR_TRUNCATED;
    }
    *d = item->tensors[k].d;
    return HRY_OK;
}

static inline hry_status memory_read(void *ctx, uint64_t k, uint64_t offset, void *dst,
                                     size_t size, hry_error *err)
{
    memory_item *item = ctx;
    const blob *data = &item->tensors[k].data;
    if (memory_step(item->store, err) != HRY_OK)
        return HRY_ERR_IO;
    if (offset > data->size || size > data->size - offset)
        abort(); /* the session asks for nothing else than what was described */
    memcpy(dst, data->data + offset, size);
    return HRY_OK;
}

static inline void memory_close(void *ctx)
{
    ((memory_item *)ctx)->store->open--;
}

static inline hry_status memory_create(void *ctx, hry_message_text key, void **item,
                                       hry_error *err)
{
    memory_store *m = ctx;
    if (memory_step(m, err) != HRY_OK)
        return HRY_ERR_IO;
    if (memory_find(m, key.bytes, key.length) != NULL) {
        *err = (hry_error){HRY_ERR_ARG, HRY_NO_OFFSET, "there is one already"};
        return HRY_ERR_ARG;
    }
    *item = memory_new_item(m, key.bytes, key.length);
    m->open++;
    return HRY_OK;
}

static inline hry_status memory_begin(void *ctx, const hry_descriptor *d, hry_error *err)
{
    memory_item *item = ctx;
    if (memory_step(item->store, err) != HRY_OK)
        return HRY_ERR_IO;
    item->tensors[item->count].d = *d;
    item->tensors[item->count++].data = bytes_copy("", 0);
    return HRY_OK;
}

static inline hry_status memory_write(void *ctx, const void *bytes, size_t size,
                                      hry_error *err)
{
    memory_item *item = ctx;
    if (memory_step(item->store, err) != HRY_OK)
        return HRY_ERR_IO;
    bytes_append(&item->tensors[item->count - 1].data, bytes, size);
    return HRY_OK;
}

static inline hry_status memory_commit(void *ctx, hry_error *err)
{
    memory_item *item = ctx;
    memory_store *m = item->store;
    m->open--;
    if (memory_step(m, err) != HRY_OK || m->count == MEMORY_ITEMS) {
        memory_free_item(item);
        return HRY_ERR_IO;
    }
    m->items[m->count++] = item;
    return HRY_OK;
}

static inline void memory_abandon(void *ctx)
{
    memory_item *item = ctx;
    item->store->open--;
    memory_free_item(item);
}

static inline hry_store memory_store_of(memory_store *m)
{
    static const hry_store_ops ops = {
        .open = memory_open,
        .describe = memory_describe,
        .read = memory_read,
        .close = memory_close,
        .create = memory_create,
        .begin = memory_begin,
        .write = memory_write,
        .commit = memory_commit,
        .abandon = memory_abandon,
    };
    return (hry_store){.ops = &ops, .ctx = m};
}

/* The same, but nothing can be put. */
static inline hry_store memory_store_read_only(memory_store *m)
{
    static const hry_store_ops ops = {.open = memory_open,
                                      .describe = memory_describe,
                                      .read = memory_read,
                                      .close = memory_close};
    return (hry_store){.ops = &ops, .ctx = m};
}

#endif
