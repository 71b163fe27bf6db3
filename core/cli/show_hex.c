/* SPDX-License-Identifier: Apache-2.0 */
/* show_hex.c - see show_hex.h. */
#include "show_hex.h"

#include "descriptor_text.h"
#include "hex_file.h"
#include "hex_rows.h"
#include "notes.h"

#include "hry/composite.h"

#include <string.h>

static int no_memory(const struct input *input)
{
    const struct place where = {.file = input->path};
    return report_refusal(&where, "no memory to show it");
}

/* A descriptor at `start`. */
static bool descriptor(const struct invocation *in, const struct input *input,
                       const char *title, const struct described *what, uint64_t start)
{
    struct table rows = table_of(descriptor_columns, 4);
    const uint32_t length = what->entry.descriptor_length;
    descriptor_text(&rows, &what->d, start, length, NULL);
    return hex_rows(in, input, title, start, &rows, start + length);
}

/* The first bytes of a buffer. */
static bool buffer(const struct invocation *in, const struct input *input, uint32_t b,
                   uint64_t at, uint64_t size)
{
    struct table rows = table_of(descriptor_columns, 4);
    char title[40];
    snprintf(title, sizeof title, "buffer[%lu]", (unsigned long)b);
    descriptor_row(&rows, at, "data", "%llu bytes", (unsigned long long)size);
    table_next(&rows);
    table_next(&rows);
    return hex_rows(in, input, title, at, &rows, at + size);
}

int show_hex_tensor(const struct invocation *in, const struct input *input,
                    const struct described *what)
{
    struct text title = {0};
    text_add(&title, "descriptor of '");
    text_add_foreign(&title, what->entry.name, what->entry.name_length);
    text_add(&title, "'");
    bool ok =
        descriptor(in, input, text_string(&title), what, what->entry.descriptor_offset);
    text_free(&title);
    for (uint32_t b = 0; ok && !what->d.opaque && b < what->d.buffer_count; b++) {
        const uint64_t size = what->d.buffers[b].byte_size;
        uint64_t at;
        if (size > 0 &&
            hry_file_buffer(input->file, what->position, &what->d, b, &at, NULL) == HRY_OK)
            ok = buffer(in, input, b, at, size);
    }
    return ok ? EXIT_OK : no_memory(input);
}

/* ---- a file: header, tensors as they were written, key-values, index, trailer ---- */

static int tensors(const struct invocation *in, const struct input *input)
{
    const struct place where = {.file = input->path};
    struct described what;
    hry_order *order;
    hry_error err;
    int code = EXIT_OK;
    if (hry_order_new(input->file, &order, &err) != HRY_OK)
        return report_error(&where, &err);
    for (uint64_t i = 0; i < hry_order_count(order); i++) {
        int one = input_describe(input, hry_order_tensor(order, i), &what);
        if (one == EXIT_OK)
            one = show_hex_tensor(in, input, &what);
        code = exit_worst(code, one);
    }
    hry_order_free(order);
    return code;
}

static int file(const struct invocation *in, const struct input *input)
{
    bool ok = hex_file_header(in, input);
    const int code = tensors(in, input);
    ok = ok && hex_file_kv(in, input) && hex_file_index(in, input) &&
         hex_file_trailer(in, input);
    return ok ? code : no_memory(input);
}

/* ---- a descriptor, or a stream of them with their buffers ---- */

/* Buffers of the tensor whose descriptor ends at *at; false where the input ends first. */
static bool stream_buffers(const struct invocation *in, const struct input *input,
                           const hry_descriptor *d, uint64_t *at)
{
    for (uint32_t b = 0; b < d->buffer_count; b++) {
        const uint64_t size = d->buffers[b].byte_size;
        if (size > input->size - *at)
            return false;
        if (size > 0 && !buffer(in, input, b, *at, size))
            return false;
        *at += size;
    }
    return true;
}

static int stream(const struct invocation *in, const struct input *input)
{
    const struct place where = {.file = input->path};
    struct described what = {.in_file = false};
    hry_error err;
    for (uint64_t at = 0, i = 0; at < input->size; i++) {
        char title[64];
        size_t length;
        hry_status status = hry_descriptor_decode(input->bytes + at, input->size - at,
                                                  HRY_PERMISSIVE, &what.d, &length, &err);
        if (status != HRY_OK) {
            err.offset += err.offset != HRY_NO_OFFSET ? at : 0;
            return report_error(&where, &err);
        }
        what.entry.descriptor_length = (uint32_t)length;
        snprintf(title, sizeof title, "descriptor %llu", (unsigned long long)i);
        if (!descriptor(in, input, title, &what, at))
            return no_memory(input);
        at += length;
        if (at == input->size) /* a lone descriptor, or an empty last tensor */
            break;
        if (what.d.opaque || !stream_buffers(in, input, &what.d, &at))
            return report_refusal(&where, "from byte %llu on: what follows is not known",
                                  (unsigned long long)at);
    }
    return EXIT_OK;
}

int show_hex(const struct invocation *in, const struct input *input)
{
    return input->file != NULL ? file(in, input) : stream(in, input);
}
