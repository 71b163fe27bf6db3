/* SPDX-License-Identifier: Apache-2.0 */
/* stream_of.h - the tensors of a vector's file as a bare stream, byte by byte what the file
 * has, so that a broken file gives a broken stream. For tests. */
#ifndef STREAM_OF_H
#define STREAM_OF_H

#include "hry/file.h"

#include "bytes.h"
#include "cmocka_all.h"
#include "manifest.h"

enum { STREAM_OF_MAX = 256 };

typedef struct stream_of {
    blob bytes;
    size_t count;
    size_t at[STREAM_OF_MAX];        /* of each descriptor, in the stream */
    uint64_t in_file[STREAM_OF_MAX]; /* and in the file                   */
} stream_of;

static inline void stream_of_append(hry_file *file, uint64_t offset, uint64_t size,
                                    blob *to)
{
    hry_error err;
    const void *view;
    if (size == 0)
        return;
    assert_ok(hry_file_view(file, offset, size, &view, &err), &err);
    bytes_append(to, view, (size_t)size);
}

/* interop/`path`, which must open; tensors in write order, as the vectors' indexes are. */
static inline stream_of stream_of_file(const char *path)
{
    const hry_file_options options = {.mode = HRY_PERMISSIVE, .map = true};
    char full[512];
    hry_error err;
    hry_file *file;
    hry_entry e;
    hry_descriptor d;
    stream_of s = {.bytes = bytes_copy("", 0)};
    vector_path("interop", path, full);
    assert_ok(hry_file_open(full, &options, &file, &err), &err);
    s.count = (size_t)hry_file_count(file);
    assert_true(s.count <= STREAM_OF_MAX);
    for (size_t i = 0; i < s.count; i++) {
        assert_ok(hry_file_entry(file, i, &e, &err), &err);
        assert_true(i == 0 || e.descriptor_offset > s.in_file[i - 1]);
        s.at[i] = s.bytes.size;
        s.in_file[i] = e.descriptor_offset;
        stream_of_append(file, e.descriptor_offset, e.descriptor_length, &s.bytes);
        assert_ok(hry_file_descriptor(file, i, &d, &err), &err);
        for (uint32_t b = 0; b < d.buffer_count; b++) {
            uint64_t at;
            assert_ok(hry_file_buffer(file, i, &d, b, &at, &err), &err);
            stream_of_append(file, at, d.buffers[b].byte_size, &s.bytes);
        }
    }
    hry_file_close(file);
    return s;
}

/* Where a byte of the stream's descriptors is in the file. */
static inline uint64_t stream_of_place(const stream_of *s, uint64_t offset)
{
    size_t i = s->count - 1;
    while (i > 0 && s->at[i] > offset)
        i--;
    return offset - s->at[i] + s->in_file[i];
}

#endif
