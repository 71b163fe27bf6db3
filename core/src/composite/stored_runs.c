/* SPDX-License-Identifier: Apache-2.0 */
/* stored_runs.c - a box of a dense tensor that stays in the file, run by run. */
#include "stored.h"

#include "fail.h"
#include "region/into.h"

#include <string.h>

typedef struct copy {
    hry_stored *s;
    uint8_t *dst;
    size_t element; /* in BYTES */
} copy;

/* Elements, of private types, that are larger than the window: one by one. */
static hry_status copy_large(const copy *c, const hry_run *run, hry_error *err)
{
    uint64_t at = c->s->data + run->byte;
    uint8_t *to = c->dst + run->first * c->element;
    for (uint64_t i = 0; i < run->count; i++) {
        HRY_TRY(hry_file_read(c->s->file, at, to, c->element, err));
        at += c->element;
        to += run->step * c->element;
    }
    return HRY_OK;
}

static hry_status copy_run(void *ctx, const hry_run *run, hry_error *err)
{
    const copy *c = ctx;
    const uint64_t most = HRY_AHEAD_MOST / c->element;
    uint64_t byte = run->byte, left = run->count;
    uint8_t *to = c->dst + run->first * c->element;
    if (most == 0)
        return copy_large(c, run, err);
    if (run->step == 1 && left > most / 2)
        return hry_file_read(c->s->file, c->s->data + byte, to, (size_t)left * c->element,
                             err);
    while (left > 0) {
        const uint64_t n = left < most ? left : most;
        const uint8_t *from;
        HRY_TRY(hry_ahead_look(&c->s->ahead, c->s->data + byte, (size_t)n * c->element,
                               c->s->data + c->s->d.buffers[0].byte_size, &from, err));
        for (uint64_t i = 0; run->step != 1 && i < n; i++)
            memcpy(to + i * run->step * c->element, from + i * c->element, c->element);
        if (run->step == 1)
            memcpy(to, from, (size_t)n * c->element);
        to += n * run->step * c->element;
        byte += n * c->element;
        left -= n;
    }
    return HRY_OK;
}

hry_status hry_stored_read_runs(hry_stored *s, const uint64_t *start, const uint64_t *count,
                                void *dst, const int64_t *step, hry_error *err)
{
    copy c = {.s = s, .dst = dst, .element = hry_region_element(&s->d)};
    return hry_region_runs_into(&s->d, start, count, step, copy_run, &c, err);
}
