/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stored_write.c - a box into a plain tensor's data in the file. Runs of dense tensors that
 * follow each other there are gathered; others change in memory and are written whole.
 */
#include "stored.h"

#include "container/file.h"
#include "fail.h"

#include <stdlib.h>
#include <string.h>

#define GATHER 65536

typedef struct gather {
    hry_stored *s;
    const uint8_t *src;
    size_t element; /* in BYTES */
    uint64_t at;    /* in buffer 0: where `bytes` go */
    size_t size;
    uint8_t *bytes; /* owned: GATHER of them */
} gather;

static hry_status put(const gather *g, uint64_t byte, const void *bytes, size_t size,
                      hry_error *err)
{
    return hry_io_write(&g->s->file->io, g->s->data + byte, bytes, size, err);
}

static hry_status flush(gather *g, hry_error *err)
{
    const size_t size = g->size;
    g->size = 0;
    return size > 0 ? put(g, g->at, g->bytes, size, err) : HRY_OK;
}

static hry_status write_large(const gather *g, const hry_run *run, hry_error *err)
{
    for (uint64_t i = 0; i < run->count; i++)
        HRY_TRY(put(g, run->byte + i * g->element,
                    g->src + (run->first + i * run->step) * g->element, g->element, err));
    return HRY_OK;
}

static hry_status write_run(void *ctx, const hry_run *run, hry_error *err)
{
    gather *g = ctx;
    const uint8_t *from = g->src + run->first * g->element;
    uint64_t byte = run->byte;
    if (run->step == 1 && run->count >= GATHER / g->element) {
        HRY_TRY(flush(g, err));
        return put(g, byte, from, (size_t)run->count * g->element, err);
    }
    if (g->element > GATHER) /* of a private type */
        return write_large(g, run, err);
    for (uint64_t i = 0; i < run->count; i++) {
        if (g->element > GATHER - g->size || byte != g->at + g->size)
            HRY_TRY(flush(g, err));
        if (g->size == 0)
            g->at = byte;
        memcpy(g->bytes + g->size, from, g->element);
        g->size += g->element;
        byte += g->element;
        from += run->step * g->element;
    }
    return HRY_OK;
}

static hry_status write_runs(hry_stored *s, const uint64_t *start, const uint64_t *count,
                             const void *src, hry_error *err)
{
    gather g = {.s = s, .src = src, .element = hry_region_element(&s->d)};
    g.bytes = malloc(GATHER);
    if (g.bytes == NULL)
        return HRY_NO_MEMORY(err, GATHER);
    hry_status status = hry_region_runs(&s->d, start, count, write_run, &g, err);
    if (status == HRY_OK)
        status = flush(&g, err);
    free(g.bytes);
    return status;
}

hry_status hry_stored_write(hry_stored *s, const uint64_t *start, const uint64_t *count,
                            const void *src, hry_error *err)
{
    if (s->by_runs)
        return write_runs(s, start, count, src, err);
    HRY_TRY(hry_region_write(&s->t, start, count, src, err));
    if (s->buffers[0].size == 0)
        return HRY_OK;
    return hry_io_write(&s->file->io, s->data, s->buffers[0].bytes,
                        (size_t)s->buffers[0].size, err);
}
