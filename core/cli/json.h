/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.h - writes JSON (RFC 8259) as it goes: text escaped, integers exact, floats by the
 * shortest text that gives the double back.
 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * What is open, and how it is laid out: one item on each line, all on one line, or as many
 * as fit.
 */
enum json_form {
    JSON_OBJECT,
    JSON_ARRAY,
    JSON_LINE_OBJECT,
    JSON_LINE_ARRAY,
    JSON_WRAPPED_ARRAY /* of json_raw() items only */
};

enum { JSON_DEPTH = 32 };

struct json {
    FILE *out;
    unsigned depth;
    bool after_key;
    size_t column; /* in a wrapped array */
    struct {
        enum json_form form;
        bool has_items;
    } level[JSON_DEPTH];
};

/* A document on `out`. What is opened must be closed. */
struct json json_on(FILE *out);

void json_open(struct json *j, enum json_form form);
void json_close(struct json *j); /* the outermost one also ends the line */

/* In an object, before each value. */
void json_key(struct json *j, const char *key);

void json_u64(struct json *j, uint64_t value);
void json_i64(struct json *j, int64_t value);
void json_bool(struct json *j, bool value);
void json_null(struct json *j);
/* NaN and infinities are the strings "nan", "inf", "-inf". */
void json_real(struct json *j, double value);
/* NUL-terminated. */
void json_string(struct json *j, const char *string);
/* What is not UTF-8 becomes U+FFFD. */
void json_text(struct json *j, const void *bytes, size_t size);
void json_hex(struct json *j, const uint8_t *bytes, size_t size);
/* Already JSON. */
void json_raw(struct json *j, const char *json);

/* Key and value. */
void json_put_u64(struct json *j, const char *key, uint64_t value);
void json_put_string(struct json *j, const char *key, const char *string);

#endif
