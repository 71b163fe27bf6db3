/* SPDX-License-Identifier: Apache-2.0 */
/* io.c - the operations of a medium by name; what it has none for is unsupported. */
#include "hry/io.h"

#include "fail.h"

static hry_status none(const char *operation, hry_error *err)
{
    return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "this medium cannot %s", operation);
}

hry_status hry_io_read(const hry_io *io, uint64_t offset, void *dst, size_t size,
                       hry_error *err)
{
    if (io->ops == NULL || io->ops->read_at == NULL)
        return none("be read", err);
    return io->ops->read_at(io->ctx, offset, dst, size, err);
}

hry_status hry_io_write(const hry_io *io, uint64_t offset, const void *src, size_t size,
                        hry_error *err)
{
    if (io->ops == NULL || io->ops->write_at == NULL)
        return none("be written", err);
    return io->ops->write_at(io->ctx, offset, src, size, err);
}

hry_status hry_io_size(const hry_io *io, uint64_t *size, hry_error *err)
{
    if (io->ops == NULL || io->ops->size == NULL)
        return none("tell its size", err);
    return io->ops->size(io->ctx, size, err);
}

hry_status hry_io_truncate(const hry_io *io, uint64_t size, hry_error *err)
{
    if (io->ops == NULL || io->ops->truncate == NULL)
        return none("change its size", err);
    return io->ops->truncate(io->ctx, size, err);
}

hry_status hry_io_sync(const hry_io *io, hry_error *err)
{
    if (io->ops == NULL || io->ops->sync == NULL)
        return none("be synced", err);
    return io->ops->sync(io->ctx, err);
}

void hry_io_close(hry_io *io)
{
    if (io == NULL)
        return;
    if (io->ops != NULL && io->ops->close != NULL)
        io->ops->close(io->ctx);
    *io = (hry_io){0};
}
