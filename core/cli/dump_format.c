/* SPDX-License-Identifier: Apache-2.0 */
/* dump_format.c - see dump_format.h. */
#include "dump_format.h"

#include "descriptor_json.h"
#include "npy.h"
#include "pass.h"
#include "words.h"

#include "hry/region.h"

#include <stdlib.h>
#include <string.h>

/* What a consumer knows. */
struct writing {
    FILE *out;
    struct json json;
    uint64_t column;   /* csv: in the row */
    uint8_t type;      /* npy */
    uint8_t *elements; /* npy: a piece of that type */
};

bool dump_format_of(const char *name, enum dump_format *out)
{
    static const char *const names[] = {
        [DUMP_TEXT] = "text", [DUMP_CSV] = "csv", [DUMP_JSON] = "json",
        [DUMP_NPY] = "npy",   [DUMP_RAW] = "raw",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) {
            *out = (enum dump_format)i;
            return true;
        }
    return false;
}

/* ---- JSON ---- */

static void begin_json(void *ctx, const struct source *s)
{
    struct json *j = &((struct writing *)ctx)->json;
    const struct values *v = &s->values;
    struct text type = {0};
    words_add_type(&type, s->what.d.type_tag);
    json_open(j, JSON_OBJECT);
    json_key(j, "name");
    json_text(j, s->what.entry.name, s->what.entry.name_length);
    json_put_string(j, "type", text_string(&type));
    if (v->is_dequantized)
        json_put_string(j, "values_type", hry_type_name(v->type.tag));
    shape_json(j, "shape", v->shape, v->rank);
    json_key(j, "values");
    json_open(j, JSON_WRAPPED_ARRAY);
    text_free(&type);
}

static bool json_piece(void *ctx, const struct source *s, const struct box *box,
                       size_t count)
{
    struct writing *w = ctx;
    char text[VALUE_TEXT];
    (void)box;
    for (size_t i = 0; i < count; i++) {
        value_json(&s->values, i, text);
        json_raw(&w->json, text);
    }
    return !ferror(w->out);
}

static void end_json(void *ctx, const struct source *s)
{
    struct json *j = &((struct writing *)ctx)->json;
    (void)s;
    json_close(j);
    json_close(j);
}

/* ---- CSV ---- */

/* Numbers as in JSON, words without quotes, complex numbers as Python reads them. */
static void csv_value(const struct values *v, size_t i, FILE *out)
{
    char text[VALUE_TEXT];
    value_json(v, i, text);
    if (v->kind != VALUE_COMPLEX) {
        const bool is_word = text[0] == '"';
        fprintf(out, "%.*s", (int)(is_word ? strlen(text) - 2 : strlen(text)),
                text + is_word);
        return;
    }
    const double *part = (const double *)v->numbers + 2 * i;
    fprintf(out, "%.17g%+.17gj", part[0], part[1]);
}

static bool csv_piece(void *ctx, const struct source *s, const struct box *box,
                      size_t count)
{
    struct writing *w = ctx;
    const struct values *v = &s->values;
    const uint64_t columns = v->rank > 1 ? v->shape[v->rank - 1] : 1;
    (void)box;
    for (size_t i = 0; i < count; i++) {
        csv_value(v, i, w->out);
        w->column = w->column + 1 < columns ? w->column + 1 : 0;
        fputc(w->column == 0 ? '\n' : ',', w->out);
    }
    return !ferror(w->out);
}

/* ---- npy and raw ---- */

static void begin_npy(void *ctx, const struct source *s)
{
    struct writing *w = ctx;
    char header[NPY_HEADER];
    fwrite(header, 1, npy_header(w->type, s->values.rank, s->values.shape, header), w->out);
}

static bool npy_piece(void *ctx, const struct source *s, const struct box *box,
                      size_t count)
{
    struct writing *w = ctx;
    const size_t size =
        hry_dtype_by_tag(w->type)->bits <= 8 ? 1 : hry_dtype_by_tag(w->type)->bits / 8u;
    (void)box;
    return hry_convert(s->values.type, s->values.read, hry_type_builtin(w->type),
                       w->elements, count, NULL) == HRY_OK &&
           fwrite(w->elements, size, count, w->out) == count;
}

static bool raw_piece(void *ctx, const struct source *s, const struct box *box,
                      size_t count)
{
    (void)box;
    return fwrite(s->values.read, s->values.element, count, ((struct writing *)ctx)->out) ==
           count;
}

int dump_all(struct source *s, enum dump_format format, FILE *out)
{
    static const struct consumer consumers[] = {
        [DUMP_CSV] = {.piece = csv_piece, .needs_numbers = true},
        [DUMP_JSON] = {begin_json, json_piece, end_json, NULL, true},
        [DUMP_NPY] = {.begin = begin_npy, .piece = npy_piece},
        [DUMP_RAW] = {.piece = raw_piece},
    };
    struct writing w = {.out = out, .json = json_on(out)};
    struct consumer consumer = consumers[format];
    consumer.ctx = &w;
    if (format == DUMP_NPY) {
        const struct place where = input_place(s->input, &s->what);
        w.type = npy_type(s->values.type);
        w.elements = malloc((size_t)VALUES_PIECE * 16);
        if (w.elements == NULL)
            return report_refusal(&where, "no memory for its values");
    }
    const int code = pass(s, &consumer);
    free(w.elements);
    return code;
}
