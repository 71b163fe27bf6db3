/* SPDX-License-Identifier: Apache-2.0 */
/* stored.c - a plain tensor of a file with its buffers, and its elements as values. */
#include "stored.h"

#include "checked.h"
#include "container/file.h"
#include "fail.h"
#include "hry/composite.h"
#include "hry/layout.h"
#include "hry/quant.h"
#include "region/into.h"

#include <stdlib.h>

static bool is_quantized(const hry_descriptor *d)
{
    return (d->flags & HRY_HAS_QUANTIZATION) != 0;
}

static hry_status load_buffer(hry_stored *s, uint64_t tensor, uint32_t b, hry_error *err)
{
    const uint64_t size = s->d.buffers[b].byte_size;
    uint64_t at;
    if (size == 0)
        return HRY_OK;
    HRY_TRY(hry_file_buffer(s->file, tensor, &s->d, b, &at, err));
    hry_buffer *buffer = &s->buffers[b];
    buffer->size = size;
    if (!s->owned)
        return hry_file_view(s->file, at, size, &buffer->bytes, err);
    size_t room;
    if (!checked_array(size, 1, &room) || (buffer->writable = malloc(room)) == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a buffer of %llu bytes",
                        (unsigned long long)size);
    return hry_file_read(s->file, at, buffer->writable, room, err);
}

hry_status hry_stored_open(hry_file *file, uint64_t tensor, bool writable, hry_stored *s,
                           hry_error *err)
{
    s->file = file;
    s->owned = s->by_runs = false;
    s->ahead = hry_ahead_over(&file->io, 4096);
    s->d.buffer_count = 0;
    HRY_TRY(hry_file_descriptor(file, tensor, &s->d, err));
    if (s->d.opaque || s->d.layout_tag >= 0xF0) {
        s->d.buffer_count = 0;
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "tensor %llu has a type, layout or scheme that is not known",
                        (unsigned long long)tensor);
    }
    for (uint32_t b = 0; b < s->d.buffer_count; b++)
        s->buffers[b] = (hry_buffer){.bytes = NULL};
    s->t = (hry_tensor){.descriptor = &s->d, .buffers = s->buffers, .writable = writable};
    s->owned = writable || file->map.bytes == NULL;
    s->by_runs = s->owned && hry_layout_is_dense(s->d.layout_tag) && !is_quantized(&s->d) &&
                 hry_descriptor_bits(&s->d) >= 8;
    if (s->d.buffer_count > 0)
        HRY_TRY(hry_file_buffer(file, tensor, &s->d, 0, &s->data, err));
    if (s->by_runs)
        return HRY_OK;
    for (uint32_t b = 0; b < s->d.buffer_count; b++)
        HRY_TRY(load_buffer(s, tensor, b, err));
    return HRY_OK;
}

void hry_stored_close(hry_stored *s)
{
    for (uint32_t b = 0; s->owned && b < s->d.buffer_count; b++)
        free(s->buffers[b].writable);
    hry_ahead_free(&s->ahead);
}

static hry_status read_quantized(const hry_tensor *t, const uint64_t *start,
                                 const uint64_t *count, hry_type as, void *dst,
                                 hry_error *err)
{
    if (as.tag == HRY_FLOAT32)
        return hry_dequantize(t, start, count, dst, err);
    uint64_t elements = 1;
    size_t size;
    for (uint32_t k = 0; k < t->descriptor->rank; k++)
        elements *= count[k]; /* bytes of dst, and so within 64 bits */
    float *values =
        checked_array(elements, sizeof *values, &size) ? malloc(size + 1) : NULL;
    if (values == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %llu values",
                        (unsigned long long)elements);
    hry_status status = hry_dequantize(t, start, count, values, err);
    if (status == HRY_OK)
        status = hry_from_float(values, as, dst, (size_t)elements, err);
    free(values);
    return status;
}

hry_status hry_stored_read(hry_stored *s, const uint64_t *start, const uint64_t *count,
                           hry_type as, void *dst, hry_error *err)
{
    if (is_quantized(&s->d))
        return read_quantized(&s->t, start, count, as, dst, err);
    if (s->by_runs)
        return hry_stored_read_runs(s, start, count, dst, NULL, err);
    return hry_region_read(&s->t, start, count, dst, err);
}

bool hry_stored_is_direct(const hry_stored *s)
{
    return hry_layout_is_dense(s->d.layout_tag) && !is_quantized(&s->d);
}

hry_status hry_stored_read_into(hry_stored *s, const uint64_t *start, const uint64_t *count,
                                void *dst, const int64_t *step, hry_error *err)
{
    if (s->by_runs)
        return hry_stored_read_runs(s, start, count, dst, step, err);
    return hry_region_read_into(&s->t, start, count, dst, step, err);
}

hry_status hry_plain_read(hry_file *file, uint64_t i, const uint64_t *start,
                          const uint64_t *count, void *dst, hry_error *err)
{
    hry_stored s;
    hry_status status = hry_stored_open(file, i, false, &s, err);
    if (status == HRY_OK)
        status = hry_stored_read(&s, start, count,
                                 is_quantized(&s.d) ? hry_type_builtin(HRY_FLOAT32)
                                                    : hry_type_of(&s.d),
                                 dst, err);
    hry_stored_close(&s);
    return status;
}
