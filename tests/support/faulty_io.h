/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_io.h - a medium over memory whose n-th operation fails. Writes go to that memory,
 * which must allow it, and cannot make it longer. */
#ifndef FAULTY_IO_H
#define FAULTY_IO_H

#include "hry/io.h"

#include <string.h>

typedef struct faulty_io {
    const uint8_t *data; /* borrowed */
    size_t size;
    long fuse;  /* operations that still succeed; negative: all */
    int closed; /* how often hry_io_close() came */
} faulty_io;

static inline hry_status faulty_step(faulty_io *f, hry_error *err)
{
    if (f->fuse == 0) {
        if (err != NULL)
            *err = (hry_error){HRY_ERR_IO, HRY_NO_OFFSET, "the medium failed"};
        return HRY_ERR_IO;
    }
    f->fuse -= f->fuse > 0;
    return HRY_OK;
}

static inline hry_status faulty_read(void *ctx, uint64_t offset, void *dst, size_t size,
                                     hry_error *err)
{
    faulty_io *f = ctx;
    if (faulty_step(f, err) != HRY_OK)
        return HRY_ERR_IO;
    if (offset > f->size || size > f->size - offset) {
        if (err != NULL)
            *err = (hry_error){HRY_ERR_TRUNCATED, f->size, "the medium ends"};
        return HRY_ERR_TRUNCATED;
    }
    memcpy(dst, f->data + offset, size);
    return HRY_OK;
}

static inline hry_status faulty_write(void *ctx, uint64_t offset, const void *src,
                                      size_t size, hry_error *err)
{
    faulty_io *f = ctx;
    if (faulty_step(f, err) != HRY_OK)
        return HRY_ERR_IO;
    if (offset > f->size || size > f->size - offset)
        return HRY_ERR_IO;
    memcpy((uint8_t *)(uintptr_t)f->data + offset, src, size);
    return HRY_OK;
}

static inline hry_status faulty_size(void *ctx, uint64_t *size, hry_error *err)
{
    faulty_io *f = ctx;
    if (faulty_step(f, err) != HRY_OK)
        return HRY_ERR_IO;
    *size = f->size;
    return HRY_OK;
}

static inline void faulty_close(void *ctx)
{
    ((faulty_io *)ctx)->closed++;
}

static inline hry_io faulty_io_over(faulty_io *f)
{
    static const hry_io_ops ops = {
        .read_at = faulty_read, .size = faulty_size, .close = faulty_close};
    return (hry_io){.ops = &ops, .ctx = f};
}

static inline hry_io faulty_io_writable(faulty_io *f)
{
    static const hry_io_ops ops = {.read_at = faulty_read,
                                   .write_at = faulty_write,
                                   .size = faulty_size,
                                   .close = faulty_close};
    return (hry_io){.ops = &ops, .ctx = f};
}

#endif
