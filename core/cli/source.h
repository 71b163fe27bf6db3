/* SPDX-License-Identifier: Apache-2.0 */
/* source.h - a tensor of a file, or a part of it, whose elements can be read: opened by
 * name, its data checked, composites assembled. */
#ifndef SOURCE_H
#define SOURCE_H

#include "data.h"
#include "input.h"
#include "slice.h"
#include "values.h"

/* How a tensor is to be read; {0} is as usual. */
struct reading {
    bool raw;            /* stored codes of a quantized one                       */
    const char *lengths; /* tokens of each sequence, block-paged; or NULL         */
};

/* Borrows from the input. Not to be copied; ended by source_close(), also after a failure.
 */
struct source {
    const struct input *input;
    struct described what;
    struct data data; /* of a composite: nothing */
    hry_head *head;   /* of others: NULL */
    uint64_t *lengths;
    struct slice slice;
    bool is_part;         /* brackets were given */
    struct values values; /* of the part, with the part's rank and shape */
};

/* Open what `name` says: NAME, or NAME[0:10, ::2] for a part. A name that ends with
 * brackets itself is taken first. Errors are reported; returns an exit code. */
int source_open(const struct input *input, const char *name, const struct reading *how,
                struct source *out);

/* The same for the tensor at a position in the index, as a whole. */
int source_open_at(const struct input *input, uint64_t position, const struct reading *how,
                   struct source *out);

void source_close(struct source *s);

/* Report an error met on reading; returns an exit code. */
int source_error(const struct source *s, const hry_error *err);

/* Elements of the part; false when there are more than 2^64 - 1. */
bool source_count(const struct source *s, uint64_t *count);

/* Refuse to go through more than 2^32 elements unless `force`: a few bytes can have a huge
 * shape. Errors are reported; returns an exit code. */
int source_check_count(const struct source *s, bool force);

#endif
