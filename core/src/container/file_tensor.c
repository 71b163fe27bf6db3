/* SPDX-License-Identifier: Apache-2.0 */
/* file_tensor.c - one tensor of a file: its descriptor and where its buffers are. */
#include "container/file.h"

#include "checked.h"
#include "container/data_place.h"

#include <stdlib.h>

/* Most descriptors fit; longer ones are read into memory of their own. */
enum { SMALL = 1024, DESCRIPTOR_MIN = 20, UP_TO_LENGTH = 10 };

static hry_status row_at(const hry_file *file, uint64_t i, const hry_entry **row,
                         hry_error *err)
{
    if (i >= file->index.count)
        return HRY_FAIL(err, HRY_ERR_RANGE, "tensor %llu of %zu", (unsigned long long)i,
                        file->index.count);
    *row = &file->index.rows[i];
    return HRY_OK;
}

/* ---- the descriptor ---- */

static hry_status check_range(const hry_file *file, const hry_entry *row, hry_error *err)
{
    const uint64_t limit = hry_trailer_at(&file->info);
    const uint64_t offset = row->descriptor_offset;
    if (offset < HRY_FILE_HEADER_SIZE || offset > limit || offset % 8 != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT,
                           hry_index_field(&file->index, row, HRY_ROW_DESCRIPTOR_OFFSET),
                           "descriptor_offset: %llu is no multiple of 8 in %d..%llu",
                           (unsigned long long)offset, HRY_FILE_HEADER_SIZE,
                           (unsigned long long)limit);
    if (row->descriptor_length < DESCRIPTOR_MIN || row->descriptor_length > limit - offset)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT,
                           hry_index_field(&file->index, row, HRY_ROW_DESCRIPTOR_LENGTH),
                           "descriptor_length: %lu, must be in %d..%llu",
                           (unsigned long)row->descriptor_length, DESCRIPTOR_MIN,
                           (unsigned long long)(limit - offset));
    return HRY_OK;
}

/* The length a descriptor tells of itself must be the row's. What has another magic is
 * no descriptor, which decoding will say. */
static hry_status check_length(const hry_file *file, const hry_entry *row,
                               const uint8_t *bytes, hry_error *err)
{
    hry_cursor c = cur_over(bytes, UP_TO_LENGTH);
    if (memcmp(cur_take(&c, 4), "HRRY", 4) != 0)
        return HRY_OK;
    cur_take(&c, 2);
    const uint32_t own = cur_u32(&c);
    if (own != row->descriptor_length)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT,
                           hry_index_field(&file->index, row, HRY_ROW_DESCRIPTOR_LENGTH),
                           "descriptor_length: %lu, the descriptor itself says %lu",
                           (unsigned long)row->descriptor_length, (unsigned long)own);
    return HRY_OK;
}

static bool borrows(const hry_descriptor *d)
{
    return d->opaque || d->layout_tag >= 0xF0 ||
           ((d->flags & HRY_HAS_QUANTIZATION) != 0 &&
            d->quantization.scheme > HRY_QUANT_MXFP);
}

static hry_status decode(const hry_file *file, const hry_entry *row, const uint8_t *bytes,
                         hry_descriptor *out, hry_error *err)
{
    HRY_TRY(check_length(file, row, bytes, err));
    const hry_status status =
        hry_descriptor_decode(bytes, row->descriptor_length, file->mode, out, NULL, err);
    if (status != HRY_OK && err != NULL && err->offset != HRY_NO_OFFSET)
        err->offset += row->descriptor_offset;
    return status;
}

/* Decode again from bytes that stay; of two threads that do so at once, the first wins. */
static hry_status decode_kept(hry_file *file, uint64_t i, const uint8_t *bytes,
                              hry_descriptor *out, hry_error *err)
{
    const hry_entry *row = &file->index.rows[i];
    uint8_t *kept = atomic_load(&file->kept[i]);
    if (kept == NULL) {
        uint8_t *copy = malloc(row->descriptor_length);
        if (copy == NULL)
            return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a descriptor of %lu bytes",
                            (unsigned long)row->descriptor_length);
        memcpy(copy, bytes, row->descriptor_length);
        if (atomic_compare_exchange_strong(&file->kept[i], &kept, copy))
            kept = copy;
        else
            free(copy);
    }
    return decode(file, row, kept, out, err);
}

static hry_status read_and_decode(hry_file *file, uint64_t i, hry_descriptor *out,
                                  hry_error *err)
{
    const hry_entry *row = &file->index.rows[i];
    if (file->map.bytes != NULL)
        return decode(file, row, file->map.bytes + row->descriptor_offset, out, err);

    uint8_t small[SMALL];
    uint8_t *large = NULL;
    if (row->descriptor_length > SMALL && (large = malloc(row->descriptor_length)) == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a descriptor of %lu bytes",
                        (unsigned long)row->descriptor_length);
    uint8_t *bytes = large != NULL ? large : small;
    hry_status status =
        hry_io_read(&file->io, row->descriptor_offset, bytes, row->descriptor_length, err);
    if (status == HRY_OK)
        status = decode(file, row, bytes, out, err);
    if (status == HRY_OK && borrows(out))
        status = decode_kept(file, i, bytes, out, err);
    free(large);
    return status;
}

/* ---- the buffers ---- */

static hry_status check_data(const hry_file *file, const hry_entry *row, hry_error *err)
{
    const uint64_t limit = hry_trailer_at(&file->info);
    const uint64_t offset = row->data_offset;
    if (offset < HRY_FILE_HEADER_SIZE || offset > limit ||
        offset % file->info.alignment != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT,
                           hry_index_field(&file->index, row, HRY_ROW_DATA_OFFSET),
                           "data_offset: %llu is no multiple of %lu in %d..%llu",
                           (unsigned long long)offset, (unsigned long)file->info.alignment,
                           HRY_FILE_HEADER_SIZE, (unsigned long long)limit);
    if (file->mode == HRY_STRICT && row->data_length > limit - offset)
        return HRY_FAIL_AT(
            err, HRY_ERR_CORRUPT, hry_index_field(&file->index, row, HRY_ROW_DATA_LENGTH),
            "data_length: %llu, only %llu bytes up to the trailer",
            (unsigned long long)row->data_length, (unsigned long long)(limit - offset));
    return HRY_OK;
}

/* Walk the buffers up to and with `last`: *offset is where it starts, *end where
 * it ends. */
static hry_status walk(const hry_file *file, const hry_entry *row, const hry_descriptor *d,
                       uint32_t last, uint64_t *offset, uint64_t *end, hry_error *err)
{
    const uint64_t limit = hry_trailer_at(&file->info);
    *end = row->data_offset;
    for (uint32_t b = 0; b <= last; b++) {
        const uint64_t size = d->buffers[b].byte_size;
        if (!hry_data_next(*end, size, file->info.alignment, offset, end) ||
            (size > 0 && *end > limit))
            return HRY_FAIL_AT(
                err, HRY_ERR_CORRUPT, row->descriptor_offset + hry_data_handle(d, b),
                "buffer[%lu].byte_size: %llu, runs into the trailer at %llu",
                (unsigned long)b, (unsigned long long)size, (unsigned long long)limit);
    }
    return HRY_OK;
}

/* Strict: data_length is what the buffers take. A head's or empty tensor's data_offset
 * leads nowhere and may be anything. Buffers of what is opaque are either known or none. */
static hry_status check_buffers(const hry_file *file, const hry_entry *row,
                                const hry_descriptor *d, hry_error *err)
{
    uint64_t offset, end = row->data_offset;
    if (hry_data_any_bytes(d)) {
        HRY_TRY(check_data(file, row, err));
        HRY_TRY(walk(file, row, d, d->buffer_count - 1, &offset, &end, err));
    }
    const uint64_t taken = end - row->data_offset;
    if (file->mode == HRY_STRICT && row->data_length != taken)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT,
                           hry_index_field(&file->index, row, HRY_ROW_DATA_LENGTH),
                           "data_length: %llu, the buffers take %llu",
                           (unsigned long long)row->data_length, (unsigned long long)taken);
    return HRY_OK;
}

hry_status hry_file_descriptor(hry_file *file, uint64_t i, hry_descriptor *out,
                               hry_error *err)
{
    const hry_entry *row;
    HRY_TRY(row_at(file, i, &row, err));
    HRY_TRY(check_range(file, row, err));
    HRY_TRY(read_and_decode(file, i, out, err));
    return check_buffers(file, row, out, err);
}

hry_status hry_file_buffer(const hry_file *file, uint64_t i, const hry_descriptor *d,
                           uint32_t b, uint64_t *offset, hry_error *err)
{
    const hry_entry *row;
    uint64_t start, end;
    HRY_TRY(row_at(file, i, &row, err));
    if (b >= d->buffer_count || b >= HRY_MAX_BUFFERS)
        return HRY_FAIL(err, HRY_ERR_RANGE, "buffer %lu of %lu", (unsigned long)b,
                        (unsigned long)d->buffer_count);
    if (hry_data_any_bytes(d))
        HRY_TRY(check_data(file, row, err));
    HRY_TRY(walk(file, row, d, b, &start, &end, err));
    *offset = start;
    return HRY_OK;
}
