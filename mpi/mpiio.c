/* SPDX-License-Identifier: Apache-2.0 */
/* mpiio.c - one rank's file through MPI-IO. */
#include "mpiio.h"
#include "report.h"

#include <stdlib.h>

/* MPI counts are int; one call moves at most this many bytes. */
enum { MAX_CALL = 1 << 30 };

typedef struct mpiio {
    MPI_File file;
} mpiio;

static hry_status refused(int code, const char *what, hry_error *err)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
        text[0] = '\0';
    for (char *c = text; *c != '\0'; c++)
        if (*c == '\n')
            *c = ' ';
    return HRY_FAIL(err, HRY_ERR_IO, "%s: %.160s", what, text);
}

static hry_status mpiio_read(void *ctx, uint64_t offset, void *dst, size_t size,
                             hry_error *err)
{
    mpiio *const f = ctx;
    for (char *at = dst; size > 0;) {
        const int want = size < MAX_CALL ? (int)size : MAX_CALL;
        int got = 0;
        MPI_Status status;
        const int code =
            MPI_File_read_at(f->file, (MPI_Offset)offset, at, want, MPI_BYTE, &status);
        if (code != MPI_SUCCESS)
            return refused(code, "MPI_File_read_at", err);
        if (MPI_Get_count(&status, MPI_BYTE, &got) != MPI_SUCCESS || got <= 0)
            return HRY_FAIL(
                err, HRY_ERR_TRUNCATED,
                "%zu more bytes needed at offset %llu, past the end of the file", size,
                (unsigned long long)offset);
        at += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return HRY_OK;
}

static hry_status mpiio_write(void *ctx, uint64_t offset, const void *src, size_t size,
                              hry_error *err)
{
    mpiio *const f = ctx;
    for (const char *at = src; size > 0;) {
        const int want = size < MAX_CALL ? (int)size : MAX_CALL;
        int done = 0;
        MPI_Status status;
        const int code =
            MPI_File_write_at(f->file, (MPI_Offset)offset, at, want, MPI_BYTE, &status);
        if (code != MPI_SUCCESS)
            return refused(code, "MPI_File_write_at", err);
        if (MPI_Get_count(&status, MPI_BYTE, &done) != MPI_SUCCESS || done <= 0)
            return HRY_FAIL(err, HRY_ERR_IO, "MPI_File_write_at wrote nothing of %zu bytes",
                            size);
        at += done;
        offset += (uint64_t)done;
        size -= (size_t)done;
    }
    return HRY_OK;
}

static hry_status mpiio_size(void *ctx, uint64_t *size, hry_error *err)
{
    mpiio *const f = ctx;
    MPI_Offset bytes = 0;
    const int code = MPI_File_get_size(f->file, &bytes);
    if (code != MPI_SUCCESS)
        return refused(code, "MPI_File_get_size", err);
    *size = (uint64_t)bytes;
    return HRY_OK;
}

static hry_status mpiio_truncate(void *ctx, uint64_t size, hry_error *err)
{
    mpiio *const f = ctx;
    const int code = MPI_File_set_size(f->file, (MPI_Offset)size);
    return code == MPI_SUCCESS ? HRY_OK : refused(code, "MPI_File_set_size", err);
}

static hry_status mpiio_sync(void *ctx, hry_error *err)
{
    mpiio *const f = ctx;
    const int code = MPI_File_sync(f->file);
    return code == MPI_SUCCESS ? HRY_OK : refused(code, "MPI_File_sync", err);
}

static void mpiio_close(void *ctx)
{
    mpiio *const f = ctx;
    int finalized = 0;
    if (MPI_Finalized(&finalized) == MPI_SUCCESS && !finalized)
        MPI_File_close(&f->file);
    free(f);
}

static const hry_io_ops mpiio_ops = {
    .read_at = mpiio_read,
    .write_at = mpiio_write,
    .size = mpiio_size,
    .truncate = mpiio_truncate,
    .sync = mpiio_sync,
    .close = mpiio_close,
};

hry_status hry_mpiio_open(const char *path, unsigned flags, MPI_Info info, hry_io *out,
                          hry_error *err)
{
    int mode = flags & HRY_IO_WRITE ? MPI_MODE_RDWR : MPI_MODE_RDONLY;
    if (flags & HRY_IO_CREATE)
        mode |= MPI_MODE_CREATE;
    if (flags & HRY_IO_EXCLUSIVE)
        mode |= MPI_MODE_EXCL;

    mpiio *const f = malloc(sizeof *f);
    if (f == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "%s: no memory for a file handle", path);
    const int code = MPI_File_open(MPI_COMM_SELF, path, mode, info, &f->file);
    if (code != MPI_SUCCESS) {
        free(f);
        return refused(code, path, err);
    }
    MPI_File_set_errhandler(f->file, MPI_ERRORS_RETURN);

    hry_io io = {.ops = &mpiio_ops, .ctx = f};
    const hry_status status = flags & HRY_IO_TRUNCATE ? mpiio_truncate(f, 0, err) : HRY_OK;
    if (status == HRY_OK)
        *out = io;
    else
        hry_io_close(&io);
    return status;
}
