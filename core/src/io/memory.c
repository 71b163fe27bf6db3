/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - a read-only medium over bytes that the caller keeps. */
#include "io/mapping.h"

#include "checked.h"
#include "fail.h"

#include <stdlib.h>
#include <string.h>

typedef struct memory {
    const uint8_t *bytes; /* borrowed */
    size_t size;
} memory;

static hry_status memory_read(void *ctx, uint64_t offset, void *dst, size_t size,
                              hry_error *err)
{
    const memory *m = ctx;
    if (!range_inside(offset, size, m->size))
        return HRY_FAIL_AT(err, HRY_ERR_TRUNCATED, m->size,
                           "%zu bytes at %llu wanted, the medium ends at %zu", size,
                           (unsigned long long)offset, m->size);
    if (size > 0)
        memcpy(dst, m->bytes + offset, size);
    return HRY_OK;
}

static hry_status memory_size(void *ctx, uint64_t *size, hry_error *err)
{
    (void)err;
    *size = ((const memory *)ctx)->size;
    return HRY_OK;
}

static const hry_io_ops memory_ops = {
    .read_at = memory_read,
    .size = memory_size,
    .close = free,
};

hry_status hry_io_memory(const void *bytes, size_t size, hry_io *out, hry_error *err)
{
    if (out == NULL || (bytes == NULL && size > 0))
        return HRY_FAIL(err, HRY_ERR_ARG, "bytes and out must not be NULL");
    memory *m = malloc(sizeof *m);
    if (m == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a medium");
    *m = (memory){.bytes = bytes, .size = size};
    *out = (hry_io){.ops = &memory_ops, .ctx = m};
    return HRY_OK;
}

const uint8_t *hry_io_memory_bytes(const hry_io *io)
{
    return io->ops == &memory_ops ? ((const memory *)io->ctx)->bytes : NULL;
}
