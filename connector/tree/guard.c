/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.c - a file that can be opened at every moment. While it is written, its last bytes
 * are a copy of the trailer of the last commit, far enough behind what is written next;
 * when writing comes close, the copy is made again further on, by one write that lengthens
 * the file. A commit becomes the current one by writing its trailer there. Closing cuts the
 * file behind the trailer in its own place.
 */
#include "checked.h"
#include "fail.h"
#include "store.h"

#include "hry/writer.h"

#include <string.h>

enum {
    AHEAD = 1 << 20, /* BYTES kept free before the copy, at least */
    ZEROS = 16       /* BYTES before it, for a file without tensors: section and index */
};

/* Of a file without tensors: zeros right before the trailer are an empty index and an
 * empty key-value section. */
static hry_status empty_trailer(const hvol_store *store, uint64_t at, uint8_t *out,
                                hry_error *err)
{
    hry_footer *footer;
    const void *bytes;
    size_t size;
    HRY_TRY(hry_footer_new(store->flags, &footer, err));
    hry_status status = hry_footer_encode(footer, at - ZEROS, &bytes, &size, err);
    if (status == HRY_OK && size != ZEROS + HRY_FILE_TRAILER_SIZE)
        status = HRY_FAIL(err, HRY_ERR_CORRUPT, "empty footer of %zu bytes", size);
    if (status == HRY_OK)
        memcpy(out, (const uint8_t *)bytes + ZEROS, HRY_FILE_TRAILER_SIZE);
    hry_footer_free(footer);
    return status;
}

static hry_status write_guard(hvol_store *store, uint64_t end, hry_error *err)
{
    uint8_t bytes[ZEROS + HRY_FILE_TRAILER_SIZE] = {0};
    const uint64_t at = end - HRY_FILE_TRAILER_SIZE;
    if (!store->empty) {
        memcpy(bytes + ZEROS, store->trailer, HRY_FILE_TRAILER_SIZE);
        return hvol_store_write(store, at, bytes + ZEROS, HRY_FILE_TRAILER_SIZE, err);
    }
    HRY_TRY(empty_trailer(store, at, bytes + ZEROS, err));
    return hvol_store_write(store, at - ZEROS, bytes, sizeof bytes, err);
}

/* Far enough behind `end`, growing with the file, so that it is seldom made again. */
static uint64_t next_guard(uint64_t end)
{
    const uint64_t ahead = end / 4 > AHEAD ? end / 4 : AHEAD;
    return (end + ahead + HVOL_PAGE - 1) & ~(uint64_t)(HVOL_PAGE - 1);
}

hry_status hvol_guard_begin(hvol_store *store, hry_error *err)
{
    hry_status status = HRY_OK;
    const uint64_t end = next_guard(store->end);
    store->empty = true;
    if (store->rank == 0) { /* the others know that it is there */
        status = hvol_store_write(store, 0, store->header, store->header_size, err);
        if (status == HRY_OK)
            status = write_guard(store, end, err);
    }
    store->guard_end = end;
    store->header_written = true;
    return hvol_store_meet(store, status, err);
}

hry_status hvol_guard_keep(hvol_store *store, hry_error *err)
{
    const uint64_t needed = store->end + ZEROS + HRY_FILE_TRAILER_SIZE;
    if (store->guard_end == 0 || needed <= store->guard_end)
        return HRY_OK;
    store->guard_end = next_guard(store->end);
    return store->rank == 0 ? write_guard(store, store->guard_end, err) : HRY_OK;
}

void hvol_guard_commit(hvol_store *store, const void *trailer, hvol_piece *piece)
{
    memcpy(store->trailer, trailer, HRY_FILE_TRAILER_SIZE);
    store->empty = false;
    if (store->guard_end < store->end + ZEROS + HRY_FILE_TRAILER_SIZE)
        store->guard_end = next_guard(store->end);
    *piece = (hvol_piece){.offset = store->guard_end - HRY_FILE_TRAILER_SIZE,
                          .bytes = store->trailer,
                          .size = HRY_FILE_TRAILER_SIZE};
}
