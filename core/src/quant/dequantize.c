/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dequantize.c - boxes of a quantized tensor as float32 (hry/quant.h): codes are read in
 * pieces that stay in cache and put through the tensor's plan.
 */
#include "hry/quant.h"

#include "hry/region.h"

#include "checked.h"
#include "fail.h"
#include "pieces.h"
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#define ROOM 16384    /* ELEMENTS of a piece                                           */
#define BLOCK_ROW 512 /* ELEMENTS of a row, where rows of a piece share parameters     */

typedef struct work {
    hry_plan plan;
    hry_plan_scratch scratch;
    hry_pieces piece;
    const hry_tensor *tensor;
    hry_tensor stored; /* sparse: a tensor of ones in the same places                   */
    hry_descriptor stored_descriptor;
    hry_buffer *stored_buffers;
    uint8_t *ones; /* sparse: its values                                            */
    uint8_t mask[ROOM];
    uint32_t codes[ROOM]; /* room for the widest codes                                  */
} work;

static bool is_sparse(uint8_t layout_tag)
{
    return layout_tag == HRY_COO || layout_tag == HRY_CSR || layout_tag == HRY_CSC ||
           layout_tag == HRY_CSF;
}

/* What is not stored is 0, whatever code 0 stands for: reading a tensor of ones with the
 * same index buffers tells which elements are stored. */
static hry_status stored_init(work *w, hry_error *err)
{
    const hry_descriptor *d = w->tensor->descriptor;
    const uint64_t nnz = d->fields.sparse.nnz;
    if (hry_packed_size(nnz, hry_descriptor_bits(d)) > w->tensor->buffers[0].size)
        return HRY_FAIL(
            err, HRY_ERR_TRUNCATED, "values: buffer 0 has %llu bytes for %llu values",
            (unsigned long long)w->tensor->buffers[0].size, (unsigned long long)nnz);
    w->ones = malloc((size_t)nnz + 1);
    w->stored_buffers = malloc(d->buffer_count * sizeof *w->stored_buffers);
    if (w->ones == NULL || w->stored_buffers == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %llu marks",
                        (unsigned long long)nnz);
    memset(w->ones, 1, (size_t)nnz);
    memcpy(w->stored_buffers, w->tensor->buffers,
           d->buffer_count * sizeof *w->stored_buffers);
    w->stored_buffers[0] = (hry_buffer){.bytes = w->ones, .size = nnz};
    w->stored_descriptor = *d;
    w->stored_descriptor.type_tag = HRY_UINT8;
    w->stored_descriptor.flags &= ~(uint32_t)HRY_HAS_QUANTIZATION;
    w->stored_descriptor.buffers[0].byte_size = nnz;
    w->stored = *w->tensor;
    w->stored.descriptor = &w->stored_descriptor;
    w->stored.buffers = w->stored_buffers;
    return HRY_OK;
}

static hry_status clear_absent(work *w, float *dst, hry_error *err)
{
    const hry_pieces *p = &w->piece;
    HRY_TRY(hry_region_read(&w->stored, p->start, p->count, w->mask, err));
    for (uint64_t i = 0; i < p->elements; i++)
        if (w->mask[i] == 0)
            dst[i] = 0.0f;
    return HRY_OK;
}

/* Parameters by page slot: one token after the other, its slot in place of the token. */
static hry_status page_slots(work *w, float *dst, hry_error *err)
{
    const hry_descriptor *d = w->tensor->descriptor;
    const hry_pieces *p = &w->piece;
    const uint64_t slot_size = d->shape[1] * d->shape[2];
    uint64_t start[3] = {p->start[0], p->start[1], p->start[2]};
    const uint64_t count[3] = {1, p->count[1], p->count[2]};
    const uint8_t *codes = (const uint8_t *)w->codes;
    for (uint64_t i = 0; i < p->count[0]; i++) {
        hry_found found;
        const uint64_t index[3] = {p->start[0] + i, p->start[1], p->start[2]};
        HRY_TRY(hry_element_find(w->tensor, 3, index, &found, err));
        start[0] = found.position / slot_size;
        if (start[0] >= w->plan.count)
            return HRY_FAIL(err, HRY_ERR_CORRUPT, "page slot %llu: below %llu needed",
                            (unsigned long long)start[0],
                            (unsigned long long)w->plan.count);
        hry_plan_box(&w->plan, start, count, codes, &w->scratch, p->count[2], dst);
        codes += count[1] * count[2] * w->plan.kernel.width;
        dst += count[1] * count[2];
    }
    return HRY_OK;
}

static hry_status dequantize_piece(work *w, float *dst, hry_error *err)
{
    const hry_descriptor *d = w->tensor->descriptor;
    const hry_pieces *p = &w->piece;
    HRY_TRY(hry_region_read(w->tensor, p->start, p->count, w->codes, err));
    if (d->layout_tag == HRY_BLOCK_PAGED && w->plan.q->scheme == HRY_QUANT_PER_BLOCK)
        return page_slots(w, dst + p->first, err);
    hry_plan_box(&w->plan, p->start, p->count, w->codes, &w->scratch, p->pitch,
                 dst + p->first);
    return is_sparse(d->layout_tag) ? clear_absent(w, dst + p->first, err) : HRY_OK;
}

static hry_status check_box(const hry_descriptor *d, const uint64_t *start,
                            const uint64_t *count, hry_error *err)
{
    uint64_t size;
    for (uint32_t k = 0; k < d->rank; k++)
        if (d->shape[k] == HRY_DYNAMIC || !range_inside(start[k], count[k], d->shape[k]))
            return HRY_FAIL(err, HRY_ERR_RANGE, "axis %u: [%llu, +%llu) outside %llu", k,
                            (unsigned long long)start[k], (unsigned long long)count[k],
                            (unsigned long long)d->shape[k]);
    return hry_region_size(d, count, &size, err);
}

static hry_status dequantize(work *w, const uint64_t *start, const uint64_t *count,
                             float *dst, hry_error *err)
{
    const hry_descriptor *d = w->tensor->descriptor;
    HRY_TRY(hry_plan_of(w->tensor, &w->plan, err));
    HRY_TRY(check_box(d, start, count, err));
    if (is_sparse(d->layout_tag))
        HRY_TRY(stored_init(w, err));
    /* Only dense pieces may have gaps between rows in dst. */
    const bool shares =
        d->rank > 0 && w->plan.stride[d->rank - 1] != 0 && !is_sparse(d->layout_tag);
    if (!hry_pieces_begin(&w->piece, d->rank, start, count, ROOM,
                          shares ? BLOCK_ROW : ROOM))
        return HRY_OK;
    do
        HRY_TRY(dequantize_piece(w, dst, err));
    while (hry_pieces_next(&w->piece));
    return HRY_OK;
}

hry_status hry_dequantize(const hry_tensor *t, const uint64_t *start, const uint64_t *count,
                          float *dst, hry_error *err)
{
    work *w = malloc(sizeof *w);
    if (w == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for dequantization");
    w->tensor = t;
    w->ones = NULL;
    w->stored_buffers = NULL;
    w->scratch.length = 0;
    const hry_status status = dequantize(w, start, count, dst, err);
    free(w->ones);
    free(w->stored_buffers);
    free(w);
    return status;
}
