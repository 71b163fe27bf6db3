/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_dump.c - hurray dump: the values of a tensor. */
#include "array_text.h"
#include "command.h"
#include "dump_format.h"
#include "input.h"
#include "output.h"
#include "source.h"
#include "terminal.h"
#include "words.h"

#include <string.h>

static int print_text(const struct invocation *in, struct source *s, FILE *out)
{
    const struct described *what = &s->what;
    struct text title = {0};
    hry_error err;
    text_add(&title, "%s", terminal_on(in->colour));
    text_add_foreign(&title, what->entry.name, what->entry.name_length);
    text_add(&title, "%s  ", terminal_off(in->colour));
    words_add_type(&title, what->d.type_tag);
    text_add(&title, " ");
    text_add_shape(&title, s->values.shape, s->values.rank);
    if (s->is_part) {
        text_add(&title, " of ");
        text_add_shape(&title, what->d.shape, what->d.rank);
    }
    if (s->values.is_dequantized)
        text_add(&title, ", dequantized");
    const hry_status status = array_text(&s->values, text_string(&title), out, &err);
    text_free(&title);
    return status == HRY_OK ? EXIT_OK : source_error(s, &err);
}

/* json or text, unless --format says otherwise. */
static bool take_format(const struct options *o, enum dump_format *format)
{
    *format = o->json ? DUMP_JSON : DUMP_TEXT;
    return o->format == NULL || dump_format_of(o->format, format) ||
           report_usage("dump", "--format: '%s' is none of text, csv, json, npy, raw",
                        o->format);
}

static int write(const struct invocation *in, struct source *s, enum dump_format format)
{
    struct output output;
    int code = format == DUMP_TEXT ? EXIT_OK : source_check_count(s, in->options->force);
    if (code != EXIT_OK)
        return code;
    code = output_open(in->options->output, in->out, &output);
    if (code != EXIT_OK)
        return code;
    code = format == DUMP_TEXT ? print_text(in, s, output.out)
                               : dump_all(s, format, output.out);
    return output_close(&output, code);
}

static int run(const struct invocation *in)
{
    const struct reading how = {in->options->raw, in->options->lengths};
    struct input input;
    struct source source;
    enum dump_format format;
    if (!take_format(in->options, &format))
        return EXIT_UNREADABLE;
    int code = input_open(in->operands[0], INPUT_STRICT, &input);
    if (code == EXIT_OK) {
        code = source_open(&input, in->operands[1], &how, &source);
        if (code == EXIT_OK)
            code = write(in, &source, format);
        source_close(&source);
    }
    input_close(&input);
    return code;
}

static const struct option_row rows[] = {
    OPTION_JSON,
    {.letter = 'r',
     .name = "raw",
     .help = "stored codes of a quantized tensor, not dequantized",
     .at = offsetof(struct options, raw)},
    {.letter = 'L',
     .name = "lengths",
     .value = "N,N,...",
     .help = "tokens of each sequence, block-paged",
     .at = offsetof(struct options, lengths)},
    {.letter = 'f',
     .name = "format",
     .value = "FORMAT",
     .help = "text, csv, json, npy or raw",
     .at = offsetof(struct options, format)},
    {.letter = 'o',
     .name = "output",
     .value = "FILE",
     .help = "write there instead of standard output",
     .at = offsetof(struct options, output)},
    {.name = "force",
     .help = "go through more than 2^32 values",
     .at = offsetof(struct options, force)},
    OPTION_HELP,
};

const struct command command_dump = {
    .name = "dump",
    .operands = "FILE NAME[SLICE]",
    .summary = "the values of a tensor, or of a part",
    .more =
        "Of any layout: what a sparse tensor does not store is 0, quantized ones are\n"
        "dequantized, partitions assembled and overlays merged. A slice is written as\n"
        "in NumPy: [0:10, ::2, -1], [..., 0]. Text shows the corners of what is large;\n"
        "all other formats have every value, row-major, read and written piece by\n"
        "piece: csv a line for each row of the last axis, npy what numpy.load() reads,\n"
        "raw the bytes of the elements, little-endian.\n",
    .examples = "  hurray dump state.hrry fields/density\n"
                "  hurray dump state.hrry 'fields/density[0:10, ::2, -1]'\n"
                "  hurray dump --json state.hrry fields/density | jq '.values | add'\n"
                "  hurray dump -f npy -o w.npy weights.hrry layer.0.w\n"
                "  hurray dump --raw weights.hrry layer.0.w\n"
                "  hurray dump --lengths 6,3 cache.hrry layer.0.k\n",
    .least = 2,
    .most = 2,
    .options = COMMAND_OPTIONS(rows),
    .run = run,
};
