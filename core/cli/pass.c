/* SPDX-License-Identifier: Apache-2.0 */
/* pass.c - see pass.h. */
#include "pass.h"

#include "progress.h"

enum { PIECES_KEPT = 64 }; /* after so many, what was read of the file is let go */

static hry_status read_piece(struct source *s, const struct consumer *c,
                             const struct box *box, hry_error *err)
{
    return c->needs_numbers ? values_read(&s->values, box, err)
                            : values_fetch(&s->values, box, err);
}

int pass(struct source *s, const struct consumer *c)
{
    struct boxes boxes = boxes_of(s->values.rank, s->values.shape, VALUES_PIECE);
    const struct box *box = boxes_next(&boxes);
    struct progress bar;
    uint64_t total = 0, done = 0;
    hry_status status = HRY_OK;
    hry_error err;
    source_count(s, &total);
    bar = progress_of(total);
    if (box != NULL)
        status = read_piece(s, c, box, &err);
    if (status == HRY_OK && c->begin != NULL)
        c->begin(c->ctx, s);
    for (uint64_t pieces = 1; box != NULL && status == HRY_OK; pieces++) {
        const size_t count = (size_t)box_size(box, s->values.rank);
        if (!c->piece(c->ctx, s, box, count))
            break;
        if (pieces % PIECES_KEPT == 0)
            input_release(s->input);
        progress_show(&bar, done += count);
        box = boxes_next(&boxes);
        if (box != NULL)
            status = read_piece(s, c, box, &err);
    }
    progress_end(&bar);
    if (status != HRY_OK)
        return source_error(s, &err);
    if (c->end != NULL)
        c->end(c->ctx, s);
    return EXIT_OK;
}
