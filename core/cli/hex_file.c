/* SPDX-License-Identifier: Apache-2.0 */
/* hex_file.c - see hex_file.h. */
#include "hex_file.h"

#include "descriptor_text.h"
#include "hex_rows.h"
#include "kv.h"
#include "words.h"

#include <string.h>

static void number(struct table *t, uint64_t byte, const char *field, uint64_t value,
                   const char *meaning)
{
    descriptor_row(t, byte, field, "%llu", (unsigned long long)value);
    table_next(t);
    text_add(table_cell(t), "%s", meaning);
    table_next(t);
}

static void name(struct table *t, uint64_t byte, const char *field, const char *bytes,
                 size_t length)
{
    descriptor_row(t, byte, field, "%s", "");
    text_add_foreign(table_cell(t), bytes, length);
    table_next(t);
    table_next(t);
}

bool hex_file_header(const struct invocation *in, const struct input *input)
{
    struct table t = table_of(descriptor_columns, 4);
    const hry_file_info *info = hry_file_get_info(input->file);
    descriptor_row(&t, 8, "version", "%u.%u", info->version_major, info->version_minor);
    table_next(&t);
    table_next(&t);
    number(&t, 10, "reserved", 0, "");
    descriptor_row(&t, 12, "file_flags", "0x%lx", (unsigned long)info->flags);
    table_next(&t);
    words_add_bits(table_cell(&t), info->flags, word_of_file_flag);
    table_next(&t);
    number(&t, 16, "data_buffer_alignment", info->alignment, "bytes");
    number(&t, 20, "first_descriptor_offset", info->first_descriptor_offset, "");
    number(&t, 28, "tensor_count_hint", info->tensor_count_hint,
           info->tensor_count_hint == UINT64_MAX ? "not known" : "");
    number(&t, 36, "reserved", 0, "");
    return hex_rows(in, input, "file header", 0, &t, HRY_FILE_HEADER_SIZE);
}

/* ---- key-values ---- */

/* The value as kv_text() shows it. */
static void add_value(struct text *out, const hry_kv *kv)
{
    struct table t = table_of(kv_columns, 3);
    kv_text(&t, kv);
    const char *cell = text_string(&t.cells);
    for (int skipped = 0; !t.cells.failed && skipped < 2; skipped++)
        cell += strlen(cell) + 1;
    text_add(out, "%s", cell);
    table_free(&t);
}

/* Bytes of an entry behind its tag. */
static uint64_t value_size(const hry_kv *kv)
{
    switch (kv->tag) {
    case HRY_KV_STRING:
    case HRY_KV_BYTES:
        return 4 + (uint64_t)kv->length;
    case HRY_KV_ARRAY:
        return 5 + (uint64_t)kv->length;
    case HRY_KV_BOOL:
        return 1;
    case HRY_KV_I64:
    case HRY_KV_U64:
    case HRY_KV_F64:
        return 8;
    default:
        return kv->length;
    }
}

bool hex_file_kv(const struct invocation *in, const struct input *input)
{
    const hry_file_info *info = hry_file_get_info(input->file);
    struct table t = table_of(descriptor_columns, 4);
    uint64_t at = info->kv_offset;
    hry_kv kv;
    if (at == 0)
        return true;
    number(&t, at, "kv_count", hry_file_kv_count(input->file), "");
    at += 4;
    for (uint32_t i = 0; i < hry_file_kv_count(input->file); i++) {
        if (hry_file_kv(input->file, i, &kv, NULL) != HRY_OK)
            break;
        number(&t, at, "key_length", kv.key_length, "");
        name(&t, at + 2, "key", kv.key, kv.key_length);
        at += 2 + (uint64_t)kv.key_length;
        descriptor_row(&t, at, "tag", "0x%02x", kv.tag);
        table_next(&t);
        text_add(table_cell(&t), "%s",
                 word_of_kv(kv.tag) != NULL ? word_of_kv(kv.tag) : "");
        table_next(&t);
        descriptor_row(&t, at + 1, "value", "%s", "");
        add_value(table_cell(&t), &kv);
        table_next(&t);
        table_next(&t);
        at += 1 + value_size(&kv);
    }
    return hex_rows(in, input, "key-values", info->kv_offset, &t, at);
}

/* ---- index and trailer ---- */

bool hex_file_index(const struct invocation *in, const struct input *input)
{
    const hry_file_info *info = hry_file_get_info(input->file);
    struct table t = table_of(descriptor_columns, 4);
    uint64_t at = info->index_offset;
    hry_entry e;
    number(&t, at, "tensor_count", input_count(input), "");
    at += 8;
    for (uint64_t i = 0; i < input_count(input); i++) {
        if (hry_file_entry(input->file, i, &e, NULL) != HRY_OK)
            break;
        number(&t, at, "name_length", e.name_length, "");
        name(&t, at + 2, "name", e.name, e.name_length);
        at += 2 + (uint64_t)e.name_length;
        number(&t, at, "descriptor_offset", e.descriptor_offset, "");
        number(&t, at + 8, "descriptor_length", e.descriptor_length, "");
        number(&t, at + 12, "data_offset", e.data_offset, "");
        number(&t, at + 20, "data_length", e.data_length, "");
        number(&t, at + 28, "flags", 0, "");
        at += 32;
    }
    return hex_rows(in, input, "index", info->index_offset, &t, at);
}

bool hex_file_trailer(const struct invocation *in, const struct input *input)
{
    const hry_file_info *info = hry_file_get_info(input->file);
    struct table t = table_of(descriptor_columns, 4);
    const uint64_t at = input->size - HRY_FILE_TRAILER_SIZE;
    number(&t, at, "index_offset", info->index_offset, "");
    number(&t, at + 8, "index_length", info->index_length, "bytes");
    number(&t, at + 16, "kv_offset", info->kv_offset, info->kv_offset == 0 ? "none" : "");
    number(&t, at + 24, "kv_length", info->kv_length, "bytes");
    descriptor_row(&t, at + 28, "index_crc32c", "%08lx", (unsigned long)info->index_crc);
    table_next(&t);
    table_next(&t);
    number(&t, at + 32, "reserved", 0, "");
    name(&t, at + 36, "magic", "HRRY", 4);
    return hex_rows(in, input, "trailer", at, &t, input->size);
}
