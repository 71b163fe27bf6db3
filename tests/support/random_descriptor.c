/* SPDX-License-Identifier: Apache-2.0 */
/* random_descriptor.c - valid descriptors of every layout, from a seed. */
#include "random_descriptor.h"

#include <string.h>

static const uint8_t private_bytes[] = {1, 2, 3, 4, 5};

static void add_buffer(hry_descriptor *d, uint64_t size)
{
    const hry_buffer_info *first = &d->buffers[0];
    const uint32_t i = d->buffer_count++;
    d->buffers[i] = (hry_buffer_info){.byte_size = size,
                                      .alignment = 64,
                                      .device = i == 0 ? 0 : first->device,
                                      .memory_class = i == 0 ? 0 : first->memory_class};
}

static uint64_t volume(const uint64_t *sizes, uint32_t rank)
{
    uint64_t n = 1;
    for (uint32_t k = 0; k < rank; k++)
        n *= sizes[k];
    return n;
}

static void random_shape(uint64_t *state, hry_descriptor *d, uint32_t rank)
{
    d->rank = rank;
    for (uint32_t k = 0; k < rank; k++)
        d->shape[k] = 1 + random_below(state, 6);
}

static uint64_t packed(const hry_descriptor *d, uint64_t count)
{
    return hry_packed_size(count, hry_descriptor_bits(d));
}

/* Strides of a permuted array, some of them backwards, with gaps. */
static void make_strided(uint64_t *state, hry_descriptor *d)
{
    uint64_t pitch = 1;
    int64_t lowest = 0;
    for (uint32_t i = 0; i < d->rank; i++) {
        const uint32_t k = d->layout_tag % 2 == 0 ? i : d->rank - 1 - i;
        const int64_t sign = random_below(state, 3) == 0 ? -1 : 1;
        d->fields.strides[k] = sign * (int64_t)pitch;
        if (sign < 0)
            lowest += (int64_t)(d->shape[k] - 1) * (int64_t)pitch;
        pitch *= d->shape[k] + random_below(state, 2);
    }
    d->byte_offset = packed(d, ((uint64_t)lowest + 7) / 8 * 8);
    add_buffer(d, d->byte_offset + packed(d, pitch + 8));
}

/* Every level halves the tile above, so that the levels nest without gaps. */
static void make_tiled(uint64_t *state, hry_descriptor *d)
{
    hry_tiled *t = &d->fields.tiled;
    uint64_t tile[HRY_MAX_RANK], stored = 1;
    t->depth = 1 + (uint32_t)random_below(state, 3);
    for (uint32_t k = 0; k < d->rank; k++) {
        tile[k] = UINT64_C(8);
        stored *= (d->shape[k] + 7) / 8 * 8;
    }
    for (uint32_t i = 0; i < t->depth; i++) {
        hry_tile_level *level = &t->level[i];
        uint64_t tiles = 1;
        level->outer = (uint8_t)(1 + random_below(state, 3));
        level->inner = (uint8_t)(i + 1 < t->depth ? HRY_TILED : 1 + random_below(state, 3));
        for (uint32_t k = d->rank; k-- > 0;) {
            const uint64_t shape = i == 0 ? d->shape[k] : tile[k] * 2;
            level->tile_shape[k] = tile[k];
            level->outer_strides[k] = (int64_t)tiles;
            tiles *= (shape + tile[k] - 1) / tile[k];
        }
        uint64_t pitch = 1;
        for (uint32_t k = 0; k < d->rank; k++) {
            t->inner_strides[k] = (int64_t)pitch;
            pitch *= tile[k];
        }
        for (uint32_t k = 0; k < d->rank; k++)
            tile[k] /= 2;
    }
    add_buffer(d, packed(d, stored));
}

static void make_morton(uint64_t *state, hry_descriptor *d)
{
    const uint32_t bits = 3 + (uint32_t)random_below(state, 2);
    for (uint32_t k = 0; k < d->rank; k++)
        d->fields.morton_bits[k] = bits;
    add_buffer(d, packed(d, UINT64_C(1) << (bits * d->rank)));
}

static void make_hilbert(uint64_t *state, hry_descriptor *d)
{
    d->fields.hilbert_order = 1 + (uint32_t)random_below(state, 3);
    for (uint32_t k = 0; k < d->rank; k++)
        d->shape[k] = UINT64_C(1) << d->fields.hilbert_order;
    add_buffer(d, packed(d, volume(d->shape, d->rank)));
}

static void make_coo(uint64_t *state, hry_descriptor *d)
{
    const uint64_t nnz = random_below(state, volume(d->shape, d->rank) + 1);
    d->fields.sparse.nnz = nnz;
    d->fields.sparse.is_sorted = random_below(state, 2) == 0;
    add_buffer(d, packed(d, nnz));
    add_buffer(d, nnz * d->rank * 8);
}

static void make_csr(uint64_t *state, hry_descriptor *d)
{
    const uint64_t nnz = random_below(state, volume(d->shape, d->rank) + 1);
    d->fields.sparse.nnz = nnz;
    add_buffer(d, packed(d, nnz));
    add_buffer(d, nnz * 8);
    add_buffer(d, (d->shape[d->layout_tag == HRY_CSR ? 0 : 1] + 1) * 8);
}

static void make_csf(uint64_t *state, hry_descriptor *d)
{
    const uint64_t nnz = random_below(state, volume(d->shape, d->rank) + 1);
    const uint32_t turn = (uint32_t)random_below(state, d->rank);
    uint64_t parents = 1;
    d->fields.sparse.nnz = nnz;
    add_buffer(d, packed(d, nnz));
    for (uint32_t k = 0; k < d->rank; k++) {
        const uint64_t here = k + 1 == d->rank ? nnz : random_below(state, nnz + 1);
        d->fields.sparse.mode_order[k] = (k + turn) % d->rank;
        add_buffer(d, (parents + 1) * 8);
        add_buffer(d, here * 8);
        parents = here;
    }
}

static void make_block_paged(uint64_t *state, hry_descriptor *d)
{
    hry_block_paged *p = &d->fields.paged;
    p->page_size = 1 + (uint32_t)random_below(state, 4);
    p->num_pages = 1 + random_below(state, 9);
    p->num_seqs = 1 + (uint32_t)random_below(state, 3);
    p->kv_role = (uint8_t)random_below(state, 3);
    p->layer = UINT32_MAX;
    p->index_type = (uint8_t)random_below(state, 2);
    const uint64_t item = p->index_type == 0 ? 4 : 8;
    add_buffer(d, packed(d, p->num_pages * p->page_size * d->shape[1] * d->shape[2]));
    add_buffer(d, (d->shape[0] + p->num_seqs) * item);
    add_buffer(d, (p->num_seqs + 1) * item);
}

static void make_composite(uint64_t *state, hry_descriptor *d)
{
    hry_composite *c = &d->fields.composite;
    c->rule = (uint8_t)(1 + random_below(state, 3));
    c->combine = (uint8_t)(c->rule == HRY_OVERLAY ? 1 + random_below(state, 2) : 0);
    c->member_count = 1 + (uint32_t)random_below(state, 1000);
}

static void make_private(uint64_t *state, hry_descriptor *d)
{
    d->fields.extension.id = random_next(state);
    d->fields.extension.length = (uint32_t)random_below(state, sizeof private_bytes + 1);
    d->fields.extension.bytes = private_bytes;
    for (uint64_t n = 1 + random_below(state, 4); n > 0; n--)
        add_buffer(d, random_below(state, 100));
}

static void make_dense(uint64_t *state, hry_descriptor *d)
{
    const uint64_t size = packed(d, volume(d->shape, d->rank));
    d->byte_offset = random_below(state, 3) * 16;
    add_buffer(d, d->byte_offset + size + random_below(state, 2));
}

/* clang-format off */
static const struct kind {
    uint8_t tag;
    uint8_t rank_min, rank_max;
    void (*make)(uint64_t *state, hry_descriptor *d);
} kinds[] = {
    {HRY_ROW_MAJOR,    0, 4, make_dense},
    {HRY_COLUMN_MAJOR, 1, 4, make_dense},
    {HRY_STRIDED,      1, 4, make_strided},
    {HRY_TILED,        1, 4, make_tiled},
    {HRY_MORTON,       1, 4, make_morton},
    {HRY_COO,          1, 4, make_coo},
    {HRY_CSR,          2, 2, make_csr},
    {HRY_CSC,          2, 2, make_csr},
    {HRY_CSF,          3, 5, make_csf},
    {HRY_BLOCK_PAGED,  3, 3, make_block_paged},
    {HRY_COMPOSITE,    0, 4, make_composite},
    {HRY_HILBERT,      2, 4, make_hilbert},
    {0xF0,             0, 4, make_private}, /* and all above */
};
/* clang-format on */

static const struct kind *kind_of(uint8_t layout_tag)
{
    const struct kind *kind = kinds;
    while (kind->tag != layout_tag && kind->tag != 0xF0)
        kind++;
    return kind;
}

static void random_type(uint64_t *state, hry_descriptor *d)
{
    static const hry_extension_type types[] = {
        {.bit_width = 4, .packing = 2, .is_signed = true, .sign_bits = 1},
        {.bit_width = 24,
         .packing = 1,
         .is_float = true,
         .sign_bits = 1,
         .exponent_bits = 8,
         .mantissa_bits = 15,
         .exponent_bias = 127,
         .has_nan = true},
    };
    if (random_below(state, 5) != 0) {
        d->type_tag = hry_dtype_at(random_below(state, 26))->tag;
        return;
    }
    d->type_tag = (uint8_t)(0xF0 + random_below(state, 15));
    d->flags |= HRY_HAS_EXTENSION_TYPE;
    d->extension_type = types[random_below(state, 2)];
}

static void random_shard(uint64_t *state, hry_descriptor *d)
{
    d->flags |= HRY_HAS_SHARD;
    for (uint32_t k = 0; k < d->rank; k++) {
        d->shard.offset[k] = random_below(state, 10);
        d->shard.parent_shape[k] =
            d->shard.offset[k] + d->shape[k] + random_below(state, 10);
    }
}

static void random_statistics(uint64_t *state, hry_descriptor *d)
{
    d->flags |= HRY_HAS_STATISTICS;
    d->statistics = (hry_statistics){.computed_mask = (uint32_t)random_below(state, 0x40) &
                                                      ~(uint32_t)HRY_STAT_NNZ,
                                     .nnz = random_next(state),
                                     .sparsity_ratio = 0.25,
                                     .min = -1e300,
                                     .max = 2.5,
                                     .abs_max = 1e300,
                                     .mean = -0.0,
                                     .stddev = 1.5,
                                     .nm_n = 2,
                                     .nm_m = 4,
                                     .has_nan = true};
}

/* On whatever the layout is: per tensor and per channel. */
static void random_quantization(uint64_t *state, hry_descriptor *d)
{
    const bool per_channel =
        random_below(state, 2) == 0 && d->rank > 0 && d->layout_tag != HRY_BLOCK_PAGED;
    d->flags |= HRY_HAS_QUANTIZATION;
    d->quantization = (hry_quantization){
        .scheme = HRY_QUANT_PER_TENSOR, .version = 1, .scale = -0.5f, .zero_point = -3};
    if (!per_channel)
        return;
    const uint32_t axis = (uint32_t)random_below(state, d->rank);
    const bool symmetric = random_below(state, 2) == 0;
    const uint32_t scales = d->buffer_count;
    d->quantization =
        (hry_quantization){.scheme = HRY_QUANT_PER_CHANNEL,
                           .version = 1,
                           .axis = axis,
                           .flags = symmetric ? HRY_QUANT_SYMMETRIC : 0,
                           .scale_buffer = scales,
                           .scale_type = HRY_FLOAT32,
                           .zero_buffer = symmetric ? HRY_NO_BUFFER : scales + 1};
    add_buffer(d, d->shape[axis] * 4);
    if (!symmetric)
        add_buffer(d, d->shape[axis] * 4);
}

void random_descriptor(uint64_t *state, uint8_t layout_tag, hry_descriptor *d)
{
    memset(d, 0, sizeof *d);
    d->version_major = 1;
    d->layout_tag = layout_tag;
    const bool is_head = layout_tag == HRY_COMPOSITE;
    const bool is_quantized = !is_head && random_below(state, 4) == 0;
    const bool may_be_shard = layout_tag != HRY_CSF && layout_tag != HRY_BLOCK_PAGED;
    if (is_quantized)
        d->type_tag = HRY_INT8;
    else
        random_type(state, d);
    const struct kind *kind = kind_of(layout_tag);
    const uint32_t more =
        (uint32_t)random_below(state, kind->rank_max - kind->rank_min + 1u);
    random_shape(state, d, kind->rank_min + more);
    kind->make(state, d);
    if (is_quantized)
        random_quantization(state, d);
    if (may_be_shard && random_below(state, 3) == 0)
        random_shard(state, d);
    if (random_below(state, 3) == 0)
        random_statistics(state, d);
    if (!is_head && random_below(state, 4) == 0) {
        d->flags |= HRY_HAS_COMPOSITE_MEMBER;
        d->member_role = (uint8_t)random_below(state, 2);
    }
}
