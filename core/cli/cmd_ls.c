/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_ls.c - hurray ls: the tensors of files, one line each. */
#include "command.h"
#include "descriptor_json.h"
#include "input.h"
#include "notes.h"
#include "table.h"
#include "terminal.h"
#include "words.h"

#include <string.h>

static const struct table_column columns[] = {
    {.title = "NAME"},
    {.title = "TYPE"},
    {.title = "SHAPE"},
    {.title = "LAYOUT"},
    {.title = "SIZE", .right = true},
    {.title = "NOTES"},
};
static const struct table_column detailed_columns[] = {
    {.title = "NAME"},
    {.title = "TYPE"},
    {.title = "SHAPE"},
    {.title = "LAYOUT"},
    {.title = "SIZE", .right = true},
    {.title = "BYTES", .right = true},
    {.title = "BUFFERS", .right = true},
    {.title = "DESCRIPTOR", .right = true},
    {.title = "DATA", .right = true},
    {.title = "NOTES"},
};

/* Names that begin with a dot are a program's own, as the HDF5 connector's .hdf5/... */
static bool is_hidden(const struct described *what)
{
    return what->entry.name_length > 0 && what->entry.name[0] == '.';
}

static bool has_no_bytes(const hry_descriptor *d)
{
    return d->opaque || d->layout_tag == HRY_COMPOSITE;
}

/* ---- text ---- */

static void add_name(struct text *cell, const struct input *input,
                     const struct described *what)
{
    if (what->in_file)
        text_add_foreign(cell, what->entry.name, what->entry.name_length);
    else
        text_add_foreign(cell, input->path, strlen(input->path));
}

static void add_number_cell(struct table *t, uint64_t number, bool is_known)
{
    if (is_known)
        text_add(table_cell(t), "%llu", (unsigned long long)number);
    else
        text_add(table_cell(t), "-");
    table_next(t);
}

static void add_row(struct table *t, const struct input *input,
                    const struct described *what, bool details)
{
    const hry_descriptor *d = &what->d;
    const uint64_t total = notes_total_size(d);
    add_name(table_cell(t), input, what);
    table_next(t);
    words_add_type(table_cell(t), d->type_tag);
    table_next(t);
    text_add_shape(table_cell(t), d->shape, d->rank);
    table_next(t);
    words_add_layout(table_cell(t), d->layout_tag);
    table_next(t);
    if (has_no_bytes(d))
        text_add(table_cell(t), "-");
    else
        text_add_size(table_cell(t), total);
    table_next(t);
    if (details) {
        add_number_cell(t, total, !has_no_bytes(d));
        add_number_cell(t, d->buffer_count, !d->opaque);
        add_number_cell(t, what->entry.descriptor_offset, what->in_file);
        add_number_cell(t, what->entry.data_offset, what->in_file && total > 0);
    }
    notes_add(table_cell(t), d, !details);
    table_next(t);
}

static int list_text(const struct invocation *in, const struct input *input)
{
    const bool details = in->options->details;
    struct table table = details ? table_of(detailed_columns, 10) : table_of(columns, 6);
    struct described what;
    int code = EXIT_OK;
    for (uint64_t i = 0; i < input_count(input); i++) {
        const int one = input_describe(input, i, &what);
        if (one == EXIT_OK && (in->options->all || !is_hidden(&what)))
            add_row(&table, input, &what, details);
        code = exit_worst(code, one);
    }
    if (!table_print(&table, in->out, in->colour)) {
        const struct place where = {.file = input->path};
        code = report_refusal(&where, "no memory for its list");
    }
    table_free(&table);
    return code;
}

/* ---- JSON ---- */

static void add_object(struct json *j, const struct described *what)
{
    const hry_descriptor *d = &what->d;
    struct text text = {0};
    json_open(j, JSON_LINE_OBJECT);
    if (what->in_file) {
        json_key(j, "name");
        json_text(j, what->entry.name, what->entry.name_length);
    }
    words_add_type(&text, d->type_tag);
    json_put_string(j, "type", text_string(&text));
    shape_json(j, "shape", d->shape, d->rank);
    text_clear(&text);
    words_add_layout(&text, d->layout_tag);
    json_put_string(j, "layout", text_string(&text));
    json_put_u64(j, "size", notes_total_size(d));
    json_put_u64(j, "buffers", d->buffer_count);
    if (what->in_file) {
        json_put_u64(j, "descriptor_offset", what->entry.descriptor_offset);
        json_put_u64(j, "data_offset", what->entry.data_offset);
    }
    text_clear(&text);
    notes_add(&text, d, false);
    json_put_string(j, "notes", text_string(&text));
    json_close(j);
    text_free(&text);
}

static int list_json(const struct invocation *in, const struct input *input)
{
    struct json j = json_on(in->out);
    struct described what;
    int code = EXIT_OK;
    json_open(&j, JSON_OBJECT);
    json_put_string(&j, "file", input->path);
    json_key(&j, "tensors");
    json_open(&j, JSON_ARRAY);
    for (uint64_t i = 0; i < input_count(input); i++) {
        const int one = input_describe(input, i, &what);
        if (one == EXIT_OK && (in->options->all || !is_hidden(&what)))
            add_object(&j, &what);
        code = exit_worst(code, one);
    }
    json_close(&j);
    json_close(&j);
    return code;
}

/* ---- */

static void print_title(const struct invocation *in, const char *path, bool is_first)
{
    struct text title = {0};
    text_add_foreign(&title, path, strlen(path));
    fprintf(in->out, "%s%s%s%s:\n", is_first ? "" : "\n", terminal_on(in->colour),
            text_string(&title), terminal_off(in->colour));
    text_free(&title);
}

static int list(const struct invocation *in, const char *path, int i)
{
    struct input input;
    int code = input_open(path, INPUT_INSPECT, &input);
    if (code == EXIT_OK && in->options->json) {
        code = list_json(in, &input);
    } else if (code == EXIT_OK) {
        if (in->operand_count > 1)
            print_title(in, path, i == 0);
        code = list_text(in, &input);
    }
    input_close(&input);
    return code;
}

static int run(const struct invocation *in)
{
    int code = EXIT_OK;
    for (int i = 0; i < in->operand_count; i++)
        code = exit_worst(code, list(in, in->operands[i], i));
    return code;
}

static const struct option_row rows[] = {
    {.letter = 'a',
     .name = "all",
     .help = "names that begin with a dot as well",
     .at = offsetof(struct options, all)},
    {.letter = 'l',
     .name = "long",
     .help = "bytes, buffers, offsets and full notes as well",
     .at = offsetof(struct options, details)},
    OPTION_JSON,
    OPTION_HELP,
};

const struct command command_ls = {
    .name = "ls",
    .operands = "FILE...",
    .summary = "list tensors: name, type, shape, layout, size",
    .more = "The size is that of all buffers. A composite head has none of its own.\n"
            "With --json there is one document for each file.\n",
    .examples = "  hurray ls state.hrry\n"
                "  hurray ls -la state.hrry | less -S\n"
                "  hurray ls --json state.hrry | jq -r '.tensors[].name'\n"
                "  zcat state.hrry.gz | hurray ls -\n",
    .least = 1,
    .most = 1 << 20,
    .options = COMMAND_OPTIONS(rows),
    .run = run,
};
