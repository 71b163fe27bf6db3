/* SPDX-License-Identifier: Apache-2.0 */
/* data.c - see data.h. */
#include "data.h"

#include "hry/quant.h"

#include <stdlib.h>
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

/* Errors about data say a byte of the buffer that their message names: make it a byte of
 * the file. */
static void place_error(const struct data *data, hry_error *err)
{
    static const char before[] = "buffer[";
    const char *named = strstr(err->message, before);
    if (err->offset == HRY_NO_OFFSET || named == NULL)
        return;
    const unsigned long b = strtoul(named + strlen(before), NULL, 10);
    if (b < data->tensor.descriptor->buffer_count)
        err->offset += data->offsets[b];
}

hry_status data_check(const struct data *data, hry_mode mode, hry_error *err)
{
    hry_status status = hry_tensor_check(&data->tensor, mode, err);
    if (status == HRY_OK)
        status = hry_quant_check(&data->tensor, mode, err);
    if (status != HRY_OK)
        place_error(data, err);
    return status;
}
