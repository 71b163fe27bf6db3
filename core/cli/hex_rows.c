/* SPDX-License-Identifier: Apache-2.0 */
/* hex_rows.c - see hex_rows.h. */
#include "hex_rows.h"

#include "terminal.h"

#include <stdlib.h>
#include <string.h>

enum { PER_LINE = 8, MOST = 32 /* bytes of a field that are shown */ };

/* A field: its bytes and the cells of its row. */
struct row {
    uint64_t begin, end;
    const char *field, *value, *meaning;
};

static void put_bytes(FILE *out, const uint8_t *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < PER_LINE; i++)
        if (i < count)
            fprintf(out, " %02x", bytes[i]);
        else
            fputs("   ", out);
}

static void put_row(FILE *out, const struct input *input, const struct row *row)
{
    const uint64_t size = row->end - row->begin;
    const uint64_t shown = size <= MOST + PER_LINE ? size : MOST;
    const uint8_t *bytes = input->bytes + row->begin;
    fprintf(out, "%08llx ", (unsigned long long)row->begin);
    put_bytes(out, bytes, shown);
    fprintf(out, "  %s", row->field);
    if (*row->value != '\0')
        fprintf(out, " = %s", row->value);
    if (*row->meaning != '\0')
        fprintf(out, *row->meaning == '[' ? "  %s" : "  (%s)", row->meaning);
    fputc('\n', out);
    for (uint64_t i = PER_LINE; i < shown; i += PER_LINE) {
        const uint64_t left = shown - i;
        fprintf(out, "%08llx ", (unsigned long long)(row->begin + i));
        for (uint64_t k = 0; k < PER_LINE && k < left; k++)
            fprintf(out, " %02x", bytes[i + k]);
        fputc('\n', out);
    }
    if (shown < size)
        fprintf(out, "          ... %llu more bytes\n", (unsigned long long)(size - shown));
}

static const char *next_cell(const char *cell)
{
    return cell + strlen(cell) + 1;
}

bool hex_rows(const struct invocation *in, const struct input *input, const char *title,
              uint64_t begin, struct table *t, uint64_t end)
{
    const bool ok = !t->cells.failed;
    const size_t count = t->cell_count / t->column_count;
    const char *cell = text_string(&t->cells);
    fprintf(in->out, "%s%s%s\n", terminal_on(in->colour), title, terminal_off(in->colour));
    struct row row = {.begin = begin, .field = "magic", .value = "", .meaning = ""};
    for (size_t i = 0; ok && i <= count; i++) {
        row.end = i < count ? strtoull(cell, NULL, 10) : end;
        if (row.end > input->size || row.end < row.begin)
            row.end = row.begin;
        if (row.end > row.begin)
            put_row(in->out, input, &row);
        if (i == count)
            break;
        row.begin = row.end;
        row.field = next_cell(cell);
        row.value = next_cell(row.field);
        row.meaning = next_cell(row.value);
        cell = next_cell(row.meaning);
    }
    table_free(t);
    return ok;
}
