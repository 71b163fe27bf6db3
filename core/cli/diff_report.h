/* SPDX-License-Identifier: Apache-2.0 */
/* diff_report.h - the differences of two files, as lines or as JSON. */
#ifndef DIFF_REPORT_H
#define DIFF_REPORT_H

#include "command.h"
#include "diff_values.h"
#include "json.h"

/* Where differences go, and whether there were any. */
struct diff_report {
    const struct invocation *in;
    struct json json;
    const char *path[2];
    bool differs, is_quiet;
};

struct diff_report diff_report_begin(const struct invocation *in, const char *a,
                                     const char *b);
void diff_report_end(struct diff_report *r);

/* What is only in file 0 or 1. kind: "tensor" or "key". */
void diff_report_only(struct diff_report *r, int file, const char *kind, const char *name,
                      size_t length);

/* A field of a tensor, or a key's value. */
void diff_report_field(struct diff_report *r, const char *name, size_t length,
                       const char *field, const char *a, const char *b);

/* Values; what differs. */
void diff_report_values(struct diff_report *r, const struct source *a,
                        const struct difference *d);

#endif
