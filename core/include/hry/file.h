/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/file.h - an open Hurray file, for reading (format section 6). Opening reads and
 * checks header, trailer, index and key-value section; descriptors and data are read
 * when asked for. One open file may be used by several threads at once.
 */
#ifndef HRY_FILE_H
#define HRY_FILE_H

#include "hry/descriptor.h"
#include "hry/io.h"
#include "hry/kv.h"

HRY_BEGIN

#define HRY_FILE_HEADER_SIZE 64
#define HRY_FILE_TRAILER_SIZE 40
#define HRY_DEFAULT_ALIGNMENT 4096

/* File flags, in the header. */
enum {
    HRY_FILE_HAS_KV = 1 << 0,
    HRY_FILE_SORTED_INDEX = 1 << 1,
    HRY_FILE_HAS_INDEX_CRC = 1 << 2
};

typedef struct hry_file hry_file;

typedef struct hry_file_options {
    hry_mode mode;
    bool map; /* map the file into memory: hry_file_view() works, reads copy from there.
                 Nobody may shorten the file meanwhile: touching what is gone is SIGBUS */
} hry_file_options;

/* One row of the index. The name is UTF-8, not NUL-terminated, borrowed from the file. */
typedef struct hry_entry {
    const char *name;
    uint16_t name_length; /* in BYTES */
    uint32_t descriptor_length;
    uint64_t descriptor_offset;
    uint64_t data_offset;
    uint64_t data_length;
} hry_entry;

typedef struct hry_file_info {
    uint8_t version_major, version_minor;
    uint32_t flags;     /* HRY_FILE_... */
    uint32_t alignment; /* of data buffers, in BYTES */
    uint64_t first_descriptor_offset;
    uint64_t tensor_count_hint; /* UINT64_MAX: unknown */
    uint64_t size;              /* of the file, in BYTES */
    uint64_t index_offset, index_length;
    uint64_t kv_offset; /* 0: none */
    uint32_t kv_length;
    uint32_t index_crc;
} hry_file_info;

/*
 * Open the file at `path`; options may be NULL (strict, not mapped).
 *
 * HRY_ERR_IO           cannot be opened or read
 * HRY_ERR_TRUNCATED    shorter than its own offsets say
 * HRY_ERR_CORRUPT      not a Hurray file, or one whose header, trailer, index or
 *                      key-value section breaks the format; err->offset is the byte
 * HRY_ERR_UNSUPPORTED  a newer major version
 */
HRY_API hry_status hry_file_open(const char *path, const hry_file_options *options,
                                 hry_file **out, hry_error *err);

/* The same over an io, which the file owns from then on, on failure too. */
HRY_API hry_status hry_file_open_io(hry_io io, const hry_file_options *options,
                                    hry_file **out, hry_error *err);

/* Ends every pointer borrowed from `file`. NULL is allowed. */
HRY_API void hry_file_close(hry_file *file);

HRY_API const hry_file_info *hry_file_get_info(const hry_file *file);

/* Number of tensors: rows of the index, composite heads and members included. */
HRY_API uint64_t hry_file_count(const hry_file *file);

/* The i-th row in index order. HRY_ERR_RANGE past the end. */
HRY_API hry_status hry_file_entry(const hry_file *file, uint64_t i, hry_entry *out,
                                  hry_error *err);

/* Position of the tensor of that name, O(log n). HRY_ERR_NOTFOUND when there is none. */
HRY_API hry_status hry_file_find(const hry_file *file, const char *name, size_t length,
                                 uint64_t *i, hry_error *err);

/*
 * Read and decode the i-th tensor's descriptor, checked against its index row, which must
 * agree with it; *out is unspecified on failure. HRY_ERR_CORRUPT when descriptor or data do
 * not lie between header and trailer; other errors as hry_descriptor_decode(). Borrowed
 * bytes in it (extension layouts) stay valid until hry_file_close().
 */
HRY_API hry_status hry_file_descriptor(hry_file *file, uint64_t i, hry_descriptor *out,
                                       hry_error *err);

/*
 * File offset, in BYTES, of buffer `b` of the i-th tensor, whose descriptor is `d`; the
 * whole buffer is proven to lie between header and trailer. One of no bytes has no place
 * to prove.
 */
HRY_API hry_status hry_file_buffer(const hry_file *file, uint64_t i,
                                   const hry_descriptor *d, uint32_t b, uint64_t *offset,
                                   hry_error *err);

/* Exactly `size` bytes at `offset`. */
HRY_API hry_status hry_file_read(const hry_file *file, uint64_t offset, void *dst,
                                 size_t size, hry_error *err);

/*
 * Borrow `size` bytes at `offset` without copying; valid until hry_file_close(). Of 0 bytes
 * the offset does not matter, here and above.
 * HRY_ERR_UNSUPPORTED when the file was not opened with `map`.
 */
HRY_API hry_status hry_file_view(const hry_file *file, uint64_t offset, uint64_t size,
                                 const void **out, hry_error *err);

/* Key-value entries, in file order. */
HRY_API uint32_t hry_file_kv_count(const hry_file *file);
HRY_API hry_status hry_file_kv(const hry_file *file, uint32_t i, hry_kv *out,
                               hry_error *err);
/* By key (NUL-terminated). HRY_ERR_NOTFOUND when there is none. */
HRY_API hry_status hry_file_kv_find(const hry_file *file, const char *key, hry_kv *out,
                                    hry_error *err);

HRY_END

#endif
