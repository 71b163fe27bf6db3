/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container.h - the parts of a file (format section 6), each decoded from bytes alone, so
 * that the reader of files and the reader of streams share them. Private to core/src.
 *
 * `at` is where the bytes lie in the file: errors carry offsets in the file.
 */
#ifndef HRY_CONTAINER_H
#define HRY_CONTAINER_H

#include "builder.h"
#include "container/name_table.h"
#include "cursor.h"
#include "hry/file.h"

/* The smallest index and where the fields of the header and the trailer are. */
enum {
    HRY_INDEX_MIN = 8,
    HRY_AT_FILE_FLAGS = 12,
    HRY_AT_INDEX_OFFSET = 0, /* in the trailer from here on */
    HRY_AT_INDEX_LENGTH = 8,
    HRY_AT_KV_OFFSET = 16,
    HRY_AT_KV_LENGTH = 24,
    HRY_AT_INDEX_CRC = 28
};

/* Reserved bytes must be zero; the first that is not is reported. */
hry_status hry_check_reserved(const uint8_t *bytes, size_t size, uint64_t at,
                              const char *where, hry_error *err);

/* ---- header ---- */

/* Fills all of *out but what the trailer and the medium tell. */
hry_status hry_header_decode(const uint8_t bytes[HRY_FILE_HEADER_SIZE], hry_file_info *out,
                             hry_error *err);

/* The rules for flags, alignment and first_descriptor_offset, broken: `bad`. */
hry_status hry_header_check(const hry_file_info *info, hry_status bad, hry_error *err);

/* ---- trailer ---- */

/* Where the trailer is: the last 40 bytes. `info->size` is at least that of both ends. */
static inline uint64_t hry_trailer_at(const hry_file_info *info)
{
    return info->size - HRY_FILE_TRAILER_SIZE;
}

/*
 * Adds to *info, which has flags and size, what the trailer tells. Both sections are
 * proven to lie between header and trailer.
 */
hry_status hry_trailer_decode(const uint8_t bytes[HRY_FILE_TRAILER_SIZE], hry_mode mode,
                              hry_file_info *info, hry_error *err);
void hry_trailer_encode(hry_builder *out, const hry_file_info *info);

/* ---- index ---- */

/* Rows borrow their names from the bytes that were decoded. */
typedef struct hry_index {
    const uint8_t *bytes; /* borrowed */
    uint64_t at;
    hry_entry *rows; /* owned */
    size_t count;
    hry_name_table names;
} hry_index;

/* What is fixed in a row, and where in it, counted from the end of the name. */
enum {
    HRY_ROW_DESCRIPTOR_OFFSET = 0,
    HRY_ROW_DESCRIPTOR_LENGTH = 8,
    HRY_ROW_DATA_OFFSET = 12,
    HRY_ROW_DATA_LENGTH = 20,
    HRY_ROW_FLAGS = 28,
    HRY_ROW_FIXED = 32
};

/* `bytes` are info->index_length bytes and must outlive *out. */
hry_status hry_index_decode(const uint8_t *bytes, const hry_file_info *info, hry_index *out,
                            hry_error *err);
void hry_index_free(hry_index *index);

/* Offset in the file of a row's field, HRY_ROW_... */
uint64_t hry_index_field(const hry_index *index, const hry_entry *row, unsigned field);

/* ---- key-value section ---- */

typedef struct hry_kv_list {
    hry_kv *rows; /* owned; they borrow from the bytes that were decoded */
    uint32_t count;
    hry_name_table keys;
} hry_kv_list;

hry_status hry_kv_decode(const uint8_t *bytes, size_t size, uint64_t at, hry_mode mode,
                         hry_kv_list *out, hry_error *err);
void hry_kv_free(hry_kv_list *list);

/* Validate a caller's entry and append its wire form; nothing is kept. */
hry_status hry_kv_encode(const hry_kv *kv, hry_builder *out, hry_error *err);

#endif
