/* SPDX-License-Identifier: Apache-2.0 */
/* heap.c - see heap.h. */
#include "heap.h"

#include "checked.h"
#include "fail.h"

#include <stdlib.h>
#include <string.h>

enum {
    TAIL_LIMIT = 4 << 20, /* BYTES kept in memory before they go to the file */
    WINDOW = 64 * 1024,   /* BYTES read ahead: elements in order lie in order */
    COPY = 1 << 20
};

hry_status hvol_heap_new(uint8_t type_tag, uint64_t unit, hvol_heap **out, hry_error *err)
{
    hvol_heap *heap = calloc(1, sizeof *heap);
    if (heap == NULL)
        return HRY_NO_MEMORY(err, sizeof *heap);
    heap->type_tag = type_tag;
    heap->unit = unit;
    heap->storage.entry = UINT64_MAX;
    *out = heap;
    return HRY_OK;
}

void hvol_heap_free(hvol_heap *heap)
{
    if (heap == NULL)
        return;
    free(heap->tail);
    free(heap->window);
    free(heap);
}

static hry_status grow_tail(hvol_heap *heap, size_t size, hry_error *err)
{
    const size_t used = (size_t)(heap->size - heap->tail_at);
    size_t room = heap->tail_room == 0 ? 256 : heap->tail_room;
    if (size > SIZE_MAX / 4 || used > SIZE_MAX / 4)
        return HRY_NO_MEMORY(err, size);
    while (room < used + size)
        room *= 2;
    if (room == heap->tail_room)
        return HRY_OK;
    uint8_t *tail = realloc(heap->tail, room);
    if (tail == NULL)
        return HRY_NO_MEMORY(err, room);
    heap->tail = tail;
    heap->tail_room = room;
    return HRY_OK;
}

hry_status hvol_heap_put(hvol_heap *heap, hvol_store *store, const void *bytes, size_t size,
                         uint64_t *offset, hry_error *err)
{
    const size_t first = heap->size == 0 ? (size_t)heap->unit : 0;
    const size_t padding = size % heap->unit == 0 ? 0 : heap->unit - size % heap->unit;
    if (size > SIZE_MAX / 8)
        return HRY_NO_MEMORY(err, size);
    if (store != NULL && heap->size - heap->tail_at >= TAIL_LIMIT)
        HRY_TRY(hvol_heap_flush(heap, store, err));
    HRY_TRY(grow_tail(heap, first + size + padding, err));
    uint8_t *to = heap->tail + (heap->size - heap->tail_at);
    memset(to, 0, first);
    if (size > 0)
        memcpy(to + first, bytes, size);
    memset(to + first + size, 0, padding);
    *offset = (heap->size + first) / heap->unit;
    heap->size += first + size + padding;
    heap->changed = true;
    return HRY_OK;
}

static hry_status open_window(hvol_heap *heap, const hvol_store *store, uint64_t at,
                              hry_error *err)
{
    const uint64_t left = heap->tail_at - at;
    if (heap->window == NULL && (heap->window = malloc(WINDOW)) == NULL)
        return HRY_NO_MEMORY(err, WINDOW);
    heap->window_at = at;
    heap->window_size = left < WINDOW ? (size_t)left : WINDOW;
    const hry_status status = hvol_store_read(store, heap->storage.base + at, heap->window,
                                              heap->window_size, err);
    if (status != HRY_OK)
        heap->window_size = 0;
    return status;
}

/* From the part that is in the file; [at, at + size) lies in it. */
static hry_status get_stored(hvol_heap *heap, const hvol_store *store, uint64_t at,
                             uint8_t *dst, size_t size, hry_error *err)
{
    if (size >= WINDOW)
        return hvol_store_read(store, heap->storage.base + at, dst, size, err);
    if (at < heap->window_at || at - heap->window_at > heap->window_size ||
        size > heap->window_size - (size_t)(at - heap->window_at))
        HRY_TRY(open_window(heap, store, at, err));
    memcpy(dst, heap->window + (at - heap->window_at), size);
    return HRY_OK;
}

hry_status hvol_heap_get(hvol_heap *heap, const hvol_store *store, uint64_t offset,
                         void *dst, size_t size, hry_error *err)
{
    uint64_t at;
    uint8_t *to = dst;
    if (!checked_mul(offset, heap->unit, &at) || offset == 0 ||
        !range_inside(at, size, heap->size))
        return HRY_FAIL(err, HRY_ERR_CORRUPT,
                        "variable-length element at %llu, %zu bytes, heap has %llu bytes",
                        (unsigned long long)offset, size, (unsigned long long)heap->size);
    if (at < heap->tail_at) {
        const uint64_t stored = heap->tail_at - at;
        const size_t n = size < stored ? size : (size_t)stored;
        HRY_TRY(get_stored(heap, store, at, to, n, err));
        to += n;
        at += n;
        size -= n;
    }
    if (size > 0)
        memcpy(to, heap->tail + (at - heap->tail_at), size);
    return HRY_OK;
}

/* What lasts moves to memory, since the extent is the last commit's until the next. */
hry_status hvol_heap_clear(hvol_heap *heap, hvol_store *store, hry_error *err)
{
    const size_t lasting = (size_t)heap->lasting;
    if (heap->size == heap->lasting)
        return HRY_OK;
    uint8_t *tail = malloc(lasting + 256);
    if (tail == NULL)
        return HRY_NO_MEMORY(err, lasting);
    hry_status status = HRY_OK;
    memset(tail, 0, (size_t)heap->unit);
    if (lasting > heap->unit)
        status = hvol_heap_get(heap, store, 1, tail + heap->unit,
                               lasting - (size_t)heap->unit, err);
    if (status != HRY_OK) {
        free(tail);
        return status;
    }
    hvol_store_release(store, heap->storage.base, heap->room);
    free(heap->tail);
    heap->tail = tail;
    heap->tail_room = lasting + 256;
    heap->tail_at = 0;
    heap->size = heap->lasting;
    heap->storage.base = heap->room = 0;
    heap->window_size = 0;
    heap->changed = true;
    return HRY_OK;
}

/* What was written already moves along to a larger extent. */
static hry_status copy_over(const hvol_heap *heap, hvol_store *store, uint64_t to,
                            hry_error *err)
{
    uint8_t *buffer = malloc(COPY);
    hry_status status = HRY_OK;
    if (buffer == NULL)
        return HRY_NO_MEMORY(err, COPY);
    for (uint64_t at = 0; at < heap->tail_at && status == HRY_OK;) {
        const uint64_t left = heap->tail_at - at;
        const size_t n = left < COPY ? (size_t)left : COPY;
        status = hvol_store_read(store, heap->storage.base + at, buffer, n, err);
        if (status == HRY_OK)
            status = hvol_store_write(store, to + at, buffer, n, err);
        at += n;
    }
    free(buffer);
    return status;
}

/* An extent for all of it: exact at first, with room to grow in afterwards. */
static hry_status make_room(hvol_heap *heap, hvol_store *store, hry_error *err)
{
    uint64_t base, room = heap->size;
    if (heap->room >= heap->size && heap->storage.base != 0)
        return HRY_OK;
    if (heap->storage.base != 0 && !checked_mul(room, 2, &room))
        return HRY_FAIL(err, HRY_ERR_RANGE, "heap of %llu bytes grows",
                        (unsigned long long)heap->size);
    HRY_TRY(hvol_store_allocate(store, room, store->alignment, &base, err));
    if (heap->tail_at > 0)
        HRY_TRY(copy_over(heap, store, base, err));
    hvol_store_release(store, heap->storage.base, heap->room);
    heap->storage.base = base;
    heap->room = room;
    return HRY_OK;
}

hry_status hvol_heap_flush(hvol_heap *heap, hvol_store *store, hry_error *err)
{
    if (heap->size == heap->tail_at)
        return HRY_OK;
    HRY_TRY(make_room(heap, store, err));
    HRY_TRY(hvol_store_write(store, heap->storage.base + heap->tail_at, heap->tail,
                             (size_t)(heap->size - heap->tail_at), err));
    heap->tail_at = heap->size;
    free(heap->tail);
    heap->tail = NULL;
    heap->tail_room = 0;
    return HRY_OK;
}
