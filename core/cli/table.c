/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - see table.h. */
#include "table.h"

#include "terminal.h"

#include <assert.h>
#include <string.h>

/* Longer cells stick out of their column instead of moving all others. */
enum { WIDEST = 60 };

struct table table_of(const struct table_column *columns, size_t column_count)
{
    assert(column_count <= TABLE_COLUMNS);
    struct table t = {.columns = columns, .column_count = column_count};
    for (size_t c = 0; c < column_count; c++)
        t.is_empty[c] = true;
    return t;
}

struct text *table_cell(struct table *t)
{
    return &t->cells;
}

void table_next(struct table *t)
{
    text_add(&t->cells, "%c", '\0');
    if (t->cells.failed)
        return;
    const size_t column = t->cell_count++ % t->column_count;
    const size_t width = text_width(t->cells.bytes + t->at);
    if (width <= WIDEST && width > t->width[column])
        t->width[column] = width;
    t->is_empty[column] = t->is_empty[column] && width == 0;
    t->at = t->cells.size;
}

/* Blanks that are due are written only when something follows on the line. */
static size_t write_cell(const struct table *t, FILE *out, size_t column, const char *cell,
                         size_t due)
{
    if (t->is_empty[column])
        return due;
    const size_t title = text_width(t->columns[column].title);
    const size_t width = t->width[column] > title ? t->width[column] : title;
    const size_t own = text_width(cell), blanks = own < width ? width - own : 0;
    if (*cell == '\0')
        return due + width + 2;
    const bool right = t->columns[column].right;
    fprintf(out, "%*s%s", (int)(due + (right ? blanks : 0)), "", cell);
    return (right ? 0 : blanks) + 2;
}

bool table_print(const struct table *t, FILE *out, bool bold)
{
    size_t due = 0;
    const char *cell = text_string(&t->cells);
    if (t->cells.failed)
        return false;
    if (t->cell_count == 0)
        return true;
    fputs(terminal_on(bold), out);
    for (size_t c = 0; c < t->column_count; c++)
        due = write_cell(t, out, c, t->columns[c].title, due);
    fputs(terminal_off(bold), out);
    for (size_t i = 0; i < t->cell_count; i++, cell += strlen(cell) + 1) {
        if (i % t->column_count == 0) {
            due = 0;
            fputc('\n', out);
        }
        due = write_cell(t, out, i % t->column_count, cell, due);
    }
    fputc('\n', out);
    return true;
}

void table_free(struct table *t)
{
    text_free(&t->cells);
}
