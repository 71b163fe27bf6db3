/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - aligned columns, as wide as their widest cell (within reason). */
#ifndef TABLE_H
#define TABLE_H

#include "text.h"

#include <stdio.h>

enum { TABLE_COLUMNS = 12 };

struct table_column {
    const char *title;
    bool right; /* numbers: aligned to the right */
};

/* Cells of all rows, in order. Ended by table_free(). */
struct table {
    const struct table_column *columns; /* borrowed */
    size_t column_count;
    struct text cells; /* each ends with a NUL */
    size_t cell_count, at;
    size_t width[TABLE_COLUMNS];
    bool is_empty[TABLE_COLUMNS];
};

/* At most TABLE_COLUMNS columns; they are borrowed. */
struct table table_of(const struct table_column *columns, size_t column_count);

/* The cell is what follows up to the next table_next(): add to it with text_add(). */
struct text *table_cell(struct table *t);
void table_next(struct table *t);

/*
 * Title and rows, a column without content left out, no blanks at the ends of lines.
 * bold: the title stands out by colour. False when there was no memory for all cells.
 */
bool table_print(const struct table *t, FILE *out, bool bold);

void table_free(struct table *t);

#endif
