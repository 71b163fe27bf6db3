/* SPDX-License-Identifier: Apache-2.0 */
/* pass.h - one pass over all elements of a source, piece by piece in row-major order, with
 * a progress bar where a person waits. */
#ifndef PASS_H
#define PASS_H

#include "source.h"

/*
 * What is done with the pieces; begin and end may be NULL. begin is called once the first
 * piece has been read, and for an empty source too. piece: the elements of `box` are in
 * s->values; false ends the pass early, as when nobody reads the output.
 */
struct consumer {
    void (*begin)(void *ctx, const struct source *s);
    bool (*piece)(void *ctx, const struct source *s, const struct box *box, size_t count);
    void (*end)(void *ctx, const struct source *s);
    void *ctx;
    bool needs_numbers; /* else v->read only */
};

/* Errors are reported; returns an exit code. */
int pass(struct source *s, const struct consumer *consumer);

#endif
