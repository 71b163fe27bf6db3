/* SPDX-License-Identifier: Apache-2.0 */
/* stream_writer.c - tensors to a bare stream (format section 7). */
#include "builder.h"
#include "hry/composite.h"
#include "hry/stream.h"
#include "stream/tensor_size.h"

/* Invariant: `left` bytes of the current tensor's buffers are still to come. */
struct hry_stream_writer {
    hry_sink sink;
    void *ctx;
    bool remote;
    bool is_broken;     /* what was written is no stream any more */
    hry_binder *binder; /* owned */
    hry_builder scratch;
    uint64_t left;
};

hry_status hry_stream_writer_new(hry_sink sink, void *ctx,
                                 const hry_stream_options *options, hry_stream_writer **out,
                                 hry_error *err)
{
    if (sink == NULL || out == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "sink and out must not be NULL");
    hry_stream_writer *w = calloc(1, sizeof *w);
    if (w == NULL)
        return HRY_NO_MEMORY(err, sizeof *w);
    w->sink = sink;
    w->ctx = ctx;
    w->remote = options != NULL && options->remote;
    const hry_status status = hry_binder_new(HRY_STRICT, &w->binder, err);
    if (status != HRY_OK) {
        free(w);
        return status;
    }
    *out = w;
    return HRY_OK;
}

void hry_stream_writer_abandon(hry_stream_writer *writer)
{
    if (writer == NULL)
        return;
    hry_binder_free(writer->binder);
    bld_free(&writer->scratch);
    free(writer);
}

static hry_status check_whole(const hry_stream_writer *w, hry_error *err)
{
    if (w->is_broken)
        return HRY_FAIL(err, HRY_ERR_ARG, "an earlier error broke the stream");
    if (w->left > 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "the tensor before lacks %llu bytes",
                        (unsigned long long)w->left);
    return HRY_OK;
}

static hry_status check_tensor(hry_stream_writer *w, const hry_descriptor *d,
                               uint64_t *data, hry_error *err)
{
    const size_t size = hry_descriptor_size(d);
    size_t length;
    if (size == 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "a descriptor of unknown type, layout or scheme is not written");
    w->scratch.size = 0;
    w->scratch.failed = false;
    uint8_t *to = bld_take(&w->scratch, size);
    if (to == NULL)
        return HRY_NO_MEMORY(err, size);
    HRY_TRY(hry_descriptor_encode(d, to, size, &length, err));
    w->scratch.size = length;
    HRY_TRY(hry_tensor_size(d, UINT64_MAX, data, err));
    return w->remote ? hry_tensor_synced(d, err) : HRY_OK;
}

hry_status hry_stream_writer_begin(hry_stream_writer *writer, const hry_descriptor *d,
                                   hry_error *err)
{
    uint64_t data;
    if (writer == NULL || d == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "writer and descriptor must not be NULL");
    HRY_TRY(check_whole(writer, err));
    HRY_TRY(check_tensor(writer, d, &data, err));
    hry_status status = hry_binder_add(writer->binder, d, 0, NULL, err);
    if (status == HRY_OK)
        status = writer->sink(writer->ctx, writer->scratch.data, writer->scratch.size, err);
    writer->is_broken = status != HRY_OK;
    HRY_TRY(status);
    writer->left = data;
    return HRY_OK;
}

hry_status hry_stream_writer_write(hry_stream_writer *writer, const void *bytes,
                                   size_t size, hry_error *err)
{
    if (writer == NULL || (bytes == NULL && size > 0))
        return HRY_FAIL(err, HRY_ERR_ARG, "writer and bytes must not be NULL");
    if (writer->is_broken)
        return check_whole(writer, err);
    if (size > writer->left)
        return HRY_FAIL(err, HRY_ERR_RANGE, "%zu bytes, the tensor takes %llu more", size,
                        (unsigned long long)writer->left);
    if (size == 0)
        return HRY_OK;
    const hry_status status = writer->sink(writer->ctx, bytes, size, err);
    writer->is_broken = status != HRY_OK;
    HRY_TRY(status);
    writer->left -= size;
    return HRY_OK;
}

hry_status hry_stream_writer_add(hry_stream_writer *writer, const hry_descriptor *d,
                                 const void *const *buffers, hry_error *err)
{
    HRY_TRY(hry_stream_writer_begin(writer, d, err));
    for (uint32_t b = 0; b < d->buffer_count; b++) {
        const uint64_t size = d->buffers[b].byte_size;
        if (size == 0)
            continue;
        if (buffers == NULL || buffers[b] == NULL || size > SIZE_MAX)
            return HRY_FAIL(err, HRY_ERR_ARG, "buffer %u of %llu bytes is missing",
                            (unsigned)b, (unsigned long long)size);
        HRY_TRY(hry_stream_writer_write(writer, buffers[b], (size_t)size, err));
    }
    return HRY_OK;
}

hry_status hry_stream_writer_finish(hry_stream_writer *writer, hry_error *err)
{
    hry_error why;
    if (writer == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "writer must not be NULL");
    hry_status status = check_whole(writer, err);
    if (status == HRY_OK && hry_binder_end(writer->binder, &why) != HRY_OK)
        status = HRY_FAIL(err, HRY_ERR_ARG, "%s", why.message);
    hry_stream_writer_abandon(writer);
    return status;
}
