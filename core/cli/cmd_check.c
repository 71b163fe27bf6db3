/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_check.c - hurray check: whether files keep every rule of the format. */
#include "command.h"
#include "data.h"
#include "input.h"

#include "hry/composite.h"
#include "hry/reader.h"

#include <string.h>

/* What only the data can show. Of what is unknown, nothing is looked at. */
static int check_data(const struct input *input, const struct described *what,
                      hry_mode mode)
{
    struct data data;
    hry_error err;
    if (what->d.opaque || what->d.layout_tag >= 0xF0)
        return EXIT_OK;
    hry_status status = data_load(input, what, &data, &err);
    if (status == HRY_OK)
        status = data_check(&data, mode, &err);
    const struct place where = input_place(input, what);
    return status == HRY_OK ? EXIT_OK : report_error(&where, &err);
}

static int check_composites(const struct input *input)
{
    const struct place where = {.file = input->path};
    hry_error err;
    return hry_composites_check(input->file, NULL, NULL, &err) == HRY_OK
               ? EXIT_OK
               : report_error(&where, &err);
}

static int check_tensors(const struct input *input)
{
    struct described what;
    int code = EXIT_OK;
    for (uint64_t i = 0; i < input_count(input) && code == EXIT_OK; i++)
        code = input_describe(input, i, &what);
    if (code == EXIT_OK && input->file != NULL)
        code = check_composites(input);
    for (uint64_t i = 0; i < input_count(input) && code == EXIT_OK; i++) {
        code = input_describe(input, i, &what);
        if (code == EXIT_OK && input->file != NULL)
            code = check_data(input, &what, input_mode(input));
    }
    return code;
}

/* ---- */

/* Legal either way, but worth knowing: can it be read front to back? */
static void add_order(struct text *line, const struct input *input)
{
    hry_error err;
    if (hry_file_check_canonical(input->file, &err) == HRY_OK) {
        text_add(line, ", in sequential order");
        return;
    }
    text_add(line, ", not in sequential order (");
    if (err.offset != HRY_NO_OFFSET)
        text_add(line, "byte %llu: ", (unsigned long long)err.offset);
    text_add_foreign(line, err.message, strlen(err.message));
    text_add(line, ")");
}

static void print_valid(const struct invocation *in, const struct input *input)
{
    struct text line = {0};
    text_add_foreign(&line, input->path, strlen(input->path));
    if (input->file == NULL) {
        text_add(&line, ": a valid descriptor");
    } else {
        const unsigned long long count = input_count(input);
        text_add(&line, ": valid, %llu tensor%s", count, count == 1 ? "" : "s");
        add_order(&line, input);
    }
    fprintf(in->out, "%s\n", text_string(&line));
    text_free(&line);
}

static int run(const struct invocation *in)
{
    const enum input_way way = in->options->permissive ? INPUT_PERMISSIVE : INPUT_STRICT;
    int code = EXIT_OK;
    for (int i = 0; i < in->operand_count; i++) {
        struct input input;
        int one = input_open(in->operands[i], way, &input);
        if (one == EXIT_OK)
            one = check_tensors(&input);
        if (one == EXIT_OK && !in->options->quiet)
            print_valid(in, &input);
        input_close(&input);
        code = exit_worst(code, one);
    }
    return code;
}

static const struct option_row rows[] = {
    {.letter = 'p',
     .name = "permissive",
     .help = "accept types, layouts and schemes that are not known",
     .at = offsetof(struct options, permissive)},
    {.letter = 'q',
     .name = "quiet",
     .help = "say nothing of what is valid",
     .at = offsetof(struct options, quiet)},
    OPTION_HELP,
};

const struct command command_check = {
    .name = "check",
    .operands = "FILE...",
    .summary = "whether a file keeps every rule of the format",
    .more = "Looks at header, trailer, index and its checksum, key-values, every\n"
            "descriptor, composites, index buffers, quantization parameters and unused\n"
            "bits. Of what breaks a rule, the first is told in one line: rule, byte and\n"
            "values; the exit status is then 1. A valid file may lie in any order;\n"
            "whether it can be read front to back, from a pipe, is told.\n",
    .examples = "  hurray check state.hrry\n"
                "  hurray check -q *.hrry && echo all are valid\n"
                "  hurray check --permissive from_elsewhere.hrry\n",
    .least = 1,
    .most = 1 << 20,
    .options = COMMAND_OPTIONS(rows),
    .run = run,
};
