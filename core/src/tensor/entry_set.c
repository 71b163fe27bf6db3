/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry_set.c - the stored entries of any tensor as a list, and from that list to every
 * sparse layout (format section 3), or into a dense one.
 */
#include "address/map.h"
#include "checked.h"
#include "fail.h"
#include "hry/region.h"
#include "region/entries.h"
#include "region/mover.h"
#include "slabs.h"
#include "sort.h"
#include "transcode.h"
#include "values/bits.h"

#define SLAB_ELEMENTS (1 << 16)

void hry_entry_set_free(hry_entry_set *set)
{
    bld_free(&set->index);
    bld_free(&set->values);
}

typedef struct collector {
    hry_entry_set *set;
    const hry_tensor *src;
    uint32_t element;
} collector;

/* An entry of a sparse source; its value is taken to whole bytes. */
static hry_status take_entry(void *ctx, uint64_t position, const uint64_t *index)
{
    const collector *c = ctx;
    const hry_descriptor *d = c->src->descriptor;
    const uint32_t bits = hry_descriptor_bits(d);
    const uint8_t *values = c->src->buffers[0].bytes;
    bld_bytes(&c->set->index, index, d->rank * sizeof *index);
    uint8_t *value = bld_take(&c->set->values, c->element);
    if (value == NULL || c->set->index.failed)
        return HRY_ERR_NOMEM;
    if (bits < 8)
        *value = bits_get(values, (int64_t)position, bits);
    else
        memcpy(value, values + position * c->element, c->element);
    c->set->count++;
    return HRY_OK;
}

static hry_status collect_sparse(collector *c, hry_error *err)
{
    static const uint64_t origin[HRY_MAX_RANK];
    const hry_descriptor *d = c->src->descriptor;
    const hry_entry_walk w = {c->src, origin, d->shape, take_entry, c};
    const uint64_t need = hry_packed_size(d->fields.sparse.nnz, hry_descriptor_bits(d));
    if (need > c->src->buffers[0].size)
        return HRY_FAIL(err, HRY_ERR_TRUNCATED, "buffer[0]: %llu bytes, %llu needed",
                        (unsigned long long)c->src->buffers[0].size,
                        (unsigned long long)need);
    for (uint32_t k = 0; k < d->rank; k++)
        if (d->shape[k] == 0)
            return HRY_OK;
    return hry_entries(&w, err);
}

static bool is_zero(const uint8_t *value, uint32_t size)
{
    uint8_t any = 0;
    for (uint32_t b = 0; b < size; b++)
        any |= value[b];
    return any == 0;
}

static hry_status take_slab(collector *c, const hry_slabs *s, const uint8_t *array)
{
    for (uint64_t i = 0; i < s->size; i++) {
        const uint8_t *value = array + i * c->element;
        if (is_zero(value, c->element))
            continue;
        uint64_t index[HRY_MAX_RANK];
        uint64_t rest = i;
        for (uint32_t k = s->rank; k-- > 0; rest /= s->count[k])
            index[k] = s->start[k] + rest % s->count[k];
        bld_bytes(&c->set->index, index, s->rank * sizeof *index);
        bld_bytes(&c->set->values, value, c->element);
        c->set->count++;
    }
    return c->set->index.failed || c->set->values.failed ? HRY_ERR_NOMEM : HRY_OK;
}

static hry_status collect_elements(collector *c, hry_error *err)
{
    const hry_descriptor *d = c->src->descriptor;
    hry_slabs s;
    if (!slabs_first(&s, d->rank, d->shape, SLAB_ELEMENTS))
        return HRY_OK;
    size_t size;
    uint8_t *array = checked_array(s.size, c->element, &size) ? malloc(size) : NULL;
    if (array == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %llu elements",
                        (unsigned long long)s.size);
    hry_status status;
    do {
        status = hry_region_read(c->src, s.start, s.count, array, err);
        if (status == HRY_OK)
            status = take_slab(c, &s, array);
    } while (status == HRY_OK && slabs_next(&s));
    free(array);
    return status;
}

hry_status hry_entry_set_collect(const hry_tensor *src, hry_entry_set *set, hry_error *err)
{
    const hry_descriptor *d = src->descriptor;
    collector c = {.set = set, .src = src, .element = hry_region_element(d)};
    *set = (hry_entry_set){0};
    const hry_status status = hry_layout_is_sparse(d->layout_tag)
                                  ? collect_sparse(&c, err)
                                  : collect_elements(&c, err);
    if (set->index.failed || set->values.failed)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %llu entries",
                        (unsigned long long)set->count);
    return status;
}

/* Index buffers while they grow; their sizes become the handles'. */
typedef struct index_buffers {
    hry_builder b[HRY_MAX_BUFFERS];
} index_buffers;

static const uint64_t *index_of(const hry_entry_set *set, uint32_t rank, uint64_t entry)
{
    const uint64_t *index = (const void *)set->index.data;
    return index == NULL ? NULL : index + entry * rank; /* of no entries */
}

static void list_coo(const hry_entry_set *set, const uint64_t *order, uint32_t rank,
                     index_buffers *out)
{
    for (uint64_t e = 0; e < set->count; e++)
        bld_bytes(&out->b[1], index_of(set, rank, order[e]), rank * sizeof *order);
}

static void list_compressed(const hry_entry_set *set, const uint64_t *order, uint32_t major,
                            uint64_t size, index_buffers *out)
{
    uint64_t e = 0;
    bld_u64(&out->b[2], 0);
    for (uint64_t i = 0; i < size && !out->b[2].failed; i++) {
        for (; e < set->count && index_of(set, 2, order[e])[major] == i; e++)
            bld_u64(&out->b[1], index_of(set, 2, order[e])[1 - major]);
        bld_u64(&out->b[2], e);
    }
}

/* A node begins at each level from the first whose coordinate differs from before. */
static void list_csf(const hry_entry_set *set, const uint64_t *order,
                     const hry_descriptor *d, index_buffers *out)
{
    const uint32_t *modes = d->fields.sparse.mode_order;
    const uint64_t *before = NULL;
    for (uint64_t e = 0; e < set->count; e++) {
        const uint64_t *at = index_of(set, d->rank, order[e]);
        uint32_t l = 0;
        while (before != NULL && l < d->rank - 1 && at[modes[l]] == before[modes[l]])
            l++;
        for (; l < d->rank; l++) {
            if (l + 1 < d->rank) /* its children start here */
                bld_u64(&out->b[3 + 2 * l], out->b[4 + 2 * l].size / 8);
            bld_u64(&out->b[2 + 2 * l], at[modes[l]]);
        }
        before = at;
    }
    bld_u64(&out->b[1], 0);
    for (uint32_t l = 0; l < d->rank; l++)
        bld_u64(&out->b[1 + 2 * l], out->b[2 + 2 * l].size / 8);
}

static hry_status list_indices(const hry_entry_set *set, const uint64_t *order,
                               const hry_descriptor *d, index_buffers *out, hry_error *err)
{
    if (d->layout_tag == HRY_COO)
        list_coo(set, order, d->rank, out);
    else if (d->layout_tag == HRY_CSF)
        list_csf(set, order, d, out);
    else
        list_compressed(set, order, d->layout_tag == HRY_CSC,
                        d->shape[d->layout_tag == HRY_CSC], out);
    for (uint32_t b = 0; b < d->buffer_count; b++)
        HRY_TRY(bld_ok(&out->b[b], "index buffers", err));
    return HRY_OK;
}

static void fill_values(const hry_entry_set *set, const uint64_t *order,
                        const hry_descriptor *d, uint8_t *out)
{
    const uint32_t bits = hry_descriptor_bits(d);
    const uint32_t size = hry_region_element(d);
    for (uint64_t e = 0; e < set->count; e++) {
        const uint8_t *value = set->values.data + order[e] * size;
        if (bits < 8)
            bits_put(out, (int64_t)e, bits, *value);
        else
            memcpy(out + e * size, value, size);
    }
}

static hry_status fill(const hry_entry_set *set, const uint64_t *order,
                       index_buffers *indices, hry_transcoded *t, const hry_tensor *src,
                       uint64_t limit, hry_error *err)
{
    hry_descriptor *d = &t->d;
    const uint32_t own = d->layout_tag == HRY_COO   ? 2
                         : d->layout_tag == HRY_CSF ? 2 * d->rank + 1
                                                    : 3;
    const uint64_t major = d->shape[d->layout_tag == HRY_CSC];
    if (own == 3 && limit > 0 && major >= limit / 8)
        return HRY_FAIL(err, HRY_ERR_RANGE,
                        "positions of %llu rows or columns, %llu bytes are allowed",
                        (unsigned long long)major, (unsigned long long)limit);
    HRY_TRY(list_indices(set, order, d, indices, err));
    d->fields.sparse.nnz = set->count;
    d->fields.sparse.is_sorted = true;
    d->statistics.nnz = set->count;
    d->buffers[0].byte_size = hry_packed_size(set->count, hry_descriptor_bits(d));
    for (uint32_t b = 1; b < own; b++)
        d->buffers[b].byte_size = indices->b[b].size;
    HRY_TRY(hry_transcoded_allocate(t, src, limit, err));
    for (uint32_t b = 1; b < own; b++)
        if (indices->b[b].size > 0)
            memcpy(t->buffers[b].writable, indices->b[b].data, indices->b[b].size);
    fill_values(set, order, d, t->buffers[0].writable);
    return HRY_OK;
}

static hry_status check_fields(const hry_descriptor *d, hry_error *err)
{
    uint64_t seen = 0;
    if ((d->layout_tag == HRY_CSR || d->layout_tag == HRY_CSC) && d->rank != 2)
        return HRY_FAIL(err, HRY_ERR_ARG, "a compressed matrix of rank %u",
                        (unsigned)d->rank);
    if (d->rank == 0 || (d->layout_tag == HRY_CSF && d->rank < 3))
        return HRY_FAIL(err, HRY_ERR_ARG, "a sparse layout for rank %u", (unsigned)d->rank);
    for (uint32_t l = 0; d->layout_tag == HRY_CSF && l < d->rank; l++) {
        const uint32_t mode = d->fields.sparse.mode_order[l];
        if (mode >= d->rank || (seen >> mode & 1) != 0)
            return HRY_FAIL(err, HRY_ERR_ARG, "mode_order[%u] is %u: no permutation",
                            (unsigned)l, (unsigned)mode);
        seen |= UINT64_C(1) << mode;
    }
    return HRY_OK;
}

hry_status hry_entry_set_build(const hry_entry_set *set, hry_transcoded *t,
                               const hry_tensor *src, uint64_t limit, hry_error *err)
{
    static const uint32_t by_column[2] = {1, 0};
    const hry_descriptor *d = &t->d;
    HRY_TRY(check_fields(d, err));
    const hry_entry_list list = {.index = index_of(set, d->rank, 0),
                                 .count = set->count,
                                 .rank = d->rank,
                                 .modes = d->layout_tag == HRY_CSC ? by_column
                                          : d->layout_tag == HRY_CSF
                                              ? d->fields.sparse.mode_order
                                              : NULL};
    uint64_t *order = NULL;
    index_buffers *indices = calloc(1, sizeof *indices);
    hry_status status = indices != NULL
                            ? hry_entry_sort(&list, &order, err)
                            : HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for index buffers");
    if (status == HRY_OK)
        status = fill(set, order, indices, t, src, limit, err);
    for (uint32_t b = 0; indices != NULL && b < HRY_MAX_BUFFERS; b++)
        bld_free(&indices->b[b]);
    free(indices);
    free(order);
    return status;
}

hry_status hry_entry_set_scatter(const hry_entry_set *set, const hry_transcoded *t,
                                 hry_error *err)
{
    const hry_descriptor *d = &t->d;
    hry_map map;
    HRY_TRY(hry_map_init(d, &map, err));
    hry_mover m = {.ops = hry_mover_for(map.bits, true),
                   .bits = map.bits,
                   .bytes = map.bytes,
                   .byte_offset = d->byte_offset,
                   .size = t->buffers[0].size,
                   .array = set->values.data};
    if (set->count == 0)
        return HRY_OK;
    m.storage = (uint8_t *)t->buffers[0].writable + d->byte_offset;
    for (uint64_t e = 0; e < set->count; e++) {
        const int64_t to = (int64_t)e;
        int64_t at;
        if (!hry_map_offset(&map, index_of(set, d->rank, e), &at))
            return HRY_FAIL(err, HRY_ERR_RANGE, "an element's offset is beyond 63 bits");
        HRY_TRY(hry_mover_prove(&m, at, at, err));
        m.ops->pairs(&m, &at, &to, 1);
    }
    return HRY_OK;
}
