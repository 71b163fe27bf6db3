/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - errors for people, one line each on standard error, and exit codes. */
#ifndef REPORT_H
#define REPORT_H

#include "hry/error.h"

#include "text.h"

/* What the program ends with; the worst of several is the greatest. */
enum exit_code {
    EXIT_OK = 0,
    EXIT_INVALID = 1,   /* the file breaks the format                             */
    EXIT_UNREADABLE = 2 /* it could not be read, or the command line is wrong     */
};

/* The greater of the two. */
int exit_worst(int a, int b);

/* Where an error is: a file, and in it a tensor, or NULL. */
struct place {
    const char *file;
    const char *name; /* of the tensor, UTF-8, not NUL-terminated */
    size_t name_length;
};

/*
 * "hurray: FILE: corrupt at byte 14 in tensor 'x': type_tag 0xef is reserved". Returns the
 * exit code that goes with err->code: what the format forbids or a strict reader refuses is
 * EXIT_INVALID.
 */
int report_error(const struct place *where, const hry_error *err);

/* "hurray: FILE: tensor 'x': what", with EXIT_UNREADABLE. */
int report_refusal(const struct place *where, const char *format, ...) TEXT_PRINTF(2, 3);

/* "hurray COMMAND: what" and where help is. Always false. */
bool report_usage(const char *command, const char *format, ...) TEXT_PRINTF(2, 3);

#endif
