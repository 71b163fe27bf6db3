/* SPDX-License-Identifier: Apache-2.0 */
/* byte_source.h - a hry_source over memory that gives few bytes at a time, as pipes do, and
 * breaks when told to. For tests. */
#ifndef BYTE_SOURCE_H
#define BYTE_SOURCE_H

#include "hry/io.h"

#include <string.h>

typedef struct byte_source {
    const uint8_t *data; /* borrowed */
    size_t size, at;
    size_t step; /* bytes at a time, at most         */
    long fuse;   /* reads that still succeed; negative: all */
} byte_source;

static inline hry_status byte_source_read(void *ctx, void *dst, size_t size, size_t *got,
                                          hry_error *err)
{
    byte_source *s = ctx;
    if (s->fuse == 0) {
        if (err != NULL)
            *err = (hry_error){HRY_ERR_IO, HRY_NO_OFFSET, "the pipe broke"};
        return HRY_ERR_IO;
    }
    s->fuse -= s->fuse > 0;
    size_t n = s->size - s->at < size ? s->size - s->at : size;
    n = n < s->step ? n : s->step;
    if (n > 0)
        memcpy(dst, s->data + s->at, n);
    s->at += n;
    *got = n;
    return HRY_OK;
}

static inline byte_source byte_source_over(const void *data, size_t size, size_t step)
{
    return (byte_source){.data = data, .size = size, .step = step, .fuse = -1};
}

static inline hry_source byte_source_of(byte_source *s)
{
    return (hry_source){.read = byte_source_read, .ctx = s};
}

#endif
