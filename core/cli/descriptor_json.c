/* SPDX-License-Identifier: Apache-2.0 */
/* descriptor_json.c - a descriptor (format section 1) as JSON. */
#include "descriptor_json.h"

#include "places.h"
#include "words.h"

void shape_json(struct json *j, const char *key, const uint64_t *shape, uint32_t rank)
{
    json_key(j, key);
    json_open(j, JSON_LINE_ARRAY);
    for (uint32_t k = 0; k < rank; k++) {
        if (shape[k] == HRY_DYNAMIC)
            json_string(j, "dynamic");
        else
            json_u64(j, shape[k]);
    }
    json_close(j);
}

static void put_real(struct json *j, const char *key, double value)
{
    json_key(j, key);
    json_real(j, value);
}

/* ---- sections ---- */

static void buffers(struct json *j, const hry_descriptor *d)
{
    json_open(j, JSON_ARRAY);
    for (uint32_t b = 0; b < d->buffer_count; b++) {
        const hry_buffer_info *info = &d->buffers[b];
        json_open(j, JSON_LINE_OBJECT);
        json_put_u64(j, "byte_size", info->byte_size);
        json_put_u64(j, "alignment", info->alignment);
        json_put_u64(j, "device_tag", info->device);
        json_put_u64(j, "sync_mode", info->sync_mode);
        json_put_u64(j, "memory_class", info->memory_class);
        json_close(j);
    }
    json_close(j);
}

static void put_axis(struct json *j, const hry_quantization *q)
{
    json_put_u64(j, "axis", q->axis);
    if (q->scheme != HRY_QUANT_PER_CHANNEL)
        json_put_u64(j, "block_size", q->block);
    json_put_u64(j, "scale_buffer_index", q->scale_buffer);
}

static void put_affine(struct json *j, const hry_quantization *q)
{
    const bool symmetric = (q->flags & HRY_QUANT_SYMMETRIC) != 0;
    json_key(j, "symmetric");
    json_bool(j, symmetric);
    json_key(j, "zero_point_buffer_index");
    if (symmetric)
        json_null(j);
    else
        json_u64(j, q->zero_buffer);
    json_put_string(j, "scale_type", hry_type_name(q->scale_type));
}

static void quantization(struct json *j, const hry_descriptor *d)
{
    const hry_quantization *q = &d->quantization;
    const char *scheme = word_of_scheme(q->scheme);
    json_open(j, JSON_LINE_OBJECT);
    json_put_u64(j, "length", places_quantization_length(q));
    json_put_u64(j, "scheme_tag", q->scheme);
    json_put_u64(j, "scheme_version", q->version);
    json_put_u64(j, "flags", q->flags);
    json_key(j, "scheme");
    if (scheme == NULL) {
        json_null(j);
        json_key(j, "data_hex");
        json_hex(j, q->bytes, q->length);
    } else {
        json_string(j, scheme);
    }
    if (q->scheme == HRY_QUANT_PER_TENSOR) {
        put_real(j, "scale", (double)q->scale);
        json_key(j, "zero_point");
        json_i64(j, q->zero_point);
    } else if (scheme != NULL) {
        put_axis(j, q);
    }
    if (q->scheme == HRY_QUANT_PER_CHANNEL || q->scheme == HRY_QUANT_PER_BLOCK)
        put_affine(j, q);
    json_close(j);
}

static void shard(struct json *j, const hry_descriptor *d)
{
    json_open(j, JSON_LINE_OBJECT);
    shape_json(j, "parent_shape", d->shard.parent_shape, d->rank);
    shape_json(j, "shard_offset", d->shard.offset, d->rank);
    json_close(j);
}

static void statistics(struct json *j, const hry_descriptor *d)
{
    const hry_statistics *s = &d->statistics;
    json_open(j, JSON_OBJECT);
    json_put_u64(j, "computed_mask", s->computed_mask);
    json_put_u64(j, "nnz", s->nnz);
    put_real(j, "sparsity_ratio", s->sparsity_ratio);
    put_real(j, "value_min", s->min);
    put_real(j, "value_max", s->max);
    put_real(j, "value_abs_max", s->abs_max);
    put_real(j, "value_mean", s->mean);
    put_real(j, "value_stddev", s->stddev);
    json_put_u64(j, "nm_n", s->nm_n);
    json_put_u64(j, "nm_m", s->nm_m);
    json_put_u64(j, "has_nan", s->has_nan);
    json_put_u64(j, "has_inf", s->has_inf);
    json_close(j);
}

static void extension_type(struct json *j, const hry_descriptor *d)
{
    const hry_extension_type *e = &d->extension_type;
    json_open(j, JSON_OBJECT);
    json_put_u64(j, "bit_width", e->bit_width);
    json_put_u64(j, "packing", e->packing);
    json_put_u64(j, "is_float", e->is_float);
    json_put_u64(j, "is_signed", e->is_signed);
    json_put_u64(j, "sign_bits", e->sign_bits);
    json_put_u64(j, "exponent_bits", e->exponent_bits);
    json_put_u64(j, "mantissa_bits", e->mantissa_bits);
    json_put_u64(j, "exponent_bias", e->exponent_bias);
    json_put_u64(j, "has_nan", e->has_nan);
    json_put_u64(j, "has_inf", e->has_inf);
    json_close(j);
}

static void composite_member(struct json *j, const hry_descriptor *d)
{
    json_open(j, JSON_LINE_OBJECT);
    json_put_u64(j, "member_role", d->member_role);
    json_close(j);
}

static const struct {
    uint32_t flag;
    const char *key;
    void (*write)(struct json *j, const hry_descriptor *d);
} sections[] = {
    {HRY_HAS_QUANTIZATION, "quantization", quantization},
    {HRY_HAS_SHARD, "shard", shard},
    {HRY_HAS_STATISTICS, "statistics", statistics},
    {HRY_HAS_EXTENSION_TYPE, "extension_type", extension_type},
    {HRY_HAS_COMPOSITE_MEMBER, "composite_member", composite_member},
};

/* ---- the whole ---- */

static void put_words(struct json *j, const hry_descriptor *d)
{
    struct text word = {0};
    words_add_type(&word, d->type_tag);
    json_put_string(j, "type", text_string(&word));
    json_put_u64(j, "type_tag", d->type_tag);
    text_clear(&word);
    if (d->layout_tag >= 0xF0 && d->layout_tag <= 0xFE)
        text_add(&word, "private");
    else
        words_add_layout(&word, d->layout_tag);
    json_put_string(j, "layout", text_string(&word));
    json_put_u64(j, "layout_tag", d->layout_tag);
    text_free(&word);
}

void descriptor_json(struct json *j, const hry_descriptor *d, uint32_t length)
{
    json_open(j, JSON_OBJECT);
    json_key(j, "version");
    json_open(j, JSON_LINE_ARRAY);
    json_u64(j, d->version_major);
    json_u64(j, d->version_minor);
    json_close(j);
    json_put_u64(j, "descriptor_length", length);
    json_put_u64(j, "flags", d->flags);
    put_words(j, d);
    json_put_u64(j, "rank", d->rank);
    shape_json(j, "shape", d->shape, d->rank);
    json_put_u64(j, "byte_offset", d->byte_offset);
    json_key(j, "layout_fields");
    layout_json(j, d);
    json_key(j, "buffers");
    buffers(j, d);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        json_key(j, sections[i].key);
        if ((d->flags & sections[i].flag) != 0 && !d->opaque)
            sections[i].write(j, d);
        else
            json_null(j);
    }
    json_close(j);
}
