/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/transcode.h - a tensor in another layout, with the same elements bit for bit.
 */
#ifndef HRY_TRANSCODE_H
#define HRY_TRANSCODE_H

#include "hry/tensor.h"

HRY_BEGIN

/* A tensor that owns its descriptor and buffers. */
typedef struct hry_transcoded hry_transcoded;

/*
 * Write the elements of `src` in the layout of `like`, of which only layout_tag and the
 * layout's own fields are used:
 *
 *   strided      strides; no two elements may share storage (not checked beyond strides
 *                of 0); byte_offset follows from negative strides
 *   tiled        tile shapes, orders and strides
 *   Morton       morton_bits          Hilbert  hilbert_order
 *   COO          nothing; the result is sorted
 *   CSR, CSC     nothing
 *   CSF          sparse.mode_order
 *   block-paged  page_size, kv_role, layer, index_type; the result is one sequence whose
 *                pages follow each other, of a tensor of rank 3
 *
 * A sparse result stores the elements of a dense or paged source that have any bit set
 * (so -0.0 is stored), and exactly the stored entries of a sparse source. Type, shape,
 * shard, member section and statistics are kept (nnz in the statistics follows a sparse
 * result). Quantization is kept with copies of its parameter buffers; schemes in blocks
 * need a dense source and result.
 *
 * limit  most bytes that all buffers of the result together may have, 0 for any: the
 *        dense form of a small sparse tensor can be enormous. A source whose elements
 *        share storage is held to it too, with all its elements counted
 *
 * HRY_ERR_ARG          `like` does not fit the tensor
 * HRY_ERR_RANGE        more than `limit` bytes, or sizes beyond 64 bits
 * HRY_ERR_UNSUPPORTED  composite or private layouts; quantization or a shard section that
 *                      the layout cannot have; block-paged sources without lengths
 * HRY_ERR_NOMEM
 * and what reading the source finds (see hry/region.h) or hry_descriptor_validate() says
 * of the result.
 */
HRY_API hry_status hry_transcode(const hry_tensor *src, const hry_descriptor *like,
                                 uint64_t limit, hry_transcoded **out, hry_error *err);

/* Borrowed until hry_transcoded_free(); writable. */
HRY_API const hry_tensor *hry_transcoded_tensor(const hry_transcoded *t);

/* NULL is allowed. */
HRY_API void hry_transcoded_free(hry_transcoded *t);

HRY_END

#endif
