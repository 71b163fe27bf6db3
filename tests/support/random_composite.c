/* SPDX-License-Identifier: Apache-2.0 */
/* random_composite.c - see random_composite.h. What a composite is, is worked out here
 * element by element, the slow and simple way. */
#include "random_composite.h"

#include "hry/quant.h"
#include "hry/region.h"
#include "hry/transcode.h"

#include "tilings.h"

#include <stdio.h>

static const uint8_t types[] = {HRY_FLOAT32, HRY_FLOAT32, HRY_FLOAT64,   HRY_FLOAT16,
                                HRY_INT32,   HRY_INT16,   HRY_UINT8,     HRY_INT4,
                                HRY_UINT2,   HRY_BOOL,    HRY_COMPLEX64, HRY_FLOAT6_E2M3};

typedef struct making {
    random_state *r;
    const random_composite_options *options;
    hry_composer *composer;
    uint8_t tag;
    unsigned names;
} making;

static void must(hry_status status)
{
    if (status != HRY_OK)
        abort();
}

static void *memory(size_t size)
{
    void *p = calloc(size + 1, 1);
    if (p == NULL)
        abort();
    return p;
}

static dense_array new_array(uint8_t tag, uint32_t rank, const uint64_t *shape)
{
    dense_array a = {.type = hry_type_builtin(tag), .rank = rank, .count = 1};
    a.element = (hry_dtype_by_tag(tag)->bits + 7U) / 8;
    for (uint32_t k = 0; k < rank; k++) {
        a.shape[k] = shape[k];
        a.count *= shape[k];
    }
    a.bytes = memory(a.count * a.element);
    return a;
}

void dense_array_fill(dense_array *a, random_state *r)
{
    const hry_dtype *type = hry_dtype_by_tag(a->type.tag);
    const size_t parts = type->cls == HRY_CLASS_COMPLEX ? 2 : 1;
    for (uint64_t i = 0; i < a->count; i++) {
        double v[2] = {0};
        for (size_t p = 0; p < parts; p++)
            v[p] = random_in(r, 0, 3) == 0 ? 0 : (double)random_in(r, 0, 15) - 8;
        must(hry_from_double(v, a->type, a->bytes + i * a->element, 1, NULL));
    }
}

/* Index `i` of the array into index[]; add[k] is added. */
static void unravel(const dense_array *a, uint64_t i, const uint64_t *add, uint64_t *index)
{
    for (uint32_t k = a->rank; k-- > 0; i /= a->shape[k])
        index[k] = add[k] + i % a->shape[k];
}

static uint8_t *element_at(const dense_array *a, const uint64_t *index)
{
    uint64_t i = 0;
    for (uint32_t k = 0; k < a->rank; k++)
        i = i * a->shape[k] + index[k];
    return a->bytes + i * a->element;
}

typedef void box_element(uint8_t *in_array, uint8_t *in_box, size_t size);

static void each_of_box(const dense_array *a, const uint64_t *start, const uint64_t *count,
                        uint8_t *bytes, box_element *f)
{
    dense_array box = {.rank = a->rank, .count = 1};
    uint64_t index[HRY_MAX_RANK];
    for (uint32_t k = 0; k < a->rank; k++) {
        box.shape[k] = count[k];
        box.count *= count[k];
    }
    for (uint64_t i = 0; i < box.count; i++) {
        unravel(&box, i, start, index);
        f(element_at(a, index), bytes + i * a->element, a->element);
    }
}

static void take_element(uint8_t *in_array, uint8_t *in_box, size_t size)
{
    memcpy(in_box, in_array, size);
}

static void put_element(uint8_t *in_array, uint8_t *in_box, size_t size)
{
    memcpy(in_array, in_box, size);
}

uint8_t *dense_array_box(const dense_array *a, const uint64_t *start, const uint64_t *count)
{
    size_t size = a->element;
    for (uint32_t k = 0; k < a->rank; k++)
        size *= count[k];
    uint8_t *bytes = memory(size);
    each_of_box(a, start, count, bytes, take_element);
    return bytes;
}

void dense_array_put(dense_array *a, const uint64_t *start, const uint64_t *count,
                     const uint8_t *box)
{
    each_of_box(a, start, count, (uint8_t *)(uintptr_t)box, put_element);
}

/* ---- plain members ---- */

static uint32_t log2_of(uint64_t n)
{
    uint32_t bits = 0;
    while (UINT64_C(1) << bits < n)
        bits++;
    return bits;
}

/* A layout that the shape can have, row-major in half of the cases. */
static bool choose_layout(const making *m, uint32_t rank, const uint64_t *shape,
                          hry_descriptor *like)
{
    const uint8_t tags[] = {HRY_COLUMN_MAJOR, HRY_STRIDED, HRY_TILED, HRY_MORTON,
                            HRY_HILBERT,      HRY_COO,     HRY_CSR,   HRY_CSC};
    like->layout_tag = tags[random_in(m->r, 0, sizeof tags - 1)];
    int64_t pitch = 1;
    uint32_t bits = 1;
    for (uint32_t k = 0; k < rank; k++)
        bits = log2_of(shape[k]) > bits ? log2_of(shape[k]) : bits;
    if (random_in(m->r, 0, 1) == 0 || rank == 0)
        return false;
    switch (like->layout_tag) {
    case HRY_STRIDED:
        for (uint32_t k = 0; k < rank; k++) {
            like->fields.strides[k] = random_in(m->r, 0, 1) == 0 ? pitch : -pitch;
            pitch *= (int64_t)shape[k] + 1;
        }
        return true;
    case HRY_TILED:
        like->fields.tiled.depth = 1;
        like->fields.tiled.level[0] =
            (hry_tile_level){.outer = HRY_ROW_MAJOR, .inner = HRY_COLUMN_MAJOR};
        for (uint32_t k = 0; k < rank; k++)
            like->fields.tiled.level[0].tile_shape[k] = random_in(m->r, 1, 3);
        return true;
    case HRY_MORTON:
        for (uint32_t k = 0; k < rank; k++)
            like->fields.morton_bits[k] = bits;
        return true;
    case HRY_HILBERT:
        like->fields.hilbert_order = bits;
        for (uint32_t k = 0; k < rank; k++)
            if (shape[k] != UINT64_C(1) << bits)
                return false;
        return rank >= 2;
    case HRY_COO:
        return m->options->sparse;
    case HRY_CSR:
    case HRY_CSC:
        return m->options->sparse && rank == 2;
    default:
        return true;
    }
}

static void write_tensor(making *m, const hry_tensor *t, const uint64_t *offset)
{
    const void *buffers[HRY_MAX_BUFFERS];
    char name[32];
    for (uint32_t b = 0; b < t->descriptor->buffer_count; b++)
        buffers[b] = t->buffers[b].bytes;
    snprintf(name, sizeof name, "t%u", m->names++);
    must(hry_composer_add(m->composer, name, t->descriptor, offset, buffers, NULL));
}

static bool is_zero(const dense_array *a, uint64_t i)
{
    for (size_t b = 0; b < a->element; b++)
        if (a->bytes[i * a->element + b] != 0)
            return false;
    return true;
}

/* In some layout. stored[i]: does it keep element i? */
static void write_unquantized(making *m, const dense_array *a, const uint64_t *offset,
                              uint8_t *stored)
{
    static const uint64_t origin[HRY_MAX_RANK];
    hry_descriptor d, like;
    must(hry_descriptor_dense(m->tag, a->rank, a->shape, &d, NULL));
    memset(&like, 0, sizeof like);
    uint8_t *packed = memory((size_t)d.buffers[0].byte_size);
    const hry_buffer buffer = {.writable = packed, .size = d.buffers[0].byte_size};
    const hry_tensor t = {.descriptor = &d, .buffers = &buffer, .writable = true};
    must(hry_region_write(&t, origin, a->shape, a->bytes, NULL));
    memset(stored, 1, a->count);
    if (choose_layout(m, a->rank, a->shape, &like)) {
        hry_transcoded *other;
        must(hry_transcode(&t, &like, 0, &other, NULL));
        write_tensor(m, hry_transcoded_tensor(other), offset);
        hry_transcoded_free(other);
        for (uint64_t i = 0;
             like.layout_tag >= HRY_COO && like.layout_tag <= HRY_CSC && i < a->count; i++)
            stored[i] = !is_zero(a, i);
    } else {
        write_tensor(m, &t, offset);
    }
    free(packed);
}

static void write_quantized(making *m, dense_array *a, const uint64_t *offset)
{
    static const uint64_t origin[HRY_MAX_RANK];
    float *values = memory(a->count * sizeof *values);
    const hry_quantization how = {.scheme = HRY_QUANT_PER_TENSOR, .version = 1};
    hry_quantized *q;
    must(hry_to_float(a->type, a->bytes, values, a->count, NULL));
    must(hry_quantize(values, a->rank, a->shape,
                      random_in(m->r, 0, 1) == 0 ? HRY_INT8 : HRY_UINT4, &how, &q, NULL));
    write_tensor(m, hry_quantized_tensor(q), offset);
    must(hry_dequantize(hry_quantized_tensor(q), origin, a->shape, values, NULL));
    must(hry_from_float(values, a->type, a->bytes, a->count, NULL));
    hry_quantized_free(q);
    free(values);
}

static void write_plain(making *m, dense_array *a, const uint64_t *offset, uint8_t *stored)
{
    const bool is_float = hry_dtype_by_tag(m->tag)->cls == HRY_CLASS_FLOAT;
    dense_array_fill(a, m->r);
    memset(stored, 1, a->count);
    if (m->options->quantized && is_float && a->count > 0 && random_in(m->r, 0, 4) == 0)
        write_quantized(m, a, offset);
    else
        write_unquantized(m, a, offset, stored);
}

/* ---- heads ---- */

static void write_any(making *m, dense_array *a, const uint64_t *offset, uint32_t depth);

static void write_head(making *m, const hry_composite *c, const dense_array *a,
                       const uint64_t *offset)
{
    hry_descriptor d;
    char name[32] = "head";
    if (m->names > 0)
        snprintf(name, sizeof name, "h%u", m->names);
    m->names++;
    must(hry_head_describe(c, m->tag, a->rank, a->shape, &d, NULL));
    must(hry_composer_add(m->composer, name, &d, offset, NULL, NULL));
}

static void write_partition(making *m, dense_array *a, const uint64_t *offset,
                            uint32_t depth)
{
    tiling t = tiling_random(m->r, a->rank, a->shape, (uint32_t)random_in(m->r, 1, 7));
    tiling_shuffle(&t, m->r);
    const hry_composite c = {.rule = HRY_PARTITION, .member_count = t.count};
    write_head(m, &c, a, offset);
    for (uint32_t i = 0; i < t.count; i++) {
        const uint64_t *start = t.start + (size_t)i * t.rank;
        dense_array part = new_array(m->tag, a->rank, t.size + (size_t)i * t.rank);
        write_any(m, &part, start, depth + 1);
        for (uint64_t e = 0; e < part.count; e++) {
            uint64_t index[HRY_MAX_RANK];
            unravel(&part, e, start, index);
            memcpy(element_at(a, index), part.bytes + e * part.element, part.element);
        }
        free(part.bytes);
    }
    tiling_free(&t);
}

/* The sum in the type; all are small enough to be exact but for integers that wrap. */
static void add_one(const dense_array *a, uint8_t *to, const uint8_t *from)
{
    const hry_dtype *type = hry_dtype_by_tag(a->type.tag);
    if (type->cls == HRY_CLASS_INT || type->cls == HRY_CLASS_UINT) {
        uint64_t x = 0, y = 0;
        memcpy(&x, to, a->element);
        memcpy(&y, from, a->element);
        x = (x + y) & (type->bits < 64 ? (UINT64_C(1) << type->bits) - 1 : UINT64_MAX);
        memcpy(to, &x, a->element);
        return;
    }
    double x[2] = {0}, y[2] = {0};
    must(hry_to_double(a->type, to, x, 1, NULL));
    must(hry_to_double(a->type, from, y, 1, NULL));
    x[0] += y[0];
    x[1] += y[1];
    must(hry_from_double(x, a->type, to, 1, NULL));
}

static void write_correction(making *m, dense_array *a, bool add)
{
    uint64_t start[HRY_MAX_RANK] = {0}, size[HRY_MAX_RANK] = {0};
    for (uint32_t k = 0; k < a->rank; k++) {
        start[k] = random_in(m->r, 0, a->shape[k] - 1);
        size[k] = random_in(m->r, 1, a->shape[k] - start[k]);
    }
    dense_array part = new_array(m->tag, a->rank, size);
    uint8_t *stored = memory(part.count);
    write_plain(m, &part, start, stored);
    for (uint64_t e = 0; e < part.count; e++) {
        uint64_t index[HRY_MAX_RANK];
        unravel(&part, e, start, index);
        if (stored[e] != 0 && add)
            add_one(a, element_at(a, index), part.bytes + e * part.element);
        else if (stored[e] != 0)
            memcpy(element_at(a, index), part.bytes + e * part.element, part.element);
    }
    free(stored);
    free(part.bytes);
}

static void write_overlay(making *m, dense_array *a, const uint64_t *offset)
{
    const bool add = m->tag != HRY_BOOL && random_in(m->r, 0, 1) == 0;
    const hry_composite c = {.rule = HRY_OVERLAY,
                             .combine = add ? HRY_COMBINE_ADD : HRY_COMBINE_REPLACE,
                             .member_count = (uint32_t)random_in(m->r, 1, 5)};
    uint8_t *stored = memory(a->count);
    write_head(m, &c, a, offset);
    write_plain(m, a, NULL, stored);
    for (uint32_t i = 1; i < c.member_count; i++)
        write_correction(m, a, add);
    free(stored);
}

static void write_any(making *m, dense_array *a, const uint64_t *offset, uint32_t depth)
{
    const uint64_t kind = random_in(m->r, 0, 5);
    uint8_t *stored = memory(a->count);
    if (m->options->overlays && kind == 0)
        write_overlay(m, a, offset);
    else if (depth == 0 || (kind == 1 && depth < 7))
        write_partition(m, a, offset, depth);
    else
        write_plain(m, a, offset, stored);
    free(stored);
}

random_composite random_composite_make(random_state *r,
                                       const random_composite_options *options)
{
    random_composite c = {.file = {0}};
    hry_writer *writer;
    making m = {
        .r = r, .options = options, .tag = types[random_in(r, 0, sizeof types - 1)]};
    const uint32_t rank = options->large ? 2 : (uint32_t)random_in(r, 0, 4);
    uint64_t shape[4] = {0};
    for (uint32_t k = 0; k < rank; k++)
        shape[k] =
            options->large ? random_in(r, 200, 400) : random_in(r, 1, rank < 3 ? 24 : 8);
    c.expected = new_array(m.tag, rank, shape);
    must(hry_writer_new(bytes_sink, &c.file, NULL, &writer, NULL));
    must(hry_composer_new(writer, &m.composer, NULL));
    write_any(&m, &c.expected, NULL, 0);
    must(hry_composer_finish(m.composer, NULL));
    must(hry_writer_finish(writer, NULL));
    return c;
}

void random_composite_free(random_composite *c)
{
    bytes_free(&c->file);
    free(c->expected.bytes);
}
