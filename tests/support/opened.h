/* SPDX-License-Identifier: Apache-2.0 */
/* opened.h - tensors of the vectors' files, read whole into memory, for tests. */
#ifndef OPENED_H
#define OPENED_H

#include "hry/file.h"
#include "hry/tensor.h"

#include "cmocka_all.h"
#include "manifest.h"

#include <stdlib.h>
#include <string.h>

typedef struct opened {
    hry_file *file;
    hry_descriptor d;
    hry_buffer buffers[HRY_MAX_BUFFERS]; /* each its own allocation of its exact size */
    hry_tensor t;
    uint64_t offsets[HRY_MAX_BUFFERS]; /* of each in the file                       */
} opened;

/* The tensor `name` of interop/`path`. */
static inline void opened_read(opened *o, const char *path, const char *name)
{
    char full[512];
    hry_error err;
    uint64_t i;
    vector_path("interop", path, full);
    assert_ok(hry_file_open(full, NULL, &o->file, &err), &err);
    assert_ok(hry_file_find(o->file, name, strlen(name), &i, &err), &err);
    assert_ok(hry_file_descriptor(o->file, i, &o->d, &err), &err);
    for (uint32_t b = 0; b < o->d.buffer_count; b++) {
        const size_t size = (size_t)o->d.buffers[b].byte_size;
        void *bytes = malloc(size > 0 ? size : 1);
        assert_non_null(bytes);
        assert_ok(hry_file_buffer(o->file, i, &o->d, b, &o->offsets[b], &err), &err);
        assert_ok(hry_file_read(o->file, o->offsets[b], bytes, size, &err), &err);
        o->buffers[b] = (hry_buffer){.writable = bytes, .size = size};
    }
    o->t = (hry_tensor){.descriptor = &o->d, .buffers = o->buffers};
}

static inline void opened_free(opened *o)
{
    for (uint32_t b = 0; b < o->d.buffer_count; b++)
        free(o->buffers[b].writable);
    hry_file_close(o->file);
}

#endif
