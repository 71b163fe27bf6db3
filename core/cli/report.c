/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - see report.h. */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int exit_worst(int a, int b)
{
    return a > b ? a : b;
}

static int exit_code_of(hry_status status)
{
    switch (status) {
    case HRY_OK:
        return EXIT_OK;
    case HRY_ERR_TRUNCATED:
    case HRY_ERR_CORRUPT:
    case HRY_ERR_UNSUPPORTED:
    case HRY_ERR_RANGE:
        return EXIT_INVALID;
    default:
        return EXIT_UNREADABLE;
    }
}

static void add_file(struct text *line, const struct place *where)
{
    text_add(line, "hurray: ");
    text_add_foreign(line, where->file, strlen(where->file));
    text_add(line, ": ");
}

static void add_tensor(struct text *line, const struct place *where, const char *before,
                       const char *after)
{
    if (where->name == NULL)
        return;
    text_add(line, "%stensor '", before);
    text_add_foreign(line, where->name, where->name_length);
    text_add(line, "'%s", after);
}

static void end_line(struct text *line)
{
    fprintf(stderr, "%s\n", line->failed ? "hurray: out of memory" : text_string(line));
    text_free(line);
}

int report_error(const struct place *where, const hry_error *err)
{
    struct text line = {0};
    add_file(&line, where);
    text_add(&line, "%s", hry_status_word(err->code));
    if (err->offset != HRY_NO_OFFSET)
        text_add(&line, " at byte %llu", (unsigned long long)err->offset);
    add_tensor(&line, where, " in ", "");
    text_add(&line, ": ");
    text_add_foreign(&line, err->message, strlen(err->message));
    end_line(&line);
    return exit_code_of(err->code);
}

int report_refusal(const struct place *where, const char *format, ...)
{
    struct text line = {0};
    char what[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    add_file(&line, where);
    add_tensor(&line, where, "", ": ");
    text_add_foreign(&line, what, strlen(what));
    end_line(&line);
    return EXIT_UNREADABLE;
}

bool report_usage(const char *command, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "hurray%s%s: ", *command != '\0' ? " " : "", command);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, " (try 'hurray%s%s --help')\n", *command != '\0' ? " " : "", command);
    return false;
}
