/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - see json.h. */
#include "json.h"

#include "number.h"
#include "text.h"

#include <assert.h>
#include <string.h>

enum { WRAP = 88 }; /* columns after which a wrapped array begins a new line */

struct json json_on(FILE *out)
{
    return (struct json){.out = out};
}

static bool is_one_line(enum json_form form)
{
    return form == JSON_LINE_OBJECT || form == JSON_LINE_ARRAY;
}

static bool is_object(enum json_form form)
{
    return form == JSON_OBJECT || form == JSON_LINE_OBJECT;
}

static void new_line(struct json *j)
{
    j->column = 0;
    fprintf(j->out, "\n%*s", (int)(2 * j->depth), "");
}

/* Does the next item follow the one before? */
static bool stays_on_line(const struct json *j)
{
    const enum json_form form = j->level[j->depth - 1].form;
    if (form == JSON_WRAPPED_ARRAY)
        return j->level[j->depth - 1].has_items && j->column < WRAP;
    return is_one_line(form);
}

/* Comma and place of the next item. */
static void next_item(struct json *j)
{
    if (j->after_key || j->depth == 0) {
        j->after_key = false;
        return;
    }
    const bool one_line = stays_on_line(j);
    if (j->level[j->depth - 1].has_items)
        fputs(one_line ? ", " : ",", j->out);
    if (!one_line)
        new_line(j);
    j->level[j->depth - 1].has_items = true;
}

void json_open(struct json *j, enum json_form form)
{
    next_item(j);
    assert(j->depth < JSON_DEPTH);
    if (j->depth > 0 && is_one_line(j->level[j->depth - 1].form))
        form = is_object(form) ? JSON_LINE_OBJECT : JSON_LINE_ARRAY;
    fputc(is_object(form) ? '{' : '[', j->out);
    j->level[j->depth].form = form;
    j->level[j->depth++].has_items = false;
}

void json_close(struct json *j)
{
    assert(j->depth > 0);
    const enum json_form form = j->level[--j->depth].form;
    if (j->level[j->depth].has_items && !is_one_line(form))
        new_line(j);
    fputc(is_object(form) ? '}' : ']', j->out);
    if (j->depth == 0)
        fputc('\n', j->out);
}

static void write_quoted(FILE *out, const uint8_t *bytes, size_t size)
{
    static const char short_forms[0x20] = {
        ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
    fputc('"', out);
    for (size_t i = 0; i < size;) {
        const size_t length = text_utf8_length(bytes + i, size - i);
        if (length == 0)
            fputs("\\ufffd", out);
        else if (bytes[i] == '"' || bytes[i] == '\\')
            fprintf(out, "\\%c", bytes[i]);
        else if (bytes[i] < 0x20 && short_forms[bytes[i]] != 0)
            fprintf(out, "\\%c", short_forms[bytes[i]]);
        else if (bytes[i] < 0x20 || bytes[i] == 0x7F)
            fprintf(out, "\\u%04x", bytes[i]);
        else
            fwrite(bytes + i, 1, length, out);
        i += length > 0 ? length : 1;
    }
    fputc('"', out);
}

void json_key(struct json *j, const char *key)
{
    next_item(j);
    write_quoted(j->out, (const uint8_t *)key, strlen(key));
    fputs(": ", j->out);
    j->after_key = true;
}

void json_text(struct json *j, const void *bytes, size_t size)
{
    next_item(j);
    write_quoted(j->out, bytes, size);
}

void json_string(struct json *j, const char *string)
{
    json_text(j, string, strlen(string));
}

void json_hex(struct json *j, const uint8_t *bytes, size_t size)
{
    next_item(j);
    fputc('"', j->out);
    for (size_t i = 0; i < size; i++)
        fprintf(j->out, "%02x", bytes[i]);
    fputc('"', j->out);
}

void json_raw(struct json *j, const char *json)
{
    next_item(j);
    fputs(json, j->out);
    j->column += strlen(json) + 2;
}

void json_u64(struct json *j, uint64_t value)
{
    next_item(j);
    fprintf(j->out, "%llu", (unsigned long long)value);
}

void json_i64(struct json *j, int64_t value)
{
    next_item(j);
    fprintf(j->out, "%lld", (long long)value);
}

void json_bool(struct json *j, bool value)
{
    json_raw(j, value ? "true" : "false");
}

void json_null(struct json *j)
{
    json_raw(j, "null");
}

void json_real(struct json *j, double value)
{
    char digits[NUMBER_SIZE];
    number_of_double(value, digits);
    if (number_is_finite(digits))
        json_raw(j, digits);
    else
        json_string(j, digits);
}

void json_put_u64(struct json *j, const char *key, uint64_t value)
{
    json_key(j, key);
    json_u64(j, value);
}

void json_put_string(struct json *j, const char *key, const char *string)
{
    json_key(j, key);
    json_string(j, string);
}
