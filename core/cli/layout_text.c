/* SPDX-License-Identifier: Apache-2.0 */
/* layout_text.c - the fields of each layout (format section 3) for people. */
#include "descriptor_text.h"

#include "words.h"

static void add_i64s(struct text *t, const int64_t *values, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        text_add(t, "%s%lld", k > 0 ? ", " : "[", (long long)values[k]);
    text_add(t, "]");
}

static void add_u32s(struct text *t, const uint32_t *values, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        text_add(t, "%s%lu", k > 0 ? ", " : "[", (unsigned long)values[k]);
    text_add(t, "]");
}

/* A row whose value is a list; what it means. */
static void begin_list(struct table *t, uint64_t byte, const char *field)
{
    descriptor_row(t, byte, field, "%s", "");
}

static void end_list(struct table *t, const char *meaning)
{
    table_next(t);
    text_add(table_cell(t), "%s", meaning);
    table_next(t);
}

static void number(struct table *t, uint64_t byte, const char *field, uint64_t value,
                   const char *meaning)
{
    begin_list(t, byte, field);
    text_add(table_cell(t), "%llu", (unsigned long long)value);
    end_list(t, meaning);
}

static void strided(struct table *t, const hry_descriptor *d, uint64_t at)
{
    begin_list(t, at, "strides");
    add_i64s(table_cell(t), d->fields.strides, d->rank);
    end_list(t, "in elements");
}

static void tiled(struct table *t, const hry_descriptor *d, uint64_t at)
{
    const hry_tiled *tiles = &d->fields.tiled;
    for (uint32_t i = 0; i < tiles->depth; i++) {
        const hry_tile_level *level = &tiles->level[i];
        begin_list(t, at, "tile_shape");
        text_add_shape(table_cell(t), level->tile_shape, d->rank);
        end_list(t, i == 0 ? "in elements" : "of the next level");
        at += 8 * (uint64_t)d->rank;
        begin_list(t, at, "outer, inner");
        text_add(table_cell(t), "%s, %s", hry_layout_name(level->outer),
                 hry_layout_name(level->inner));
        end_list(t, "order of the tiles, and in a tile");
        at += 4;
        if (level->outer == HRY_STRIDED) {
            begin_list(t, at, "outer_strides");
            add_i64s(table_cell(t), level->outer_strides, d->rank);
            end_list(t, "in tiles");
            at += 8 * (uint64_t)d->rank;
        }
        if (level->inner == HRY_STRIDED) {
            begin_list(t, at, "inner_strides");
            add_i64s(table_cell(t), tiles->inner_strides, d->rank);
            end_list(t, "in elements");
        }
    }
}

static void morton(struct table *t, const hry_descriptor *d, uint64_t at)
{
    begin_list(t, at, "bits");
    add_u32s(table_cell(t), d->fields.morton_bits, d->rank);
    end_list(t, "of each index, interleaved");
}

static void hilbert(struct table *t, const hry_descriptor *d, uint64_t at)
{
    number(t, at, "order", d->fields.hilbert_order, "every dimension is 2^order");
    number(t, at + 4, "rank", d->rank, "");
}

static void coo(struct table *t, const hry_descriptor *d, uint64_t at)
{
    number(t, at, "nnz", d->fields.sparse.nnz, "stored elements");
    number(t, at + 8, "is_sorted", d->fields.sparse.is_sorted,
           d->fields.sparse.is_sorted ? "in order of their indices" : "in any order");
}

static void compressed(struct table *t, const hry_descriptor *d, uint64_t at)
{
    number(t, at, "nnz", d->fields.sparse.nnz, "stored elements");
}

static void csf(struct table *t, const hry_descriptor *d, uint64_t at)
{
    number(t, at, "nnz", d->fields.sparse.nnz, "stored elements");
    begin_list(t, at + 8, "mode_order");
    add_u32s(table_cell(t), d->fields.sparse.mode_order, d->rank);
    end_list(t, "axis of each level");
}

static void block_paged(struct table *t, const hry_descriptor *d, uint64_t at)
{
    const hry_block_paged *p = &d->fields.paged;
    const char *role = word_of_kv_role(p->kv_role);
    number(t, at, "page_size", p->page_size, "tokens");
    number(t, at + 4, "num_pages", p->num_pages, "");
    number(t, at + 12, "paged_axis", 0, "");
    number(t, at + 16, "num_seqs", p->num_seqs, "sequences");
    number(t, at + 20, "kv_role", p->kv_role, role != NULL ? role : "");
    number(t, at + 21, "layer_index", p->layer, p->layer == UINT32_MAX ? "none" : "");
    number(t, at + 25, "index_type", p->index_type,
           p->index_type == 0 ? "uint32" : "uint64");
}

static void composite(struct table *t, const hry_descriptor *d, uint64_t at)
{
    const hry_composite *c = &d->fields.composite;
    const char *rule = word_of_rule(c->rule), *combine = word_of_combine(c->combine);
    number(t, at, "rule", c->rule, rule != NULL ? rule : "private");
    number(t, at + 1, "combine", c->combine, combine != NULL ? combine : "");
    number(t, at + 4, "member_count", c->member_count,
           "the tensors that follow in the file");
}

static void private_layout(struct table *t, const hry_descriptor *d, uint64_t at)
{
    enum { SHOWN = 16 };
    const uint32_t length = d->fields.extension.length;
    descriptor_row(t, at, "id", "0x%016llx", (unsigned long long)d->fields.extension.id);
    end_list(t, "known to its owner only");
    number(t, at + 8, "length", length, "");
    if (length == 0)
        return;
    begin_list(t, at + 12, "data");
    for (uint32_t i = 0; i < length && i < SHOWN; i++)
        text_add(table_cell(t), "%02x", d->fields.extension.bytes[i]);
    end_list(t, length > SHOWN ? "and more, see --json" : "");
}

typedef void fields_text(struct table *t, const hry_descriptor *d, uint64_t at);

static fields_text *const fields_of[] = {
    [HRY_STRIDED] = strided,     [HRY_TILED] = tiled, [HRY_MORTON] = morton,
    [HRY_HILBERT] = hilbert,     [HRY_COO] = coo,     [HRY_CSR] = compressed,
    [HRY_CSC] = compressed,      [HRY_CSF] = csf,     [HRY_BLOCK_PAGED] = block_paged,
    [HRY_COMPOSITE] = composite,
};

void layout_text(struct table *t, const hry_descriptor *d, uint64_t byte)
{
    if (d->layout_tag >= 0xF0)
        private_layout(t, d, byte);
    else if (d->layout_tag < sizeof fields_of / sizeof *fields_of &&
             fields_of[d->layout_tag] != NULL)
        fields_of[d->layout_tag](t, d, byte);
}
