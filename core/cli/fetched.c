/* SPDX-License-Identifier: Apache-2.0 */
/* fetched.c - see fetched.h. */
#include "fetched.h"

#include "notes.h"
#include "words.h"

#include <string.h>

const struct table_column fetched_columns[5] = {
    {.title = "NAME"},
    {.title = "TYPE"},
    {.title = "SHAPE"},
    {.title = "LAYOUT"},
    {.title = "SIZE", .right = true},
};

/* Counts the tensor as the next member of what is around it. */
static void name_next(struct fetched *f, uint32_t depth, struct text *name)
{
    text_add(name, "%s", f->key);
    for (uint32_t k = 1; k < depth; k++)
        text_add(name, "/%llu", (unsigned long long)f->member[k] - 1);
    if (depth > 0)
        text_add(name, "/%llu", (unsigned long long)f->member[depth]);
    f->member[depth]++;
    if (depth + 1 < FETCHED_DEPTH)
        f->member[depth + 1] = 0;
}

static void add_row(struct table *t, const char *name, const hry_descriptor *d)
{
    text_add_foreign(table_cell(t), name, strlen(name));
    table_next(t);
    words_add_type(table_cell(t), d->type_tag);
    table_next(t);
    text_add_shape(table_cell(t), d->shape, d->rank);
    table_next(t);
    words_add_layout(table_cell(t), d->layout_tag);
    table_next(t);
    if (d->layout_tag == HRY_COMPOSITE)
        text_add(table_cell(t), "-");
    else
        text_add_size(table_cell(t), notes_total_size(d));
    table_next(t);
}

static hry_status begin(struct fetched *f, const hry_descriptor *d, uint32_t depth,
                        hry_error *err)
{
    struct text name = {0};
    hry_status status = HRY_OK;
    name_next(f, depth < FETCHED_DEPTH ? depth : FETCHED_DEPTH - 1, &name);
    if (f->table != NULL)
        add_row(f->table, text_string(&name), d);
    if (f->writer != NULL)
        status = hry_writer_begin(f->writer, text_string(&name), d, err);
    text_free(&name);
    return status;
}

hry_status fetched_event(void *ctx, const hry_event *event, hry_error *err)
{
    struct fetched *f = ctx;
    if (event->kind == HRY_EVENT_TENSOR)
        return begin(f, event->descriptor, event->depth, err);
    if (event->kind == HRY_EVENT_DATA && f->writer != NULL)
        return hry_writer_write(f->writer, event->bytes, event->size, err);
    return HRY_OK;
}

hry_status fetched_all(struct fetched *f, const hry_collector *collector, hry_error *err)
{
    hry_status status = HRY_OK;
    for (uint32_t i = 0; i < hry_collector_count(collector) && status == HRY_OK; i++) {
        const hry_tensor *t = hry_collector_tensor(collector, i);
        status = begin(f, t->descriptor, hry_collector_depth(collector, i), err);
        for (uint32_t b = 0; b < t->descriptor->buffer_count && f->writer != NULL; b++)
            if (status == HRY_OK)
                status = hry_writer_write(f->writer, t->buffers[b].bytes,
                                          (size_t)t->buffers[b].size, err);
    }
    return status;
}
