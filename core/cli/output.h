/* SPDX-License-Identifier: Apache-2.0 */
/* output.h - where a command writes: standard output, or a file that appears when all of it
 * is there. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "report.h"

#include <stdio.h>

struct output {
    FILE *out;
    const char *path; /* NULL: standard output */
    char *unfinished; /* the file until then */
};

/* path: NULL or "-" for `standard`. Errors are reported; returns an exit code. */
int output_open(const char *path, FILE *standard, struct output *o);

/* code: of the work; what went wrong leaves no file. Returns the worse of it and what
 * closing gives. */
int output_close(struct output *o, int code);

#endif
