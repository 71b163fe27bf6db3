/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/writer.h - writing Hurray files (format section 6).
 *
 * hry_writer writes one in a single forward pass, to a pipe too. Programs that place
 * data themselves (in parallel, or in an existing file) use the parts: an encoded
 * header, descriptors from hry_descriptor_encode(), and a hry_footer that makes
 * key-value section, index and trailer.
 */
#ifndef HRY_WRITER_H
#define HRY_WRITER_H

#include "hry/file.h"

HRY_BEGIN

/*
 * The 64-byte file header.
 *
 * flags       HRY_FILE_...
 * alignment   of data buffers, a power of two in 4096..2097152
 * first       offset of the first descriptor: >= 64, a multiple of 8
 * hint        number of tensors, UINT64_MAX when not known
 */
HRY_API hry_status hry_file_header_encode(uint32_t flags, uint32_t alignment,
                                          uint64_t first, uint64_t hint,
                                          uint8_t out[HRY_FILE_HEADER_SIZE],
                                          hry_error *err);

/* ---- the end of a file: key-value section, index, trailer ---- */

typedef struct hry_footer hry_footer;

/*
 * flags  HRY_FILE_SORTED_INDEX: sort the index by name; HRY_FILE_HAS_INDEX_CRC: put the
 *        index's CRC-32C in the trailer. They must be those of the file's header.
 */
HRY_API hry_status hry_footer_new(uint32_t flags, hry_footer **out, hry_error *err);
HRY_API void hry_footer_free(hry_footer *footer);

/* Add a tensor; the name is copied. HRY_ERR_ARG: empty or no UTF-8. Names that occur
 * twice are found by hry_footer_encode(). */
HRY_API hry_status hry_footer_add(hry_footer *footer, const hry_entry *entry,
                                  hry_error *err);

/* Add a key-value entry; everything is copied. HRY_ERR_ARG: bad key, tag or UTF-8. */
HRY_API hry_status hry_footer_add_kv(hry_footer *footer, const hry_kv *kv, hry_error *err);

/*
 * The bytes from `at` (a multiple of 8, past all data) to the end of the file.
 * *bytes is borrowed until the footer is changed or freed; *size is in BYTES.
 * HRY_ERR_ARG when two tensors or two keys have the same name.
 */
HRY_API hry_status hry_footer_encode(hry_footer *footer, uint64_t at, const void **bytes,
                                     size_t *size, hry_error *err);

/* ---- a whole file in one pass ---- */

typedef struct hry_writer hry_writer;

typedef struct hry_writer_options {
    uint32_t alignment; /* of data buffers, in BYTES; 0: HRY_DEFAULT_ALIGNMENT        */
    uint32_t flags;     /* HRY_FILE_...; HAS_KV only when add_kv will be called       */
    uint64_t tensor_count_hint; /* 0: unknown                                         */
} hry_writer_options;

/* To a sink; options may be NULL (CRC, alignment 4096). The header is written at once. */
HRY_API hry_status hry_writer_new(hry_sink sink, void *ctx,
                                  const hry_writer_options *options, hry_writer **out,
                                  hry_error *err);

/* To a new file at `path`, which hry_writer_finish() completes and closes. */
HRY_API hry_status hry_writer_create(const char *path, const hry_writer_options *options,
                                     hry_writer **out, hry_error *err);

/*
 * Begin the next tensor: its descriptor is written, with the alignment of buffer
 * handles as given. The buffers' bytes must follow through hry_writer_write().
 * HRY_ERR_ARG: the previous tensor is not complete, or the name is taken or no UTF-8.
 */
HRY_API hry_status hry_writer_begin(hry_writer *writer, const char *name,
                                    const hry_descriptor *d, hry_error *err);

/* The next bytes of the current tensor's buffers, in table order; padding is added
 * between buffers. HRY_ERR_RANGE: more than the handles say. */
HRY_API hry_status hry_writer_write(hry_writer *writer, const void *bytes, size_t size,
                                    hry_error *err);

/* hry_writer_begin() and hry_writer_write() of whole buffers; buffers may be NULL for a
 * descriptor without any. */
HRY_API hry_status hry_writer_add(hry_writer *writer, const char *name,
                                  const hry_descriptor *d, const void *const *buffers,
                                  hry_error *err);

HRY_API hry_status hry_writer_add_kv(hry_writer *writer, const hry_kv *kv, hry_error *err);

/* Write the footer and free the writer, on failure too. */
HRY_API hry_status hry_writer_finish(hry_writer *writer, hry_error *err);

/* Give up: nothing more is written; the writer is freed. NULL is allowed. */
HRY_API void hry_writer_abandon(hry_writer *writer);

HRY_END

#endif
