/* SPDX-License-Identifier: Apache-2.0 */
/* file_reader.c - opening a file: both ends, then index and key-value section. */
#include "container/file.h"

#include "checked.h"

#include <stdlib.h>

enum { ENDS = HRY_FILE_HEADER_SIZE + HRY_FILE_TRAILER_SIZE };

static hry_status read_ends(hry_file *file, hry_error *err)
{
    uint8_t bytes[HRY_FILE_HEADER_SIZE];
    uint64_t size;
    HRY_TRY(hry_io_size(&file->io, &size, err));
    if (size < ENDS)
        return HRY_FAIL_AT(err, HRY_ERR_TRUNCATED, size,
                           "size: %llu bytes, header and trailer need %d",
                           (unsigned long long)size, ENDS);
    HRY_TRY(hry_io_read(&file->io, 0, bytes, HRY_FILE_HEADER_SIZE, err));
    HRY_TRY(hry_header_decode(bytes, &file->info, err));
    file->info.size = size;
    HRY_TRY(hry_io_read(&file->io, hry_trailer_at(&file->info), bytes,
                        HRY_FILE_TRAILER_SIZE, err));
    return hry_trailer_decode(bytes, file->mode, &file->info, err);
}

/* The bytes of a section that is proven to lie in the file: mapped, or read. */
static hry_status read_section(const hry_file *file, uint64_t offset, uint64_t size,
                               uint8_t **owned, const uint8_t **bytes, hry_error *err)
{
    if (file->map.bytes != NULL) {
        *bytes = file->map.bytes + offset;
        return HRY_OK;
    }
    if (size > SIZE_MAX / 2 || (*owned = malloc((size_t)size)) == NULL)
        return HRY_FAIL_AT(err, HRY_ERR_NOMEM, offset, "no memory for a section of %llu",
                           (unsigned long long)size);
    *bytes = *owned;
    return hry_io_read(&file->io, offset, *owned, (size_t)size, err);
}

static hry_status load_index(hry_file *file, hry_error *err)
{
    const uint8_t *bytes;
    HRY_TRY(read_section(file, file->info.index_offset, file->info.index_length,
                         &file->index_bytes, &bytes, err));
    HRY_TRY(hry_index_decode(bytes, &file->info, &file->index, err));
    if (file->map.bytes != NULL || file->index.count == 0)
        return HRY_OK;
    file->kept = calloc(file->index.count, sizeof *file->kept);
    if (file->kept == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %zu tensors", file->index.count);
    return HRY_OK;
}

static hry_status load_kv(hry_file *file, hry_error *err)
{
    const uint8_t *bytes;
    if (file->info.kv_offset == 0)
        return HRY_OK;
    HRY_TRY(read_section(file, file->info.kv_offset, file->info.kv_length, &file->kv_bytes,
                         &bytes, err));
    return hry_kv_decode(bytes, file->info.kv_length, file->info.kv_offset, file->mode,
                         &file->kv, err);
}

static hry_status load(hry_file *file, bool map, hry_error *err)
{
    HRY_TRY(read_ends(file, err));
    if (map)
        HRY_TRY(hry_map(&file->io, file->info.size, &file->map, err));
    HRY_TRY(load_index(file, err));
    return load_kv(file, err);
}

hry_status hry_file_open_io(hry_io io, const hry_file_options *options, hry_file **out,
                            hry_error *err)
{
    const hry_file_options o =
        options != NULL ? *options : (hry_file_options){.mode = HRY_STRICT};
    hry_file *file = out != NULL ? calloc(1, sizeof *file) : NULL;
    if (file == NULL) {
        hry_io_close(&io);
        return out == NULL ? HRY_FAIL(err, HRY_ERR_ARG, "out must not be NULL")
                           : HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a file");
    }
    file->io = io;
    file->mode = o.mode;
    const hry_status status = load(file, o.map, err);
    if (status != HRY_OK) {
        hry_file_close(file);
        return status;
    }
    *out = file;
    return HRY_OK;
}

hry_status hry_file_open(const char *path, const hry_file_options *options, hry_file **out,
                         hry_error *err)
{
    hry_io io;
    HRY_TRY(hry_io_open(path, HRY_IO_READ, &io, err));
    return hry_file_open_io(io, options, out, err);
}

void hry_file_close(hry_file *file)
{
    if (file == NULL)
        return;
    for (size_t i = 0; file->kept != NULL && i < file->index.count; i++)
        free(file->kept[i]);
    free(file->kept);
    hry_kv_free(&file->kv);
    hry_index_free(&file->index);
    free(file->kv_bytes);
    free(file->index_bytes);
    hry_unmap(&file->map);
    hry_io_close(&file->io);
    free(file);
}

const hry_file_info *hry_file_get_info(const hry_file *file)
{
    return &file->info;
}

hry_status hry_file_view(const hry_file *file, uint64_t offset, uint64_t size,
                         const void **out, hry_error *err)
{
    if (file->map.bytes == NULL)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "the file was not opened with `map`");
    if (size == 0)
        offset = 0;
    if (!range_inside(offset, size, file->map.size))
        return HRY_FAIL_AT(err, HRY_ERR_TRUNCATED, file->map.size,
                           "%llu bytes at %llu wanted, the file ends at %zu",
                           (unsigned long long)size, (unsigned long long)offset,
                           file->map.size);
    *out = file->map.bytes + offset;
    return HRY_OK;
}

hry_status hry_file_read(const hry_file *file, uint64_t offset, void *dst, size_t size,
                         hry_error *err)
{
    if (size == 0)
        return HRY_OK;
    if (file->map.bytes == NULL)
        return hry_io_read(&file->io, offset, dst, size, err);
    const void *from;
    HRY_TRY(hry_file_view(file, offset, size, &from, err));
    memcpy(dst, from, size);
    return HRY_OK;
}

uint64_t hry_file_count(const hry_file *file)
{
    return file->index.count;
}

hry_status hry_file_entry(const hry_file *file, uint64_t i, hry_entry *out, hry_error *err)
{
    if (i >= file->index.count)
        return HRY_FAIL(err, HRY_ERR_RANGE, "tensor %llu of %zu", (unsigned long long)i,
                        file->index.count);
    *out = file->index.rows[i];
    return HRY_OK;
}

hry_status hry_file_find(const hry_file *file, const char *name, size_t length, uint64_t *i,
                         hry_error *err)
{
    const uint32_t found = hry_name_table_find(&file->index.names, name, length);
    if (found == UINT32_MAX)
        return HRY_FAIL(err, HRY_ERR_NOTFOUND, "no tensor \"%.*s\"",
                        length < 200 ? (int)length : 200, name);
    *i = found;
    return HRY_OK;
}

uint32_t hry_file_kv_count(const hry_file *file)
{
    return file->kv.count;
}

hry_status hry_file_kv(const hry_file *file, uint32_t i, hry_kv *out, hry_error *err)
{
    if (i >= file->kv.count)
        return HRY_FAIL(err, HRY_ERR_RANGE, "key-value entry %lu of %lu", (unsigned long)i,
                        (unsigned long)file->kv.count);
    *out = file->kv.rows[i];
    return HRY_OK;
}

hry_status hry_file_kv_find(const hry_file *file, const char *key, hry_kv *out,
                            hry_error *err)
{
    const uint32_t i = hry_name_table_find(&file->kv.keys, key, strlen(key));
    if (i == UINT32_MAX)
        return HRY_FAIL(err, HRY_ERR_NOTFOUND, "no key \"%s\"", key);
    *out = file->kv.rows[i];
    return HRY_OK;
}
