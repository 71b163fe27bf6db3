/* SPDX-License-Identifier: Apache-2.0 */
/* dump_format.h - all values of a source in formats for programs. */
#ifndef DUMP_FORMAT_H
#define DUMP_FORMAT_H

#include "source.h"

#include <stdio.h>

enum dump_format { DUMP_TEXT, DUMP_CSV, DUMP_JSON, DUMP_NPY, DUMP_RAW };

/* By its name; false when there is none. */
bool dump_format_of(const char *name, enum dump_format *out);

/* Any format but text. Errors are reported; returns an exit code. */
int dump_all(struct source *s, enum dump_format format, FILE *out);

#endif
