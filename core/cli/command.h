/* SPDX-License-Identifier: Apache-2.0 */
/* command.h - what a command of the tool is. main.c has the table of them. */
#ifndef COMMAND_H
#define COMMAND_H

#include "option.h"
#include "report.h"

#include <stdio.h>

/* A command line, understood. */
struct invocation {
    const struct options *options;
    char **operands;
    int operand_count;
    FILE *out;
    bool colour; /* `out` is a terminal that shows it */
};

struct command {
    const char *name, *operands, *summary;
    const char *more;     /* paragraphs of help, ending with a newline */
    const char *examples; /* lines */
    int least, most;      /* operands */
    struct option_table options;
    int (*run)(const struct invocation *in); /* gives an exit code */
};

#define COMMAND_OPTIONS(table)                                                             \
    {                                                                                      \
        (table), sizeof(table) / sizeof *(table)                                           \
    }

#define OPTION_HELP                                                                        \
    {                                                                                      \
        .letter = 'h', .name = "help", .help = "this text",                                \
        .at = offsetof(struct options, help)                                               \
    }
#define OPTION_JSON                                                                        \
    {                                                                                      \
        .name = "json", .help = "JSON for programs instead of text",                       \
        .at = offsetof(struct options, json)                                               \
    }

extern const struct command command_ls, command_show, command_check, command_dump,
    command_stat, command_diff, command_serve, command_fetch;

#endif
