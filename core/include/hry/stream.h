/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/stream.h - bare streams of tensors (format section 7): one descriptor after another,
 * each followed by its buffers' bytes in table order, without padding, names or end mark.
 * A composite head is followed by its members. For pipes, sockets and shared memory; see
 * hry/message.h for conversations.
 */
#ifndef HRY_STREAM_H
#define HRY_STREAM_H

#include "hry/descriptor.h"
#include "hry/io.h"

HRY_BEGIN

/* Both sides; NULL stands for zeros. */
typedef struct hry_stream_options {
    hry_mode mode;             /* reader: see hry_stream_reader_next()                   */
    uint32_t descriptor_limit; /* reader: largest descriptor, in BYTES; 0: 16 MiB        */
    uint64_t data_limit;       /* reader: most bytes of one tensor's buffers; 0: any     */
    bool remote;               /* between machines: a sync_mode other than 0 is refused  */
} hry_stream_options;

/* ---- reading ---- */

typedef struct hry_stream_reader hry_stream_reader;

/* The source's ctx must outlive the reader. Nothing is read yet. */
HRY_API hry_status hry_stream_reader_new(hry_source source,
                                         const hry_stream_options *options,
                                         hry_stream_reader **out, hry_error *err);

/* NULL is allowed. */
HRY_API void hry_stream_reader_free(hry_stream_reader *reader);

/*
 * The next tensor's descriptor; bytes not read of the tensor before are skipped.
 *
 * out    unspecified unless *found; what it borrows is valid until the next call.
 * found  false at the end of the input, which must come between tensors. There is no
 *        other end: what was cut off just there cannot be told from what is whole.
 *
 * Members are held to their composite (format section 4): shard section, type, role, depth;
 * that the boxes of a partition cover it, when its last member comes. In permissive mode
 * the input may end before a composite has all its members.
 *
 * HRY_ERR_TRUNCATED    the input ends inside a tensor or a composite
 * HRY_ERR_CORRUPT      the descriptor or the composite breaks the format; err->offset is
 *                      the byte in the stream
 * HRY_ERR_UNSUPPORTED  of unknown type, layout or scheme, even in permissive mode: where
 *                      its data ends is not known
 * HRY_ERR_RANGE        beyond a limit of the options
 * and the errors of the source. After an error nothing more can be read.
 */
HRY_API hry_status hry_stream_reader_next(hry_stream_reader *reader, hry_descriptor *out,
                                          bool *found, hry_error *err);

/* In how many composites the current tensor is: 0 for one that is nobody's member. */
HRY_API uint32_t hry_stream_reader_depth(const hry_stream_reader *reader);

/* Byte of the stream at which the next read begins. */
HRY_API uint64_t hry_stream_reader_at(const hry_stream_reader *reader);

/*
 * The next bytes of the current tensor's buffers, in table order. *got is `size`, or less
 * at the end of the last buffer. HRY_ERR_TRUNCATED when the input ends inside them.
 */
HRY_API hry_status hry_stream_reader_read(hry_stream_reader *reader, void *dst, size_t size,
                                          size_t *got, hry_error *err);

/* ---- writing ---- */

typedef struct hry_stream_writer hry_stream_writer;

/* The sink's ctx must outlive the writer. Nothing is written yet. */
HRY_API hry_status hry_stream_writer_new(hry_sink sink, void *ctx,
                                         const hry_stream_options *options,
                                         hry_stream_writer **out, hry_error *err);

/*
 * Begin the next tensor: its descriptor is written; the buffers' bytes must follow through
 * hry_stream_writer_write(). After a head its members must follow.
 *
 * HRY_ERR_ARG      the tensor before is not complete, or sync_mode is not 0 with `remote`
 * HRY_ERR_CORRUPT  not a member that the open composite may have, or the last one, and
 *                  there is a gap
 * and the errors of hry_descriptor_encode(), hry_binder_add() and of the sink; after those
 * of the last two nothing more can be written.
 */
HRY_API hry_status hry_stream_writer_begin(hry_stream_writer *writer,
                                           const hry_descriptor *d, hry_error *err);

/* The next bytes of the current tensor's buffers, in table order. HRY_ERR_RANGE: more than
 * the handles say. */
HRY_API hry_status hry_stream_writer_write(hry_stream_writer *writer, const void *bytes,
                                           size_t size, hry_error *err);

/* hry_stream_writer_begin() and hry_stream_writer_write() of whole buffers; buffers may be
 * NULL for a descriptor without any. */
HRY_API hry_status hry_stream_writer_add(hry_stream_writer *writer, const hry_descriptor *d,
                                         const void *const *buffers, hry_error *err);

/* HRY_ERR_ARG unless the last tensor and all composites are complete. Frees the writer, on
 * failure too. */
HRY_API hry_status hry_stream_writer_finish(hry_stream_writer *writer, hry_error *err);

/* Give up: the writer is freed. NULL is allowed. */
HRY_API void hry_stream_writer_abandon(hry_stream_writer *writer);

HRY_END

#endif
