/* SPDX-License-Identifier: Apache-2.0 */
/* opt_dataset.c - chunks as they are stored, and where data are in the file. */
#include "fail.h"
#include "h5/filter.h"
#include "optional.h"

#include <stdlib.h>
#include <string.h>

typedef H5VL_native_dataset_optional_args_t opt_args;

/* The dataset's chunks, all of them in the file. */
static hry_status ready(hvol_object *o, hvol_chunks **out, hry_error *err)
{
    hvol_dataset *ds = &o->node->u.dataset;
    if (ds->chunks == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "the dataset is not chunked");
    HRY_TRY(hvol_filter_ready(o->node, err));
    HRY_TRY(hvol_data_resolve(o->file->tree, o->node, err));
    *out = ds->chunks;
    return hvol_chunks_flush(o->file->tree, ds, false, err);
}

/* The chunk with that element; NULL when it was never written. */
static hry_status chunk_at(hvol_object *o, const hsize_t *offset, uint64_t *key,
                           const hvol_chunk **out, hry_error *err)
{
    uint64_t at[HVOL_MAX_RANK];
    hvol_chunks *chunks;
    HRY_TRY(ready(o, &chunks, err));
    for (uint32_t i = 0; i < o->node->u.dataset.space.rank; i++)
        at[i] = offset[i];
    HRY_TRY(hvol_chunk_key(&o->node->u.dataset, at, key, err));
    *out = hvol_chunk_find(chunks, *key);
    return HRY_OK;
}

static void give_origin(const hvol_dataset *ds, uint64_t key, hsize_t *offset)
{
    uint64_t at[HVOL_MAX_RANK];
    hvol_chunk_origin(ds, key, at);
    for (uint32_t i = 0; i < ds->space.rank; i++)
        offset[i] = at[i];
}

static herr_t get_chunk_storage_size(hvol_object *o, opt_args *a, hry_error *err)
{
    const hvol_chunk *chunk;
    uint64_t key;
    HRY_TRY(chunk_at(o, a->get_chunk_storage_size.offset, &key, &chunk, err));
    *a->get_chunk_storage_size.size = chunk == NULL ? 0 : chunk->size;
    return 0;
}

static herr_t get_num_chunks(hvol_object *o, opt_args *a, hry_error *err)
{
    hvol_chunks *chunks;
    HRY_TRY(ready(o, &chunks, err));
    *a->get_num_chunks.nchunks = chunks->count;
    return 0;
}

static herr_t get_info_by_idx(hvol_object *o, opt_args *a, hry_error *err)
{
    H5VL_native_dataset_get_chunk_info_by_idx_t *info = &a->get_chunk_info_by_idx;
    hvol_chunks *chunks;
    const hvol_chunk *chunk;
    HRY_TRY(ready(o, &chunks, err));
    HRY_TRY(hvol_chunk_nth(chunks, info->chk_index, &chunk, err));
    if (info->offset != NULL)
        give_origin(&o->node->u.dataset, chunk->key, info->offset);
    if (info->filter_mask != NULL)
        *info->filter_mask = chunk->mask;
    if (info->addr != NULL)
        *info->addr = chunk->offset;
    if (info->size != NULL)
        *info->size = chunk->size;
    return 0;
}

static herr_t get_info_by_coord(hvol_object *o, opt_args *a, hry_error *err)
{
    H5VL_native_dataset_get_chunk_info_by_coord_t *info = &a->get_chunk_info_by_coord;
    const hvol_chunk *chunk;
    uint64_t key;
    HRY_TRY(chunk_at(o, info->offset, &key, &chunk, err));
    if (info->filter_mask != NULL)
        *info->filter_mask = chunk == NULL ? 0 : chunk->mask;
    if (info->addr != NULL)
        *info->addr = chunk == NULL ? HADDR_UNDEF : chunk->offset;
    if (info->size != NULL)
        *info->size = chunk == NULL ? 0 : chunk->size;
    return 0;
}

static hry_status require_origin(const hvol_dataset *ds, const hsize_t *offset,
                                 hry_error *err)
{
    for (uint32_t i = 0; i < ds->space.rank; i++)
        if (offset[i] % ds->chunks->dims[i] != 0)
            return HRY_FAIL(err, HRY_ERR_ARG,
                            "no chunk begins at %llu in dimension %u: chunks have %llu",
                            (unsigned long long)offset[i], i,
                            (unsigned long long)ds->chunks->dims[i]);
    return HRY_OK;
}

static herr_t chunk_read(hvol_object *o, opt_args *a, hry_error *err)
{
    const hvol_chunk *chunk;
    uint64_t key;
    HRY_TRY(chunk_at(o, a->chunk_read.offset, &key, &chunk, err));
    HRY_TRY(require_origin(&o->node->u.dataset, a->chunk_read.offset, err));
    if (chunk == NULL)
        return HRY_FAIL(err, HRY_ERR_NOTFOUND, "chunk %llu was never written",
                        (unsigned long long)key);
    a->chunk_read.filters = chunk->mask;
    return hvol_store_read(o->file->tree->store, chunk->offset, a->chunk_read.buf,
                           chunk->size, err);
}

static herr_t chunk_write(hvol_object *o, opt_args *a, hry_error *err)
{
    const hvol_chunk *chunk;
    uint64_t key;
    HRY_TRY(hvol_require_writable(o, err));
    HRY_TRY(chunk_at(o, a->chunk_write.offset, &key, &chunk, err));
    HRY_TRY(require_origin(&o->node->u.dataset, a->chunk_write.offset, err));
    return hvol_chunk_replace(o->file->tree, o->node, key, a->chunk_write.buf,
                              a->chunk_write.size, a->chunk_write.filters, err);
}

static herr_t chunk_iter(hvol_object *o, opt_args *a, hry_error *err)
{
    hvol_chunks *chunks;
    hsize_t offset[H5S_MAX_RANK];
    int result = 0;
    HRY_TRY(ready(o, &chunks, err));
    for (uint64_t n = 0; n < chunks->count && result == 0; n++) {
        const hvol_chunk *chunk;
        HRY_TRY(hvol_chunk_nth(chunks, n, &chunk, err));
        give_origin(&o->node->u.dataset, chunk->key, offset);
        result = a->chunk_iter.op(offset, chunk->mask, chunk->offset, chunk->size,
                                  a->chunk_iter.op_data);
    }
    if (result < 0)
        (void)HRY_FAIL(err, HRY_ERR_ARG, "chunk iteration's callback failed");
    return result;
}

/* Small data get their place at the next commit. */
static herr_t get_offset(hvol_object *o, opt_args *a, hry_error *err)
{
    const hvol_storage *s = &o->node->u.dataset.storage;
    HRY_TRY(hvol_data_resolve(o->file->tree, o->node, err));
    if (s->place == HVOL_IN_MEMORY)
        HRY_TRY(hvol_file_commit(o->file, err));
    const bool there = s->place == HVOL_IN_FILE && o->node->u.dataset.chunks == NULL;
    *a->get_offset.offset = there ? s->offset : HADDR_UNDEF;
    return 0;
}

typedef herr_t (*operation)(hvol_object *, opt_args *, hry_error *);
static const operation operations[] = {
    [H5VL_NATIVE_DATASET_GET_CHUNK_STORAGE_SIZE] = get_chunk_storage_size,
    [H5VL_NATIVE_DATASET_GET_NUM_CHUNKS] = get_num_chunks,
    [H5VL_NATIVE_DATASET_GET_CHUNK_INFO_BY_IDX] = get_info_by_idx,
    [H5VL_NATIVE_DATASET_GET_CHUNK_INFO_BY_COORD] = get_info_by_coord,
    [H5VL_NATIVE_DATASET_CHUNK_READ] = chunk_read,
    [H5VL_NATIVE_DATASET_CHUNK_WRITE] = chunk_write,
    [H5VL_NATIVE_DATASET_GET_OFFSET] = get_offset,
    [H5VL_NATIVE_DATASET_CHUNK_ITER] = chunk_iter};

bool hvol_opt_dataset_has(int op)
{
    return HVOL_HAS(operations, op);
}

herr_t hvol_dataset_cb_optional(void *obj, H5VL_optional_args_t *args, hid_t dxpl,
                                void **req)
{
    hry_error err;
    (void)dxpl, (void)req;
    if (!hvol_opt_dataset_has(args->op_type))
        return hvol_unsupported(__func__, "optional dataset operation", args->op_type);
    const herr_t result = operations[args->op_type](obj, args->args, &err);
    if (result < 0)
        return HVOL_FAIL(-1, H5E_DATASET, H5E_CANTOPERATE, &err);
    return result;
}
