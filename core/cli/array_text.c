/* SPDX-License-Identifier: Apache-2.0 */
/* array_text.c - see array_text.h. */
#include "array_text.h"

#include "aligned.h"

#include <stdlib.h>
#include <string.h>

enum {
    WHOLE = 1000, /* elements that are all shown                */
    OF_AXIS = 6,  /* shown of each axis: three first, three last */
    SHOWN = 4096, /* elements shown at most; fewer of an axis   */
    LINE_WIDTH = 75
};

enum { CELL = 2 * ALIGNED_TEXT };

/* What is shown of an array, and where printing is. */
struct array {
    struct values *v;
    FILE *out;
    uint32_t rank;
    const uint64_t *shape;
    uint64_t front[HRY_MAX_RANK], back[HRY_MAX_RANK]; /* shown of each axis */
    size_t count, parts;                              /* elements; of each  */
    struct decimal *decimals;                         /* count * parts      */
    char (*cells)[CELL];
    int column, blanks; /* of which the last are not written */
};

/* ---- what is shown ---- */

static void choose_shown(struct array *a)
{
    uint64_t total = 1;
    bool is_large = false;
    for (uint32_t k = 0; k < a->rank; k++) {
        is_large = is_large || (a->shape[k] > 0 && total > WHOLE / a->shape[k]);
        total *= is_large ? 1 : a->shape[k];
    }
    a->count = 1;
    for (uint32_t k = a->rank; k-- > 0;) {
        uint64_t shown = a->shape[k];
        if (is_large && shown > OF_AXIS)
            shown = OF_AXIS;
        if (shown > SHOWN / a->count)
            shown = SHOWN / a->count;
        a->front[k] = shown == a->shape[k] ? shown : (shown + 1) / 2;
        a->back[k] = shown - a->front[k];
        a->count *= (size_t)shown;
    }
}

static bool is_empty(const struct array *a)
{
    for (uint32_t k = 0; k < a->rank; k++)
        if (a->shape[k] == 0)
            return true;
    return false;
}

static bool is_cut(const struct array *a, uint32_t axis)
{
    return a->front[axis] + a->back[axis] < a->shape[axis];
}

/* ---- reading ---- */

static void keep(struct array *a, size_t from, size_t count)
{
    static const char *const truth[] = {"False", "True"};
    for (size_t i = 0; i < count; i++) {
        char *cell = a->cells[from + i];
        if (a->decimals != NULL)
            for (size_t p = 0; p < a->parts; p++)
                a->decimals[(from + i) * a->parts + p] = value_decimal(a->v, i, (int)p);
        else
            value_integer(a->v, i, cell);
        if (a->v->kind == VALUE_BOOL)
            snprintf(cell, CELL, "%s", truth[cell[0] != '0']);
    }
}

static hry_status read_row(struct array *a, struct box *box, size_t *at, hry_error *err)
{
    const uint32_t last = a->rank - 1;
    for (int end = 0; end < 2; end++) {
        const uint64_t count = end == 0 ? a->front[last] : a->back[last];
        if (count == 0)
            continue;
        box->start[last] = end == 0 ? 0 : a->shape[last] - count;
        box->count[last] = count;
        const hry_status status = values_read(a->v, box, err);
        if (status != HRY_OK)
            return status;
        keep(a, *at, (size_t)count);
        *at += (size_t)count;
    }
    return HRY_OK;
}

/* The next shown index before the last axis; false after the last. */
static bool next_row(const struct array *a, struct box *box)
{
    for (uint32_t k = a->rank - 1; k-- > 0;) {
        box->start[k]++;
        if (box->start[k] == a->front[k])
            box->start[k] = a->shape[k] - a->back[k];
        if (box->start[k] < a->shape[k])
            return true;
        box->start[k] = 0;
    }
    return false;
}

static hry_status read_shown(struct array *a, hry_error *err)
{
    struct box box = {.start = {0}};
    size_t at = 0;
    for (uint32_t k = 0; k < a->rank; k++)
        box.count[k] = 1;
    if (a->rank == 0) {
        const hry_status status = values_read(a->v, &box, err);
        if (status == HRY_OK)
            keep(a, 0, 1);
        return status;
    }
    do {
        const hry_status status = read_row(a, &box, &at, err);
        if (status != HRY_OK)
            return status;
    } while (next_row(a, &box));
    return HRY_OK;
}

/* ---- cells ---- */

static void align_decimals(struct array *a)
{
    struct aligned how[2];
    for (size_t p = 0; p < a->parts; p++)
        how[p] = aligned_for(a->decimals + p, a->count, a->parts, p == 1);
    for (size_t i = 0; i < a->count; i++) {
        char part[ALIGNED_TEXT];
        aligned_text(&how[0], &a->decimals[i * a->parts], a->cells[i]);
        if (a->parts == 1)
            continue;
        aligned_text(&how[1], &a->decimals[i * a->parts + 1], part);
        const size_t digits = strcspn(part, " ") > 0 ? strcspn(part, " ") : strlen(part);
        snprintf(a->cells[i] + strlen(a->cells[i]), ALIGNED_TEXT + 2, "%.*sj%s",
                 (int)digits, part, part + digits);
    }
}

static void align_words(struct array *a)
{
    size_t width = 0;
    for (size_t i = 0; i < a->count; i++)
        width = strlen(a->cells[i]) > width ? strlen(a->cells[i]) : width;
    for (size_t i = 0; i < a->count; i++) {
        const size_t blanks = width - strlen(a->cells[i]);
        memmove(a->cells[i] + blanks, a->cells[i], strlen(a->cells[i]) + 1);
        memset(a->cells[i], ' ', blanks);
    }
}

/* ---- printing ---- */

/* Blanks at the end are held back until something follows on the line. */
static void put(struct array *a, const char *text)
{
    size_t length = strlen(text);
    a->column += (int)length;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    fprintf(a->out, "%*s%.*s", a->blanks, "", (int)length, text);
    a->blanks = (int)(strlen(text) - length);
}

static void new_line(struct array *a, uint32_t lines, uint32_t indent)
{
    while (lines-- > 0)
        fputc('\n', a->out);
    a->column = a->blanks = (int)indent;
}

/* An item of the last axis, on a new line where it does not fit. */
static void put_item(struct array *a, const char *item, bool is_first)
{
    if (!is_first && a->column + 1 + (int)strlen(item) > LINE_WIDTH - 1)
        new_line(a, 1, a->rank);
    else if (!is_first)
        put(a, " ");
    put(a, item);
}

static size_t print_last(struct array *a, size_t cell)
{
    const uint32_t last = a->rank - 1;
    for (uint64_t i = 0; i < a->front[last] + a->back[last]; i++) {
        if (i == a->front[last] && is_cut(a, last))
            put_item(a, "...", false);
        put_item(a, a->cells[cell++], i == 0);
    }
    if (a->back[last] == 0 && is_cut(a, last))
        put_item(a, "...", false);
    return cell;
}

/* Prints axis `axis`, whose first cell is `cell`; returns the cell after it. At most
 * HRY_MAX_RANK calls deep. */
static size_t print_axis(struct array *a, uint32_t axis, size_t cell)
{
    put(a, "[");
    if (axis + 1 == a->rank) {
        cell = print_last(a, cell);
    } else {
        const uint32_t lines = a->rank - axis - 1;
        for (uint64_t i = 0; i < a->front[axis] + a->back[axis]; i++) {
            if (i > 0)
                new_line(a, lines, axis + 1);
            if (i == a->front[axis] && is_cut(a, axis)) {
                put(a, "...");
                new_line(a, lines, axis + 1);
            }
            cell = print_axis(a, axis + 1, cell);
        }
        if (a->back[axis] == 0 && is_cut(a, axis)) {
            new_line(a, lines, axis + 1);
            put(a, "...");
        }
    }
    put(a, "]");
    return cell;
}

static void print(struct array *a)
{
    if (a->decimals != NULL)
        align_decimals(a);
    else
        align_words(a);
    if (a->rank == 0)
        put(a, a->cells[0] + strspn(a->cells[0], " "));
    else
        print_axis(a, 0, 0);
    fputc('\n', a->out);
}

hry_status array_text(struct values *v, const char *title, FILE *out, hry_error *err)
{
    struct array a = {.v = v, .out = out, .rank = v->rank, .shape = v->shape, .parts = 1};
    const bool has_decimals =
        v->kind == VALUE_REAL || v->kind == VALUE_COMPLEX || v->kind == VALUE_WIDE;
    if (is_empty(&a)) {
        fprintf(out, "%s\n[]\n", title);
        return HRY_OK;
    }
    choose_shown(&a);
    a.parts = v->kind == VALUE_COMPLEX ? 2 : 1;
    a.cells = calloc(a.count, sizeof *a.cells);
    if (has_decimals)
        a.decimals = calloc(a.count * a.parts, sizeof *a.decimals);
    hry_status status = HRY_ERR_NOMEM;
    if (a.cells == NULL || (has_decimals && a.decimals == NULL))
        *err = (hry_error){HRY_ERR_NOMEM, HRY_NO_OFFSET, "no memory for its values"};
    else
        status = read_shown(&a, err);
    if (status == HRY_OK) {
        fprintf(out, "%s\n", title);
        print(&a);
    }
    free(a.decimals);
    free(a.cells);
    return status;
}
