/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_diff.c - hurray diff: what is not the same in two files. */
#include "amount.h"
#include "command.h"
#include "diff_tensor.h"
#include "kv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool read_tolerance(const char *name, const char *text, double *out)
{
    char *end;
    *out = 0;
    if (text == NULL)
        return true;
    *out = strtod(text, &end);
    return (end != text && *end == '\0' && *out >= 0 && isfinite(*out)) ||
           report_usage("diff", "--%s: '%s' is no number that is not negative", name, text);
}

static bool take_options(const struct options *o, struct comparing *c)
{
    uint32_t limit = 5;
    *c = (struct comparing){.structure = o->structure, .force = o->force};
    c->how = (struct reading){o->raw, o->lengths};
    c->tolerance.nan_differs = o->nan_differs;
    const bool ok = read_tolerance("absolute", o->absolute, &c->tolerance.absolute) &&
                    read_tolerance("relative", o->relative, &c->tolerance.relative) &&
                    amount_read("diff", "limit", o->limit, DIFF_KEPT, &limit);
    c->limit = limit;
    return ok;
}

/* ---- whole files ---- */

/* Names that begin with a dot are a program's own. */
static bool is_hidden(const struct invocation *in, const hry_entry *e)
{
    return e->name[0] == '.' && !in->options->all;
}

static int compare_tensors(const struct invocation *in, const struct comparing *c,
                           const struct input *a, const struct input *b,
                           struct diff_report *r)
{
    int code = EXIT_OK;
    hry_entry e;
    uint64_t at;
    for (uint64_t i = 0; i < input_count(a); i++) {
        if (hry_file_entry(a->file, i, &e, NULL) != HRY_OK || is_hidden(in, &e))
            continue;
        if (hry_file_find(b->file, e.name, e.name_length, &at, NULL) == HRY_OK)
            code = exit_worst(code, diff_tensors_at(c, a, i, b, at, r));
        else
            diff_report_only(r, 0, "tensor", e.name, e.name_length);
    }
    for (uint64_t i = 0; i < input_count(b); i++)
        if (hry_file_entry(b->file, i, &e, NULL) == HRY_OK && !is_hidden(in, &e) &&
            hry_file_find(a->file, e.name, e.name_length, &at, NULL) != HRY_OK)
            diff_report_only(r, 1, "tensor", e.name, e.name_length);
    return code;
}

static bool find_key(const struct input *input, const hry_kv *like, hry_kv *out)
{
    for (uint32_t i = 0; i < hry_file_kv_count(input->file); i++)
        if (hry_file_kv(input->file, i, out, NULL) == HRY_OK &&
            out->key_length == like->key_length &&
            memcmp(out->key, like->key, like->key_length) == 0)
            return true;
    return false;
}

static bool same_value(const hry_kv *a, const hry_kv *b)
{
    const bool has_bytes = a->tag == HRY_KV_STRING || a->tag >= HRY_KV_BYTES;
    if (a->tag != b->tag || (a->tag == HRY_KV_ARRAY &&
                             (a->element_tag != b->element_tag || a->count != b->count)))
        return false;
    if (has_bytes)
        return a->length == b->length &&
               (a->length == 0 || memcmp(a->bytes, b->bytes, a->length) == 0);
    if (a->tag == HRY_KV_BOOL)
        return a->number.boolean == b->number.boolean;
    return a->number.u64 == b->number.u64;
}

static void add_value(struct text *out, const hry_kv *kv)
{
    struct table t = table_of(kv_columns, 3);
    kv_text(&t, kv);
    const char *cell = text_string(&t.cells);
    for (int skipped = 0; !t.cells.failed && skipped < 2; skipped++)
        cell += strlen(cell) + 1;
    text_add(out, "%s", cell);
    table_free(&t);
}

static void compare_keys(const struct input *a, const struct input *b,
                         struct diff_report *r)
{
    hry_kv kv, other;
    for (uint32_t i = 0; i < hry_file_kv_count(a->file); i++) {
        if (hry_file_kv(a->file, i, &kv, NULL) != HRY_OK)
            continue;
        if (!find_key(b, &kv, &other)) {
            diff_report_only(r, 0, "key", kv.key, kv.key_length);
        } else if (!same_value(&kv, &other)) {
            struct text x = {0}, y = {0};
            add_value(&x, &kv);
            add_value(&y, &other);
            diff_report_field(r, kv.key, kv.key_length, "key", text_string(&x),
                              text_string(&y));
            text_free(&x);
            text_free(&y);
        }
    }
    for (uint32_t i = 0; i < hry_file_kv_count(b->file); i++)
        if (hry_file_kv(b->file, i, &kv, NULL) == HRY_OK && !find_key(a, &kv, &other))
            diff_report_only(r, 1, "key", kv.key, kv.key_length);
}

static int compare_files(const struct invocation *in, const struct comparing *c,
                         const struct input *a, const struct input *b,
                         struct diff_report *r)
{
    const struct place where = {.file = a->file == NULL ? a->path : b->path};
    if (a->file == NULL || b->file == NULL)
        return report_refusal(&where, "holds one descriptor, without data");
    const int code = compare_tensors(in, c, a, b, r);
    compare_keys(a, b, r);
    return code;
}

/* ---- */

static int compare(const struct invocation *in, const struct comparing *c,
                   const struct input *a, const struct input *b)
{
    char **names = in->operands + 2;
    struct diff_report r = diff_report_begin(in, a->path, b->path);
    const int code =
        in->operand_count == 2
            ? compare_files(in, c, a, b, &r)
            : diff_tensors(c, a, names[0], b, names[in->operand_count == 4 ? 1 : 0], &r);
    diff_report_end(&r);
    return code != EXIT_OK ? EXIT_UNREADABLE : r.differs ? EXIT_INVALID : EXIT_OK;
}

static int run(const struct invocation *in)
{
    struct input a, b = {.path = NULL};
    struct comparing c;
    if (!take_options(in->options, &c))
        return EXIT_UNREADABLE;
    int code = input_open(in->operands[0], INPUT_INSPECT, &a);
    if (code == EXIT_OK)
        code = input_open(in->operands[1], INPUT_INSPECT, &b);
    code = code != EXIT_OK ? EXIT_UNREADABLE : compare(in, &c, &a, &b);
    input_close(&a);
    input_close(&b);
    return code;
}

static const struct option_row rows[] = {
    {.letter = 'd',
     .name = "absolute",
     .value = "X",
     .help = "values this far apart are the same",
     .at = offsetof(struct options, absolute)},
    {.letter = 'p',
     .name = "relative",
     .value = "X",
     .help = "and so are those X times the second one apart",
     .at = offsetof(struct options, relative)},
    {.name = "nan-differs",
     .help = "no NaN is the same as another",
     .at = offsetof(struct options, nan_differs)},
    {.letter = 's',
     .name = "structure",
     .help = "compare types, shapes, layouts and notes, no values",
     .at = offsetof(struct options, structure)},
    {.letter = 'n',
     .name = "limit",
     .value = "N",
     .help = "show so many pairs of values of a tensor: 0 to 32, else 5",
     .at = offsetof(struct options, limit)},
    {.letter = 'a',
     .name = "all",
     .help = "names that begin with a dot as well",
     .at = offsetof(struct options, all)},
    {.letter = 'r',
     .name = "raw",
     .help = "compare stored codes of quantized tensors",
     .at = offsetof(struct options, raw)},
    {.letter = 'L',
     .name = "lengths",
     .value = "N,N,...",
     .help = "tokens of each sequence, block-paged",
     .at = offsetof(struct options, lengths)},
    {.letter = 'q',
     .name = "quiet",
     .help = "only the exit status",
     .at = offsetof(struct options, quiet)},
    {.name = "force",
     .help = "go through more than 2^32 values",
     .at = offsetof(struct options, force)},
    OPTION_JSON,
    OPTION_HELP,
};

const struct command command_diff = {
    .name = "diff",
    .operands = "A B [NAME[SLICE] [NAME[SLICE]]]",
    .summary = "what is not the same in two files",
    .more =
        "Tensors are compared by name: type, shape, and the values, whatever the layout\n"
        "or quantization; key-values too. With NAME only that tensor, or that part of\n"
        "it, with another one in B if two are given. Two values are the same when\n"
        "|a - b| <= absolute + relative * |b|; NaN is the same as NaN. Tensors of\n"
        "private layouts and paged ones are compared byte by byte.\n"
        "Exit status: 0 all is the same, 1 something differs, 2 trouble.\n",
    .examples = "  hurray diff old.hrry new.hrry\n"
                "  hurray diff -p 1e-6 old.hrry new.hrry && echo close enough\n"
                "  hurray diff a.hrry b.hrry 'x[0:100]' y\n"
                "  hurray diff --structure a.hrry b.hrry\n"
                "  hurray diff --json a.hrry b.hrry | jq .same\n",
    .least = 2,
    .most = 4,
    .options = COMMAND_OPTIONS(rows),
    .run = run,
};
