/* SPDX-License-Identifier: Apache-2.0 */
/* ls_rows.c - see ls_rows.h. */
#include "ls_rows.h"

#include "notes.h"
#include "words.h"

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

struct table ls_table(bool details)
{
    return details ? table_of(detailed_columns, sizeof detailed_columns / sizeof *columns)
                   : table_of(columns, sizeof columns / sizeof *columns);
}

static void number(struct table *t, uint64_t number, bool is_known)
{
    if (is_known)
        text_add(table_cell(t), "%llu", (unsigned long long)number);
    else
        text_add(table_cell(t), "-");
    table_next(t);
}

static void size_cell(struct table *t, uint64_t size, bool is_known)
{
    if (is_known)
        text_add_size(table_cell(t), size);
    else
        text_add(table_cell(t), "-");
    table_next(t);
}

void ls_add_tensor(struct table *t, const struct described *what, uint64_t below,
                   bool details)
{
    const hry_descriptor *d = &what->d;
    const bool is_head = d->layout_tag == HRY_COMPOSITE && !d->opaque;
    const uint64_t total = is_head ? below : notes_total_size(d);
    const bool is_known = !d->opaque && (!is_head || below > 0);
    table_next(t);
    words_add_type(table_cell(t), d->type_tag);
    table_next(t);
    text_add_shape(table_cell(t), d->shape, d->rank);
    table_next(t);
    words_add_layout(table_cell(t), d->layout_tag);
    table_next(t);
    size_cell(t, total, is_known);
    if (details) {
        number(t, total, is_known);
        number(t, d->buffer_count, !d->opaque);
        number(t, what->entry.descriptor_offset, what->in_file);
        number(t, what->entry.data_offset, what->in_file && !is_head && total > 0);
    }
    notes_add(table_cell(t), d, !details);
    table_next(t);
}

void ls_add_group(struct table *t, uint64_t count, uint64_t size, bool details)
{
    for (int blank = 0; blank < 4; blank++)
        table_next(t);
    size_cell(t, size, true);
    if (details) {
        number(t, size, true);
        for (int blank = 0; blank < 3; blank++)
            table_next(t);
    }
    text_add(table_cell(t), "%llu tensor%s", (unsigned long long)count,
             count == 1 ? "" : "s");
    table_next(t);
}
