/* SPDX-License-Identifier: Apache-2.0 */
/* tool.c - see tool.h. */
#include "tool.h"

#include "cmocka_all.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 16 };

/* Files, not pipes: nobody has to read while the other writes. */
static FILE *temporary(const void *bytes, size_t size)
{
    FILE *f = tmpfile();
    assert_non_null(f);
    assert_int_equal(fwrite(size > 0 ? bytes : "", 1, size, f), size);
    assert_int_equal(fflush(f), 0);
    rewind(f);
    return f;
}

static char *contents(FILE *f, size_t *size)
{
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    const long end = ftell(f);
    assert_true(end >= 0);
    rewind(f);
    char *text = malloc((size_t)end + 1);
    assert_non_null(text);
    *size = fread(text, 1, (size_t)end, f);
    assert_int_equal(*size, end);
    text[end] = '\0';
    fclose(f);
    return text;
}

static void become_tool(const char *const *arguments, FILE *const streams[3])
{
    char *argv[MOST_ARGUMENTS + 2] = {(char *)(uintptr_t)HRY_TOOL};
    for (size_t i = 0; arguments[i] != NULL && i < MOST_ARGUMENTS; i++)
        argv[i + 1] = (char *)(uintptr_t)arguments[i];
    for (int i = 0; i < 3; i++)
        dup2(fileno(streams[i]), i);
    execv(argv[0], argv);
    _exit(127);
}

struct tool_run tool_run(const void *input, size_t input_size, const char *const *arguments)
{
    struct tool_run run;
    FILE *const streams[3] = {temporary(input, input_size), temporary(NULL, 0),
                              temporary(NULL, 0)};
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        become_tool(arguments, streams);
    assert_int_equal(waitpid(child, &status, 0), child);
    run.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    fclose(streams[0]);
    run.out = contents(streams[1], &run.out_size);
    run.err = contents(streams[2], &run.err_size);
    return run;
}

void tool_free(struct tool_run *run)
{
    free(run->out);
    free(run->err);
    *run = (struct tool_run){0};
}

/* ---- JSON ---- */

static size_t string_length(const char *at)
{
    size_t i = 1;
    while (at[i] != '"' && at[i] != '\0')
        i += at[i] == '\\' ? 2 : 1;
    return i + 1;
}

/* Is the integer beyond 2^53? */
static bool is_beyond_double(const char *text)
{
    return strtoull(text + (*text == '-'), NULL, 10) > UINT64_C(1) << 53;
}

/* Copies `text` and puts integers that a double does not hold in quotes. */
static char *quote_long_integers(const char *text)
{
    char *copy = malloc(2 * strlen(text) + 1), *to = copy;
    assert_non_null(copy);
    while (*text != '\0') {
        size_t length = 1;
        bool quoted = false;
        if (*text == '"') {
            length = string_length(text);
        } else if (isdigit((unsigned char)*text) || *text == '-') {
            length = strspn(text, "-+.0123456789eE");
            quoted = strspn(text, "-0123456789") == length && is_beyond_double(text);
        }
        to += sprintf(to, quoted ? "\"%.*s\"" : "%.*s", (int)length, text);
        text += length;
    }
    *to = '\0';
    return copy;
}

cJSON *tool_json(const struct tool_run *run)
{
    char *text = quote_long_integers(run->out);
    cJSON *root = cJSON_ParseWithOpts(text, NULL, true);
    free(text);
    if (root == NULL)
        fail_msg("no JSON: %.200s", run->out);
    return root;
}

static bool same_number(const cJSON *a, const cJSON *b)
{
    return a->valuedouble == b->valuedouble &&
           signbit(a->valuedouble) == signbit(b->valuedouble);
}

static bool same_scalar(const cJSON *told, const cJSON *got)
{
    if (cJSON_IsNumber(told))
        return cJSON_IsNumber(got) && same_number(told, got);
    if (cJSON_IsString(told))
        return cJSON_IsString(got) && strcmp(told->valuestring, got->valuestring) == 0;
    return (told->type & 0xFF) == (got->type & 0xFF);
}

static void fail_at(const cJSON *told, const cJSON *got, const char *where)
{
    char *want = cJSON_PrintUnformatted(told), *have = cJSON_PrintUnformatted(got);
    fail_msg("%s: want %.100s, got %.100s", where, want, have != NULL ? have : "nothing");
}

void json_has_all(const cJSON *told, const cJSON *got, const char *where)
{
    char deeper[512];
    const bool has_children = cJSON_IsObject(told) || cJSON_IsArray(told);
    if (got == NULL && cJSON_IsNull(told))
        return;
    if (got == NULL || (!has_children && !same_scalar(told, got)))
        fail_at(told, got, where);
    if (has_children && (told->type & 0xFF) != (got->type & 0xFF))
        fail_at(told, got, where);
    const cJSON *child, *other = got->child;
    int i = 0;
    cJSON_ArrayForEach(child, told)
    {
        if (cJSON_IsObject(told)) {
            snprintf(deeper, sizeof deeper, "%s.%s", where, child->string);
            other = cJSON_GetObjectItemCaseSensitive(got, child->string);
        } else {
            snprintf(deeper, sizeof deeper, "%s[%d]", where, i++);
        }
        json_has_all(child, other, deeper);
        if (cJSON_IsArray(told))
            other = other->next;
    }
    if (cJSON_IsArray(told) && other != NULL)
        fail_msg("%s: more than %d elements", where, i);
}
