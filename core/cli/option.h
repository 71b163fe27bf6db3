/* SPDX-License-Identifier: Apache-2.0 */
/* option.h - options by table: what a command understands, and what it was given. */
#ifndef OPTION_H
#define OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What all commands' options amount to; a command's table says which it has. */
struct options {
    bool help, version, json;
    bool all, details, recursive;                     /* ls    */
    bool hex;                                         /* show  */
    bool permissive, quiet;                           /* check */
    bool raw;                                         /* dump */
    bool force;                                       /* dump */
    const char *lengths, *format;                     /* dump */
    const char *bins;                                 /* stat */
    const char *absolute, *relative, *limit;          /* diff */
    bool nan_differs, structure;                      /* diff */
    bool no_transcode;                                /* serve */
    const char *listen, *connections, *shards, *idle; /* serve */
    bool parallel;                                    /* fetch */
    const char *output, *layout, *alignment;          /* fetch */
};

/* One option. With `value`, the name of its value, it sets a `const char *`, else a bool.
 */
struct option_row {
    char letter; /* 0: none */
    const char *name, *value, *help;
    size_t at; /* offsetof in struct options */
};

struct option_table {
    const struct option_row *rows;
    size_t count;
};

/*
 * Read argv[0..argc): options may stand anywhere, short ones joined, values as "--name=v"
 * or the next word; "--" ends them and "-" is an operand. Operands are moved to the front
 * of argv, *operand_count of them. On an error, which it reports, returns false.
 */
bool option_parse(const struct option_table *table, const char *command, int argc,
                  char **argv, struct options *out, int *operand_count);

/* The table as help. */
void option_print(const struct option_table *table, FILE *out);

#endif
