/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_read.c - boxes of tensors, read by many ranks. */
#include "hry/mpi.h"
#include "members.h"
#include "record.h"
#include "report.h"
#include "transfer.h"

#include <stdlib.h>

/* Invariant: `last` is what was read from last; empty when its shape is NULL. */
struct hry_mpi_reader {
    hry_io io;
    hry_record record; /* between `file` and `io`; keeps ranges only while opening */
    hry_file *file;
    hry_order order;
    hry_members last;
};

static void release(hry_mpi_reader *r)
{
    hry_file_close(r->file);
    hry_record_drop(&r->record);
    hry_members_end(&r->last);
    free(r->order.rows);
    hry_io_close(&r->io);
    free(r);
}

/* Rank 0 opens and keeps what it reads; then the others open with that. */
static hry_status open_file(hry_mpi_reader *r, const hry_mpi_group *group, hry_error *err)
{
    hry_status status = HRY_OK;
    r->record.io = &r->io;
    if (group->rank == 0) {
        r->record.active = true;
        status = hry_file_open_io(hry_record_io(&r->record), NULL, &r->file, err);
    }
    HRY_TRY(hry_mpi_agree(group->comm, status, err));
    HRY_TRY(hry_record_share(&r->record, group->comm, err));
    if (group->rank != 0)
        status = hry_file_open_io(hry_record_io(&r->record), NULL, &r->file, err);
    hry_record_drop(&r->record);
    return hry_mpi_agree(group->comm, status, err);
}

hry_status hry_mpi_reader_open(MPI_Comm comm, const char *path, hry_mpi_reader **out,
                               hry_error *err)
{
    hry_mpi_group group;
    hry_mpi_reader *const r = calloc(1, sizeof *r);
    hry_status status = HRY_OK;
    if (r == NULL)
        status = HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a reader");
    status = hry_mpi_agree(comm, status, err);
    if (status == HRY_OK)
        status = hry_mpi_io_open(comm, path, HRY_IO_READ, MPI_INFO_NULL, &r->io, err);
    if (status == HRY_OK)
        status = hry_mpi_io_comm(&r->io, &group, err);
    if (status == HRY_OK)
        status = open_file(r, &group, err);
    if (status == HRY_OK)
        *out = r;
    else if (r != NULL)
        release(r);
    return status;
}

hry_file *hry_mpi_reader_file(hry_mpi_reader *reader)
{
    return reader->file;
}

void hry_mpi_reader_close(hry_mpi_reader *reader)
{
    if (reader != NULL)
        release(reader);
}

static hry_status find_members(hry_mpi_reader *r, uint64_t i, hry_error *err)
{
    if (r->last.shape != NULL && r->last.i == i)
        return HRY_OK;
    hry_members found;
    HRY_TRY(hry_members_find(r->file, i, &r->order, &found, err));
    hry_members_end(&r->last);
    r->last = found;
    return HRY_OK;
}

/* What of the box lies in member `n`. */
static hry_status read_member(const hry_mpi_reader *r, uint64_t n, const uint64_t *start,
                              const uint64_t *size, hry_box_place memory, void *data,
                              hry_error *err)
{
    const hry_members *const m = &r->last;
    const uint64_t *const own = m->start + n * m->rank, *const shape =
                                                            m->size + n * m->rank;
    uint64_t from[HRY_MAX_RANK], part[HRY_MAX_RANK], to[HRY_MAX_RANK];
    if (!hry_box_intersect(m->rank, start, size, own, shape, from, part))
        return HRY_OK;
    for (uint32_t k = 0; k < m->rank; k++) {
        to[k] = memory.start[k] + (from[k] - start[k]);
        from[k] -= own[k];
    }
    const hry_transfer transfer = {.base = m->base[n],
                                   .bits = m->bits,
                                   .rank = m->rank,
                                   .size = part,
                                   .file = {.shape = shape, .start = from},
                                   .memory = {.shape = memory.shape, .start = to}};
    return hry_transfer_read(&r->io, &transfer, data, err);
}

hry_status hry_mpi_reader_read(hry_mpi_reader *reader, uint64_t i, const uint64_t *start,
                               const uint64_t *size, const hry_mpi_memory *memory,
                               void *data, hry_error *err)
{
    static const uint64_t zeros[HRY_MAX_RANK] = {0};
    bool empty;
    HRY_TRY(find_members(reader, i, err));
    const hry_members *const m = &reader->last;
    hry_box_place place = {.shape = size, .start = zeros};
    if (memory != NULL)
        place = (hry_box_place){.shape = memory->shape, .start = memory->start};
    HRY_TRY(hry_box_check(m->rank, start, size, m->shape, place, &empty, err));
    /* Every member is looked at: a box of many elements, so few nanoseconds a member. */
    for (uint64_t n = 0; !empty && n < m->count; n++)
        HRY_TRY(read_member(reader, n, start, size, place, data, err));
    return HRY_OK;
}
