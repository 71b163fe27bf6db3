/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_stat.c - hurray stat: the space a file takes, and the statistics of its tensors. */
#include "amount.h"
#include "command.h"
#include "pattern.h"
#include "space_print.h"
#include "summary_print.h"

#include <string.h>

/* What the statistics of several tensors are gathered in. */
struct gathering {
    const struct invocation *in;
    const struct input *input;
    struct reading how;
    uint32_t bins;
    bool is_single;
    struct table table;
    struct json json;
};

static int summarise(struct gathering *g, struct source *s)
{
    struct summary sum;
    int code = source_check_count(s, g->in->options->force);
    if (code == EXIT_OK)
        code = summary_of(s, g->bins, &sum);
    if (code != EXIT_OK)
        return code;
    if (g->in->options->json)
        summary_json(&g->json, s, &sum);
    else if (g->is_single)
        summary_text(g->in, s, &sum);
    else
        summary_row(&g->table, s, &sum);
    return EXIT_OK;
}

static int summarise_named(struct gathering *g, const char *name)
{
    struct source s;
    int code = source_open(g->input, name, &g->how, &s);
    if (code == EXIT_OK)
        code = summarise(g, &s);
    source_close(&s);
    return code;
}

/* What has no elements as numbers is passed over: a pattern has not asked for it. */
static bool has_numbers(const hry_descriptor *d)
{
    return !d->opaque && d->layout_tag < 0xF0 && d->layout_tag != HRY_BLOCK_PAGED &&
           (d->layout_tag != HRY_COMPOSITE || d->fields.composite.rule != HRY_GROUP);
}

static int summarise_matching(struct gathering *g, const char *pattern)
{
    const struct place where = {.file = g->input->path};
    struct described what;
    uint64_t found = 0;
    int code = EXIT_OK;
    for (uint64_t i = 0; i < input_count(g->input); i++) {
        struct source s;
        int one = input_describe(g->input, i, &what);
        if (one == EXIT_OK && (!pattern_matches(pattern, &what) || !has_numbers(&what.d)))
            continue;
        found++;
        if (one == EXIT_OK) {
            one = source_open_at(g->input, i, &g->how, &s);
            if (one == EXIT_OK)
                one = summarise(g, &s);
            source_close(&s);
        }
        code = exit_worst(code, one);
    }
    return found > 0 ? code
                     : report_refusal(&where, "no tensor with numbers is '%s'", pattern);
}

static bool is_pattern(const struct input *input, const char *name)
{
    const size_t length = strlen(name);
    uint64_t i;
    return pattern_has_wildcards(name) && (length == 0 || name[length - 1] != ']') &&
           (input->file == NULL ||
            hry_file_find(input->file, name, length, &i, NULL) != HRY_OK);
}

static int statistics(const struct invocation *in, const struct input *input, uint32_t bins)
{
    struct gathering g = {.in = in,
                          .input = input,
                          .how = {in->options->raw, in->options->lengths},
                          .bins = bins,
                          .table = table_of(summary_columns, 9),
                          .json = json_on(in->out)};
    int code = EXIT_OK;
    g.is_single = in->operand_count == 2 && !is_pattern(input, in->operands[1]);
    if (in->options->json)
        json_open(&g.json, JSON_ARRAY);
    for (int i = 1; i < in->operand_count; i++)
        code = exit_worst(code, is_pattern(input, in->operands[i])
                                    ? summarise_matching(&g, in->operands[i])
                                    : summarise_named(&g, in->operands[i]));
    if (in->options->json)
        json_close(&g.json);
    table_print(&g.table, in->out, in->colour);
    table_free(&g.table);
    return code;
}

static int space(const struct invocation *in, const struct input *input)
{
    const struct place where = {.file = input->path};
    if (input->file == NULL)
        return report_refusal(&where, "holds one descriptor, without data");
    return in->options->json ? space_json(in, input) : space_text(in, input);
}

static int run(const struct invocation *in)
{
    struct input input;
    uint32_t bins = 16;
    if (!amount_read("stat", "bins", in->options->bins, HISTOGRAM_MOST, &bins))
        return EXIT_UNREADABLE;
    bins = bins < 2 ? 2 : bins;
    int code = input_open(in->operands[0], INPUT_INSPECT, &input);
    if (code == EXIT_OK)
        code = in->operand_count == 1 ? space(in, &input) : statistics(in, &input, bins);
    input_close(&input);
    return code;
}

static const struct option_row rows[] = {
    {.letter = 'b',
     .name = "bins",
     .value = "N",
     .help = "at most so many in a histogram: 2 to 64, else 16",
     .at = offsetof(struct options, bins)},
    {.letter = 'r',
     .name = "raw",
     .help = "stored codes of a quantized tensor, not dequantized",
     .at = offsetof(struct options, raw)},
    {.letter = 'L',
     .name = "lengths",
     .value = "N,N,...",
     .help = "tokens of each sequence, block-paged",
     .at = offsetof(struct options, lengths)},
    {.name = "force",
     .help = "go through more than 2^32 values",
     .at = offsetof(struct options, force)},
    OPTION_JSON,
    OPTION_HELP,
};

const struct command command_stat = {
    .name = "stat",
    .operands = "FILE [NAME[SLICE]...]",
    .summary = "the space a file takes; statistics of tensors",
    .more =
        "Without NAME: what the bytes of the file are used for (padding is zeros before\n"
        "an aligned place, dead is what nothing names), and of each tensor the bytes\n"
        "stored beside those its elements take side by side.\n"
        "With NAMEs or patterns: range, mean, standard deviation, zeros, what is not\n"
        "finite, and of a single one a histogram, in one pass. Bins are as wide as a\n"
        "power of two and begin at multiples of that. Of complex numbers magnitudes\n"
        "are looked at.\n",
    .examples = "  hurray stat state.hrry\n"
                "  hurray stat state.hrry fields/density\n"
                "  hurray stat state.hrry 'fields/density[:, 0]' --bins 32\n"
                "  hurray stat weights.hrry 'layer.*.w'\n"
                "  hurray stat --json state.hrry '*' | jq '.[] | select(.nan > 0).name'\n",
    .least = 1,
    .most = 1 << 20,
    .options = COMMAND_OPTIONS(rows),
    .run = run,
};
