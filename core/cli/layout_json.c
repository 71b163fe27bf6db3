/* SPDX-License-Identifier: Apache-2.0 */
/* layout_json.c - the fields of each layout (format section 3) as JSON. */
#include "descriptor_json.h"

#include "words.h"

static void put_i64s(struct json *j, const char *key, const int64_t *values, uint32_t count)
{
    json_key(j, key);
    json_open(j, JSON_LINE_ARRAY);
    for (uint32_t k = 0; k < count; k++)
        json_i64(j, values[k]);
    json_close(j);
}

static void put_u32s(struct json *j, const char *key, const uint32_t *values,
                     uint32_t count)
{
    json_key(j, key);
    json_open(j, JSON_LINE_ARRAY);
    for (uint32_t k = 0; k < count; k++)
        json_u64(j, values[k]);
    json_close(j);
}

static void put_word(struct json *j, const char *key, const char *word)
{
    json_key(j, key);
    if (word != NULL)
        json_string(j, word);
    else
        json_null(j);
}

static void strided(struct json *j, const hry_descriptor *d)
{
    put_i64s(j, "strides", d->fields.strides, d->rank);
}

/* Levels nest: each but the last holds the next one. */
static void tiled(struct json *j, const hry_descriptor *d)
{
    const hry_tiled *t = &d->fields.tiled;
    for (uint32_t i = 0; i < t->depth; i++) {
        const hry_tile_level *level = &t->level[i];
        shape_json(j, "tile_shape", level->tile_shape, d->rank);
        json_put_string(j, "outer", hry_layout_name(level->outer));
        json_put_string(j, "inner", hry_layout_name(level->inner));
        if (level->outer == HRY_STRIDED)
            put_i64s(j, "outer_strides", level->outer_strides, d->rank);
        else
            put_word(j, "outer_strides", NULL);
        if (level->inner == HRY_STRIDED)
            put_i64s(j, "inner_strides", t->inner_strides, d->rank);
        else
            put_word(j, "inner_strides", NULL);
        if (i + 1 < t->depth) {
            json_key(j, "inner_tiled");
            json_open(j, JSON_OBJECT);
        } else {
            put_word(j, "inner_tiled", NULL);
        }
    }
    for (uint32_t i = 1; i < t->depth; i++)
        json_close(j);
}

static void morton(struct json *j, const hry_descriptor *d)
{
    put_u32s(j, "bits", d->fields.morton_bits, d->rank);
}

static void hilbert(struct json *j, const hry_descriptor *d)
{
    json_put_u64(j, "order", d->fields.hilbert_order);
    json_put_u64(j, "rank", d->rank);
}

static void coo(struct json *j, const hry_descriptor *d)
{
    json_put_u64(j, "nnz", d->fields.sparse.nnz);
    json_put_u64(j, "is_sorted", d->fields.sparse.is_sorted);
}

static void compressed(struct json *j, const hry_descriptor *d)
{
    json_put_u64(j, "nnz", d->fields.sparse.nnz);
}

static void csf(struct json *j, const hry_descriptor *d)
{
    json_put_u64(j, "nnz", d->fields.sparse.nnz);
    put_u32s(j, "mode_order", d->fields.sparse.mode_order, d->rank);
}

static void block_paged(struct json *j, const hry_descriptor *d)
{
    const hry_block_paged *p = &d->fields.paged;
    json_put_u64(j, "page_size", p->page_size);
    json_put_u64(j, "num_pages", p->num_pages);
    json_put_u64(j, "paged_axis", 0);
    json_put_u64(j, "num_seqs", p->num_seqs);
    json_put_u64(j, "kv_role", p->kv_role);
    json_put_u64(j, "layer_index", p->layer);
    json_put_string(j, "index_type", p->index_type == 0 ? "uint32" : "uint64");
}

static void composite(struct json *j, const hry_descriptor *d)
{
    const hry_composite *c = &d->fields.composite;
    put_word(j, "rule", word_of_rule(c->rule));
    put_word(j, "combine", word_of_combine(c->combine));
    json_put_u64(j, "member_count", c->member_count);
}

static void private_layout(struct json *j, const hry_descriptor *d)
{
    json_put_u64(j, "id", d->fields.extension.id);
    json_put_u64(j, "length", d->fields.extension.length);
    json_key(j, "data_hex");
    json_hex(j, d->fields.extension.bytes, d->fields.extension.length);
}

typedef void fields_json(struct json *j, const hry_descriptor *d);

static fields_json *const fields_of[] = {
    [HRY_STRIDED] = strided,     [HRY_TILED] = tiled, [HRY_MORTON] = morton,
    [HRY_HILBERT] = hilbert,     [HRY_COO] = coo,     [HRY_CSR] = compressed,
    [HRY_CSC] = compressed,      [HRY_CSF] = csf,     [HRY_BLOCK_PAGED] = block_paged,
    [HRY_COMPOSITE] = composite,
};

void layout_json(struct json *j, const hry_descriptor *d)
{
    fields_json *f = d->layout_tag < sizeof fields_of / sizeof *fields_of
                         ? fields_of[d->layout_tag]
                     : d->layout_tag >= 0xF0 ? private_layout
                                             : NULL;
    json_open(j, d->layout_tag == HRY_TILED ? JSON_OBJECT : JSON_LINE_OBJECT);
    if (f != NULL && !d->opaque)
        f(j, d);
    json_close(j);
}
