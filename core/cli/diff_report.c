/* SPDX-License-Identifier: Apache-2.0 */
/* diff_report.c - see diff_report.h. */
#include "diff_report.h"

#include "descriptor_json.h"
#include "terminal.h"

#include <string.h>

struct diff_report diff_report_begin(const struct invocation *in, const char *a,
                                     const char *b)
{
    struct diff_report r = {
        in, json_on(in->out), {a, b}, false, in->options->quiet && !in->options->json};
    if (!in->options->json)
        return r;
    json_open(&r.json, JSON_OBJECT);
    json_put_string(&r.json, "a", a);
    json_put_string(&r.json, "b", b);
    json_key(&r.json, "differences");
    json_open(&r.json, JSON_ARRAY);
    return r;
}

void diff_report_end(struct diff_report *r)
{
    if (!r->in->options->json)
        return;
    json_close(&r->json);
    json_key(&r->json, "same");
    json_bool(&r->json, !r->differs);
    json_close(&r->json);
}

static void begin_json(struct diff_report *r, const char *name, size_t length,
                       const char *what)
{
    json_open(&r->json, JSON_LINE_OBJECT);
    json_key(&r->json, "name");
    json_text(&r->json, name, length);
    json_put_string(&r->json, "what", what);
}

/* "NAME: " in bold. */
static void begin_line(const struct diff_report *r, const char *name, size_t length)
{
    struct text line = {0};
    text_add(&line, "%s", terminal_on(r->in->colour));
    text_add_foreign(&line, name, length);
    text_add(&line, "%s: ", terminal_off(r->in->colour));
    fputs(text_string(&line), r->in->out);
    text_free(&line);
}

void diff_report_only(struct diff_report *r, int file, const char *kind, const char *name,
                      size_t length)
{
    r->differs = true;
    if (r->is_quiet)
        return;
    if (r->in->options->json) {
        begin_json(r, name, length, kind);
        json_put_string(&r->json, "only_in", file == 0 ? "a" : "b");
        json_close(&r->json);
        return;
    }
    begin_line(r, name, length);
    fprintf(r->in->out, "%s only in %s\n", kind, r->path[file]);
}

void diff_report_field(struct diff_report *r, const char *name, size_t length,
                       const char *field, const char *a, const char *b)
{
    r->differs = true;
    if (r->is_quiet)
        return;
    if (r->in->options->json) {
        begin_json(r, name, length, field);
        json_put_string(&r->json, "a", a);
        json_put_string(&r->json, "b", b);
        json_close(&r->json);
        return;
    }
    begin_line(r, name, length);
    fprintf(r->in->out, "%s %s, %s\n", field, a, b);
}

static void values_json(struct diff_report *r, const struct source *a,
                        const struct difference *d)
{
    struct json *j = &r->json;
    begin_json(r, a->what.entry.name, a->what.entry.name_length, "values");
    json_put_u64(j, "count", d->count);
    json_put_u64(j, "of", d->total);
    json_key(j, "largest");
    json_real(j, d->largest);
    shape_json(j, "at", d->at, a->values.rank);
    json_key(j, "first");
    json_open(j, JSON_LINE_ARRAY);
    for (size_t i = 0; i < d->kept; i++) {
        json_open(j, JSON_LINE_OBJECT);
        shape_json(j, "at", d->first[i].index, a->values.rank);
        json_key(j, "a");
        json_raw(j, d->first[i].a);
        json_key(j, "b");
        json_raw(j, d->first[i].b);
        json_close(j);
    }
    json_close(j);
    json_close(j);
}

/* A word of JSON without its quotes. */
static const char *plain(char *value)
{
    const size_t length = strlen(value);
    if (value[0] != '"')
        return value;
    value[length - 1] = '\0';
    return value + 1;
}

static void print_pairs(const struct diff_report *r, const struct source *a,
                        const struct difference *d)
{
    struct text index = {0};
    for (size_t i = 0; i < d->kept; i++) {
        char x[VALUE_TEXT], y[VALUE_TEXT];
        strcpy(x, d->first[i].a);
        strcpy(y, d->first[i].b);
        text_clear(&index);
        text_add_shape(&index, d->first[i].index, a->values.rank);
        fprintf(r->in->out, "  %-12s %s, %s\n", text_string(&index), plain(x), plain(y));
    }
    if (d->kept < d->count && d->kept > 0)
        fprintf(r->in->out, "  ...\n");
    text_free(&index);
}

void diff_report_values(struct diff_report *r, const struct source *a,
                        const struct difference *d)
{
    r->differs = true;
    if (r->is_quiet)
        return;
    if (r->in->options->json) {
        values_json(r, a, d);
        return;
    }
    struct text at = {0};
    text_add_shape(&at, d->at, a->values.rank);
    begin_line(r, a->what.entry.name, a->what.entry.name_length);
    fprintf(r->in->out, "%llu of %llu values differ, by at most %.6g at %s\n",
            (unsigned long long)d->count, (unsigned long long)d->total, d->largest,
            text_string(&at));
    text_free(&at);
    print_pairs(r, a, d);
}
