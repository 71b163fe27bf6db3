/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_dump.c - hurray dump: the values of a tensor. */
#include "array_text.h"
#include "command.h"
#include "data.h"
#include "descriptor_json.h"
#include "input.h"
#include "members.h"
#include "terminal.h"
#include "values.h"
#include "words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- lengths of sequences ---- */

static size_t count_numbers(const char *list)
{
    size_t count = 1;
    for (; *list != '\0'; list++)
        count += *list == ',';
    return count;
}

/* Numbers with commas between them into `out`; false when they are something else. */
static bool parse_numbers(const char *list, uint64_t *out)
{
    for (;; list++) {
        char *end;
        errno = 0;
        *out++ = strtoull(list, &end, 10);
        if (*list < '0' || *list > '9' || errno != 0 || (*end != ',' && *end != '\0'))
            return false;
        list = end;
        if (*end == '\0')
            return true;
    }
}

/* What --lengths says, to be freed; NULL without. */
static int take_lengths(const struct invocation *in, const struct place *where,
                        const hry_descriptor *d, uint64_t **out)
{
    const char *list = in->options->lengths;
    if (list == NULL)
        return EXIT_OK;
    if (d->layout_tag != HRY_BLOCK_PAGED)
        return report_refusal(where, "--lengths is for block-paged tensors");
    const size_t count = *list == '\0' ? 0 : count_numbers(list);
    if (count != d->fields.paged.num_seqs)
        return report_refusal(where, "--lengths has %zu numbers for %lu sequences", count,
                              (unsigned long)d->fields.paged.num_seqs);
    *out = calloc(count + 1, sizeof **out);
    if (*out == NULL)
        return report_refusal(where, "no memory for %zu lengths", count);
    if (count > 0 && !parse_numbers(list, *out))
        return report_refusal(where, "--lengths: '%s' is no list like 6,3", list);
    return EXIT_OK;
}

/* ---- */

/* What a reader may need to know when the library refuses. */
static int explain(const struct place *where, const hry_descriptor *d, const hry_error *err)
{
    if (err->code == HRY_ERR_UNSUPPORTED && d->layout_tag == HRY_BLOCK_PAGED)
        return report_refusal(
            where,
            "the file does not tell the tokens of each sequence: give them "
            "as --lengths N,N,... (%lu sequences, %llu tokens)",
            (unsigned long)d->fields.paged.num_seqs, (unsigned long long)d->shape[0]);
    if (err->code == HRY_ERR_UNSUPPORTED || err->code == HRY_ERR_ARG)
        return report_refusal(where, "%s", err->message);
    return report_error(where, err);
}

static void begin_json(struct json *j, const struct described *what, const struct values *v)
{
    struct text type = {0};
    words_add_type(&type, what->d.type_tag);
    json_open(j, JSON_OBJECT);
    json_key(j, "name");
    json_text(j, what->entry.name, what->entry.name_length);
    json_put_string(j, "type", text_string(&type));
    if (v->is_dequantized)
        json_put_string(j, "values_type", hry_type_name(v->type.tag));
    shape_json(j, "shape", what->d.shape, what->d.rank);
    json_key(j, "values");
    json_open(j, JSON_WRAPPED_ARRAY);
    text_free(&type);
}

enum { PIECES_KEPT = 64 }; /* after so many, what was read of the file is let go */

/* The first box is read before anything is printed. */
static hry_status print_json(const struct invocation *in, const struct input *input,
                             const struct described *what, struct values *v, hry_error *err)
{
    struct boxes boxes = boxes_of(what->d.rank, what->d.shape, VALUES_PIECE);
    struct json j = json_on(in->out);
    char text[VALUE_TEXT];
    hry_status status = HRY_OK;
    size_t pieces = 0;
    const struct box *box = boxes_next(&boxes);
    if (box != NULL)
        status = values_read(v, box, err);
    if (status != HRY_OK)
        return status;
    begin_json(&j, what, v);
    while (box != NULL && status == HRY_OK && !ferror(in->out)) {
        const size_t count = (size_t)box_size(box, what->d.rank);
        for (size_t i = 0; i < count; i++) {
            value_json(v, i, text);
            json_raw(&j, text);
        }
        if (++pieces % PIECES_KEPT == 0)
            input_release(input);
        box = boxes_next(&boxes);
        if (box != NULL)
            status = values_read(v, box, err);
    }
    json_close(&j);
    json_close(&j);
    return status;
}

static hry_status print_text(const struct invocation *in, const struct described *what,
                             struct values *v, hry_error *err)
{
    struct text title = {0};
    text_add(&title, "%s", terminal_on(in->colour));
    text_add_foreign(&title, what->entry.name, what->entry.name_length);
    text_add(&title, "%s  ", terminal_off(in->colour));
    words_add_type(&title, what->d.type_tag);
    text_add(&title, " ");
    text_add_shape(&title, what->d.shape, what->d.rank);
    if (v->is_dequantized)
        text_add(&title, ", dequantized");
    const hry_status status = array_text(v, text_string(&title), in->out, err);
    text_free(&title);
    return status;
}

static hry_status print(const struct invocation *in, const struct input *input,
                        const struct described *what, struct values *v, hry_error *err)
{
    return in->options->json ? print_json(in, input, what, v, err)
                             : print_text(in, what, v, err);
}

static int dump_tensor(const struct invocation *in, const struct input *input,
                       const struct described *what)
{
    const struct place where = input_place(input, what);
    struct data data;
    struct values values = {.tensor = NULL};
    uint64_t *lengths = NULL;
    hry_error err;
    int code = take_lengths(in, &where, &what->d, &lengths);
    if (code == EXIT_OK) {
        hry_status status = data_load(input, what, &data, &err);
        data.tensor.sequence_tokens = lengths;
        if (status == HRY_OK)
            status = data_check(&data, HRY_STRICT, &err);
        if (status == HRY_OK)
            status = values_open(&data.tensor, in->options->raw, &values, &err);
        if (status == HRY_OK)
            status = print(in, input, what, &values, &err);
        if (status != HRY_OK)
            code = explain(&where, &what->d, &err);
    }
    values_close(&values);
    free(lengths);
    return code;
}

static int dump_head(const struct invocation *in, const struct input *input,
                     const struct described *what)
{
    const struct place where = input_place(input, what);
    struct values values = {.head = NULL};
    hry_head *head;
    hry_error err;
    if (in->options->raw || in->options->lengths != NULL)
        return report_refusal(&where, "--raw and --lengths are not for composites");
    if (hry_head_open(input->file, what->position, NULL, &head, &err) != HRY_OK)
        return report_error(&where, &err);
    int code = members_check(input, head);
    if (code == EXIT_OK) {
        hry_status status = values_open_head(head, &what->d, &values, &err);
        if (status == HRY_OK)
            status = print(in, input, what, &values, &err);
        if (status != HRY_OK)
            code = explain(&where, &what->d, &err);
    }
    values_close(&values);
    hry_head_close(head);
    return code;
}

static int run(const struct invocation *in)
{
    struct input input;
    struct described what;
    int code = input_open(in->operands[0], INPUT_STRICT, &input);
    if (code == EXIT_OK)
        code = input_find(&input, in->operands[1], &what);
    if (code == EXIT_OK)
        code = what.d.layout_tag == HRY_COMPOSITE ? dump_head(in, &input, &what)
                                                  : dump_tensor(in, &input, &what);
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
    OPTION_HELP,
};

const struct command command_dump = {
    .name = "dump",
    .operands = "FILE NAME",
    .summary = "the values of a tensor",
    .more = "Of any layout, as the whole tensor: what a sparse one does not store is 0,\n"
            "quantized ones are dequantized, partitions assembled and overlays merged.\n"
            "Of a large tensor text shows the corners only; --json has all values, row-\n"
            "major, read and written piece by piece.\n",
    .examples = "  hurray dump state.hrry fields/density\n"
                "  hurray dump --json state.hrry fields/density | jq '.values | add'\n"
                "  hurray dump --raw weights.hrry layer.0.w\n"
                "  hurray dump --lengths 6,3 cache.hrry layer.0.k\n",
    .least = 2,
    .most = 2,
    .options = COMMAND_OPTIONS(rows),
    .run = run,
};
