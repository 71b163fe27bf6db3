/* SPDX-License-Identifier: Apache-2.0 */
/* space_print.c - see space_print.h. */
#include "space_print.h"

#include "json.h"
#include "notes.h"
#include "space.h"
#include "table.h"
#include "terminal.h"
#include "words.h"

#include <string.h>

static const struct table_column space_columns[] = {
    {.title = "USE"},
    {.title = "SIZE", .right = true},
    {.title = "BYTES", .right = true},
    {.title = "PART", .right = true},
};
static const struct table_column tensor_columns[] = {
    {.title = "NAME"},
    {.title = "TYPE"},
    {.title = "SHAPE"},
    {.title = "LAYOUT"},
    {.title = "STORED", .right = true},
    {.title = "LOGICAL", .right = true},
    {.title = "RATIO", .right = true},
};

/* Bytes that all elements take side by side; false where that is not known. */
static bool logical_size(const hry_descriptor *d, uint64_t *size)
{
    uint64_t count;
    if (d->opaque || d->layout_tag == HRY_COMPOSITE ||
        hry_descriptor_count(d, &count, NULL) != HRY_OK)
        return false;
    *size = hry_packed_size(count, hry_descriptor_bits(d));
    return *size != UINT64_MAX;
}

/* ---- text ---- */

static void add_use(struct table *t, const char *word, uint64_t bytes, uint64_t total)
{
    text_add(table_cell(t), "%s", word);
    table_next(t);
    text_add_size(table_cell(t), bytes);
    table_next(t);
    text_add(table_cell(t), "%llu", (unsigned long long)bytes);
    table_next(t);
    text_add(table_cell(t), "%.1f%%", 100 * (double)bytes / (double)total);
    table_next(t);
}

static void add_tensor(struct table *t, const struct described *what)
{
    uint64_t logical;
    const uint64_t stored = notes_total_size(&what->d);
    const bool is_known = logical_size(&what->d, &logical);
    text_add_foreign(table_cell(t), what->entry.name, what->entry.name_length);
    table_next(t);
    words_add_type(table_cell(t), what->d.type_tag);
    table_next(t);
    text_add_shape(table_cell(t), what->d.shape, what->d.rank);
    table_next(t);
    words_add_layout(table_cell(t), what->d.layout_tag);
    table_next(t);
    text_add_size(table_cell(t), stored);
    table_next(t);
    if (is_known)
        text_add_size(table_cell(t), logical);
    table_next(t);
    if (is_known && stored > 0)
        text_add(table_cell(t), "%.2f", (double)logical / (double)stored);
    table_next(t);
}

static int tensors_text(const struct invocation *in, const struct input *input)
{
    const struct place where = {.file = input->path};
    struct table table = table_of(tensor_columns, 7);
    struct described what;
    int code = EXIT_OK;
    for (uint64_t i = 0; i < input_count(input); i++) {
        const int one = input_describe(input, i, &what);
        if (one == EXIT_OK && what.d.layout_tag != HRY_COMPOSITE)
            add_tensor(&table, &what);
        code = exit_worst(code, one);
    }
    if (table.cell_count > 0)
        fputc('\n', in->out);
    if (!table_print(&table, in->out, in->colour))
        code = report_refusal(&where, "no memory for its list");
    table_free(&table);
    return code;
}

int space_text(const struct invocation *in, const struct input *input)
{
    struct table table = table_of(space_columns, 4);
    struct space space;
    const int code = space_of(input, &space);
    for (int use = 0; use < SPACE_USES; use++)
        if (space.of[use] > 0)
            add_use(&table, space_word((enum space_use)use), space.of[use], input->size);
    add_use(&table, "all", input->size, input->size);
    table_print(&table, in->out, in->colour);
    table_free(&table);
    return exit_worst(code, tensors_text(in, input));
}

/* ---- JSON ---- */

static void tensor_json(struct json *j, const struct described *what)
{
    uint64_t logical;
    json_open(j, JSON_LINE_OBJECT);
    json_key(j, "name");
    json_text(j, what->entry.name, what->entry.name_length);
    json_put_u64(j, "stored", notes_total_size(&what->d));
    json_key(j, "logical");
    if (logical_size(&what->d, &logical))
        json_u64(j, logical);
    else
        json_null(j);
    json_close(j);
}

int space_json(const struct invocation *in, const struct input *input)
{
    struct json j = json_on(in->out);
    struct described what;
    struct space space;
    int code = space_of(input, &space);
    json_open(&j, JSON_OBJECT);
    json_put_string(&j, "file", input->path);
    json_put_u64(&j, "size", input->size);
    json_key(&j, "space");
    json_open(&j, JSON_OBJECT);
    for (int use = 0; use < SPACE_USES; use++)
        json_put_u64(&j, space_word((enum space_use)use), space.of[use]);
    json_close(&j);
    json_key(&j, "tensors");
    json_open(&j, JSON_ARRAY);
    for (uint64_t i = 0; i < input_count(input); i++) {
        const int one = input_describe(input, i, &what);
        if (one == EXIT_OK)
            tensor_json(&j, &what);
        code = exit_worst(code, one);
    }
    json_close(&j);
    json_close(&j);
    return code;
}
