/* SPDX-License-Identifier: Apache-2.0 */
/* kv.c - see kv.h. */
#include "kv.h"

#include "number.h"
#include "words.h"

enum { SHOWN_ELEMENTS = 8, SHOWN_BYTES = 64 };

const struct table_column kv_columns[3] = {
    {.title = "KEY"},
    {.title = "TYPE"},
    {.title = "VALUE"},
};

static void add_type(struct text *t, const hry_kv *kv)
{
    const bool is_array = kv->tag == HRY_KV_ARRAY;
    const char *word = word_of_kv(is_array ? kv->element_tag : kv->tag);
    text_add(t, "%s", is_array ? "array of " : "");
    if (word != NULL)
        text_add(t, "%s", word);
    else
        text_add(t, "private 0x%02x", is_array ? kv->element_tag : kv->tag);
}

/* ---- JSON ---- */

static void scalar_json(struct json *j, const hry_kv *kv)
{
    switch (kv->tag) {
    case HRY_KV_STRING:
        json_text(j, kv->bytes, kv->length);
        return;
    case HRY_KV_I64:
        json_i64(j, kv->number.i64);
        return;
    case HRY_KV_U64:
        json_u64(j, kv->number.u64);
        return;
    case HRY_KV_F64:
        json_real(j, kv->number.f64);
        return;
    case HRY_KV_BOOL:
        json_bool(j, kv->number.boolean);
        return;
    default:
        json_hex(j, kv->bytes, kv->length);
    }
}

void kv_json(struct json *j, const hry_kv *kv)
{
    struct text type = {0};
    hry_kv element;
    add_type(&type, kv);
    json_open(j, JSON_LINE_OBJECT);
    json_key(j, "key");
    json_text(j, kv->key, kv->key_length);
    json_put_string(j, "type", text_string(&type));
    json_key(j, "value");
    if (kv->tag == HRY_KV_ARRAY) {
        json_open(j, JSON_LINE_ARRAY);
        for (uint32_t i = 0;
             i < kv->count && hry_kv_element(kv, i, &element, NULL) == HRY_OK; i++)
            scalar_json(j, &element);
        json_close(j);
    } else {
        scalar_json(j, kv);
    }
    json_close(j);
    text_free(&type);
}

/* ---- text ---- */

static void add_cut(struct text *t, const hry_kv *kv)
{
    const size_t shown = kv->length < SHOWN_BYTES ? kv->length : SHOWN_BYTES;
    const uint8_t *bytes = kv->bytes;
    if (kv->tag == HRY_KV_STRING) {
        text_add(t, "\"");
        text_add_foreign(t, bytes, shown);
        text_add(t, "\"");
    } else {
        for (size_t i = 0; i < shown; i++)
            text_add(t, "%02x", bytes[i]);
    }
    if (shown < kv->length)
        text_add(t, "... (%zu bytes)", kv->length);
}

static void add_scalar(struct text *t, const hry_kv *kv)
{
    char digits[NUMBER_SIZE];
    switch (kv->tag) {
    case HRY_KV_I64:
        text_add(t, "%lld", (long long)kv->number.i64);
        return;
    case HRY_KV_U64:
        text_add(t, "%llu", (unsigned long long)kv->number.u64);
        return;
    case HRY_KV_F64:
        number_of_double(kv->number.f64, digits);
        text_add(t, "%s", digits);
        return;
    case HRY_KV_BOOL:
        text_add(t, kv->number.boolean ? "true" : "false");
        return;
    default:
        add_cut(t, kv);
    }
}

void kv_text(struct table *t, const hry_kv *kv)
{
    hry_kv element;
    text_add_foreign(table_cell(t), kv->key, kv->key_length);
    table_next(t);
    add_type(table_cell(t), kv);
    table_next(t);
    if (kv->tag == HRY_KV_ARRAY) {
        const uint32_t shown = kv->count < SHOWN_ELEMENTS ? kv->count : SHOWN_ELEMENTS;
        text_add(table_cell(t), "[");
        for (uint32_t i = 0; i < shown; i++) {
            text_add(table_cell(t), "%s", i > 0 ? ", " : "");
            if (hry_kv_element(kv, i, &element, NULL) == HRY_OK)
                add_scalar(table_cell(t), &element);
        }
        text_add(table_cell(t), shown < kv->count ? ", ...] (%lu)" : "]",
                 (unsigned long)kv->count);
    } else {
        add_scalar(table_cell(t), kv);
    }
    table_next(t);
}
