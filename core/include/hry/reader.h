/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/reader.h - reading a Hurray file front to back, from a pipe or a socket (format
 * sections 6 and 8.1). Tensors come in the order they were written; their names, which
 * the file has at its end, are known after the last. Files whose parts lie elsewhere
 * than a one-pass writer puts them need hry/file.h.
 */
#ifndef HRY_READER_H
#define HRY_READER_H

#include "hry/file.h"

HRY_BEGIN

typedef struct hry_reader hry_reader;

typedef struct hry_reader_options {
    hry_mode mode;
    uint64_t footer_limit; /* largest end of a file taken into memory; 0: 1 GiB */
} hry_reader_options;

/*
 * Read the file header; options may be NULL (strict). The source's ctx must outlive the
 * reader. Errors as hry_file_open(), or those of the source.
 */
HRY_API hry_status hry_reader_open(hry_source source, const hry_reader_options *options,
                                   hry_reader **out, hry_error *err);

/* NULL is allowed. */
HRY_API void hry_reader_close(hry_reader *reader);

/* What the header says; the rest is filled at the end. */
HRY_API const hry_file_info *hry_reader_get_info(const hry_reader *reader);

/*
 * The next tensor's descriptor; bytes not read of the tensor before are skipped.
 *
 * out    unspecified unless *found; what it borrows is valid until the next call.
 * found  false at the end: then key-value section, index and trailer have been read and
 *        agree with the tensors that came.
 *
 * HRY_ERR_UNSUPPORTED  the file is not in the order of a one-pass writer, or (permissive)
 *                      a tensor's layout is unknown, and so where its data ends
 * and the errors of hry_file_open() and hry_file_descriptor(). After an error nothing
 * more can be read.
 */
HRY_API hry_status hry_reader_next(hry_reader *reader, hry_descriptor *out, bool *found,
                                   hry_error *err);

/*
 * The next bytes of the current tensor's buffers, in table order, without padding.
 * *got is `size`, or less at the end of the last buffer.
 * HRY_ERR_TRUNCATED when the input ends inside them.
 */
HRY_API hry_status hry_reader_read(hry_reader *reader, void *dst, size_t size, size_t *got,
                                   hry_error *err);

/* ---- after the end; borrowed until hry_reader_close() ---- */

/* Number of tensors that came so far. */
HRY_API uint64_t hry_reader_count(const hry_reader *reader);

/* Index row of the i-th tensor that came. HRY_ERR_RANGE past the last and before the end
 * has been reached. */
HRY_API hry_status hry_reader_entry(const hry_reader *reader, uint64_t i, hry_entry *out,
                                    hry_error *err);

/* Key-value entries, in file order; none before the end has been reached. */
HRY_API uint32_t hry_reader_kv_count(const hry_reader *reader);
HRY_API hry_status hry_reader_kv(const hry_reader *reader, uint32_t i, hry_kv *out,
                                 hry_error *err);

/* ---- */

/*
 * Could a hry_reader read this open file? HRY_OK, or why not. Reads descriptors and
 * padding, but no data.
 */
HRY_API hry_status hry_file_check_canonical(const hry_file *file, hry_error *err);

HRY_END

#endif
