/* SPDX-License-Identifier: Apache-2.0 */
/* tool.h - runs the program and keeps what it says. */
#ifndef TOOL_H
#define TOOL_H

#include <cjson/cJSON.h>

#include <stddef.h>

/* What a run gave; texts are NUL-terminated. End with tool_free(). */
struct tool_run {
    int code; /* exit status; 1000 + the signal that ended it */
    char *out, *err;
    size_t out_size, err_size;
};

/* TOOL ARGUMENT... with `input` (NULL: nothing) on standard input. The list ends NULL. */
struct tool_run tool_run(const void *input, size_t input_size,
                         const char *const *arguments);
void tool_free(struct tool_run *run);

/* The same, with nothing on standard input, by its arguments. */
#define TOOL(...) tool_run(NULL, 0, (const char *const[]){__VA_ARGS__, NULL})

/*
 * What it printed, as JSON; anything else fails the test. Integers that a double does not
 * hold become strings of their digits, as in the manifest. End with cJSON_Delete().
 */
cJSON *tool_json(const struct tool_run *run);

/*
 * Is every field of `told` in `got`, with the same value? Fails the test where not, with
 * `where` and the way to the field. A null told may be missing.
 */
void json_has_all(const cJSON *told, const cJSON *got, const char *where);

#endif
