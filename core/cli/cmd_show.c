/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_show.c - hurray show: what a file says of itself and of its tensors. */
#include "command.h"
#include "descriptor_json.h"
#include "descriptor_text.h"
#include "input.h"
#include "kv.h"
#include "show_hex.h"
#include "terminal.h"
#include "words.h"

#include <string.h>

/* Where the buffers begin in the file; false where that cannot be told. */
static bool find_buffers(const struct input *input, const struct described *what,
                         uint64_t offsets[HRY_MAX_BUFFERS])
{
    if (!what->in_file || what->d.opaque || what->d.buffer_count == 0)
        return false;
    for (uint32_t b = 0; b < what->d.buffer_count; b++)
        if (hry_file_buffer(input->file, what->position, &what->d, b, &offsets[b], NULL) !=
            HRY_OK)
            return false;
    return true;
}

static int no_memory(const struct input *input)
{
    const struct place where = {.file = input->path};
    return report_refusal(&where, "no memory to show it");
}

/* ---- JSON ---- */

static void index_json(struct json *j, const struct described *what)
{
    json_key(j, "index");
    json_open(j, JSON_LINE_OBJECT);
    json_put_u64(j, "position", what->position);
    json_put_u64(j, "descriptor_offset", what->entry.descriptor_offset);
    json_put_u64(j, "descriptor_length", what->entry.descriptor_length);
    json_put_u64(j, "data_offset", what->entry.data_offset);
    json_put_u64(j, "data_length", what->entry.data_length);
    json_close(j);
}

static void tensor_json(struct json *j, const struct input *input,
                        const struct described *what)
{
    uint64_t offsets[HRY_MAX_BUFFERS];
    json_open(j, JSON_OBJECT);
    if (what->in_file) {
        const bool known = find_buffers(input, what, offsets);
        json_key(j, "name");
        json_text(j, what->entry.name, what->entry.name_length);
        index_json(j, what);
        json_key(j, "buffer_offsets");
        json_open(j, JSON_LINE_ARRAY);
        for (uint32_t b = 0; known && b < what->d.buffer_count; b++)
            json_u64(j, offsets[b]);
        json_close(j);
    } else {
        json_put_string(j, "file", input->path);
        json_put_u64(j, "size", input->size);
    }
    json_key(j, "descriptor");
    descriptor_json(j, &what->d, what->entry.descriptor_length);
    json_close(j);
}

static void header_json(struct json *j, const hry_file_info *info)
{
    json_key(j, "header");
    json_open(j, JSON_LINE_OBJECT);
    json_key(j, "container_version");
    json_open(j, JSON_LINE_ARRAY);
    json_u64(j, info->version_major);
    json_u64(j, info->version_minor);
    json_close(j);
    json_put_u64(j, "file_flags", info->flags);
    json_put_u64(j, "data_buffer_alignment", info->alignment);
    json_put_u64(j, "first_descriptor_offset", info->first_descriptor_offset);
    json_put_u64(j, "tensor_count_hint", info->tensor_count_hint);
    json_close(j);
    json_key(j, "trailer");
    json_open(j, JSON_LINE_OBJECT);
    json_put_u64(j, "index_offset", info->index_offset);
    json_put_u64(j, "index_length", info->index_length);
    json_put_u64(j, "kv_offset", info->kv_offset);
    json_put_u64(j, "kv_length", info->kv_length);
    json_put_u64(j, "index_crc32c", info->index_crc);
    json_close(j);
}

static int file_json(const struct invocation *in, const struct input *input)
{
    struct json j = json_on(in->out);
    struct described what;
    hry_kv kv;
    int code = EXIT_OK;
    json_open(&j, JSON_OBJECT);
    json_put_string(&j, "file", input->path);
    json_put_u64(&j, "size", input->size);
    header_json(&j, hry_file_get_info(input->file));
    json_put_u64(&j, "tensor_count", input_count(input));
    json_key(&j, "kv");
    json_open(&j, JSON_ARRAY);
    for (uint32_t i = 0; i < hry_file_kv_count(input->file); i++)
        if (hry_file_kv(input->file, i, &kv, NULL) == HRY_OK)
            kv_json(&j, &kv);
    json_close(&j);
    json_key(&j, "tensors");
    json_open(&j, JSON_ARRAY);
    for (uint64_t i = 0; i < input_count(input); i++) {
        const int one = input_describe(input, i, &what);
        if (one == EXIT_OK)
            tensor_json(&j, input, &what);
        code = exit_worst(code, one);
    }
    json_close(&j);
    json_close(&j);
    return code;
}

/* ---- text ---- */

static void title(const struct invocation *in, const struct input *input,
                  const struct described *what)
{
    struct text line = {0};
    if (what->in_file)
        text_add_foreign(&line, what->entry.name, what->entry.name_length);
    else
        text_add_foreign(&line, input->path, strlen(input->path));
    fprintf(in->out, "%s%s%s\n", terminal_on(in->colour), text_string(&line),
            terminal_off(in->colour));
    text_free(&line);
}

static int tensor_text(const struct invocation *in, const struct input *input,
                       const struct described *what)
{
    struct table table = table_of(descriptor_columns, 4);
    uint64_t offsets[HRY_MAX_BUFFERS];
    const bool known = find_buffers(input, what, offsets);
    title(in, input, what);
    descriptor_text(&table, &what->d, what->entry.descriptor_offset,
                    what->entry.descriptor_length, known ? offsets : NULL);
    const bool printed = table_print(&table, in->out, in->colour);
    table_free(&table);
    return printed ? EXIT_OK : no_memory(input);
}

static bool kv_section_text(const struct invocation *in, const struct input *input)
{
    struct table table = table_of(kv_columns, 3);
    hry_kv kv;
    if (hry_file_kv_count(input->file) == 0)
        return true;
    for (uint32_t i = 0; i < hry_file_kv_count(input->file); i++)
        if (hry_file_kv(input->file, i, &kv, NULL) == HRY_OK)
            kv_text(&table, &kv);
    fputc('\n', in->out);
    const bool printed = table_print(&table, in->out, in->colour);
    table_free(&table);
    return printed;
}

static void file_header_text(const struct invocation *in, const struct input *input)
{
    const hry_file_info *info = hry_file_get_info(input->file);
    struct text line = {0};
    text_add_foreign(&line, input->path, strlen(input->path));
    text_add(&line, ": Hurray file %u.%u, %llu bytes\n", info->version_major,
             info->version_minor, (unsigned long long)info->size);
    text_add(&line, "flags        0x%lx ", (unsigned long)info->flags);
    words_add_bits(&line, info->flags, word_of_file_flag);
    text_add(&line, "\nalignment    %lu\n", (unsigned long)info->alignment);
    text_add(&line, "tensors      %llu", (unsigned long long)input_count(input));
    if (info->tensor_count_hint != UINT64_MAX)
        text_add(&line, " (hint: %llu)", (unsigned long long)info->tensor_count_hint);
    text_add(&line, ", the first descriptor at %llu\n",
             (unsigned long long)info->first_descriptor_offset);
    text_add(&line, "key-values   %lu", (unsigned long)hry_file_kv_count(input->file));
    if (info->kv_offset != 0)
        text_add(&line, " at %llu, %lu bytes", (unsigned long long)info->kv_offset,
                 (unsigned long)info->kv_length);
    text_add(&line, "\nindex        at %llu, %llu bytes",
             (unsigned long long)info->index_offset,
             (unsigned long long)info->index_length);
    if ((info->flags & HRY_FILE_HAS_INDEX_CRC) != 0)
        text_add(&line, ", CRC-32C %08lx", (unsigned long)info->index_crc);
    fprintf(in->out, "%s\n", text_string(&line));
    text_free(&line);
}

static int file_text(const struct invocation *in, const struct input *input)
{
    struct described what;
    file_header_text(in, input);
    int code = kv_section_text(in, input) ? EXIT_OK : no_memory(input);
    for (uint64_t i = 0; i < input_count(input); i++) {
        int one = input_describe(input, i, &what);
        if (one == EXIT_OK) {
            fputc('\n', in->out);
            one = tensor_text(in, input, &what);
        }
        code = exit_worst(code, one);
    }
    return code;
}

/* ---- */

static int hex(const struct invocation *in, const struct input *input)
{
    struct described what;
    if (in->operand_count == 1)
        return show_hex(in, input);
    const int code = input_find(input, in->operands[1], &what);
    return code == EXIT_OK ? show_hex_tensor(in, input, &what) : code;
}

static int show_one(const struct invocation *in, const struct input *input)
{
    struct described what;
    const int code = in->operand_count > 1 ? input_find(input, in->operands[1], &what)
                                           : input_describe(input, 0, &what);
    if (code != EXIT_OK)
        return code;
    if (!in->options->json)
        return tensor_text(in, input, &what);
    struct json j = json_on(in->out);
    tensor_json(&j, input, &what);
    return EXIT_OK;
}

static int run(const struct invocation *in)
{
    struct input input;
    int code = input_open(in->operands[0], INPUT_INSPECT, &input);
    if (code == EXIT_OK) {
        if (in->options->hex)
            code = hex(in, &input);
        else if (in->operand_count > 1 || input.file == NULL)
            code = show_one(in, &input);
        else
            code = in->options->json ? file_json(in, &input) : file_text(in, &input);
    }
    input_close(&input);
    return code;
}

static const struct option_row rows[] = {
    {.letter = 'x',
     .name = "hex",
     .help = "every field with its bytes; of streams too",
     .at = offsetof(struct options, hex)},
    OPTION_JSON,
    OPTION_HELP,
};

const struct command command_show = {
    .name = "show",
    .operands = "FILE [NAME]",
    .summary = "what a file, or one of its tensors, says of itself",
    .more =
        "Without NAME: header, key-values and all descriptors. Of a descriptor each\n"
        "field is shown with the byte of the file where it is. Data are not read:\n"
        "see 'hurray dump'. With --hex all parts of the file are shown as a hex viewer\n"
        "does, field by field; so are descriptors and bare streams of tensors.\n",
    .examples =
        "  hurray show state.hrry | less -S\n"
        "  hurray show state.hrry fields/density\n"
        "  hurray show --json state.hrry | jq '.tensors[].descriptor.quantization'\n"
        "  hurray show --hex state.hrry | less\n"
        "  hurray show descriptor.bin\n",
    .least = 1,
    .most = 2,
    .options = COMMAND_OPTIONS(rows),
    .run = run,
};
