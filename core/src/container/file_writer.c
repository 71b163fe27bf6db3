/* SPDX-License-Identifier: Apache-2.0 */
/* file_writer.c - a whole file in one forward pass (format sections 6 and 8.1). */
#include "builder.h"
#include "checked.h"
#include "container/data_place.h"
#include "container/footer.h"

/* Small pieces are gathered; what is larger goes to the sink as it is. */
enum { GATHER = 65536 };

/*
 * Invariant: between tensors `buffer == buffer_count` and `left == 0`; inside one, `left`
 * bytes of buffers `buffer`.. are still to come, `in_buffer` of them of the current one.
 */
struct hry_writer {
    hry_sink sink;
    void *ctx; /* owned when the sink is to_file() */
    uint64_t alignment;
    hry_footer *footer; /* owned */
    hry_builder scratch;
    uint64_t at; /* where the next byte goes, gathered ones counted */
    bool broken; /* bytes were lost: the file cannot be completed */

    uint64_t sizes[HRY_MAX_BUFFERS]; /* of the current tensor's buffers */
    uint32_t buffer, buffer_count;
    uint64_t in_buffer, left, data_end;

    size_t gathered;
    uint8_t gather[GATHER];
};

/* ---- bytes ---- */

static hry_status sink(hry_writer *w, const void *bytes, size_t size, hry_error *err)
{
    const hry_status status = w->sink(w->ctx, bytes, size, err);
    if (status != HRY_OK)
        w->broken = true;
    return status;
}

static hry_status flush(hry_writer *w, hry_error *err)
{
    const size_t size = w->gathered;
    w->gathered = 0;
    return size > 0 ? sink(w, w->gather, size, err) : HRY_OK;
}

static hry_status emit(hry_writer *w, const void *bytes, size_t size, hry_error *err)
{
    if (size > GATHER - w->gathered)
        HRY_TRY(flush(w, err));
    if (size >= GATHER) {
        HRY_TRY(sink(w, bytes, size, err));
    } else if (size > 0) {
        memcpy(w->gather + w->gathered, bytes, size);
        w->gathered += size;
    }
    w->at += size;
    return HRY_OK;
}

static hry_status pad_to(hry_writer *w, uint64_t target, hry_error *err)
{
    static const uint8_t zeros[4096];
    while (w->at < target) {
        const uint64_t gap = target - w->at;
        HRY_TRY(emit(w, zeros, gap < sizeof zeros ? (size_t)gap : sizeof zeros, err));
    }
    return HRY_OK;
}

static uint64_t align8(uint64_t at)
{
    return (at + 7) & ~UINT64_C(7); /* begin() keeps `at` far from 2^64 */
}

static hry_status check_whole(const hry_writer *w, hry_error *err)
{
    if (w->broken)
        return HRY_FAIL(err, HRY_ERR_IO, "an earlier write failed: bytes are missing");
    if (w->left > 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "the tensor before lacks %llu bytes",
                        (unsigned long long)w->left);
    return HRY_OK;
}

/* ---- life ---- */

static hry_status start(hry_writer *w, const hry_writer_options *o, hry_error *err)
{
    uint8_t header[HRY_FILE_HEADER_SIZE];
    const uint32_t alignment = o->alignment != 0 ? o->alignment : HRY_DEFAULT_ALIGNMENT;
    const uint64_t hint = o->tensor_count_hint != 0 ? o->tensor_count_hint : UINT64_MAX;
    w->alignment = alignment;
    HRY_TRY(hry_file_header_encode(o->flags, alignment, sizeof header, hint, header, err));
    HRY_TRY(hry_footer_new(o->flags, &w->footer, err));
    HRY_TRY(emit(w, header, sizeof header, err));
    return flush(w, err);
}

hry_status hry_writer_new(hry_sink to, void *ctx, const hry_writer_options *options,
                          hry_writer **out, hry_error *err)
{
    const hry_writer_options o =
        options != NULL ? *options : (hry_writer_options){.flags = HRY_FILE_HAS_INDEX_CRC};
    if (to == NULL || out == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "sink and out must not be NULL");
    hry_writer *w = calloc(1, sizeof *w);
    if (w == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a writer");
    w->sink = to;
    w->ctx = ctx;
    const hry_status status = start(w, &o, err);
    if (status != HRY_OK) {
        hry_writer_abandon(w);
        return status;
    }
    *out = w;
    return HRY_OK;
}

/* The sink of a writer that has a file: what is gathered is the end of what is counted. */
typedef struct file_sink {
    hry_io io; /* owned */
    uint64_t at;
} file_sink;

static hry_status to_file(void *ctx, const void *bytes, size_t size, hry_error *err)
{
    file_sink *f = ctx;
    HRY_TRY(hry_io_write(&f->io, f->at, bytes, size, err));
    f->at += size;
    return HRY_OK;
}

static void close_file(file_sink *f)
{
    if (f != NULL)
        hry_io_close(&f->io);
    free(f);
}

hry_status hry_writer_create(const char *path, const hry_writer_options *options,
                             hry_writer **out, hry_error *err)
{
    file_sink *f = calloc(1, sizeof *f);
    if (f == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a file");
    hry_status status =
        hry_io_open(path, HRY_IO_WRITE | HRY_IO_CREATE | HRY_IO_TRUNCATE, &f->io, err);
    if (status == HRY_OK)
        status = hry_writer_new(to_file, f, options, out, err);
    if (status != HRY_OK)
        close_file(f);
    return status;
}

void hry_writer_abandon(hry_writer *writer)
{
    if (writer == NULL)
        return;
    if (writer->sink == to_file)
        close_file(writer->ctx);
    hry_footer_free(writer->footer);
    bld_free(&writer->scratch);
    free(writer);
}

static hry_status complete(hry_writer *w, hry_error *err)
{
    const void *end;
    size_t size;
    HRY_TRY(check_whole(w, err));
    HRY_TRY(pad_to(w, align8(w->at), err));
    HRY_TRY(hry_footer_encode(w->footer, w->at, &end, &size, err));
    HRY_TRY(emit(w, end, size, err));
    return flush(w, err);
}

hry_status hry_writer_finish(hry_writer *writer, hry_error *err)
{
    if (writer == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "writer must not be NULL");
    const hry_status status = complete(writer, err);
    hry_writer_abandon(writer);
    return status;
}

/* ---- tensors ---- */

static hry_status encode(hry_writer *w, const hry_descriptor *d, hry_error *err)
{
    const size_t size = hry_descriptor_size(d);
    if (size == 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "a descriptor of unknown type, layout or scheme is not written");
    w->scratch.size = 0;
    uint8_t *to = bld_take(&w->scratch, size);
    if (to == NULL) {
        w->scratch.failed = false;
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a descriptor of %zu bytes",
                        size);
    }
    size_t length;
    HRY_TRY(hry_descriptor_encode(d, to, size, &length, err));
    w->scratch.size = length;
    return HRY_OK;
}

/* Where everything of the tensor goes is known before a byte of it is written. */
static hry_status place(const hry_writer *w, const hry_descriptor *d, hry_entry *entry,
                        uint64_t *data_end, hry_error *err)
{
    uint64_t start, end;
    entry->descriptor_offset = align8(w->at);
    entry->descriptor_length = (uint32_t)w->scratch.size;
    end = entry->descriptor_offset + entry->descriptor_length;
    bool fits = hry_data_next(end, 0, w->alignment, &entry->data_offset, &end);
    for (uint32_t b = 0; fits && b < d->buffer_count; b++)
        fits = hry_data_next(end, d->buffers[b].byte_size, w->alignment, &start, &end);
    if (!fits || end > INT64_MAX)
        return HRY_FAIL(err, HRY_ERR_RANGE, "the file would be longer than 2^63 bytes");
    entry->data_length = end - entry->data_offset;
    *data_end = end;
    return HRY_OK;
}

/* No padding after a head: what follows it starts at the next multiple of 8. */
static hry_status open_tensor(hry_writer *w, const hry_descriptor *d,
                              const hry_entry *entry, uint64_t data_end, hry_error *err)
{
    HRY_TRY(pad_to(w, entry->descriptor_offset, err));
    HRY_TRY(emit(w, w->scratch.data, w->scratch.size, err));
    if (d->buffer_count == 0)
        return HRY_OK;
    HRY_TRY(pad_to(w, entry->data_offset, err));
    w->buffer_count = d->buffer_count;
    w->buffer = 0;
    w->data_end = data_end;
    w->in_buffer = d->buffers[0].byte_size;
    for (uint32_t b = 0; b < d->buffer_count; b++) {
        w->sizes[b] = d->buffers[b].byte_size;
        w->left += w->sizes[b];
    }
    return w->left == 0 ? pad_to(w, data_end, err) : HRY_OK;
}

hry_status hry_writer_begin(hry_writer *writer, const char *name, const hry_descriptor *d,
                            hry_error *err)
{
    if (writer == NULL || name == NULL || d == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "writer, name and descriptor must not be NULL");
    HRY_TRY(check_whole(writer, err));
    const size_t length = strlen(name);
    if (length > UINT16_MAX)
        return HRY_FAIL(err, HRY_ERR_ARG, "name: %zu bytes, at most 65535 can be kept",
                        length);
    if (hry_footer_has(writer->footer, name, length))
        return HRY_FAIL(err, HRY_ERR_ARG, "name: \"%s\" is taken", name);

    hry_entry entry = {.name = name, .name_length = (uint16_t)length};
    uint64_t data_end;
    HRY_TRY(encode(writer, d, err));
    HRY_TRY(place(writer, d, &entry, &data_end, err));
    HRY_TRY(hry_footer_add(writer->footer, &entry, err));
    return open_tensor(writer, d, &entry, data_end, err);
}

/* Go to the buffer that the next byte belongs to; there is one. */
static hry_status next_buffer(hry_writer *w, hry_error *err)
{
    while (w->in_buffer == 0)
        w->in_buffer = w->sizes[++w->buffer];
    return pad_to(w, (w->at + w->alignment - 1) & ~(w->alignment - 1), err);
}

hry_status hry_writer_write(hry_writer *writer, const void *bytes, size_t size,
                            hry_error *err)
{
    if (writer == NULL || (bytes == NULL && size > 0))
        return HRY_FAIL(err, HRY_ERR_ARG, "writer and bytes must not be NULL");
    if (writer->broken)
        return check_whole(writer, err);
    if (size > writer->left)
        return HRY_FAIL(err, HRY_ERR_RANGE, "%zu bytes, the tensor takes %llu more", size,
                        (unsigned long long)writer->left);
    const uint8_t *from = bytes;
    while (size > 0) {
        if (writer->in_buffer == 0)
            HRY_TRY(next_buffer(writer, err));
        const size_t n = size < writer->in_buffer ? size : (size_t)writer->in_buffer;
        HRY_TRY(emit(writer, from, n, err));
        from += n;
        size -= n;
        writer->in_buffer -= n;
        writer->left -= n;
        if (writer->left == 0)
            HRY_TRY(pad_to(writer, writer->data_end, err));
    }
    return HRY_OK;
}

hry_status hry_writer_add(hry_writer *writer, const char *name, const hry_descriptor *d,
                          const void *const *buffers, hry_error *err)
{
    HRY_TRY(hry_writer_begin(writer, name, d, err));
    for (uint32_t b = 0; b < d->buffer_count; b++) {
        const uint64_t size = d->buffers[b].byte_size;
        if (size == 0)
            continue;
        if (buffers == NULL || buffers[b] == NULL || size > SIZE_MAX)
            return HRY_FAIL(err, HRY_ERR_ARG, "buffer %lu of %llu bytes is missing",
                            (unsigned long)b, (unsigned long long)size);
        HRY_TRY(hry_writer_write(writer, buffers[b], (size_t)size, err));
    }
    return HRY_OK;
}

hry_status hry_writer_add_kv(hry_writer *writer, const hry_kv *kv, hry_error *err)
{
    if (writer == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "writer must not be NULL");
    return hry_footer_add_kv(writer->footer, kv, err);
}
