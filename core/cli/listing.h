/* SPDX-License-Identifier: Apache-2.0 */
/* listing.h - the tensors of a file as a tree: slashes in names make groups, members of a
 * composite are below its head. */
#ifndef LISTING_H
#define LISTING_H

#include "input.h"

/* One tensor. */
struct leaf {
    const char *path; /* parts with '/' between them; not NUL-terminated */
    size_t length;
    uint64_t position; /* in the index */
    uint64_t size;     /* of all buffers, in BYTES */
    bool is_member;
};

/* Sorted: what is below a path follows it. Ended by listing_free(). */
struct listing {
    struct leaf *leaves;
    uint64_t count;
    char *text; /* the paths */
};

/*
 * all: names that begin with a dot too. Tensors that cannot be described are reported and
 * left out. Returns an exit code.
 */
int listing_of(const struct input *input, bool all, struct listing *out);
void listing_free(struct listing *l);

/* Bytes of the part of the path that starts at `from`. */
size_t listing_part(const struct leaf *leaf, size_t from);

/* The end of the leaves from `i` on that have the same path as leaf `i` up to `length`, and
 * there an end or a '/'; `end` bounds them. */
uint64_t listing_below(const struct listing *l, uint64_t i, uint64_t end, size_t length);

#endif
