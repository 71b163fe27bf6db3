/* SPDX-License-Identifier: Apache-2.0 */
/* transfer.c - move a box between an array in a file and one in memory. */
#include "transfer.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

enum {
    DIRECT = 64 << 10, /* runs of so many bytes go without the buffer             */
    STAGE = 1 << 20,   /* size of the buffer: stays in the processor's cache      */
    GAP = 4 << 10      /* reading so many bytes for nothing is no dearer than a call */
};

/* Runs in BYTES, and the buffer: bytes of the file from `at` on. */
typedef struct mover {
    const hry_io *io;
    uint64_t base;
    uint32_t bits, unit; /* runs begin and end at multiples of `unit` elements */
    size_t run;          /* bytes of one run */
    hry_box_runs runs;
    unsigned char *stage;
    size_t staged, room;
    uint64_t at;
} mover;

/* Elements that fill whole bytes. */
static uint32_t unit_of(uint32_t bits)
{
    if (bits >= 8)
        return 1;
    return bits == 6 ? 4 : 8 / bits;
}

static uint64_t bytes_of(const mover *m, uint64_t elements)
{
    if (m->bits >= 8)
        return elements * (m->bits / 8);
    return hry_packed_size(elements, m->bits);
}

/* Runs of a narrow type must not share a byte with elements outside the box. */
static hry_status check_bytes(const mover *m, const hry_transfer *t, hry_error *err)
{
    uint64_t in_file = 0, in_memory = 0;
    hry_box_runs r = m->runs;
    if (m->unit == 1)
        return HRY_OK;
    hry_box_count(t->rank, t->file.shape, &in_file);
    hry_box_count(t->rank, t->memory.shape, &in_memory);
    for (; r.left > 0; hry_box_runs_next(&r)) {
        const bool begins = r.a % m->unit == 0 && r.b % m->unit == 0;
        const bool ends = r.length % m->unit == 0 ||
                          (r.a + r.length == in_file && r.b + r.length == in_memory);
        if (!begins || !ends)
            return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                            "run of %llu elements of %u bits at element %llu: not on whole "
                            "bytes in file and memory",
                            (unsigned long long)r.length, m->bits, (unsigned long long)r.a);
    }
    return HRY_OK;
}

/* Elements of the file's array from the first run's beginning to the last one's end. */
static uint64_t extent_of(const hry_box_runs *r)
{
    uint64_t extent = r->length;
    for (uint32_t k = HRY_MAX_RANK - r->loops; k < HRY_MAX_RANK; k++)
        extent += (r->count[k] - 1) * r->step_a[k];
    return extent;
}

static hry_status begin(const hry_io *io, const hry_transfer *t, mover *m, hry_error *err)
{
    m->io = io;
    m->base = t->base;
    m->bits = t->bits;
    m->unit = unit_of(t->bits);
    m->stage = NULL;
    m->staged = m->room = 0;
    hry_box_runs_begin(&m->runs, t->rank, t->size, t->file, t->memory);
    m->run = (size_t)bytes_of(m, m->runs.length);
    HRY_TRY(check_bytes(m, t, err));
    if (m->runs.left > 1 && m->run < DIRECT) {
        const uint64_t extent = bytes_of(m, extent_of(&m->runs));
        m->room = extent < STAGE ? (size_t)extent : STAGE;
        m->stage = malloc(m->room);
        if (m->stage == NULL)
            return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a buffer of %zu bytes",
                            m->room);
    }
    return HRY_OK;
}

/* ---- writing: gather in the buffer while runs are neighbours in the file ---- */

static hry_status flush(mover *m, hry_error *err)
{
    const size_t size = m->staged;
    m->staged = 0;
    return size == 0 ? HRY_OK : hry_io_write(m->io, m->at, m->stage, size, err);
}

static hry_status put(mover *m, uint64_t at, const unsigned char *from, hry_error *err)
{
    if (m->stage == NULL)
        return hry_io_write(m->io, at, from, m->run, err);
    if (m->at + m->staged != at || m->run > m->room - m->staged) {
        HRY_TRY(flush(m, err));
        m->at = at;
    }
    memcpy(m->stage + m->staged, from, m->run);
    m->staged += m->run;
    return HRY_OK;
}

hry_status hry_transfer_write(const hry_io *io, const hry_transfer *t, const void *data,
                              hry_error *err)
{
    mover m;
    hry_status status = begin(io, t, &m, err);
    m.at = m.base;
    for (; status == HRY_OK && m.runs.left > 0; hry_box_runs_next(&m.runs))
        status = put(&m, m.base + bytes_of(&m, m.runs.a),
                     (const unsigned char *)data + bytes_of(&m, m.runs.b), err);
    if (status == HRY_OK)
        status = flush(&m, err);
    free(m.stage);
    return status;
}

/* ---- reading: fetch what the next runs need with one call ---- */

/* Bytes from the current run to the end of the last one that lies near enough. */
static size_t ahead(const mover *m)
{
    const hry_box_runs *const r = &m->runs;
    uint64_t span = m->run, pitch, rows;
    for (uint32_t k = HRY_MAX_RANK; k-- > HRY_MAX_RANK - r->loops;) {
        pitch = bytes_of(m, r->step_a[k]);
        rows = r->count[k] - r->index[k];
        if (pitch > span + GAP || span > m->room)
            break;
        const uint64_t fit = 1 + (m->room - span) / pitch;
        span += pitch * ((rows < fit ? rows : fit) - 1);
        if (r->index[k] != 0) /* outer rows would begin before this run's column */
            break;
    }
    return span < m->room ? (size_t)span : m->room;
}

static hry_status get(mover *m, uint64_t at, unsigned char *to, hry_error *err)
{
    if (m->stage == NULL)
        return hry_io_read(m->io, at, to, m->run, err);
    if (at < m->at || at - m->at > m->staged || m->run > m->staged - (at - m->at)) {
        const size_t size = ahead(m);
        m->staged = 0;
        HRY_TRY(hry_io_read(m->io, at, m->stage, size, err));
        m->staged = size;
        m->at = at;
    }
    memcpy(to, m->stage + (at - m->at), m->run);
    return HRY_OK;
}

hry_status hry_transfer_read(const hry_io *io, const hry_transfer *t, void *data,
                             hry_error *err)
{
    mover m;
    hry_status status = begin(io, t, &m, err);
    m.at = m.base;
    for (; status == HRY_OK && m.runs.left > 0; hry_box_runs_next(&m.runs))
        status = get(&m, m.base + bytes_of(&m, m.runs.a),
                     (unsigned char *)data + bytes_of(&m, m.runs.b), err);
    free(m.stage);
    return status;
}
