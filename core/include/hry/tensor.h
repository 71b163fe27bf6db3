/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/tensor.h - a descriptor together with the bytes of its buffers: the form in which
 * the library reads and writes elements. Everything here is memory the caller keeps.
 */
#ifndef HRY_TENSOR_H
#define HRY_TENSOR_H

#include "hry/layout.h"

HRY_BEGIN

/*
 * One buffer in memory: one pointer, under the name that says what may be done. Set
 * `bytes` when it is only read, `writable` when the library may write (and say so in the
 * tensor). Any alignment will do.
 */
typedef struct hry_buffer {
    union {
        const void *bytes;
        void *writable;
    };
    uint64_t size; /* in BYTES; at least the handle's byte_size */
} hry_buffer;

/*
 * A tensor in memory. Borrows everything; a plain value.
 *
 * Invariant after hry_tensor_check(): every buffer is as large as its handle says, and
 * the index buffers of sparse and paged layouts obey the format. Functions that read
 * elements stay inside the buffers even without that check; what they then find in
 * index buffers that lie is undefined but harmless, or an error.
 */
typedef struct hry_tensor {
    const hry_descriptor *descriptor; /* decoded or validated                         */
    const hry_buffer *buffers;        /* descriptor->buffer_count of them             */
    bool writable;                    /* buffer 0 may be written                      */
    const uint64_t *sequence_tokens;  /* block-paged: tokens of each sequence where the
                                         caller knows them, or NULL                   */
} hry_tensor;

/*
 * Check what only the data can show: sizes of the buffers; order, bounds and duplicates
 * in index buffers; unused bits of packed elements that are stored contiguously;
 * elements that are no numbers (float8_e8m0 255, and in strict mode 0; not where strides
 * other than 0 make elements share bytes). Parameter buffers of quantization are not
 * looked at. Linear in the size of the index buffers
 * (a COO tensor not marked as sorted: n log n, and memory like the index buffer).
 *
 * err->offset is a byte of the buffer that the message names.
 *
 * HRY_ERR_TRUNCATED  a buffer is smaller than its handle says, or missing
 * HRY_ERR_CORRUPT    the content breaks the format
 * HRY_ERR_NOMEM
 */
HRY_API hry_status hry_tensor_check(const hry_tensor *t, hry_mode mode, hry_error *err);

/* Where a layout keeps an element. */
typedef struct hry_found {
    bool stored;       /* false: a structural zero, and nothing else is set            */
    uint64_t position; /* among the stored values of buffer 0, in ELEMENTS             */
    hry_place place;   /* of it in buffer 0                                            */
} hry_found;

/*
 * Find the element at `index` in a tensor of any layout but a composite. Sorted COO,
 * CSR, CSC and CSF are searched in O(log nnz), unsorted COO in O(nnz). A block-paged
 * tensor is indexed by [token, head, dim] with its sequences one after another.
 *
 * Dense layouts store every element; `position` stays 0 there, `place` tells.
 *
 * HRY_ERR_ARG          rank differs
 * HRY_ERR_RANGE        an index outside its dimension, a place outside the buffer
 * HRY_ERR_CORRUPT      the index buffers met on the way break the format
 * HRY_ERR_UNSUPPORTED  composite, private layout; a block-paged tensor whose file does
 *                      not determine how many tokens each sequence has
 */
HRY_API hry_status hry_element_find(const hry_tensor *t, uint32_t rank,
                                    const uint64_t *index, hry_found *found,
                                    hry_error *err);

/*
 * Block-paged: the element of a sequence at [token, head, dim] of that sequence. The
 * token may be anywhere in the sequence's pages. Errors as hry_element_find().
 */
HRY_API hry_status hry_paged_find(const hry_tensor *t, uint32_t sequence,
                                  const uint64_t index[3], hry_found *found,
                                  hry_error *err);

/*
 * Block-paged: tokens of each sequence into tokens[num_seqs]: the caller's own when
 * t->sequence_tokens is set (checked against the pages), else what the file determines.
 * It does when all pages are full, when at most one sequence has any, or when every last
 * page holds exactly one token.
 *
 * HRY_ERR_UNSUPPORTED  not determined: give the lengths in t->sequence_tokens
 * HRY_ERR_CORRUPT      seq_ptr decreases or does not fit the number of tokens
 * HRY_ERR_ARG          the caller's lengths do not fit the pages
 */
HRY_API hry_status hry_paged_tokens(const hry_tensor *t, uint64_t *tokens, hry_error *err);

HRY_END

#endif
