/* SPDX-License-Identifier: Apache-2.0 */
/* sequential.c - a file read front to back (format sections 6 and 8.1). */
#include "container/sequential.h"

#include "checked.h"
#include "container/data_place.h"

/* The fixed header of a descriptor; its first ten bytes tell how long it is. */
enum { FIXED = 20, UP_TO_LENGTH = 10 };

static const uint64_t default_limit = UINT64_C(1) << 30;

/* ---- life ---- */

static hry_status read_header(hry_reader *r, hry_error *err)
{
    HRY_TRY(hry_window_need(&r->window, HRY_FILE_HEADER_SIZE, "header", err));
    HRY_TRY(hry_header_decode(hry_window_data(&r->window), &r->info, err));
    hry_window_drop(&r->window, HRY_FILE_HEADER_SIZE);
    r->next = r->info.first_descriptor_offset;
    return HRY_OK;
}

hry_status hry_reader_open(hry_source source, const hry_reader_options *options,
                           hry_reader **out, hry_error *err)
{
    const hry_reader_options o =
        options != NULL ? *options : (hry_reader_options){.mode = HRY_STRICT};
    if (source.read == NULL || out == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "source.read and out must not be NULL");
    hry_reader *r = calloc(1, sizeof *r);
    if (r == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a reader");
    r->window.source = source;
    r->mode = o.mode;
    r->footer_limit = o.footer_limit != 0 ? o.footer_limit : default_limit;
    const hry_status status = read_header(r, err);
    if (status != HRY_OK) {
        hry_reader_close(r);
        return status;
    }
    *out = r;
    return HRY_OK;
}

void hry_reader_close(hry_reader *reader)
{
    if (reader == NULL)
        return;
    free(reader->order);
    hry_kv_free(&reader->kv);
    hry_index_free(&reader->index);
    bld_free(&reader->seen);
    bld_free(&reader->descriptor);
    bld_free(&reader->window.bytes);
    free(reader);
}

const hry_file_info *hry_reader_get_info(const hry_reader *reader)
{
    return &reader->info;
}

uint64_t hry_reader_count(const hry_reader *reader)
{
    return hry_seen_count(reader);
}

hry_status hry_reader_entry(const hry_reader *reader, uint64_t i, hry_entry *out,
                            hry_error *err)
{
    if (reader->order == NULL || i >= reader->index.count)
        return HRY_FAIL(err, HRY_ERR_RANGE, "tensor %llu of %zu, known at the end",
                        (unsigned long long)i, reader->index.count);
    *out = reader->index.rows[reader->order[i]];
    return HRY_OK;
}

uint32_t hry_reader_kv_count(const hry_reader *reader)
{
    return reader->kv.count;
}

hry_status hry_reader_kv(const hry_reader *reader, uint32_t i, hry_kv *out, hry_error *err)
{
    if (i >= reader->kv.count)
        return HRY_FAIL(err, HRY_ERR_RANGE, "key-value entry %lu of %lu", (unsigned long)i,
                        (unsigned long)reader->kv.count);
    *out = reader->kv.rows[i];
    return HRY_OK;
}

/* ---- where the next descriptor is ---- */

/* Neither a count of key-value entries nor one of tensors begins like this. */
static bool is_descriptor(const uint8_t *bytes)
{
    hry_cursor c = cur_over(bytes, FIXED);
    const bool magic = memcmp(cur_take(&c, 4), "HRRY", 4) == 0;
    const uint8_t major = cur_u8(&c);
    cur_u8(&c);
    return magic && major > 0 && cur_u32(&c) >= FIXED;
}

static bool all_zero(const uint8_t *bytes, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/*
 * The next descriptor is at the next multiple of 8, or, where the tensor before is padded
 * as a whole, after zeros at the next multiple of the alignment. If at neither, the
 * tensors are over. Leaves the window at the descriptor or at the multiple of 8.
 */
static hry_status find_descriptor(hry_reader *r, bool *found, hry_error *err)
{
    hry_window *w = &r->window;
    uint64_t near, far;
    if (!checked_align(r->next, 8, &near) || !checked_align(near, r->info.alignment, &far))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, w->at, "the tensor ends beyond 2^64");
    HRY_TRY(hry_window_go(w, near, err));
    HRY_TRY(hry_window_fill(w, FIXED, err));
    *found = hry_window_left(w) >= FIXED && is_descriptor(hry_window_data(w));
    if (*found || far == near || !all_zero(hry_window_data(w), hry_window_left(w)))
        return HRY_OK;
    const size_t gap = (size_t)(far - near);
    HRY_TRY(hry_window_fill(w, gap + FIXED, err));
    *found = hry_window_left(w) >= gap + FIXED && all_zero(hry_window_data(w), gap) &&
             is_descriptor(hry_window_data(w) + gap);
    if (*found)
        hry_window_drop(w, gap);
    return HRY_OK;
}

/* ---- a tensor ---- */

static hry_status take_descriptor(hry_reader *r, hry_descriptor *out, hry_error *err)
{
    hry_window *w = &r->window;
    const uint64_t at = w->at;
    hry_cursor c = cur_over(hry_window_data(w), UP_TO_LENGTH);
    cur_take(&c, UP_TO_LENGTH - 4);
    const uint32_t length = cur_u32(&c);
    HRY_TRY(hry_window_need(w, length, "descriptor", err));
    r->descriptor.size = 0;
    bld_bytes(&r->descriptor, hry_window_data(w), length);
    HRY_TRY(bld_ok(&r->descriptor, "descriptor", err));
    hry_window_drop(w, length);
    const hry_status status =
        hry_descriptor_decode(r->descriptor.data, length, r->mode, out, NULL, err);
    if (status != HRY_OK && err != NULL && err->offset != HRY_NO_OFFSET)
        err->offset += at;
    return status;
}

/* Note where the tensor is, for the index to be held to, and where its data ends. */
static hry_status place_tensor(hry_reader *r, const hry_descriptor *d, uint64_t at,
                               hry_error *err)
{
    if (d->opaque)
        return HRY_FAIL_AT(err, HRY_ERR_UNSUPPORTED, at,
                           "descriptor: of unknown type, layout or scheme; where its data "
                           "ends is not known");
    uint64_t start = r->window.at, end = start;
    bool fits =
        d->buffer_count == 0 || hry_data_next(end, 0, r->info.alignment, &start, &end);
    hry_seen seen = {.descriptor_offset = at,
                     .descriptor_length = (uint32_t)r->descriptor.size,
                     .data_offset = start};
    r->left = 0;
    for (uint32_t b = 0; b < d->buffer_count; b++) {
        r->sizes[b] = d->buffers[b].byte_size;
        fits = fits && hry_data_next(end, r->sizes[b], r->info.alignment, &start, &end);
        if (!fits)
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + hry_data_handle(d, b),
                               "buffer[%lu].byte_size: %llu, ends beyond 2^64",
                               (unsigned long)b, (unsigned long long)r->sizes[b]);
        r->left += r->sizes[b];
    }
    seen.data_length = end - seen.data_offset;
    bld_bytes(&r->seen, &seen, sizeof seen);
    r->next = end;
    r->buffer = 0;
    r->in_buffer = r->sizes[0];
    return bld_ok(&r->seen, "list of tensors", err);
}

static hry_status advance(hry_reader *r, hry_descriptor *out, bool *found, hry_error *err)
{
    r->left = 0;
    HRY_TRY(find_descriptor(r, found, err));
    if (!*found)
        return hry_reader_end(r, err);
    const uint64_t at = r->window.at;
    HRY_TRY(take_descriptor(r, out, err));
    return place_tensor(r, out, at, err);
}

static hry_status check_usable(const hry_reader *r, hry_error *err)
{
    if (r->broken)
        return HRY_FAIL(err, HRY_ERR_ARG, "an earlier error left the reader nowhere");
    return HRY_OK;
}

hry_status hry_reader_next(hry_reader *reader, hry_descriptor *out, bool *found,
                           hry_error *err)
{
    HRY_TRY(check_usable(reader, err));
    if (reader->order != NULL) {
        *found = false;
        return HRY_OK;
    }
    bool got = false;
    const hry_status status = advance(reader, out, &got, err);
    reader->broken = status != HRY_OK;
    if (status == HRY_OK)
        *found = got;
    return status;
}

/* Where the next byte of data is. There is one. */
static hry_status next_buffer(hry_reader *r, hry_error *err)
{
    uint64_t start;
    while (r->in_buffer == 0)
        r->in_buffer = r->sizes[++r->buffer];
    if (!checked_align(r->window.at, r->info.alignment, &start))
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, r->window.at, "a buffer beyond 2^64");
    return hry_window_go(&r->window, start, err);
}

static hry_status read_data(hry_reader *r, uint8_t *to, size_t size, hry_error *err)
{
    while (size > 0) {
        /* The first byte of a buffer comes after padding. */
        if (r->in_buffer == 0 || r->in_buffer == r->sizes[r->buffer])
            HRY_TRY(next_buffer(r, err));
        const size_t n = size < r->in_buffer ? size : (size_t)r->in_buffer;
        HRY_TRY(hry_window_read(&r->window, to, n, err));
        to += n;
        size -= n;
        r->in_buffer -= n;
        r->left -= n;
    }
    return HRY_OK;
}

hry_status hry_reader_read(hry_reader *reader, void *dst, size_t size, size_t *got,
                           hry_error *err)
{
    HRY_TRY(check_usable(reader, err));
    const size_t n = size < reader->left ? size : (size_t)reader->left;
    const hry_status status = read_data(reader, dst, n, err);
    reader->broken = status != HRY_OK;
    if (status == HRY_OK)
        *got = n;
    return status;
}

/* ---- an open file as a source ---- */

typedef struct file_source {
    const hry_file *file;
    uint64_t at;
} file_source;

static hry_status file_read(void *ctx, void *dst, size_t size, size_t *got, hry_error *err)
{
    file_source *s = ctx;
    const uint64_t end = hry_file_get_info(s->file)->size;
    const uint64_t left = s->at < end ? end - s->at : 0;
    const size_t n = size < left ? size : (size_t)left;
    HRY_TRY(hry_file_read(s->file, s->at, dst, n, err));
    s->at += n;
    *got = n;
    return HRY_OK;
}

static hry_status file_skip(void *ctx, uint64_t size, hry_error *err)
{
    file_source *s = ctx;
    if (!checked_add(s->at, size, &s->at))
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "skipping %llu bytes leads beyond 2^64",
                        (unsigned long long)size);
    return HRY_OK;
}

hry_status hry_file_check_canonical(const hry_file *file, hry_error *err)
{
    file_source from = {.file = file};
    const hry_source source = {.read = file_read, .skip = file_skip, .ctx = &from};
    hry_reader *reader;
    hry_descriptor d;
    bool found = true;
    HRY_TRY(hry_reader_open(source, NULL, &reader, err));
    hry_status status = HRY_OK;
    while (status == HRY_OK && found)
        status = hry_reader_next(reader, &d, &found, err);
    hry_reader_close(reader);
    return status;
}
