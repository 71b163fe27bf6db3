/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - what one rank read, for the others to read from memory. */
#include "record.h"
#include "bcast.h"
#include "hry/mpi.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

/* *items with room for `more` after `used`; false when memory is refused. */
static bool grow(void **items, size_t *capacity, size_t used, size_t more, size_t item)
{
    if (more <= *capacity - used)
        return true;
    if (more > SIZE_MAX / 4 / item - used)
        return false;
    const size_t want = (used + more) * 2;
    void *const grown = realloc(*items, want * item);
    if (grown == NULL)
        return false;
    *items = grown;
    *capacity = want;
    return true;
}

/* Where there is no memory the range is not kept, and others read it themselves. */
static void keep(hry_record *r, uint64_t offset, const void *bytes, size_t size)
{
    void *ranges = r->ranges, *kept = r->bytes;
    const bool room = grow(&ranges, &r->capacity, r->count, 1, sizeof *r->ranges) &&
                      grow(&kept, &r->room, r->size, size, 1);
    r->ranges = ranges;
    r->bytes = kept;
    if (!room)
        return;
    memcpy(r->bytes + r->size, bytes, size);
    r->ranges[r->count++] = (hry_range){.offset = offset, .size = size, .at = r->size};
    r->size += size;
}

static const unsigned char *find(const hry_record *r, uint64_t offset, size_t size)
{
    for (size_t i = 0; i < r->count; i++) {
        const hry_range *const k = &r->ranges[i];
        if (offset >= k->offset && offset - k->offset <= k->size &&
            size <= k->size - (offset - k->offset))
            return r->bytes + k->at + (offset - k->offset);
    }
    return NULL;
}

static hry_status record_read(void *ctx, uint64_t offset, void *dst, size_t size,
                              hry_error *err)
{
    hry_record *const r = ctx;
    const unsigned char *const kept = size > 0 ? find(r, offset, size) : NULL;
    if (kept != NULL) {
        memcpy(dst, kept, size);
        return HRY_OK;
    }
    HRY_TRY(hry_io_read(r->io, offset, dst, size, err));
    if (r->active && size > 0)
        keep(r, offset, dst, size);
    return HRY_OK;
}

static hry_status record_size(void *ctx, uint64_t *size, hry_error *err)
{
    hry_record *const r = ctx;
    if (r->file_size == 0)
        HRY_TRY(hry_io_size(r->io, &r->file_size, err));
    *size = r->file_size;
    return HRY_OK;
}

static void record_close(void *ctx)
{
    (void)ctx;
}

hry_io hry_record_io(hry_record *record)
{
    static const hry_io_ops ops = {
        .read_at = record_read, .size = record_size, .close = record_close};
    return (hry_io){.ops = &ops, .ctx = record};
}

hry_status hry_record_share(hry_record *record, MPI_Comm comm, hry_error *err)
{
    hry_record *const r = record;
    uint64_t sizes[3] = {r->file_size, r->count, r->size};
    hry_status status = HRY_OK;
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Bcast(sizes, 3, MPI_UINT64_T, 0, comm);
    if (rank != 0) {
        r->ranges = malloc(sizes[1] * sizeof *r->ranges + 1);
        r->bytes = malloc(sizes[2] + 1);
        if (r->ranges == NULL || r->bytes == NULL)
            status = HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %llu bytes of metadata",
                              (unsigned long long)sizes[2]);
    }
    HRY_TRY(hry_mpi_agree(comm, status, err));
    r->file_size = sizes[0];
    r->count = r->capacity = (size_t)sizes[1];
    r->size = r->room = (size_t)sizes[2];
    bcast_bytes(comm, r->ranges, r->count * sizeof *r->ranges);
    bcast_bytes(comm, r->bytes, r->size);
    return HRY_OK;
}

void hry_record_drop(hry_record *record)
{
    free(record->ranges);
    free(record->bytes);
    record->ranges = NULL;
    record->bytes = NULL;
    record->count = record->capacity = record->size = record->room = 0;
    record->active = false;
}
