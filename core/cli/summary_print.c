/* SPDX-License-Identifier: Apache-2.0 */
/* summary_print.c - see summary_print.h. */
#include "summary_print.h"

#include "descriptor_json.h"
#include "terminal.h"
#include "words.h"

#include <string.h>

enum { BAR = 40 };

const struct table_column summary_columns[9] = {
    {.title = "NAME"},
    {.title = "ELEMENTS", .right = true},
    {.title = "MIN", .right = true},
    {.title = "MAX", .right = true},
    {.title = "MEAN", .right = true},
    {.title = "STDDEV", .right = true},
    {.title = "ZEROS", .right = true},
    {.title = "NAN", .right = true},
    {.title = "INF", .right = true},
};

static double part(uint64_t count, uint64_t total)
{
    return total > 0 ? (double)count / (double)total : 0;
}

/* ---- text ---- */

static void print_histogram(const struct invocation *in, const struct histogram *h)
{
    const bool has_blocks = terminal_has_lines(in->out);
    uint64_t most = 1;
    int width = 0;
    for (size_t i = 0; i < h->bins; i++)
        most = h->counts[i] > most ? h->counts[i] : most;
    for (size_t i = 0; i <= h->bins; i++) {
        const int length = snprintf(NULL, 0, "%.6g", histogram_edge(h, i));
        width = length > width ? length : width;
    }
    for (size_t i = 0; i < h->bins; i++) {
        const int bar = (int)((double)h->counts[i] / (double)most * BAR + 0.5);
        fprintf(in->out, "  [%*.6g, %*.6g)  ", width, histogram_edge(h, i), width,
                histogram_edge(h, i + 1));
        for (int k = 0; k < bar; k++)
            fputs(has_blocks ? "█" : "#", in->out);
        fprintf(in->out, "%*s%llu\n", BAR + 1 - bar, "", (unsigned long long)h->counts[i]);
    }
}

static void print_title(const struct invocation *in, const struct source *s)
{
    struct text title = {0};
    text_add(&title, "%s", terminal_on(in->colour));
    text_add_foreign(&title, s->what.entry.name, s->what.entry.name_length);
    text_add(&title, "%s  ", terminal_off(in->colour));
    words_add_type(&title, s->what.d.type_tag);
    text_add(&title, " ");
    text_add_shape(&title, s->values.shape, s->values.rank);
    if (s->values.is_dequantized)
        text_add(&title, ", dequantized");
    if (s->values.kind == VALUE_COMPLEX)
        text_add(&title, ", magnitudes");
    fprintf(in->out, "%s\n", text_string(&title));
    text_free(&title);
}

void summary_text(const struct invocation *in, const struct source *s,
                  const struct summary *sum)
{
    const unsigned long long zeros = sum->zeros;
    print_title(in, s);
    fprintf(in->out, "elements  %llu\n", (unsigned long long)sum->count);
    fprintf(in->out, "zeros     %llu (%.3g%%)\n", zeros,
            100 * part(sum->zeros, sum->count));
    if (sum->nans > 0 || sum->infinities > 0)
        fprintf(in->out, "special   %llu nan, %llu infinite\n",
                (unsigned long long)sum->nans, (unsigned long long)sum->infinities);
    if (sum->finite == 0)
        return;
    fprintf(in->out, "min       %.9g\nmax       %.9g\nmean      %.9g\nstddev    %.9g\n",
            sum->min, sum->max, sum->mean, summary_deviation(sum));
    print_histogram(in, &sum->histogram);
}

static void real_cell(struct table *t, double value, bool is_known)
{
    if (is_known)
        text_add(table_cell(t), "%.6g", value);
    table_next(t);
}

static void count_cell(struct table *t, uint64_t count)
{
    text_add(table_cell(t), "%llu", (unsigned long long)count);
    table_next(t);
}

void summary_row(struct table *t, const struct source *s, const struct summary *sum)
{
    const bool is_known = sum->finite > 0;
    text_add_foreign(table_cell(t), s->what.entry.name, s->what.entry.name_length);
    table_next(t);
    count_cell(t, sum->count);
    real_cell(t, sum->min, is_known);
    real_cell(t, sum->max, is_known);
    real_cell(t, sum->mean, is_known);
    real_cell(t, summary_deviation(sum), is_known);
    text_add(table_cell(t), "%.1f%%", 100 * part(sum->zeros, sum->count));
    table_next(t);
    count_cell(t, sum->nans);
    count_cell(t, sum->infinities);
}

/* ---- JSON ---- */

static void put_real(struct json *j, const char *key, double value)
{
    json_key(j, key);
    json_real(j, value);
}

static void histogram_json(struct json *j, const struct histogram *h)
{
    json_key(j, "histogram");
    json_open(j, JSON_OBJECT);
    json_key(j, "edges");
    json_open(j, JSON_LINE_ARRAY);
    for (size_t i = 0; i <= h->bins; i++)
        json_real(j, histogram_edge(h, i));
    json_close(j);
    json_key(j, "counts");
    json_open(j, JSON_LINE_ARRAY);
    for (size_t i = 0; i < h->bins; i++)
        json_u64(j, h->counts[i]);
    json_close(j);
    json_close(j);
}

void summary_json(struct json *j, const struct source *s, const struct summary *sum)
{
    json_open(j, JSON_OBJECT);
    json_key(j, "name");
    json_text(j, s->what.entry.name, s->what.entry.name_length);
    shape_json(j, "shape", s->values.shape, s->values.rank);
    json_put_u64(j, "elements", sum->count);
    json_put_u64(j, "zeros", sum->zeros);
    put_real(j, "sparsity", part(sum->zeros, sum->count));
    json_put_u64(j, "nan", sum->nans);
    json_put_u64(j, "infinite", sum->infinities);
    if (sum->finite > 0) {
        put_real(j, "min", sum->min);
        put_real(j, "max", sum->max);
        put_real(j, "mean", sum->mean);
        put_real(j, "stddev", summary_deviation(sum));
        histogram_json(j, &sum->histogram);
    }
    json_close(j);
}
