/* SPDX-License-Identifier: Apache-2.0 */
/* posix_file.c - a file of the operating system, by pread and pwrite. */
#include "hry/io.h"

#include "checked.h"
#include "fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than the system moves in one call; keeps sizes inside ssize_t. */
enum { CHUNK = 1 << 30 };

typedef struct posix_file {
    int fd; /* owned */
} posix_file;

static hry_status refused(const char *call, uint64_t offset, hry_error *err)
{
    return HRY_FAIL_AT(err, HRY_ERR_IO, offset, "%s: %s", call, strerror(errno));
}

static hry_status check_reach(uint64_t offset, size_t size, hry_error *err)
{
    if (!range_inside(offset, size, INT64_MAX))
        return HRY_FAIL_AT(err, HRY_ERR_IO, offset,
                           "%zu bytes at %llu are beyond what a file can hold", size,
                           (unsigned long long)offset);
    return HRY_OK;
}

static hry_status posix_read(void *ctx, uint64_t offset, void *dst, size_t size,
                             hry_error *err)
{
    const posix_file *f = ctx;
    uint8_t *to = dst;
    HRY_TRY(check_reach(offset, size, err));
    while (size > 0) {
        const ssize_t n = pread(f->fd, to, size < CHUNK ? size : CHUNK, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return refused("pread", offset, err);
        if (n == 0)
            return HRY_FAIL_AT(err, HRY_ERR_TRUNCATED, offset,
                               "the file ends %zu bytes too early", size);
        to += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return HRY_OK;
}

static hry_status posix_write(void *ctx, uint64_t offset, const void *src, size_t size,
                              hry_error *err)
{
    const posix_file *f = ctx;
    const uint8_t *from = src;
    HRY_TRY(check_reach(offset, size, err));
    while (size > 0) {
        const ssize_t n = pwrite(f->fd, from, size < CHUNK ? size : CHUNK, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return refused("pwrite", offset, err);
        if (n == 0)
            return HRY_FAIL_AT(err, HRY_ERR_IO, offset, "pwrite took none of %zu bytes",
                               size);
        from += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return HRY_OK;
}

static hry_status posix_size(void *ctx, uint64_t *size, hry_error *err)
{
    struct stat st;
    if (fstat(((const posix_file *)ctx)->fd, &st) != 0)
        return refused("fstat", HRY_NO_OFFSET, err);
    *size = (uint64_t)st.st_size;
    return HRY_OK;
}

static hry_status posix_truncate(void *ctx, uint64_t size, hry_error *err)
{
    HRY_TRY(check_reach(size, 0, err));
    int done;
    do
        done = ftruncate(((const posix_file *)ctx)->fd, (off_t)size);
    while (done != 0 && errno == EINTR);
    return done == 0 ? HRY_OK : refused("ftruncate", size, err);
}

static hry_status posix_sync(void *ctx, hry_error *err)
{
    if (fsync(((const posix_file *)ctx)->fd) != 0)
        return refused("fsync", HRY_NO_OFFSET, err);
    return HRY_OK;
}

static void posix_close(void *ctx)
{
    close(((const posix_file *)ctx)->fd);
    free(ctx);
}

static const hry_io_ops posix_ops = {
    .read_at = posix_read,
    .write_at = posix_write,
    .size = posix_size,
    .truncate = posix_truncate,
    .sync = posix_sync,
    .close = posix_close,
};

static int open_flags(unsigned flags)
{
    int how = O_CLOEXEC | ((flags & HRY_IO_WRITE) != 0 ? O_RDWR : O_RDONLY);
    if ((flags & HRY_IO_CREATE) != 0)
        how |= O_CREAT;
    if ((flags & HRY_IO_TRUNCATE) != 0)
        how |= O_TRUNC;
    if ((flags & HRY_IO_EXCLUSIVE) != 0)
        how |= O_EXCL;
    return how;
}

/* The mistake a caller made with `flags`, or NULL. */
static const char *wrong_flags(unsigned flags)
{
    if ((flags & (HRY_IO_CREATE | HRY_IO_TRUNCATE)) != 0 && (flags & HRY_IO_WRITE) == 0)
        return "HRY_IO_CREATE and HRY_IO_TRUNCATE need HRY_IO_WRITE";
    if ((flags & HRY_IO_EXCLUSIVE) != 0 && (flags & HRY_IO_CREATE) == 0)
        return "HRY_IO_EXCLUSIVE needs HRY_IO_CREATE";
    return NULL;
}

/* A directory opens for reading, and only its reads fail: refuse it here. */
static hry_status check_kind(int fd, const char *path, hry_error *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return HRY_FAIL(err, HRY_ERR_IO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return HRY_FAIL(err, HRY_ERR_IO, "%s: %s", path, strerror(EISDIR));
    return HRY_OK;
}

hry_status hry_io_open(const char *path, unsigned flags, hry_io *out, hry_error *err)
{
    if (path == NULL || out == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "path and out must not be NULL");
    if (wrong_flags(flags) != NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "%s", wrong_flags(flags));

    posix_file *f = malloc(sizeof *f);
    if (f == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a file");
    do
        f->fd = open(path, open_flags(flags), 0666);
    while (f->fd < 0 && errno == EINTR);
    if (f->fd < 0) {
        const int cause = errno;
        free(f);
        return HRY_FAIL(err, HRY_ERR_IO, "%s: %s", path, strerror(cause));
    }
    const hry_status status = check_kind(f->fd, path, err);
    if (status != HRY_OK) {
        posix_close(f);
        return status;
    }
    *out = (hry_io){.ops = &posix_ops, .ctx = f};
    return HRY_OK;
}

int hry_io_descriptor(const hry_io *io)
{
    return io->ops == &posix_ops ? ((const posix_file *)io->ctx)->fd : -1;
}
