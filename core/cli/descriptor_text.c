/* SPDX-License-Identifier: Apache-2.0 */
/* descriptor_text.c - a descriptor (format section 1) for people. */
#include "descriptor_text.h"

#include "number.h"
#include "places.h"
#include "words.h"

#include <stdarg.h>
#include <stdio.h>

const struct table_column descriptor_columns[4] = {
    {.title = "BYTE", .right = true},
    {.title = "FIELD"},
    {.title = "VALUE"},
    {.title = "MEANING"},
};

void descriptor_row(struct table *t, uint64_t byte, const char *field, const char *format,
                    ...)
{
    char value[160];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    text_add(table_cell(t), "%llu", (unsigned long long)byte);
    table_next(t);
    text_add(table_cell(t), "%s", field);
    table_next(t);
    text_add(table_cell(t), "%s", value);
}

static void finish(struct table *t, const char *meaning)
{
    table_next(t);
    text_add(table_cell(t), "%s", meaning);
    table_next(t);
}

static void real(struct table *t, uint64_t byte, const char *field, double value,
                 const char *meaning)
{
    char digits[NUMBER_SIZE];
    number_of_double(value, digits);
    descriptor_row(t, byte, field, "%s", digits);
    finish(t, meaning);
}

static void number(struct table *t, uint64_t byte, const char *field, uint64_t value,
                   const char *meaning)
{
    descriptor_row(t, byte, field, "%llu", (unsigned long long)value);
    finish(t, meaning);
}

/* ---- header and shape ---- */

static void type_row(struct table *t, const hry_descriptor *d, uint64_t start)
{
    const uint32_t bits = d->opaque ? 0 : hry_descriptor_bits(d);
    descriptor_row(t, start + 14, "type", "0x%02x", d->type_tag);
    table_next(t);
    words_add_type(table_cell(t), d->type_tag);
    if (bits > 0)
        text_add(table_cell(t), ", %lu bit%s", (unsigned long)bits, bits > 1 ? "s" : "");
    table_next(t);
}

static void header(struct table *t, const hry_descriptor *d, uint64_t start,
                   uint32_t length)
{
    descriptor_row(t, start + 4, "version", "%u.%u", d->version_major, d->version_minor);
    finish(t, "");
    number(t, start + 6, "descriptor_length", length, "bytes");
    descriptor_row(t, start + 10, "flags", "0x%lx", (unsigned long)d->flags);
    table_next(t);
    if (d->flags != 0)
        words_add_bits(table_cell(t), d->flags, word_of_flag);
    else
        text_add(table_cell(t), "no optional sections");
    table_next(t);
    type_row(t, d, start);
    descriptor_row(t, start + 15, "layout", "0x%02x", d->layout_tag);
    table_next(t);
    words_add_layout(table_cell(t), d->layout_tag);
    table_next(t);
    number(t, start + 16, "rank", d->rank, d->rank == 0 ? "a scalar" : "");
}

static void shape(struct table *t, const hry_descriptor *d, uint64_t start,
                  const struct places *p)
{
    uint64_t count;
    descriptor_row(t, start + p->shape, "shape", "%s", "");
    text_add_shape(table_cell(t), d->shape, d->rank);
    table_next(t);
    if (hry_descriptor_count(d, &count, NULL) == HRY_OK)
        text_add(table_cell(t), "%llu element%s", (unsigned long long)count,
                 count == 1 ? "" : "s");
    else
        text_add(table_cell(t), "? is a size not known yet");
    table_next(t);
    number(t, start + p->byte_offset, "byte_offset", d->byte_offset,
           "of element [0, ...] in buffer 0");
}

/* ---- buffers ---- */

static void add_word(struct text *t, const char *word, unsigned tag)
{
    if (word != NULL)
        text_add(t, ", %s", word);
    else
        text_add(t, ", private 0x%02x", tag);
}

static void buffers(struct table *t, const hry_descriptor *d, uint64_t at,
                    const uint64_t *offsets)
{
    number(t, at, "buffers", d->buffer_count, "");
    for (uint32_t b = 0; b < d->buffer_count; b++) {
        const hry_buffer_info *info = &d->buffers[b];
        char field[32];
        snprintf(field, sizeof field, "buffer[%lu]", (unsigned long)b);
        descriptor_row(t, at + 1 + 16 * (uint64_t)b, field, "%llu",
                       (unsigned long long)info->byte_size);
        table_next(t);
        struct text *meaning = table_cell(t);
        text_add(meaning, "bytes");
        if (offsets != NULL && info->byte_size > 0)
            text_add(meaning, " at %llu", (unsigned long long)offsets[b]);
        text_add(meaning, ", aligned to %lu", (unsigned long)info->alignment);
        add_word(meaning, word_of_device(info->device), info->device);
        add_word(meaning, word_of_memory(info->memory_class), info->memory_class);
        add_word(meaning, word_of_sync(info->sync_mode), info->sync_mode);
        table_next(t);
    }
}

/* ---- sections ---- */

static void quantization_fields(struct table *t, const hry_quantization *q, uint64_t at)
{
    if (q->scheme == HRY_QUANT_PER_TENSOR) {
        real(t, at, "scale", (double)q->scale, "value = scale * (code - zero_point)");
        descriptor_row(t, at + 4, "zero_point", "%ld", (long)q->zero_point);
        finish(t, "");
        return;
    }
    const bool is_blocked = q->scheme != HRY_QUANT_PER_CHANNEL;
    const bool is_affine = q->scheme <= HRY_QUANT_PER_BLOCK;
    number(t, at, "axis", q->axis, "");
    at += 4;
    if (is_blocked) {
        number(t, at, "block_size", q->block, "elements along the axis share a scale");
        at += 4;
    }
    number(t, at, "scale_buffer_index", q->scale_buffer, "");
    if (!is_affine)
        return;
    if ((q->flags & HRY_QUANT_SYMMETRIC) == 0)
        number(t, at + 4, "zero_point_buffer_index", q->zero_buffer, "");
    descriptor_row(t, at + 8, "scale_type", "0x%02x", q->scale_type);
    finish(t, hry_type_name(q->scale_type));
}

static void quantization(struct table *t, const hry_descriptor *d, uint64_t at)
{
    const hry_quantization *q = &d->quantization;
    const char *scheme = word_of_scheme(q->scheme);
    number(t, at, "quantization", places_quantization_length(q), "bytes");
    descriptor_row(t, at + 4, "scheme", "0x%02x", q->scheme);
    finish(t, scheme != NULL ? scheme : "unknown to this version");
    if (scheme == NULL)
        return;
    number(t, at + 5, "scheme_version", q->version, "");
    descriptor_row(t, at + 6, "flags", "0x%x", q->flags);
    finish(t, (q->flags & HRY_QUANT_SYMMETRIC) != 0 ? "symmetric: no zero points" : "");
    quantization_fields(t, q, at + 8);
}

static void shard(struct table *t, const hry_descriptor *d, uint64_t at)
{
    descriptor_row(t, at, "parent_shape", "%s", "");
    text_add_shape(table_cell(t), d->shard.parent_shape, d->rank);
    finish(t, "this is a part of such a tensor");
    descriptor_row(t, at + 8 * (uint64_t)d->rank, "shard_offset", "%s", "");
    text_add_shape(table_cell(t), d->shard.offset, d->rank);
    finish(t, "of this tensor's first element there");
}

static void statistics(struct table *t, const hry_descriptor *d, uint64_t at)
{
    const hry_statistics *s = &d->statistics;
    const uint32_t mask = s->computed_mask;
    descriptor_row(t, at, "computed_mask", "0x%lx", (unsigned long)mask);
    table_next(t);
    words_add_bits(table_cell(t), mask, word_of_statistic);
    table_next(t);
    if ((mask & HRY_STAT_NNZ) != 0)
        number(t, at + 8, "nnz", s->nnz, "elements that are not 0");
    if ((mask & HRY_STAT_SPARSITY) != 0)
        real(t, at + 16, "sparsity_ratio", s->sparsity_ratio, "zeros among all");
    if ((mask & HRY_STAT_RANGE) != 0) {
        real(t, at + 24, "value_min", s->min, "");
        real(t, at + 32, "value_max", s->max, "");
        real(t, at + 40, "value_abs_max", s->abs_max, "");
    }
    if ((mask & HRY_STAT_MOMENTS) != 0) {
        real(t, at + 48, "value_mean", s->mean, "");
        real(t, at + 56, "value_stddev", s->stddev, "of the population");
    }
    if ((mask & HRY_STAT_NM) != 0) {
        descriptor_row(t, at + 64, "nm_n, nm_m", "%u, %u", s->nm_n, s->nm_m);
        finish(t, "at most n of m neighbours are not 0");
    }
    if ((mask & HRY_STAT_SPECIAL) != 0) {
        number(t, at + 66, "has_nan", s->has_nan, s->has_nan ? "yes" : "no");
        number(t, at + 67, "has_inf", s->has_inf, s->has_inf ? "yes" : "no");
    }
}

static void extension_type(struct table *t, const hry_descriptor *d, uint64_t at)
{
    const hry_extension_type *e = &d->extension_type;
    number(t, at, "bit_width", e->bit_width, "");
    number(t, at + 4, "packing", e->packing, "elements in a byte");
    number(t, at + 5, "is_float", e->is_float, e->is_float ? "a float" : "an integer");
    number(t, at + 6, "is_signed", e->is_signed, "");
    if (!e->is_float)
        return;
    descriptor_row(t, at + 7, "bits", "%u, %u, %u", e->sign_bits, e->exponent_bits,
                   e->mantissa_bits);
    finish(t, "of sign, exponent, mantissa");
    number(t, at + 12, "exponent_bias", e->exponent_bias, "");
    number(t, at + 16, "has_nan", e->has_nan, e->has_nan ? "yes" : "no");
    number(t, at + 17, "has_inf", e->has_inf, e->has_inf ? "yes" : "no");
}

static void composite_member(struct table *t, const hry_descriptor *d, uint64_t at)
{
    const char *role = word_of_role(d->member_role);
    number(t, at, "member_role", d->member_role, role != NULL ? role : "");
}

static void section(struct table *t, const hry_descriptor *d, uint32_t flag, uint64_t at,
                    void (*write)(struct table *t, const hry_descriptor *d, uint64_t at))
{
    if ((d->flags & flag) != 0)
        write(t, d, at);
}

void descriptor_text(struct table *t, const hry_descriptor *d, uint64_t start,
                     uint32_t length, const uint64_t *buffer_offsets)
{
    const struct places p = places_of(d, length);
    header(t, d, start, length);
    shape(t, d, start, &p);
    if (d->opaque)
        return;
    layout_text(t, d, start + p.layout);
    buffers(t, d, start + p.buffers, buffer_offsets);
    section(t, d, HRY_HAS_QUANTIZATION, start + p.quantization, quantization);
    section(t, d, HRY_HAS_SHARD, start + p.shard, shard);
    section(t, d, HRY_HAS_STATISTICS, start + p.statistics, statistics);
    section(t, d, HRY_HAS_EXTENSION_TYPE, start + p.extension_type, extension_type);
    section(t, d, HRY_HAS_COMPOSITE_MEMBER, start + p.member, composite_member);
}
