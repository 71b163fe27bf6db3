/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a key-value section and an index, with a header and a trailer around them
 * that are right, checksum included: no crash, and what a strict reader takes our writer
 * writes.
 *
 *   byte 0  file flags    1..2  length of the key-value section    then that, then the
 * index
 */
#include "hry/hry.h"

#include "must.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SECTIONS = 8192 }; /* where they begin: before it one tensor */

static void put(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

typedef struct made {
    uint8_t *bytes;
    size_t size;
    uint8_t flags;
} made;

/* Header, the tensor of the format's worked example, both sections, trailer. */
static made make_file(const uint8_t *data, size_t size)
{
    static const uint64_t shape[2] = {3, 4};
    const size_t asked = (size_t)data[1] | (size_t)data[2] << 8, rest = size - 3;
    const size_t kv = asked < rest ? asked : rest, index = rest - kv;
    const size_t index_at = (SECTIONS + kv + 7) / 8 * 8, trailer_at = index_at + index;
    made m = {.size = trailer_at + HRY_FILE_TRAILER_SIZE, .flags = data[0] & 7};
    static hry_descriptor d;
    size_t length;
    m.bytes = calloc(1, m.size);
    must(m.bytes != NULL);
    must(hry_file_header_encode(m.flags, 4096, 64, UINT64_MAX, m.bytes, NULL) == HRY_OK);
    must(hry_descriptor_dense(HRY_FLOAT32, 2, shape, &d, NULL) == HRY_OK);
    must(hry_descriptor_encode(&d, m.bytes + 64, 4096 - 64, &length, NULL) == HRY_OK);
    if (kv > 0)
        memcpy(m.bytes + SECTIONS, data + 3, kv);
    if (index > 0)
        memcpy(m.bytes + index_at, data + 3 + kv, index);
    uint8_t *trailer = m.bytes + trailer_at;
    put(trailer, index_at, 8);
    put(trailer + 8, index, 8);
    put(trailer + 16, kv > 0 ? SECTIONS : 0, 8);
    put(trailer + 24, kv, 4);
    if ((m.flags & HRY_FILE_HAS_INDEX_CRC) != 0)
        put(trailer + 28, hry_crc32c(0, m.bytes + index_at, index), 4);
    memcpy(trailer + 36, "HRRY", 4);
    return m;
}

static hry_file *open_file(const made *m, hry_mode mode)
{
    hry_io io;
    hry_file *file = NULL;
    hry_error err = {.message = ""};
    const hry_file_options options = {.mode = mode};
    must(hry_io_memory(m->bytes, m->size, &io, NULL) == HRY_OK);
    const hry_status status = hry_file_open_io(io, &options, &file, &err);
    must(status == HRY_OK || (err.code == status && err.message[0] != '\0'));
    return file;
}

static void look_at_kv(hry_file *file, uint32_t i)
{
    hry_kv kv, same, element;
    must(hry_file_kv(file, i, &kv, NULL) == HRY_OK && kv.key_length > 0);
    char *key = calloc(1, (size_t)kv.key_length + 1);
    must(key != NULL);
    memcpy(key, kv.key, kv.key_length);
    if (strlen(key) == kv.key_length)
        must(hry_file_kv_find(file, key, &same, NULL) == HRY_OK && same.key == kv.key);
    free(key);
    if (kv.tag != HRY_KV_ARRAY)
        return;
    size_t at = 0;
    for (uint32_t k = 0; k < kv.count; k++) {
        must(hry_kv_next(&kv, &at, &element, NULL) == HRY_OK);
        if (k < 50)
            must(hry_kv_element(&kv, k, &same, NULL) == HRY_OK && same.tag == element.tag &&
                 same.bytes == element.bytes && same.length == element.length);
    }
    must(at == kv.length && hry_kv_next(&kv, &at, &element, NULL) == HRY_ERR_RANGE);
}

static void look_at(hry_file *file)
{
    static hry_descriptor d;
    hry_entry e;
    uint64_t found, offset;
    for (uint32_t i = 0; i < hry_file_kv_count(file); i++)
        look_at_kv(file, i);
    for (uint64_t i = 0; i < hry_file_count(file); i++) {
        must(hry_file_entry(file, i, &e, NULL) == HRY_OK);
        must(hry_file_find(file, e.name, e.name_length, &found, NULL) == HRY_OK);
        must(found == i);
        if (hry_file_descriptor(file, i, &d, NULL) == HRY_OK)
            must(hry_file_buffer(file, i, &d, 0, &offset, NULL) == HRY_OK);
    }
}

/* false: it holds an array without elements, which is read but not written. */
static bool collect(hry_file *file, hry_footer *footer)
{
    hry_entry e;
    hry_kv kv;
    for (uint64_t i = 0; i < hry_file_count(file); i++) {
        must(hry_file_entry(file, i, &e, NULL) == HRY_OK);
        must(hry_footer_add(footer, &e, NULL) == HRY_OK);
    }
    for (uint32_t i = 0; i < hry_file_kv_count(file); i++) {
        must(hry_file_kv(file, i, &kv, NULL) == HRY_OK);
        if (kv.tag == HRY_KV_ARRAY && kv.count == 0)
            return false;
        must(hry_footer_add_kv(footer, &kv, NULL) == HRY_OK);
    }
    return true;
}

static void rewrite(hry_file *file, const made *m)
{
    hry_footer *footer;
    const void *bytes;
    size_t size;
    must(hry_footer_new(m->flags, &footer, NULL) == HRY_OK);
    const bool has_section = hry_file_get_info(file)->kv_offset != 0;
    if (collect(file, footer) && (hry_file_kv_count(file) > 0 || !has_section)) {
        must(hry_footer_encode(footer, SECTIONS, &bytes, &size, NULL) == HRY_OK);
        must(size == m->size - SECTIONS && memcmp(bytes, m->bytes + SECTIONS, size) == 0);
    }
    hry_footer_free(footer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    const made m = make_file(data, size);
    hry_file *strict = open_file(&m, HRY_STRICT);
    hry_file *permissive = open_file(&m, HRY_PERMISSIVE);
    must(strict == NULL || permissive != NULL);
    if (strict != NULL) {
        look_at(strict);
        rewrite(strict, &m);
    }
    if (permissive != NULL)
        look_at(permissive);
    hry_file_close(permissive);
    hry_file_close(strict);
    free(m.bytes);
    return 0;
}
