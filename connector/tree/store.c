/* SPDX-License-Identifier: Apache-2.0 */
/* store.c - see store.h. */
#include "store.h"

#include "checked.h"
#include "fail.h"

#include "hry/writer.h"

#include <stdlib.h>
#include <string.h>

enum {
    SIGNATURE_SIZE = 64,
    FILE_FLAGS = HRY_FILE_SORTED_INDEX | HRY_FILE_HAS_INDEX_CRC | HRY_FILE_HAS_KV
};

/*
 * The hidden tensor that makes programs which look for HDF5's signature (at 0 or 512 * 2^k)
 * take the file for one HDF5 may open: the 8 bytes, and a superblock version that HDF5's
 * own format refuses, so that HDF5 asks its connectors.
 */
static hry_status put_signature(hvol_store *store, hry_error *err)
{
    static const uint8_t magic[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1A, '\n', 0xFF};
    const uint64_t size = SIGNATURE_SIZE;
    hry_descriptor d;
    size_t length;
    HRY_TRY(hry_descriptor_dense(HRY_UINT8, 1, &size, &d, err));
    d.buffers[0].alignment = HVOL_PAGE;
    HRY_TRY(hry_descriptor_encode(&d, store->header + HRY_FILE_HEADER_SIZE,
                                  HVOL_PAGE - HRY_FILE_HEADER_SIZE, &length, err));
    memcpy(store->header + HVOL_PAGE, magic, sizeof magic);
    store->signature_storage = (hvol_storage){.descriptor_offset = HRY_FILE_HEADER_SIZE,
                                              .descriptor_length = (uint32_t)length,
                                              .base = HVOL_PAGE,
                                              .base_size = SIGNATURE_SIZE,
                                              .entry = UINT64_MAX};
    return HRY_OK;
}

hry_status hvol_store_new(hry_io io, bool signature, hvol_store **out, hry_error *err)
{
    const size_t size = signature ? HVOL_PAGE + SIGNATURE_SIZE : HRY_FILE_HEADER_SIZE;
    hvol_store *store = calloc(1, sizeof *store);
    uint8_t *header = calloc(1, size);
    if (store == NULL || header == NULL) {
        free(store);
        free(header);
        hry_io_close(&io);
        return HRY_NO_MEMORY(err, sizeof *store + size);
    }
    *store = (hvol_store){.io = io,
                          .writable = true,
                          .ranks = 1,
                          .signature = signature,
                          .in_order = true,
                          .header = header,
                          .header_size = size,
                          .flags = FILE_FLAGS,
                          .alignment = HVOL_PAGE,
                          .end = size};
    hry_status status = hry_file_header_encode(FILE_FLAGS, HVOL_PAGE, HRY_FILE_HEADER_SIZE,
                                               UINT64_MAX, header, err);
    if (status == HRY_OK && signature)
        status = put_signature(store, err);
    if (status != HRY_OK) {
        hvol_store_free(store);
        return status;
    }
    *out = store;
    return HRY_OK;
}

/* From key-value section or index, whichever comes first, up to the end: free after the
 * next commit if nothing else is between. */
static hvol_hole footer_of(const hry_file_info *info)
{
    const uint64_t trailer = info->size - HRY_FILE_TRAILER_SIZE;
    uint64_t from = info->index_offset;
    if (info->kv_offset != 0 && info->kv_offset < from &&
        info->kv_offset + info->kv_length + 8 > from)
        from = info->kv_offset;
    if (from + info->index_length > trailer ||
        trailer - from > info->index_length + info->kv_length + 8)
        return (hvol_hole){0};
    return (hvol_hole){from, info->size - from};
}

hry_status hvol_store_open(hry_io io, bool writable, hvol_store **out, hry_error *err)
{
    hvol_store *store = calloc(1, sizeof *store);
    if (store == NULL) {
        hry_io_close(&io);
        return HRY_NO_MEMORY(err, sizeof *store);
    }
    /* permissive: what another program stored in a way we do not know stays in the file */
    const hry_file_options options = {.mode = HRY_PERMISSIVE};
    const hry_status status = hry_file_open_io(io, &options, &store->file, err);
    if (status != HRY_OK) {
        free(store);
        return status;
    }
    const hry_file_info *info = hry_file_get_info(store->file);
    store->io = io;
    store->writable = writable;
    store->ranks = 1;
    store->end = info->size;
    store->flags = info->flags;
    store->alignment = info->alignment;
    store->header_written = true;
    store->committed = store->end;
    if (writable) {
        store->guard_end = store->end; /* its own trailer is the copy, until it grows */
        store->footer = footer_of(info);
        const hry_status got = hry_io_read(&store->io, store->end - HVOL_TRAILER,
                                           store->trailer, sizeof store->trailer, err);
        if (got != HRY_OK) {
            hvol_store_free(store);
            return got;
        }
    }
    *out = store;
    return HRY_OK;
}

void hvol_store_free(hvol_store *store)
{
    if (store == NULL)
        return;
    if (store->file != NULL)
        hry_file_close(store->file); /* closes the io it shares with us */
    else
        hry_io_close(&store->io);
    free(store->header);
    hvol_holes_free(&store->holes);
    free(store);
}

hry_status hvol_store_allocate(hvol_store *store, uint64_t size, uint64_t alignment,
                               uint64_t *offset, hry_error *err)
{
    const uint64_t limit = (uint64_t)INT64_MAX - alignment;
    if (store->end > limit || size > limit - store->end)
        return HRY_FAIL(err, HRY_ERR_RANGE, "%llu more bytes do not fit a file",
                        (unsigned long long)size);
    if (hvol_holes_take(&store->holes, size, alignment, offset))
        return HRY_OK;
    *offset = (store->end + alignment - 1) & ~(alignment - 1);
    store->end = *offset + size;
    return hvol_guard_keep(store, err);
}

hry_status hvol_store_extent(hvol_store *store, uint32_t descriptor_length, uint64_t size,
                             hvol_storage *out, hry_error *err)
{
    uint64_t descriptor, base;
    HRY_TRY(hvol_store_allocate(store, descriptor_length, 8, &descriptor, err));
    HRY_TRY(hvol_store_allocate(store, size, store->alignment, &base, err));
    out->base = out->offset = base;
    out->base_size = size;
    out->descriptor_offset = descriptor;
    out->descriptor_length = descriptor_length;
    out->descriptor_written = false;
    out->entry = UINT64_MAX;
    return HRY_OK;
}

/* What was reserved but not written yet lies behind the end of the medium: zeros. */
hry_status hvol_store_read(const hvol_store *store, uint64_t offset, void *dst, size_t size,
                           hry_error *err)
{
    hry_error short_read;
    const hry_status status = hry_io_read(&store->io, offset, dst, size, &short_read);
    if (status == HRY_OK)
        return HRY_OK;
    uint64_t medium;
    if (status != HRY_ERR_TRUNCATED || !range_inside(offset, size, store->end)) {
        if (err != NULL)
            *err = short_read;
        return status;
    }
    HRY_TRY(hry_io_size(&store->io, &medium, err));
    const size_t there = medium <= offset ? 0 : (size_t)(medium - offset);
    if (there >= size) /* it grew meanwhile */
        return hry_io_read(&store->io, offset, dst, size, err);
    memset((char *)dst + there, 0, size - there);
    return there == 0 ? HRY_OK : hry_io_read(&store->io, offset, dst, there, err);
}

hry_status hvol_store_write(hvol_store *store, uint64_t offset, const void *src,
                            size_t size, hry_error *err)
{
    return hry_io_write(&store->io, offset, src, size, err);
}

hry_status hvol_store_meet(hvol_store *store, hry_status mine, hry_error *err)
{
    return store->group == NULL
               ? mine
               : store->group->meet(store->group_ctx, &store->io, mine, err);
}

bool hvol_store_any(const hvol_store *store, bool mine)
{
    return store->group == NULL ? mine
                                : store->group->any(store->group_ctx, &store->io, mine);
}

hry_status hvol_store_publish(hvol_store *store, const hvol_piece *pieces, size_t count,
                              uint64_t size, hry_error *err)
{
    if (store->group != NULL)
        return store->group->publish(store->group_ctx, &store->io, pieces, count, size,
                                     HRY_OK, err);
    for (size_t i = 0; i < count; i++)
        HRY_TRY(hry_io_write(&store->io, pieces[i].offset, pieces[i].bytes, pieces[i].size,
                             err));
    return hry_io_truncate(&store->io, size, err);
}

void hvol_store_release(hvol_store *store, uint64_t offset, uint64_t size)
{
    hvol_holes_add(&store->holes, offset, size);
}

hry_status hvol_store_end(hvol_store *store, hry_error *err)
{
    if (!store->writable || store->guard_end <= store->committed)
        return HRY_OK;
    if (store->empty) /* nothing was ever committed: that is how it stays */
        return HRY_OK;
    return hvol_store_publish(store, NULL, 0, store->committed, err);
}
