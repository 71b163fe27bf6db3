/* SPDX-License-Identifier: Apache-2.0 */
/* footer.c - the end of a file: key-value section, index and trailer (format section 6). */
#include "container/footer.h"

#include "checked.h"
#include "container/container.h"
#include "container/name_set.h"
#include "hry/crc32c.h"
#include "utf8.h"

/* A list in its wire form: rows that start with a u16 length and a name. */
typedef struct section {
    hry_builder rows;
    hry_name_set names;
    uint64_t count;
    size_t twice_plus_1; /* where a row is whose name was there before; 0: none */
} section;

struct hry_footer {
    uint32_t flags;
    section index, kv;
    hry_builder out;
};

hry_status hry_footer_new(uint32_t flags, hry_footer **out, hry_error *err)
{
    if (out == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "out must not be NULL");
    hry_footer *footer = calloc(1, sizeof *footer);
    if (footer == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a footer");
    footer->flags = flags;
    *out = footer;
    return HRY_OK;
}

static void section_free(section *s)
{
    bld_free(&s->rows);
    hry_name_set_free(&s->names);
}

void hry_footer_free(hry_footer *footer)
{
    if (footer == NULL)
        return;
    section_free(&footer->index);
    section_free(&footer->kv);
    bld_free(&footer->out);
    free(footer);
}

bool hry_footer_has(const hry_footer *footer, const char *name, size_t length)
{
    return hry_name_set_has(&footer->index.names, &footer->index.rows, name, length);
}

/* Count the row that was appended at `at`, or take it back when memory was refused. */
static hry_status section_commit(section *s, const char *name, size_t length, size_t at,
                                 hry_error *err)
{
    const hry_status status = bld_ok(&s->rows, "footer", err);
    if (status != HRY_OK) {
        s->rows.size = at;
        s->rows.failed = false;
        return status;
    }
    if (!hry_name_set_has(&s->names, &s->rows, name, length))
        hry_name_set_add(&s->names, name, length, at);
    else if (s->twice_plus_1 == 0)
        s->twice_plus_1 = at + 1;
    s->count++;
    return HRY_OK;
}

static hry_status check_name(const hry_entry *entry, hry_error *err)
{
    if (entry->name == NULL || entry->name_length == 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "name: empty, must have 1..65535 bytes");
    const size_t valid = hry_utf8_valid_prefix(entry->name, entry->name_length);
    if (valid != entry->name_length)
        return HRY_FAIL(err, HRY_ERR_ARG, "name: byte %zu of %d is no UTF-8", valid,
                        entry->name_length);
    return HRY_OK;
}

hry_status hry_footer_add(hry_footer *footer, const hry_entry *entry, hry_error *err)
{
    if (footer == NULL || entry == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "footer and entry must not be NULL");
    HRY_TRY(check_name(entry, err));
    section *s = &footer->index;
    HRY_TRY(hry_name_set_reserve(&s->names, err));
    const size_t at = s->rows.size;
    bld_u16(&s->rows, entry->name_length);
    bld_bytes(&s->rows, entry->name, entry->name_length);
    bld_u64(&s->rows, entry->descriptor_offset);
    bld_u32(&s->rows, entry->descriptor_length);
    bld_u64(&s->rows, entry->data_offset);
    bld_u64(&s->rows, entry->data_length);
    bld_u32(&s->rows, 0);
    return section_commit(s, entry->name, entry->name_length, at, err);
}

hry_status hry_footer_add_kv(hry_footer *footer, const hry_kv *kv, hry_error *err)
{
    if (footer == NULL || kv == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "footer and kv must not be NULL");
    section *s = &footer->kv;
    HRY_TRY(hry_name_set_reserve(&s->names, err));
    const size_t at = s->rows.size;
    const hry_status status = hry_kv_encode(kv, &s->rows, err);
    if (status != HRY_OK && !s->rows.failed)
        return status;
    return section_commit(s, kv->key, kv->key_length, at, err);
}

static hry_status check_twice(const section *s, const char *what, hry_error *err)
{
    if (s->twice_plus_1 == 0)
        return HRY_OK;
    const size_t at = s->twice_plus_1 - 1;
    hry_cursor c = cur_over(s->rows.data + at, s->rows.size - at);
    const int length = cur_u16(&c);
    const char *name = (const char *)cur_take(&c, (size_t)length);
    return HRY_FAIL(err, HRY_ERR_ARG, "%s \"%.*s\" is there twice", what, length, name);
}

/* A row of the index and the name it starts with. */
typedef struct row {
    const uint8_t *bytes;
    size_t size;
    const char *name;
    uint16_t length;
} row;

static int by_name(const void *left, const void *right)
{
    const row *a = left, *b = right;
    const uint16_t common = a->length < b->length ? a->length : b->length;
    const int order = memcmp(a->name, b->name, common);
    return order != 0 ? order : (int)a->length - (int)b->length;
}

static row next_row(hry_cursor *c)
{
    row r = {.bytes = c->data + c->pos};
    const size_t start = c->pos;
    r.length = cur_u16(c);
    r.name = (const char *)cur_take(c, r.length);
    cur_take(c, HRY_ROW_FIXED);
    r.size = c->pos - start;
    return r;
}

static hry_status append_sorted(const section *s, hry_builder *out, hry_error *err)
{
    size_t size;
    row *rows = NULL;
    if (!checked_array(s->count, sizeof *rows, &size) || (rows = malloc(size + 1)) == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory to sort the index");
    hry_cursor c = cur_over(s->rows.data, s->rows.size);
    for (uint64_t i = 0; i < s->count; i++)
        rows[i] = next_row(&c);
    qsort(rows, (size_t)s->count, sizeof *rows, by_name);
    for (uint64_t i = 0; i < s->count; i++)
        bld_bytes(out, rows[i].bytes, rows[i].size);
    free(rows);
    return HRY_OK;
}

/* Present with entries, and without when the header promises one. */
static hry_status append_kv(hry_footer *footer, hry_file_info *info, hry_error *err)
{
    const section *s = &footer->kv;
    if (s->count == 0 && (footer->flags & HRY_FILE_HAS_KV) == 0)
        return HRY_OK;
    if (s->count > UINT32_MAX || s->rows.size > UINT32_MAX - 4)
        return HRY_FAIL(err, HRY_ERR_ARG,
                        "key-value section: %zu bytes, at most 2^32 - 5 can be kept",
                        s->rows.size);
    info->kv_offset = info->size;
    info->kv_length = (uint32_t)(s->rows.size + 4);
    bld_u32(&footer->out, (uint32_t)s->count);
    bld_bytes(&footer->out, s->rows.data, s->rows.size);
    bld_align(&footer->out, 8);
    return HRY_OK;
}

static hry_status append_index(hry_footer *footer, hry_file_info *info, hry_error *err)
{
    const section *s = &footer->index;
    hry_builder *out = &footer->out;
    const size_t start = out->size;
    bld_u64(out, s->count);
    if ((footer->flags & HRY_FILE_SORTED_INDEX) != 0)
        HRY_TRY(append_sorted(s, out, err));
    else
        bld_bytes(out, s->rows.data, s->rows.size);
    HRY_TRY(bld_ok(out, "index", err));
    info->index_length = out->size - start;
    if ((footer->flags & HRY_FILE_HAS_INDEX_CRC) != 0)
        info->index_crc = hry_crc32c(0, out->data + start, out->size - start);
    return HRY_OK;
}

hry_status hry_footer_encode(hry_footer *footer, uint64_t at, const void **bytes,
                             size_t *size, hry_error *err)
{
    if (footer == NULL || bytes == NULL || size == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "footer, bytes and size must not be NULL");
    if (at < HRY_FILE_HEADER_SIZE || at % 8 != 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "footer at %llu, must be a multiple of 8 from %d",
                        (unsigned long long)at, HRY_FILE_HEADER_SIZE);
    HRY_TRY(check_twice(&footer->index, "tensor", err));
    HRY_TRY(check_twice(&footer->kv, "key", err));

    hry_file_info info = {.size = at};
    footer->out.size = 0;
    footer->out.failed = false;
    HRY_TRY(append_kv(footer, &info, err));
    if (!checked_add(at, footer->out.size, &info.index_offset))
        return HRY_FAIL(err, HRY_ERR_RANGE, "footer at %llu: its end is beyond 2^64",
                        (unsigned long long)at);
    HRY_TRY(append_index(footer, &info, err));
    hry_trailer_encode(&footer->out, &info);
    HRY_TRY(bld_ok(&footer->out, "footer", err));
    *bytes = footer->out.data;
    *size = footer->out.size;
    return HRY_OK;
}
