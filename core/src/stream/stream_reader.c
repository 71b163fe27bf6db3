/* SPDX-License-Identifier: Apache-2.0 */
/* stream_reader.c - tensors from a bare stream (format section 7). */
#include "cursor.h"
#include "descriptor/places.h"
#include "hry/composite.h"
#include "hry/stream.h"
#include "io/window.h"
#include "stream/tensor_size.h"

static const uint32_t default_descriptor_limit = UINT32_C(1) << 24;

/* Invariant: `left` bytes of the current tensor's buffers are to be read. */
struct hry_stream_reader {
    hry_window window;
    hry_stream_options options;
    hry_binder *binder;     /* owned */
    hry_builder descriptor; /* bytes of the current one, which borrows from them */
    uint64_t left;
    uint32_t depth; /* composites that the current tensor is in */
    bool is_broken;
};

hry_status hry_stream_reader_new(hry_source source, const hry_stream_options *options,
                                 hry_stream_reader **out, hry_error *err)
{
    if (source.read == NULL || out == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "source.read and out must not be NULL");
    hry_stream_reader *r = calloc(1, sizeof *r);
    if (r == NULL)
        return HRY_NO_MEMORY(err, sizeof *r);
    r->window.source = source;
    if (options != NULL)
        r->options = *options;
    if (r->options.descriptor_limit == 0)
        r->options.descriptor_limit = default_descriptor_limit;
    if (r->options.data_limit == 0)
        r->options.data_limit = UINT64_MAX;
    const hry_status status = hry_binder_new(r->options.mode, &r->binder, err);
    if (status != HRY_OK) {
        free(r);
        return status;
    }
    *out = r;
    return HRY_OK;
}

void hry_stream_reader_free(hry_stream_reader *reader)
{
    if (reader == NULL)
        return;
    hry_binder_free(reader->binder);
    bld_free(&reader->descriptor);
    bld_free(&reader->window.bytes);
    free(reader);
}

uint32_t hry_stream_reader_depth(const hry_stream_reader *reader)
{
    return reader->depth;
}

uint64_t hry_stream_reader_at(const hry_stream_reader *reader)
{
    return reader->window.at;
}

/* The length of the descriptor ahead; what its fixed header shows to be wrong is told
 * before more is waited for. */
static hry_status measure(hry_stream_reader *r, hry_descriptor *scratch, size_t *length,
                          hry_error *err)
{
    HRY_TRY(hry_window_need(&r->window, HRY_AT_SHAPE, "descriptor", err));
    const uint8_t *bytes = hry_window_data(&r->window);
    const hry_status status =
        hry_descriptor_decode(bytes, HRY_AT_SHAPE, r->options.mode, scratch, NULL, err);
    if (status != HRY_OK && status != HRY_ERR_TRUNCATED)
        return status;
    hry_cursor c = cur_over(bytes, HRY_AT_SHAPE);
    cur_take(&c, HRY_AT_LENGTH);
    *length = cur_u32(&c);
    if (*length > r->options.descriptor_limit)
        return HRY_FAIL_AT(err, HRY_ERR_RANGE, HRY_AT_LENGTH,
                           "descriptor_length is %zu, at most %u are taken", *length,
                           (unsigned)r->options.descriptor_limit);
    return HRY_OK;
}

/* Errors have the byte of the descriptor. */
static hry_status take(hry_stream_reader *r, size_t length, hry_descriptor *out,
                       hry_error *err)
{
    const hry_stream_options *o = &r->options;
    r->descriptor.size = 0;
    bld_bytes(&r->descriptor, hry_window_data(&r->window), length);
    HRY_TRY(bld_ok(&r->descriptor, "descriptor", err));
    HRY_TRY(hry_descriptor_decode(r->descriptor.data, length, o->mode, out, NULL, err));
    HRY_TRY(hry_tensor_size(out, o->data_limit, &r->left, err));
    return o->remote ? hry_tensor_synced(out, err) : HRY_OK;
}

/* To the composites that are open. */
static hry_status bind(hry_stream_reader *r, const hry_descriptor *d, uint64_t at,
                       hry_error *err)
{
    hry_bound bound;
    HRY_TRY(hry_binder_add(r->binder, d, at, &bound, err));
    r->depth = bound.depth;
    return HRY_OK;
}

/* Is there a tensor ahead? The one before is complete. */
static hry_status look_ahead(hry_stream_reader *r, bool *found, hry_error *err)
{
    hry_window *w = &r->window;
    const uint64_t left = r->left;
    r->left = 0;
    if (left > UINT64_MAX - w->at)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, w->at, "data: they end beyond 2^64");
    /* Where a source skips, only the last byte tells whether the data were there. */
    if (left > 0)
        HRY_TRY(hry_window_go(w, w->at + left - 1, err));
    if (left > 0)
        HRY_TRY(hry_window_need(w, 1, "data", err));
    if (left > 0)
        hry_window_drop(w, 1);
    HRY_TRY(hry_window_fill(w, 1, err));
    *found = hry_window_left(w) > 0;
    if (*found || r->options.mode == HRY_PERMISSIVE)
        return HRY_OK;
    return hry_binder_end(r->binder, err);
}

static hry_status advance(hry_stream_reader *r, hry_descriptor *out, bool *found,
                          hry_error *err)
{
    size_t length;
    HRY_TRY(look_ahead(r, found, err));
    if (!*found)
        return HRY_OK;
    const uint64_t at = r->window.at;
    hry_status status = measure(r, out, &length, err);
    if (status == HRY_ERR_TRUNCATED) /* of the window's making, with the stream's byte */
        return status;
    if (status == HRY_OK) {
        HRY_TRY(hry_window_need(&r->window, length, "descriptor", err));
        status = take(r, length, out, err);
        hry_window_drop(&r->window, length);
    }
    if (status != HRY_OK && err != NULL && err->offset != HRY_NO_OFFSET)
        err->offset += at;
    return status == HRY_OK ? bind(r, out, at, err) : status;
}

static hry_status check_usable(const hry_stream_reader *r, hry_error *err)
{
    if (r->is_broken)
        return HRY_FAIL(err, HRY_ERR_ARG, "an earlier error left the reader nowhere");
    return HRY_OK;
}

hry_status hry_stream_reader_next(hry_stream_reader *reader, hry_descriptor *out,
                                  bool *found, hry_error *err)
{
    bool got = false;
    HRY_TRY(check_usable(reader, err));
    const hry_status status = advance(reader, out, &got, err);
    reader->is_broken = status != HRY_OK;
    if (status == HRY_OK)
        *found = got;
    return status;
}

hry_status hry_stream_reader_read(hry_stream_reader *reader, void *dst, size_t size,
                                  size_t *got, hry_error *err)
{
    HRY_TRY(check_usable(reader, err));
    const size_t n = size < reader->left ? size : (size_t)reader->left;
    const hry_status status = hry_window_read(&reader->window, dst, n, err);
    reader->is_broken = status != HRY_OK;
    if (status != HRY_OK)
        return status;
    reader->left -= n;
    *got = n;
    return HRY_OK;
}
