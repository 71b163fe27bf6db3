/* SPDX-License-Identifier: Apache-2.0 */
/* data.c - see data.h. */
#include "data.h"

#include <stdio.h>
#include <string.h>

hry_status data_load(const struct input *input, const struct described *what,
                     struct data *out, hry_error *err)
{
    const hry_descriptor *d = &what->d;
    out->tensor = (hry_tensor){.descriptor = d, .buffers = out->buffers};
    for (uint32_t b = 0; b < d->buffer_count; b++) {
        const uint64_t size = d->buffers[b].byte_size;
        out->buffers[b] = (hry_buffer){.size = size};
        out->offsets[b] = 0;
        if (size == 0)
            continue;
        hry_status status =
            hry_file_buffer(input->file, what->position, d, b, &out->offsets[b], err);
        if (status == HRY_OK)
            status = hry_file_view(input->file, out->offsets[b], size,
                                   &out->buffers[b].bytes, err);
        if (status != HRY_OK)
            return status;
    }
    return HRY_OK;
}

void data_place_error(const struct data *data, hry_error *err)
{
    unsigned b;
    const char *named = strstr(err->message, "buffer[");
    if (err->offset == HRY_NO_OFFSET || named == NULL ||
        sscanf(named, "buffer[%u]", &b) != 1)
        return;
    if (b < data->tensor.descriptor->buffer_count)
        err->offset += data->offsets[b];
}
