/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_write.c - a Hurray file that every rank writes a part of. */
#include "hash.h"
#include "hry/mpi.h"
#include "plan.h"
#include "report.h"
#include "tail.h"
#include "transfer.h"

#include <stdlib.h>
#include <string.h>

/*
 * Invariant: `failed` is the first failure of an add or a write on this rank, or HRY_OK,
 * and `why` its report; closing makes it everybody's.
 */
struct hry_mpi_writer {
    hry_io io;
    hry_mpi_group group;
    hry_plan plan;
    hry_tail tail; /* key-value entries so far; the rest at close */
    hry_mpi_shards shards;
    bool sync;
    hry_status failed;
    hry_error why;
};

/* Remember the first failure for hry_mpi_writer_close(), and hand it on. */
static hry_status note(hry_mpi_writer *w, hry_status status, const hry_error *report,
                       hry_error *err)
{
    if (status == HRY_OK)
        return HRY_OK;
    if (w->failed == HRY_OK) {
        w->failed = status;
        w->why = *report;
    }
    if (err != NULL)
        *err = *report;
    return status;
}

static hry_status prepare(const hry_mpi_writer_options *options, hry_mpi_writer **out,
                          hry_error *err)
{
    hry_mpi_writer *const w = calloc(1, sizeof *w);
    if (w == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a writer");
    w->shards = options->shards;
    w->sync = options->sync;
    const uint32_t alignment = options->alignment;
    hry_status status =
        hry_plan_begin(alignment == 0 ? HRY_DEFAULT_ALIGNMENT : alignment, &w->plan, err);
    if (status == HRY_OK)
        status = hry_tail_begin(&w->tail, err);
    if (status == HRY_OK)
        *out = w;
    else
        free(w);
    return status;
}

static void release(hry_mpi_writer *w)
{
    hry_plan_end(&w->plan);
    hry_tail_end(&w->tail);
    hry_io_close(&w->io);
    free(w);
}

hry_status hry_mpi_writer_create(MPI_Comm comm, const char *path,
                                 const hry_mpi_writer_options *options,
                                 hry_mpi_writer **out, hry_error *err)
{
    static const hry_mpi_writer_options defaults = {0};
    hry_mpi_writer *w = NULL;
    if (options == NULL)
        options = &defaults;
    const MPI_Info info = options->mpiio ? options->info : MPI_INFO_NULL;
    const unsigned flags = HRY_IO_WRITE | HRY_IO_CREATE | HRY_IO_TRUNCATE |
                           (options->mpiio ? HRY_MPI_IO_MPIIO : 0);
    hry_status status = hry_mpi_agree(comm, prepare(options, &w, err), err);
    if (status == HRY_OK)
        status = hry_mpi_io_open(comm, path, flags, info, &w->io, err);
    if (status == HRY_OK)
        status = hry_mpi_io_comm(&w->io, &w->group, err);
    if (status == HRY_OK)
        *out = w;
    else if (w != NULL)
        release(w);
    return status;
}

hry_status hry_mpi_writer_add(hry_mpi_writer *writer, const char *name,
                              const hry_descriptor *d, const hry_mpi_boxes *boxes,
                              uint64_t *id, hry_error *err)
{
    hry_error report;
    const uint64_t next = writer->plan.count;
    const hry_status status =
        hry_plan_add(&writer->plan, name, d, boxes, (int)writer->shards, &report);
    if (status == HRY_OK)
        *id = next;
    return note(writer, status, &report, err);
}

hry_status hry_mpi_writer_add_kv(hry_mpi_writer *writer, const hry_kv *kv, hry_error *err)
{
    hry_error report;
    const hry_status status = hry_tail_add_kv(&writer->tail, kv, &report);
    return note(writer, status, &report, err);
}

/* ---- data ---- */

/* A box to write, checked against the tensor and against memory. */
typedef struct request {
    const uint64_t *start, *size;
    hry_box_place memory;
    const unsigned char *data;
} request;

/* What of the request lies in one part. */
static hry_status write_part(const hry_mpi_writer *w, const hry_plan_tensor *t,
                             const hry_plan_part *p, const request *r, hry_error *err)
{
    uint64_t start[HRY_MAX_RANK], size[HRY_MAX_RANK], at[HRY_MAX_RANK];
    if (!hry_box_intersect(t->rank, r->start, r->size, p->start, p->size, start, size))
        return HRY_OK;
    for (uint32_t k = 0; k < t->rank; k++) {
        at[k] = r->memory.start[k] + (start[k] - r->start[k]);
        start[k] -= p->start[k];
    }
    const hry_transfer transfer = {.base = p->data_offset,
                                   .bits = t->bits,
                                   .rank = t->rank,
                                   .size = size,
                                   .file = {.shape = p->size, .start = start},
                                   .memory = {.shape = r->memory.shape, .start = at}};
    return hry_transfer_write(&w->io, &transfer, r->data, err);
}

static hry_status write_parts(const hry_mpi_writer *w, const hry_plan_tensor *t,
                              const request *r, hry_error *err)
{
    const hry_plan_part *const mine = hry_plan_find(t, (uint32_t)w->group.rank);
    if (mine != NULL && hry_box_holds(t->rank, mine->start, mine->size, r->start, r->size))
        return write_part(w, t, mine, r, err);
    for (uint32_t i = 0; i < t->part_count; i++)
        HRY_TRY(write_part(w, t, &t->parts[i], r, err));
    return HRY_OK;
}

static hry_status write_box(const hry_mpi_writer *w, uint64_t id, const request *asked,
                            const hry_mpi_memory *memory, hry_error *err)
{
    static const uint64_t zeros[HRY_MAX_RANK] = {0};
    request r = *asked;
    bool empty;
    if (id >= w->plan.count)
        return HRY_FAIL(err, HRY_ERR_RANGE, "tensor %llu: %zu were added",
                        (unsigned long long)id, w->plan.count);
    const hry_plan_tensor *const t = &w->plan.tensors[id];
    r.memory = memory == NULL
                   ? (hry_box_place){.shape = r.size, .start = zeros}
                   : (hry_box_place){.shape = memory->shape, .start = memory->start};
    HRY_TRY(hry_box_check(t->rank, r.start, r.size, t->shape, r.memory, &empty, err));
    return empty ? HRY_OK : write_parts(w, t, &r, err);
}

hry_status hry_mpi_writer_write(hry_mpi_writer *writer, uint64_t id, const uint64_t *start,
                                const uint64_t *size, const hry_mpi_memory *memory,
                                const void *data, hry_error *err)
{
    hry_error report;
    const request r = {.start = start, .size = size, .data = data};
    return note(writer, write_box(writer, id, &r, memory, &report), &report, err);
}

/* ---- the end ---- */

hry_status hry_mpi_writer_close(hry_mpi_writer *writer, hry_error *err)
{
    hry_mpi_writer *const w = writer;
    const MPI_Comm comm = w->group.comm;
    hry_mpi_tail tail = {.final_size = HRY_MPI_KEEP_SIZE};
    hry_error report = w->why;
    hry_status status = hry_mpi_agree(comm, w->failed, &report);
    if (status == HRY_OK) {
        const uint64_t hash = hry_hash(w->plan.hash, &w->tail.hash, sizeof w->tail.hash);
        status =
            hry_mpi_same_hash(comm, hash, "list of tensors and key-value entries", &report);
    }
    if (status == HRY_OK) {
        hry_status mine = HRY_OK;
        if (w->group.rank == 0)
            mine = hry_tail_make(&w->tail, &w->plan, &tail, &report);
        status = hry_mpi_commit(&w->io, mine, &tail, w->sync, &report);
    }
    release(w);
    if (status != HRY_OK && err != NULL)
        *err = report;
    return status;
}

void hry_mpi_writer_abandon(hry_mpi_writer *writer)
{
    if (writer != NULL)
        release(writer);
}
