/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/io.h - where a container's bytes come from and go to: a table of positional
 * operations, so that files, memory, MPI-IO and failing media look alike; and sources and
 * sinks of bytes in order.
 */
#ifndef HRY_IO_H
#define HRY_IO_H

#include "hry/error.h"

#include <stdbool.h>
#include <stddef.h>

HRY_BEGIN

/*
 * All offsets and sizes are in BYTES. Operations on distinct ranges may run in several
 * threads at once. An operation left NULL is not supported by that medium.
 */
typedef struct hry_io_ops {
    /* Exactly `size` bytes at `offset`; HRY_ERR_TRUNCATED when the medium ends before. */
    hry_status (*read_at)(void *ctx, uint64_t offset, void *dst, size_t size,
                          hry_error *err);
    /* Exactly `size` bytes at `offset`, growing the medium as needed. */
    hry_status (*write_at)(void *ctx, uint64_t offset, const void *src, size_t size,
                           hry_error *err);
    hry_status (*size)(void *ctx, uint64_t *size, hry_error *err);
    hry_status (*truncate)(void *ctx, uint64_t size, hry_error *err);
    /* Data written so far survives a power failure once this returns. */
    hry_status (*sync)(void *ctx, hry_error *err);
    void (*close)(void *ctx);
} hry_io_ops;

/* A value: two pointers. Whoever holds it last calls hry_io_close(). */
typedef struct hry_io {
    const hry_io_ops *ops;
    void *ctx;
} hry_io;

/* How hry_io_open() opens. */
enum {
    HRY_IO_READ = 0,          /* read only                                    */
    HRY_IO_WRITE = 1 << 0,    /* read and write                               */
    HRY_IO_CREATE = 1 << 1,   /* make it if missing (with HRY_IO_WRITE)      */
    HRY_IO_TRUNCATE = 1 << 2, /* empty it (with HRY_IO_WRITE)              */
    HRY_IO_EXCLUSIVE = 1 << 3 /* fail if it exists (with HRY_IO_CREATE)    */
};

/*
 * A file of the operating system by pread and pwrite.
 * HRY_ERR_IO with the path and strerror() in the message.
 */
HRY_API hry_status hry_io_open(const char *path, unsigned flags, hry_io *out,
                               hry_error *err);

/* The POSIX descriptor under an io made by hry_io_open(), or -1: borrowed. */
HRY_API int hry_io_descriptor(const hry_io *io);

/* Read-only view of `size` bytes the caller keeps until hry_io_close(). */
HRY_API hry_status hry_io_memory(const void *bytes, size_t size, hry_io *out,
                                 hry_error *err);

/* The operations, by name; HRY_ERR_UNSUPPORTED where the medium has none. */
HRY_API hry_status hry_io_read(const hry_io *io, uint64_t offset, void *dst, size_t size,
                               hry_error *err);
HRY_API hry_status hry_io_write(const hry_io *io, uint64_t offset, const void *src,
                                size_t size, hry_error *err);
HRY_API hry_status hry_io_size(const hry_io *io, uint64_t *size, hry_error *err);
HRY_API hry_status hry_io_truncate(const hry_io *io, uint64_t size, hry_error *err);
HRY_API hry_status hry_io_sync(const hry_io *io, hry_error *err);

/* Releases what is under `io` and empties it. An empty io and NULL are allowed. */
HRY_API void hry_io_close(hry_io *io);

/* ---- bytes in order, as of a pipe or a socket ---- */

/* Where a reader's bytes come from. */
typedef struct hry_source {
    /* 1 to `size` bytes into dst, *got says how many; 0 at the end of the input. */
    hry_status (*read)(void *ctx, void *dst, size_t size, size_t *got, hry_error *err);
    /* Go forward by `size` bytes, which may be beyond the end; NULL: they are read. */
    hry_status (*skip)(void *ctx, uint64_t size, hry_error *err);
    void *ctx;
} hry_source;

/* Where a writer's bytes go. Returns HRY_OK or fills err. */
typedef hry_status (*hry_sink)(void *ctx, const void *bytes, size_t size, hry_error *err);

HRY_END

#endif
