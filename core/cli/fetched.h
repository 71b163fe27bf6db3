/* SPDX-License-Identifier: Apache-2.0 */
/* fetched.h - tensors that come from a server, into a file or into a table. */
#ifndef FETCHED_H
#define FETCHED_H

#include "hry/remote.h"
#include "hry/writer.h"

#include "table.h"

/* Composites inside one another, with what is asked for outermost. */
enum { FETCHED_DEPTH = 9 };

/*
 * Where events go. What is asked for keeps its name; the i-th member of a composite gets
 * its head's name with /i behind.
 */
struct fetched {
    hry_writer *writer;             /* NULL: no file is written */
    struct table *table;            /* NULL: no list is made */
    const char *key;                /* what is asked for */
    uint64_t member[FETCHED_DEPTH]; /* at each depth, members so far */
};

/* The columns of the table. */
extern const struct table_column fetched_columns[5];

/* A hry_event_visit, with a struct fetched as ctx. */
hry_status fetched_event(void *ctx, const hry_event *event, hry_error *err);

/* All tensors that a collector has, as if they came just now. */
hry_status fetched_all(struct fetched *f, const hry_collector *collector, hry_error *err);

#endif
