/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file: no crash, and whichever way they are read they are the same file. */
#include "hry/hry.h"

#include "must.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct input {
    const uint8_t *data;
    size_t size, at;
} input;

static hry_file *open_file(const input *in, hry_mode mode, bool map)
{
    hry_io io;
    hry_file *file = NULL;
    hry_error err = {.offset = HRY_NO_OFFSET};
    const hry_file_options options = {.mode = mode, .map = map};
    must(hry_io_memory(in->data, in->size, &io, NULL) == HRY_OK);
    const hry_status status = hry_file_open_io(io, &options, &file, &err);
    must(status == HRY_OK || (err.code == status && err.message[0] != '\0'));
    return file;
}

/* What the library says lies in the file does: reading it is the sanitizer's business. */
static void touch(hry_file *file, uint64_t offset, uint64_t size)
{
    uint8_t part[512];
    const uint64_t end = hry_file_get_info(file)->size - HRY_FILE_TRAILER_SIZE;
    must(offset >= HRY_FILE_HEADER_SIZE && offset <= end && size <= end - offset);
    const size_t n = size < sizeof part ? (size_t)size : sizeof part;
    must(hry_file_read(file, offset + size - n, part, n, NULL) == HRY_OK);
}

static void check_tensor(hry_file *file, uint64_t i)
{
    static hry_descriptor d;
    hry_entry e;
    uint64_t found = 0, offset = 0;
    must(hry_file_entry(file, i, &e, NULL) == HRY_OK);
    must(hry_file_find(file, e.name, e.name_length, &found, NULL) == HRY_OK && found == i);
    if (hry_file_descriptor(file, i, &d, NULL) != HRY_OK)
        return;
    for (uint32_t b = 0; b < d.buffer_count; b++) {
        must(hry_file_buffer(file, i, &d, b, &offset, NULL) == HRY_OK);
        if (d.buffers[b].byte_size > 0)
            touch(file, offset, d.buffers[b].byte_size);
    }
}

static void check_kv(hry_file *file, uint32_t i)
{
    hry_kv kv, element;
    must(hry_file_kv(file, i, &kv, NULL) == HRY_OK);
    if (kv.tag != HRY_KV_ARRAY)
        return;
    for (uint32_t k = 0; k < kv.count && k < 50; k++)
        must(hry_kv_element(&kv, k, &element, NULL) == HRY_OK);
    must(hry_kv_element(&kv, kv.count, &element, NULL) == HRY_ERR_RANGE);
}

static void check_file(hry_file *file)
{
    for (uint64_t i = 0; i < hry_file_count(file); i++)
        check_tensor(file, i);
    for (uint32_t i = 0; i < hry_file_kv_count(file); i++)
        check_kv(file, i);
}

static hry_status next_bytes(void *ctx, void *dst, size_t size, size_t *got, hry_error *err)
{
    input *in = ctx;
    (void)err;
    *got = size < in->size - in->at ? size : in->size - in->at;
    if (*got > 0)
        memcpy(dst, in->data + in->at, *got);
    in->at += *got;
    return HRY_OK;
}

/* Front to back; UINT64_MAX when that does not go, else how many tensors came. */
static uint64_t count_sequentially(input in)
{
    static hry_descriptor d;
    hry_reader *r;
    uint8_t part[700];
    size_t got = 0;
    bool found = true;
    const hry_source source = {.read = next_bytes, .ctx = &in};
    if (hry_reader_open(source, NULL, &r, NULL) != HRY_OK)
        return UINT64_MAX;
    hry_status status = HRY_OK;
    while (status == HRY_OK && found) {
        status = hry_reader_next(r, &d, &found, NULL);
        if (status == HRY_OK && found)
            status = hry_reader_read(r, part, sizeof part, &got, NULL);
    }
    const uint64_t count = status == HRY_OK ? hry_reader_count(r) : UINT64_MAX;
    hry_reader_close(r);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const input in = {.data = data, .size = size};
    hry_file *strict = open_file(&in, HRY_STRICT, false);
    hry_file *mapped = open_file(&in, HRY_STRICT, true);
    hry_file *permissive = open_file(&in, HRY_PERMISSIVE, false);
    must((strict != NULL) == (mapped != NULL) && (strict == NULL || permissive != NULL));
    const uint64_t came = count_sequentially(in);
    must(came == UINT64_MAX || (strict != NULL && came == hry_file_count(strict)));
    if (strict != NULL) {
        must(hry_file_count(strict) == hry_file_count(mapped));
        must((hry_file_check_canonical(strict, NULL) == HRY_OK) == (came != UINT64_MAX));
        check_file(strict);
        check_file(mapped);
    }
    if (permissive != NULL)
        check_file(permissive);
    hry_file_close(permissive);
    hry_file_close(mapped);
    hry_file_close(strict);
    return 0;
}
