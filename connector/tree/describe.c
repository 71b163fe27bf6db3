/* SPDX-License-Identifier: Apache-2.0 */
/* describe.c - a dataset's descriptor, from its dataspace, element and storage. */
#include "fail.h"
#include "tree.h"

#include <string.h>

/* Dimensions of the tensor: the dataspace's, then the element's; a null space is [0]. */
static uint32_t tensor_rank(const hvol_dataset *ds)
{
    return (ds->space.cls == HVOL_NULL ? 1 : ds->space.rank) + ds->element.rank;
}

/* Zero strides repeat one stored element; scalars and empty tensors need none. */
static bool repeats(const hvol_dataset *ds)
{
    const bool unwritten =
        ds->chunks != NULL ? ds->chunks->count == 0 : ds->storage.place == HVOL_UNWRITTEN;
    return unwritten && tensor_rank(ds) > ds->element.rank;
}

uint32_t hvol_descriptor_length(const hvol_dataset *ds)
{
    /* header, shape, byte_offset, buffer count, one handle (format section 1) */
    uint32_t length = 20 + 8 * tensor_rank(ds) + 8 + 1 + 16;
    if (ds->element.type_tag >= 0xF0)
        length += 20;
    if (ds->chunks != NULL) /* tiles: their shape and kinds */
        length += 8 * tensor_rank(ds) + 4;
    return length;
}

/* Chunks that one tiled tensor cannot describe are listed in a table of their own. */
static bool needs_table(const hvol_dataset *ds)
{
    return ds->chunks != NULL && ds->chunks->count > 0 && !hvol_chunks_regular(ds);
}

hvol_storage *hvol_row(hvol_dataset *ds)
{
    return needs_table(ds) ? &ds->chunks->table : &ds->storage;
}

static void outdated(hvol_storage *s)
{
    s->entry = UINT64_MAX;
    s->descriptor_offset = 0;
    s->descriptor_written = false;
}

void hvol_row_outdated(hvol_dataset *ds)
{
    outdated(&ds->storage);
    if (ds->chunks != NULL) {
        outdated(&ds->chunks->table);
        ds->chunks->changed = true;
    }
}

static hry_status fill_strides(const hvol_dataset *ds, hry_descriptor *d, hry_error *err)
{
    int64_t stride = 1;
    for (uint32_t i = d->rank; i-- > 0;) {
        const bool inside = i >= d->rank - ds->element.rank;
        d->fields.strides[i] = inside ? stride : 0;
        if (inside && __builtin_mul_overflow(stride, (int64_t)d->shape[i], &stride))
            return HRY_FAIL(err, HRY_ERR_RANGE, "element size passes 2^63");
    }
    return HRY_OK;
}

/* Tile = chunk; an element's own dimensions are never split. */
static void fill_tiles(const hvol_dataset *ds, hry_descriptor *d)
{
    hry_tile_level *level = &d->fields.tiled.level[0];
    d->layout_tag = HRY_TILED;
    d->fields.tiled.depth = 1;
    level->outer = level->inner = HRY_ROW_MAJOR;
    for (uint32_t i = 0; i < ds->space.rank; i++)
        level->tile_shape[i] = ds->chunks->dims[i];
    for (uint32_t i = ds->space.rank; i < d->rank; i++)
        level->tile_shape[i] = d->shape[i];
}

static void fill_shape(const hvol_dataset *ds, hry_descriptor *d)
{
    d->rank = tensor_rank(ds);
    const uint32_t outer = d->rank - ds->element.rank;
    for (uint32_t i = 0; i < outer; i++)
        d->shape[i] = ds->space.cls == HVOL_NULL ? 0 : ds->space.dims[i];
    for (uint32_t i = 0; i < ds->element.rank; i++)
        d->shape[outer + i] = ds->element.dims[i];
}

hry_status hvol_describe(const hvol_dataset *ds, hry_descriptor *d, hry_error *err)
{
    static const uint8_t table_kind[] = {HVOL_TABLE_VERSION};
    const hvol_storage *s = &ds->storage;
    uint64_t count;
    HRY_TRY(hvol_space_count(&ds->space, &count, err));
    memset(d, 0, offsetof(hry_descriptor, shape));
    d->version_major = 1;
    d->type_tag = ds->element.type_tag;
    d->layout_tag = HRY_ROW_MAJOR;
    if (d->type_tag >= 0xF0) {
        d->flags |= HRY_HAS_EXTENSION_TYPE;
        d->extension_type = ds->element.extension;
    }
    fill_shape(ds, d);
    d->buffer_count = 1;
    d->buffers[0] = (hry_buffer_info){.byte_size = count == 0 ? 0 : s->base_size,
                                      .alignment = HVOL_PAGE};
    d->byte_offset = count == 0 ? 0 : s->offset - s->base;
    if (needs_table(ds)) {
        d->layout_tag = HVOL_LAYOUT_CHUNKS;
        d->fields.extension.id = HVOL_LAYOUT_ID;
        d->fields.extension.length = sizeof table_kind;
        d->fields.extension.bytes = table_kind;
        d->buffers[0].byte_size = ds->chunks->table.base_size;
        d->byte_offset = 0;
    } else if (count != 0 && repeats(ds)) {
        d->layout_tag = HRY_STRIDED;
        return fill_strides(ds, d, err);
    } else if (count != 0 && ds->chunks != NULL && ds->chunks->count > 0) {
        fill_tiles(ds, d);
    }
    return HRY_OK;
}
