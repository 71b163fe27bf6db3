/* SPDX-License-Identifier: Apache-2.0 */
/* collector.c - tensors that came, in memory; shards joined (format section 7). */
#include "builder.h"
#include "checked.h"
#include "hry/region.h"
#include "hry/remote.h"

typedef struct collected {
    hry_descriptor d;
    hry_builder descriptor; /* owned: its bytes, which `d` borrows from  */
    hry_builder data;       /* owned: all buffers, one after another     */
    hry_buffer *buffers;    /* owned: filled when it is complete         */
    hry_tensor tensor;
    uint32_t depth, shard;
} collected;

struct hry_collector {
    collected **items; /* owned */
    uint32_t count, room;
    uint32_t shards; /* of the tensor that is coming */
    uint32_t ended;  /* of them                      */
    uint32_t first;  /* the item of its first shard  */
};

hry_status hry_collector_new(hry_collector **out, hry_error *err)
{
    hry_collector *c = calloc(1, sizeof *c);
    if (c == NULL)
        return HRY_NO_MEMORY(err, sizeof *c);
    *out = c;
    return HRY_OK;
}

static void free_item(collected *item)
{
    if (item == NULL)
        return;
    bld_free(&item->descriptor);
    bld_free(&item->data);
    free(item->buffers);
    free(item);
}

void hry_collector_free(hry_collector *collector)
{
    if (collector == NULL)
        return;
    for (uint32_t i = 0; i < collector->count; i++)
        free_item(collector->items[i]);
    free(collector->items);
    free(collector);
}

uint32_t hry_collector_count(const hry_collector *collector)
{
    return collector->count;
}

const hry_tensor *hry_collector_tensor(const hry_collector *collector, uint32_t i)
{
    return &collector->items[i]->tensor;
}

uint32_t hry_collector_depth(const hry_collector *collector, uint32_t i)
{
    return collector->items[i]->depth;
}

/* ---- tensors as they come ---- */

static hry_status make_room(hry_collector *c, hry_error *err)
{
    size_t size;
    const uint64_t room = c->room == 0 ? 8 : (uint64_t)c->room * 2;
    if (c->count < c->room)
        return HRY_OK;
    collected **grown = room <= UINT32_MAX && checked_array(room, sizeof *grown, &size)
                            ? realloc(c->items, size)
                            : NULL;
    if (grown == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %u tensors", (unsigned)c->count);
    c->items = grown;
    c->room = (uint32_t)room;
    return HRY_OK;
}

/* What a descriptor borrows must outlive the event: decode a copy of its bytes. */
static hry_status keep_descriptor(collected *item, const hry_descriptor *d, hry_error *err)
{
    const size_t size = hry_descriptor_size(d);
    size_t length;
    uint8_t *bytes = bld_take(&item->descriptor, size);
    HRY_TRY(bld_ok(&item->descriptor, "descriptor", err));
    HRY_TRY(hry_descriptor_encode(d, bytes, size, &length, err));
    return hry_descriptor_decode(bytes, length, HRY_PERMISSIVE, &item->d, NULL, err);
}

static hry_status begin(hry_collector *c, const hry_event *e, hry_error *err)
{
    HRY_TRY(make_room(c, err));
    collected *item = calloc(1, sizeof *item);
    if (item == NULL)
        return HRY_NO_MEMORY(err, sizeof *item);
    item->depth = e->depth;
    item->shard = e->shard;
    const hry_status status = keep_descriptor(item, e->descriptor, err);
    if (status != HRY_OK) {
        free_item(item);
        return status;
    }
    if (c->ended == c->shards) { /* of the tensor before */
        c->first = c->count;
        c->shards = e->shards;
        c->ended = 0;
    }
    c->items[c->count++] = item;
    return HRY_OK;
}

static collected *item_of(const hry_collector *c, uint32_t shard)
{
    for (uint32_t i = c->first; i < c->count; i++)
        if (c->items[i]->shard == shard)
            return c->items[i];
    return NULL;
}

/* Its buffers, now that they do not move any more. */
static hry_status finish(collected *item, hry_error *err)
{
    const uint32_t count = item->d.buffer_count;
    uint64_t at = 0;
    item->buffers = calloc((size_t)count + 1, sizeof *item->buffers);
    if (item->buffers == NULL)
        return HRY_NO_MEMORY(err, count * sizeof *item->buffers);
    for (uint32_t b = 0; b < count; b++) {
        const uint64_t size = item->d.buffers[b].byte_size;
        item->buffers[b] = (hry_buffer){.writable = item->data.data + at, .size = size};
        at += size;
    }
    item->tensor =
        (hry_tensor){.descriptor = &item->d, .buffers = item->buffers, .writable = true};
    return HRY_OK;
}

/* ---- shards ---- */

static hry_status check_joinable(const hry_descriptor *d, hry_error *err)
{
    if ((d->flags & HRY_HAS_QUANTIZATION) != 0 &&
        d->quantization.scheme != HRY_QUANT_PER_TENSOR)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "shards quantized by scheme %u, which are not joined",
                        (unsigned)d->quantization.scheme);
    return HRY_OK;
}

/* The whole, row-major, of which `d` is a shard; its data zero. */
static hry_status make_whole(collected *whole, const hry_descriptor *d, hry_error *err)
{
    hry_descriptor plain;
    HRY_TRY(hry_descriptor_dense(HRY_UINT8, d->rank, d->shard.parent_shape, &plain, err));
    hry_descriptor *w = &whole->d;
    w->version_major = plain.version_major;
    w->type_tag = d->type_tag;
    w->layout_tag = HRY_ROW_MAJOR;
    w->flags = d->flags & (HRY_HAS_QUANTIZATION | HRY_HAS_EXTENSION_TYPE);
    w->rank = d->rank;
    w->buffer_count = 1;
    memcpy(w->shape, d->shard.parent_shape, d->rank * sizeof *w->shape);
    w->extension_type = d->extension_type;
    w->quantization = d->quantization;
    w->buffers[0] = plain.buffers[0];
    uint64_t count;
    HRY_TRY(hry_descriptor_count(w, &count, err));
    w->buffers[0].byte_size = hry_packed_size(count, hry_descriptor_bits(w));
    HRY_TRY(hry_descriptor_validate(w, err));
    if (w->buffers[0].byte_size > SIZE_MAX / 2)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "shards of a tensor of %llu bytes",
                        (unsigned long long)w->buffers[0].byte_size);
    bld_zeros(&whole->data, (size_t)w->buffers[0].byte_size);
    return bld_ok(&whole->data, "joined shards", err);
}

static hry_status copy_in(const hry_tensor *whole, const hry_tensor *shard, hry_error *err)
{
    static const uint64_t origin[HRY_MAX_RANK];
    const hry_descriptor *d = shard->descriptor;
    uint64_t size;
    HRY_TRY(hry_region_size(d, d->shape, &size, err));
    void *array = size < SIZE_MAX ? malloc((size_t)size + 1) : NULL;
    if (array == NULL)
        return HRY_NO_MEMORY(err, size);
    hry_status status = hry_region_read(shard, origin, d->shape, array, err);
    if (status == HRY_OK)
        status = hry_region_write(whole, d->shard.offset, d->shape, array, err);
    free(array);
    return status;
}

static hry_status fill_whole(const hry_collector *c, collected *whole, hry_error *err)
{
    const hry_descriptor *d = &c->items[c->first]->d;
    HRY_TRY(check_joinable(d, err));
    HRY_TRY(make_whole(whole, d, err));
    HRY_TRY(finish(whole, err));
    for (uint32_t i = c->first; i < c->count; i++)
        HRY_TRY(copy_in(&whole->tensor, &c->items[i]->tensor, err));
    return HRY_OK;
}

static hry_status join(hry_collector *c, hry_error *err)
{
    collected *whole = calloc(1, sizeof *whole);
    if (whole == NULL)
        return HRY_NO_MEMORY(err, sizeof *whole);
    const hry_status status = fill_whole(c, whole, err);
    if (status != HRY_OK) {
        free_item(whole);
        return status;
    }
    while (c->count > c->first)
        free_item(c->items[--c->count]);
    c->items[c->count++] = whole;
    return HRY_OK;
}

hry_status hry_collector_add(void *collector, const hry_event *event, hry_error *err)
{
    hry_collector *c = collector;
    if (event->kind == HRY_EVENT_TENSOR)
        return begin(c, event, err);
    if (event->kind != HRY_EVENT_DATA && event->kind != HRY_EVENT_END)
        return HRY_OK;
    collected *item = item_of(c, event->shard);
    if (item == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "data of a tensor that has not begun");
    if (event->kind == HRY_EVENT_DATA) {
        bld_bytes(&item->data, event->bytes, event->size);
        return bld_ok(&item->data, "data", err);
    }
    HRY_TRY(finish(item, err));
    c->ended++;
    return c->ended == c->shards && c->shards > 1 ? join(c, err) : HRY_OK;
}
