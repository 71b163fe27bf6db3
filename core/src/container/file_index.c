/* SPDX-License-Identifier: Apache-2.0 */
/* file_index.c - the index of a file (format section 6), read in one pass. */
#include "container/container.h"

#include "checked.h"
#include "hry/crc32c.h"
#include "utf8.h"

#include <stdlib.h>

enum { ROW_MIN = 2 + 1 + HRY_ROW_FIXED };

uint64_t hry_index_field(const hry_index *index, const hry_entry *row, unsigned field)
{
    const uint8_t *name = (const uint8_t *)row->name;
    return index->at + (uint64_t)(name - index->bytes) + row->name_length + field;
}

static hry_status check_crc(const uint8_t *bytes, const hry_file_info *info, hry_error *err)
{
    if ((info->flags & HRY_FILE_HAS_INDEX_CRC) == 0)
        return HRY_OK;
    const uint32_t crc = hry_crc32c(0, bytes, (size_t)info->index_length);
    if (crc != info->index_crc)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, info->index_offset,
                           "index: its CRC-32C is %08x, the trailer says %08x",
                           (unsigned)crc, (unsigned)info->index_crc);
    return HRY_OK;
}

/* The count, proven to fit the bytes that follow: rows may be allocated by it. */
static hry_status read_count(hry_cursor *c, uint64_t at, size_t *out, hry_error *err)
{
    const uint64_t count = cur_u64(c);
    if (!cur_fits(c, count, ROW_MIN))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at,
                           "index_entry_count: %llu, the index has room for %zu",
                           (unsigned long long)count, cur_left(c) / ROW_MIN);
    if (count >= UINT32_MAX)
        return HRY_FAIL_AT(err, HRY_ERR_UNSUPPORTED, at,
                           "index_entry_count: %llu, this library reads less than 2^32",
                           (unsigned long long)count);
    *out = (size_t)count;
    return HRY_OK;
}

static hry_status read_name(hry_cursor *c, uint64_t at, hry_entry *row, hry_error *err)
{
    const uint64_t start = at + c->pos;
    row->name_length = cur_u16(c);
    row->name = (const char *)cur_take(c, row->name_length);
    if (c->short_by != 0)
        return HRY_FAIL_AT(err, HRY_ERR_TRUNCATED, start,
                           "name_length: %d, the index ends %zu bytes too early",
                           row->name_length, c->short_by);
    if (row->name_length == 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, start, "name_length: 0, must be >= 1");
    const size_t valid = hry_utf8_valid_prefix(row->name, row->name_length);
    if (valid != row->name_length)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, start + 2 + valid,
                           "name: byte %zu of %d is no UTF-8", valid, row->name_length);
    return HRY_OK;
}

static hry_status read_row(hry_cursor *c, const hry_file_info *info, hry_entry *row,
                           hry_error *err)
{
    HRY_TRY(read_name(c, info->index_offset, row, err));
    row->descriptor_offset = cur_u64(c);
    row->descriptor_length = cur_u32(c);
    row->data_offset = cur_u64(c);
    row->data_length = cur_u64(c);
    const uint32_t flags = cur_u32(c);
    if (c->short_by != 0)
        return HRY_FAIL_AT(
            err, HRY_ERR_TRUNCATED, hry_trailer_at(info) + HRY_AT_INDEX_LENGTH,
            "index_length: %llu cuts the entry of \"%.*s\"",
            (unsigned long long)info->index_length, (int)row->name_length, row->name);
    if (flags != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, info->index_offset + c->pos - 4,
                           "flags: 0x%X in the entry of \"%.*s\", must be 0",
                           (unsigned)flags, (int)row->name_length, row->name);
    return HRY_OK;
}

/* By bytes, as SORTED_INDEX promises. */
static bool in_order(const hry_entry *a, const hry_entry *b)
{
    const bool shorter = a->name_length < b->name_length;
    const int order = memcmp(a->name, b->name, shorter ? a->name_length : b->name_length);
    return order < 0 || (order == 0 && shorter);
}

static hry_status read_rows(hry_cursor *c, const hry_file_info *info, hry_index *index,
                            hry_error *err)
{
    const bool sorted = (info->flags & HRY_FILE_SORTED_INDEX) != 0;
    for (size_t i = 0; i < index->count; i++) {
        hry_entry *row = &index->rows[i];
        HRY_TRY(read_row(c, info, row, err));
        hry_name_table_put(&index->names, (uint32_t)i, row->name, row->name_length);
        /* Equal neighbours are reported as twice the same, not as out of order. */
        if (sorted && i > 0 && in_order(row, row - 1))
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT,
                               hry_index_field(index, row, 0) - row->name_length,
                               "name: \"%.*s\" is out of order in a SORTED_INDEX",
                               (int)row->name_length, row->name);
    }
    if (cur_left(c) != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, info->index_offset,
                           "index_entry_count: %zu, %zu bytes are left after them",
                           index->count, cur_left(c));
    return HRY_OK;
}

static hry_name name_of_row(const void *rows, uint32_t position)
{
    const hry_entry *row = (const hry_entry *)rows + position;
    return (hry_name){.text = row->name, .length = row->name_length};
}

static hry_status find_twice(hry_index *index, hry_error *err)
{
    uint32_t twice;
    HRY_TRY(hry_name_table_build(&index->names, index->rows, name_of_row, &twice, err));
    if (twice == UINT32_MAX)
        return HRY_OK;
    const hry_entry *row = &index->rows[twice];
    return HRY_FAIL_AT(err, HRY_ERR_CORRUPT,
                       hry_index_field(index, row, 0) - row->name_length,
                       "name: \"%.*s\" is there twice", (int)row->name_length, row->name);
}

hry_status hry_index_decode(const uint8_t *bytes, const hry_file_info *info, hry_index *out,
                            hry_error *err)
{
    HRY_TRY(check_crc(bytes, info, err));
    hry_cursor c = cur_over(bytes, (size_t)info->index_length);
    hry_index index = {.bytes = bytes, .at = info->index_offset};
    size_t size;
    HRY_TRY(read_count(&c, index.at, &index.count, err));

    hry_status status = hry_name_table_new((uint32_t)index.count, &index.names, err);
    if (status != HRY_OK)
        goto done;
    if (!checked_array(index.count, sizeof *index.rows, &size) ||
        (index.rows = malloc(size + 1)) == NULL) {
        status = HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for an index of %zu tensors",
                          index.count);
        goto done;
    }
    if ((status = read_rows(&c, info, &index, err)) != HRY_OK ||
        (status = find_twice(&index, err)) != HRY_OK)
        goto done;
    *out = index;
    index = (hry_index){0};

done:
    hry_index_free(&index);
    return status;
}

void hry_index_free(hry_index *index)
{
    free(index->rows);
    hry_name_table_free(&index->names);
    *index = (hry_index){0};
}
