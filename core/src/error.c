/* SPDX-License-Identifier: Apache-2.0 */
/* error.c - filling and naming errors. */
#include "fail.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

void hry_report(hry_error *err, hry_status code, uint64_t offset, const char *fmt, ...)
{
    va_list args;
    if (err == NULL)
        return;
    err->code = code;
    err->offset = offset;
    va_start(args, fmt);
    if (vsnprintf(err->message, sizeof err->message, fmt, args) < 0)
        err->message[0] = '\0';
    va_end(args);
}

static const struct {
    const char *name, *word;
} names[] = {
    [-HRY_OK] = {"HRY_OK", "ok"},
    [-HRY_ERR_ARG] = {"HRY_ERR_ARG", "bad argument"},
    [-HRY_ERR_NOMEM] = {"HRY_ERR_NOMEM", "out of memory"},
    [-HRY_ERR_IO] = {"HRY_ERR_IO", "input/output"},
    [-HRY_ERR_TRUNCATED] = {"HRY_ERR_TRUNCATED", "truncated"},
    [-HRY_ERR_CORRUPT] = {"HRY_ERR_CORRUPT", "corrupt"},
    [-HRY_ERR_UNSUPPORTED] = {"HRY_ERR_UNSUPPORTED", "unsupported"},
    [-HRY_ERR_NOTFOUND] = {"HRY_ERR_NOTFOUND", "not found"},
    [-HRY_ERR_RANGE] = {"HRY_ERR_RANGE", "out of range"},
};

static size_t row_of(hry_status code)
{
    const size_t i = code <= 0 ? (size_t) - (int)code : SIZE_MAX;
    return i < sizeof names / sizeof *names ? i : SIZE_MAX;
}

const char *hry_status_name(hry_status code)
{
    const size_t i = row_of(code);
    return i == SIZE_MAX ? "HRY_ERR_?" : names[i].name;
}

const char *hry_status_word(hry_status code)
{
    const size_t i = row_of(code);
    return i == SIZE_MAX ? "unknown error" : names[i].word;
}
