/* SPDX-License-Identifier: Apache-2.0 */
/* file_kv.c - the key-value section of a file (format section 6). */
#include "container/container.h"

#include "checked.h"
#include "utf8.h"

#include <stdlib.h>

/* A key of one byte and the smallest value. */
enum { ROW_MIN = 2 + 1 + 1 + 1 };

/* Bytes of a value on the wire; of the smallest one where they vary. */
static const struct {
    uint8_t min;
    bool varies; /* u32 length and that many bytes */
} kinds[] = {
    [HRY_KV_STRING] = {4, true}, [HRY_KV_I64] = {8, false},  [HRY_KV_U64] = {8, false},
    [HRY_KV_F64] = {8, false},   [HRY_KV_BOOL] = {1, false}, [HRY_KV_BYTES] = {4, true},
};

static bool is_scalar(uint8_t tag)
{
    return tag >= HRY_KV_STRING && tag <= HRY_KV_BYTES;
}

static hry_status check_text(const void *text, size_t size, uint64_t at, const char *what,
                             hry_status bad, hry_error *err)
{
    const size_t valid = hry_utf8_valid_prefix(text, size);
    if (valid != size)
        return HRY_FAIL_AT(err, bad, at == HRY_NO_OFFSET ? at : at + valid,
                           "%s: byte %zu of %zu is no UTF-8", what, valid, size);
    return HRY_OK;
}

/* One value that is no array; the cursor counts from `at` in the file. */
static hry_status read_scalar(hry_cursor *c, uint8_t tag, uint64_t at, hry_kv *out,
                              hry_error *err)
{
    const uint64_t start = at + c->pos;
    if (kinds[tag].varies) {
        out->length = cur_u32(c);
        out->bytes = cur_take(c, out->length);
    } else if (tag == HRY_KV_I64) {
        out->number.i64 = cur_i64(c);
    } else if (tag == HRY_KV_U64) {
        out->number.u64 = cur_u64(c);
    } else if (tag == HRY_KV_F64) {
        out->number.f64 = cur_f64(c);
    } else {
        const uint8_t byte = cur_u8(c);
        if (byte > 1)
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, start,
                               "value: bool %d, must be 0 or 1", byte);
        out->number.boolean = byte == 1;
    }
    if (c->short_by != 0)
        return HRY_FAIL_AT(err, HRY_ERR_TRUNCATED, start,
                           "value: the section ends %zu bytes too early", c->short_by);
    if (tag == HRY_KV_STRING)
        return check_text(out->bytes, out->length, start + 4, "value", HRY_ERR_CORRUPT,
                          err);
    return HRY_OK;
}

static hry_status read_array(hry_cursor *c, uint64_t at, hry_kv *out, hry_error *err)
{
    const uint64_t start = at + c->pos;
    out->element_tag = cur_u8(c);
    out->count = cur_u32(c);
    if (c->short_by != 0)
        return HRY_FAIL_AT(err, HRY_ERR_TRUNCATED, start,
                           "value: the section ends %zu bytes too early", c->short_by);
    if (!is_scalar(out->element_tag))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, start,
                           "element_tag: 0x%02X, must be in 1..6", out->element_tag);
    if (!cur_fits(c, out->count, kinds[out->element_tag].min))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, start + 1,
                           "count: %lu elements in %zu bytes", (unsigned long)out->count,
                           cur_left(c));
    const size_t first = c->pos;
    hry_kv element;
    for (uint32_t i = 0; i < out->count; i++)
        HRY_TRY(read_scalar(c, out->element_tag, at, &element, err));
    out->bytes = c->data + first;
    out->length = c->pos - first;
    return HRY_OK;
}

static hry_status read_value(hry_cursor *c, uint64_t at, hry_mode mode, hry_kv *out,
                             hry_error *err)
{
    const uint64_t start = at + c->pos - 1;
    if (is_scalar(out->tag))
        return read_scalar(c, out->tag, at, out, err);
    if (out->tag == HRY_KV_ARRAY)
        return read_array(c, at, out, err);
    if (out->tag < 0xF0 || out->tag == 0xFF)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, start,
                           "value_tag: 0x%02X, must be in 1..7 or 0xF0..0xFE", out->tag);
    if (mode == HRY_STRICT)
        return HRY_FAIL_AT(err, HRY_ERR_UNSUPPORTED, start,
                           "value_tag: 0x%02X is private, its length is not known",
                           out->tag);
    /* Where a private value ends nobody can say: it takes all that is left. */
    out->length = cur_left(c);
    out->bytes = cur_take(c, out->length);
    return HRY_OK;
}

static hry_status read_key(hry_cursor *c, uint64_t at, hry_kv *out, hry_error *err)
{
    const uint64_t start = at + c->pos;
    out->key_length = cur_u16(c);
    out->key = (const char *)cur_take(c, out->key_length);
    out->tag = cur_u8(c);
    if (c->short_by != 0)
        return HRY_FAIL_AT(err, HRY_ERR_TRUNCATED, start,
                           "key_length: %d, the section ends %zu bytes too early",
                           out->key_length, c->short_by);
    if (out->key_length == 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, start, "key_length: 0, must be >= 1");
    return check_text(out->key, out->key_length, start + 2, "key", HRY_ERR_CORRUPT, err);
}

static hry_status read_rows(hry_cursor *c, uint64_t at, hry_mode mode, hry_kv_list *list,
                            hry_error *err)
{
    bool last = false;
    uint32_t i = 0;
    for (; i < list->count && !last; i++) {
        hry_kv *row = &list->rows[i];
        *row = (hry_kv){0};
        HRY_TRY(read_key(c, at, row, err));
        HRY_TRY(read_value(c, at, mode, row, err));
        hry_name_table_put(&list->keys, i, row->key, row->key_length);
        last = row->tag > HRY_KV_ARRAY;
    }
    list->count = list->keys.count = i;
    if (cur_left(c) != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + c->pos,
                           "kv_length: %zu bytes are left after %lu entries", cur_left(c),
                           (unsigned long)list->count);
    return HRY_OK;
}

static hry_name key_of_row(const void *rows, uint32_t position)
{
    const hry_kv *row = (const hry_kv *)rows + position;
    return (hry_name){.text = row->key, .length = row->key_length};
}

static hry_status find_twice(const uint8_t *bytes, uint64_t at, hry_kv_list *list,
                             hry_error *err)
{
    uint32_t twice;
    HRY_TRY(hry_name_table_build(&list->keys, list->rows, key_of_row, &twice, err));
    if (twice == UINT32_MAX)
        return HRY_OK;
    const hry_kv *row = &list->rows[twice];
    return HRY_FAIL_AT(err, HRY_ERR_CORRUPT,
                       at + (uint64_t)((const uint8_t *)row->key - bytes) - 2,
                       "key: \"%.*s\" is there twice", (int)row->key_length, row->key);
}

hry_status hry_kv_decode(const uint8_t *bytes, size_t size, uint64_t at, hry_mode mode,
                         hry_kv_list *out, hry_error *err)
{
    hry_cursor c = cur_over(bytes, size);
    hry_kv_list list = {.count = cur_u32(&c)};
    size_t rows;
    if (!cur_fits(&c, list.count, ROW_MIN) || list.count == UINT32_MAX)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at,
                           "kv_count: %lu, the section has room for %zu",
                           (unsigned long)list.count, cur_left(&c) / ROW_MIN);

    hry_status status = hry_name_table_new(list.count, &list.keys, err);
    if (status != HRY_OK)
        goto done;
    if (!checked_array(list.count, sizeof *list.rows, &rows) ||
        (list.rows = malloc(rows + 1)) == NULL) {
        status = HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %lu key-value entries",
                          (unsigned long)list.count);
        goto done;
    }
    if ((status = read_rows(&c, at, mode, &list, err)) != HRY_OK ||
        (status = find_twice(bytes, at, &list, err)) != HRY_OK)
        goto done;
    *out = list;
    list = (hry_kv_list){0};

done:
    hry_kv_free(&list);
    return status;
}

void hry_kv_free(hry_kv_list *list)
{
    free(list->rows);
    hry_name_table_free(&list->keys);
    *list = (hry_kv_list){0};
}

hry_status hry_kv_next(const hry_kv *array, size_t *at, hry_kv *out, hry_error *err)
{
    if (array->tag != HRY_KV_ARRAY || !is_scalar(array->element_tag))
        return HRY_FAIL(err, HRY_ERR_ARG, "the value is no array");
    if (*at >= array->length)
        return HRY_FAIL(err, HRY_ERR_RANGE, "no element at byte %zu of %zu", *at,
                        array->length);
    hry_cursor c = cur_over(array->bytes, array->length);
    cur_take(&c, *at);
    hry_kv element = {.tag = array->element_tag};
    HRY_TRY(read_scalar(&c, element.tag, 0, &element, err));
    *out = element;
    *at = c.pos;
    return HRY_OK;
}

hry_status hry_kv_element(const hry_kv *array, uint32_t i, hry_kv *out, hry_error *err)
{
    if (array->tag != HRY_KV_ARRAY || !is_scalar(array->element_tag))
        return HRY_FAIL(err, HRY_ERR_ARG, "the value is no array");
    if (i >= array->count)
        return HRY_FAIL(err, HRY_ERR_RANGE, "element %lu of %lu", (unsigned long)i,
                        (unsigned long)array->count);
    hry_cursor c = cur_over(array->bytes, array->length);
    if (kinds[array->element_tag].varies)
        for (uint32_t k = 0; k < i; k++)
            cur_take(&c, cur_u32(&c));
    else
        cur_take(&c, (size_t)i * kinds[array->element_tag].min);
    size_t at = c.short_by != 0 ? array->length : c.pos;
    return hry_kv_next(array, &at, out, err);
}

/* ---- writing ---- */

static void write_scalar(const hry_kv *kv, hry_builder *out)
{
    switch (kv->tag) {
    case HRY_KV_I64:
        bld_i64(out, kv->number.i64);
        return;
    case HRY_KV_U64:
        bld_u64(out, kv->number.u64);
        return;
    case HRY_KV_F64:
        bld_f64(out, kv->number.f64);
        return;
    case HRY_KV_BOOL:
        bld_u8(out, kv->number.boolean);
        return;
    default:
        bld_u32(out, (uint32_t)kv->length);
        bld_bytes(out, kv->bytes, kv->length);
    }
}

/* An array's payloads must be what they say; a reader would refuse them otherwise. */
static hry_status check_array(const hry_kv *kv, hry_error *err)
{
    if (!is_scalar(kv->element_tag) || kv->count == 0)
        return HRY_FAIL(
            err, HRY_ERR_ARG,
            "array of %lu elements of tag 0x%02X: at least 1 of tag 1..6 wanted",
            (unsigned long)kv->count, kv->element_tag);
    hry_cursor c = cur_over(kv->bytes, kv->length);
    hry_kv element;
    for (uint32_t i = 0; i < kv->count; i++)
        if (read_scalar(&c, kv->element_tag, 0, &element, NULL) != HRY_OK)
            return HRY_FAIL(err, HRY_ERR_ARG, "array: element %lu of %lu is malformed",
                            (unsigned long)i, (unsigned long)kv->count);
    if (cur_left(&c) != 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "array: %zu bytes after its last element",
                        cur_left(&c));
    return HRY_OK;
}

static hry_status check_value(const hry_kv *kv, hry_error *err)
{
    if (kv->tag == HRY_KV_ARRAY)
        return check_array(kv, err);
    if (!is_scalar(kv->tag))
        return HRY_FAIL(err, HRY_ERR_ARG, "value_tag: 0x%02X, must be in 1..7", kv->tag);
    if (kinds[kv->tag].varies &&
        (kv->length > UINT32_MAX || (kv->bytes == NULL && kv->length > 0)))
        return HRY_FAIL(err, HRY_ERR_ARG, "value: %zu bytes, at most 2^32 - 1 can be kept",
                        kv->length);
    if (kv->tag == HRY_KV_STRING)
        return check_text(kv->bytes, kv->length, HRY_NO_OFFSET, "value", HRY_ERR_ARG, err);
    return HRY_OK;
}

hry_status hry_kv_encode(const hry_kv *kv, hry_builder *out, hry_error *err)
{
    if (kv == NULL || kv->key == NULL || kv->key_length == 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "key: empty, must have 1..65535 bytes");
    HRY_TRY(check_text(kv->key, kv->key_length, HRY_NO_OFFSET, "key", HRY_ERR_ARG, err));
    HRY_TRY(check_value(kv, err));
    bld_u16(out, kv->key_length);
    bld_bytes(out, kv->key, kv->key_length);
    bld_u8(out, kv->tag);
    if (kv->tag == HRY_KV_ARRAY) {
        bld_u8(out, kv->element_tag);
        bld_u32(out, kv->count);
        bld_bytes(out, kv->bytes, kv->length);
    } else {
        write_scalar(kv, out);
    }
    return bld_ok(out, "key-value entry", err);
}
