/* SPDX-License-Identifier: Apache-2.0 */
/* vol_dataset.c - H5D callbacks: unwrap, translate, delegate, report. No I/O here. */
#include "create.h"
#include "fail.h"
#include "h5/filter.h"
#include "h5/transfer.h"

typedef struct dataset_args {
    hid_t type, space, dcpl;
} dataset_args;

/* Chunks and their filters. A filter may complete its parameters: the list kept with the
 * dataset is the one HDF5 would show. */
static hry_status fill_chunks(const hvol_object *from, hvol_node *node, hid_t dcpl,
                              const hvol_type *type, hry_error *err)
{
    hvol_dataset *ds = &node->u.dataset;
    hsize_t given[H5S_MAX_RANK];
    uint64_t dims[H5S_MAX_RANK];
    hid_t settled = H5I_INVALID_HID;
    const int rank = H5Pget_chunk(dcpl, H5S_MAX_RANK, given);
    if (rank < 0 || (uint32_t)rank != ds->space.rank || rank == 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "chunks of rank %d for a dataset of rank %u",
                        rank, ds->space.rank);
    for (int i = 0; i < rank; i++) {
        dims[i] = given[i];
        if (ds->space.max[i] != H5S_UNLIMITED && dims[i] > ds->space.max[i])
            return HRY_FAIL(
                err, HRY_ERR_ARG, "chunk size %llu passes the fixed dimension %d of %llu",
                (unsigned long long)dims[i], i, (unsigned long long)ds->space.max[i]);
    }
    HRY_TRY(hvol_chunks_new(ds, dims, &ds->chunks, err));
    if (H5Pget_nfilters(dcpl) <= 0)
        return HRY_OK;
    if (from->file->tree->store->ranks > 1)
        return HRY_FAIL(
            err, HRY_ERR_UNSUPPORTED,
            "filters on datasets that several ranks write are not supported yet");
    ds->chunks->filtered = true;
    HRY_TRY(hvol_filter_attach(ds, type, dcpl, &settled, err));
    const hry_status status = hvol_filter_keep(from->file->tree, node, dcpl, settled, err);
    H5Pclose(settled);
    return status;
}

static hry_status fill_layout(const hvol_object *from, hvol_node *node, hid_t dcpl,
                              const hvol_type *type, hry_error *err)
{
    hvol_dataset *ds = &node->u.dataset;
    const bool defaults = dcpl == H5P_DEFAULT || dcpl == H5P_DATASET_CREATE_DEFAULT;
    const H5D_layout_t layout = defaults ? H5D_CONTIGUOUS : H5Pget_layout(dcpl);
    if (layout == H5D_CHUNKED)
        return fill_chunks(from, node, dcpl, type, err);
    if (layout == H5D_VIRTUAL)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "virtual datasets are not supported yet");
    if (!defaults && H5Pget_external_count(dcpl) > 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "external storage is not supported yet");
    for (uint32_t i = 0; i < ds->space.rank; i++)
        if (ds->space.max[i] != ds->space.dims[i])
            return HRY_FAIL(err, HRY_ERR_ARG, "extendible datasets must be chunked");
    return HRY_OK;
}

/* HDF5 keeps a reference from a dataset to the committed type it was made with. */
static void use_committed(const hvol_object *from, hid_t type, hvol_node **out)
{
    *out = hvol_committed(from, type);
    if (*out != NULL)
        (*out)->links++;
}

static bool wants_early(hid_t dcpl)
{
    H5D_alloc_time_t when = H5D_ALLOC_TIME_LATE;
    return dcpl > 0 && dcpl != H5P_DATASET_CREATE_DEFAULT &&
           H5Pget_alloc_time(dcpl, &when) >= 0 && when == H5D_ALLOC_TIME_EARLY;
}

static hry_status fill_dataset(const hvol_object *from, hvol_node *node, void *ctx,
                               hry_error *err)
{
    const dataset_args *a = ctx;
    hvol_tree *tree = from->file->tree;
    hvol_dataset *ds = &node->u.dataset;
    const hvol_type *type;
    HRY_TRY(hvol_type_intern(tree, a->type, &ds->type, err));
    HRY_TRY(hvol_type_of(ds->type, &type, err));
    ds->element = type->element;
    if (type->needs_heap)
        HRY_TRY(hvol_type_heap(type, &ds->heap, err));
    HRY_TRY(hvol_space_from(a->space, &ds->space, err));
    HRY_TRY(fill_layout(from, node, a->dcpl, type, err));
    HRY_TRY(hvol_plist_fill(tree, a->dcpl, type, ds, err));
    if (type->needs_heap && ds->fill != NULL)
        HRY_TRY(hvol_plist_without_fill(tree, a->dcpl, &node->plist, err));
    use_committed(from, a->type, &ds->named_type);
    /* several processes must agree on where the data go, so it is settled here */
    if (tree->store->ranks > 1)
        return hvol_data_allocate(tree, node, HVOL_SOME, err);
    return wants_early(a->dcpl) ? hvol_data_allocate_early(tree, node, err) : HRY_OK;
}

/* H5Dget_access_plist() gives back what the dataset was opened with. */
static void keep_access(hvol_object *object, hid_t dapl)
{
    if (dapl > 0 && dapl != H5P_DATASET_ACCESS_DEFAULT)
        object->access = H5Pcopy(dapl);
}

void *hvol_dataset_cb_create(void *obj, const H5VL_loc_params_t *loc, const char *name,
                             hid_t lcpl, hid_t type, hid_t space, hid_t dcpl, hid_t dapl,
                             hid_t dxpl, void **req)
{
    const hvol_creation creation = {loc, name, lcpl, dcpl, H5P_DATASET_CREATE_DEFAULT,
                                    dapl};
    dataset_args args = {type, space, dcpl};
    hvol_object *object;
    hry_error err;
    (void)dxpl, (void)req;
    if (hvol_create(obj, &creation, HVOL_DATASET, fill_dataset, &args, &object, &err) !=
        HRY_OK)
        return HVOL_FAIL(NULL, H5E_DATASET, H5E_CANTCREATE, &err);
    keep_access(object, dapl);
    return object;
}

void *hvol_dataset_cb_open(void *obj, const H5VL_loc_params_t *loc, const char *name,
                           hid_t dapl, hid_t dxpl, void **req)
{
    hvol_object *object;
    hry_error err;
    (void)dxpl, (void)req;
    if (hvol_open(obj, loc, name, dapl, HVOL_DATASET, &object, &err) != HRY_OK)
        return HVOL_FAIL(NULL, H5E_DATASET, H5E_CANTOPENOBJ, &err);
    keep_access(object, dapl);
    return object;
}

herr_t hvol_dataset_cb_read(size_t count, void *dset[], hid_t mem_type[], hid_t mem_space[],
                            hid_t file_space[], hid_t dxpl, void *buf[], void **req)
{
    (void)req;
    for (size_t i = 0; i < count; i++) {
        const hvol_object *object = dset[i];
        hry_error err;
        if (hvol_transfer_read(object->file->tree, object->node, mem_type[i], mem_space[i],
                               file_space[i], dxpl, buf[i], &err) != HRY_OK)
            return HVOL_FAIL(-1, H5E_DATASET, H5E_READERROR, &err);
    }
    return 0;
}

herr_t hvol_dataset_cb_write(size_t count, void *dset[], hid_t mem_type[],
                             hid_t mem_space[], hid_t file_space[], hid_t dxpl,
                             const void *buf[], void **req)
{
    (void)req;
    for (size_t i = 0; i < count; i++) {
        const hvol_object *object = dset[i];
        hry_error err;
        hry_status status = hvol_require_writable(object, &err);
        if (status == HRY_OK)
            status = hvol_transfer_write(object->file->tree, object->node, mem_type[i],
                                         mem_space[i], file_space[i], dxpl, buf[i], &err);
        if (status != HRY_OK)
            return HVOL_FAIL(-1, H5E_DATASET, H5E_WRITEERROR, &err);
    }
    return 0;
}

/* ---- get ---- */

static hry_status get_dapl(hvol_object *o, H5VL_dataset_get_args_t *a, hry_error *err)
{
    hid_t *dapl = &a->args.get_dapl.dapl_id;
    *dapl = o->access > 0 ? H5Pcopy(o->access) : H5Pcreate(H5P_DATASET_ACCESS);
    return *dapl >= 0 ? HRY_OK
                      : HRY_FAIL(err, HRY_ERR_NOMEM, "access property list cannot be made");
}

static hry_status get_dcpl(hvol_object *o, H5VL_dataset_get_args_t *a, hry_error *err)
{
    hvol_dataset *ds = &o->node->u.dataset;
    hid_t *dcpl = &a->args.get_dcpl.dcpl_id;
    HRY_TRY(hvol_plist_to(o->node->plist, H5P_DATASET_CREATE_DEFAULT, dcpl, err));
    if (ds->heap == NULL || ds->fill == NULL)
        return HRY_OK;
    return hvol_plist_put_fill(o->file->tree, ds, *dcpl, err);
}

static hry_status get_space(hvol_object *o, H5VL_dataset_get_args_t *a, hry_error *err)
{
    return hvol_space_to(&o->node->u.dataset.space, &a->args.get_space.space_id, err);
}

static hry_status get_space_status(hvol_object *o, H5VL_dataset_get_args_t *a,
                                   hry_error *err)
{
    hvol_dataset *ds = &o->node->u.dataset;
    uint64_t size, counts[HVOL_MAX_RANK];
    HRY_TRY(hvol_filter_ready(o->node, err));
    HRY_TRY(hvol_data_stored_size(o->file->tree, o->node, &size, err));
    H5D_space_status_t status =
        size == 0 ? H5D_SPACE_STATUS_NOT_ALLOCATED : H5D_SPACE_STATUS_ALLOCATED;
    if (size != 0 && ds->chunks != NULL && ds->chunks->count < hvol_grid(ds, counts))
        status = H5D_SPACE_STATUS_PART_ALLOCATED;
    *a->args.get_space_status.status = status;
    return HRY_OK;
}

static hry_status get_storage_size(hvol_object *o, H5VL_dataset_get_args_t *a,
                                   hry_error *err)
{
    uint64_t size;
    HRY_TRY(hvol_filter_ready(o->node, err));
    HRY_TRY(hvol_data_stored_size(o->file->tree, o->node, &size, err));
    *a->args.get_storage_size.storage_size = size;
    return HRY_OK;
}

static hry_status get_type(hvol_object *o, H5VL_dataset_get_args_t *a, hry_error *err)
{
    hvol_dataset *ds = &o->node->u.dataset;
    if (ds->named_type != NULL) {
        a->args.get_type.type_id = hvol_register(o, ds->named_type, err);
        return a->args.get_type.type_id >= 0 ? HRY_OK : HRY_ERR_NOMEM;
    }
    HRY_TRY(hvol_type_of_plain(o->file->tree, ds, err));
    return hvol_type_copy(ds->type, &a->args.get_type.type_id, err);
}

herr_t hvol_dataset_cb_get(void *obj, H5VL_dataset_get_args_t *args, hid_t dxpl, void **req)
{
    typedef hry_status (*getter)(hvol_object *, H5VL_dataset_get_args_t *, hry_error *);
    static const getter getters[] = {[H5VL_DATASET_GET_DAPL] = get_dapl,
                                     [H5VL_DATASET_GET_DCPL] = get_dcpl,
                                     [H5VL_DATASET_GET_SPACE] = get_space,
                                     [H5VL_DATASET_GET_SPACE_STATUS] = get_space_status,
                                     [H5VL_DATASET_GET_STORAGE_SIZE] = get_storage_size,
                                     [H5VL_DATASET_GET_TYPE] = get_type};
    hry_error err;
    (void)dxpl, (void)req;
    if ((size_t)args->op_type >= sizeof getters / sizeof *getters)
        return hvol_unsupported(__func__, "dataset query", (int)args->op_type);
    if (getters[args->op_type](obj, args, &err) != HRY_OK)
        return HVOL_FAIL(-1, H5E_DATASET, H5E_CANTGET, &err);
    return 0;
}

/* ---- specific ---- */

static hry_status set_extent(hvol_object *o, const hsize_t *size, hry_error *err)
{
    hvol_dataset *ds = &o->node->u.dataset;
    uint64_t dims[HVOL_MAX_RANK];
    HRY_TRY(hvol_require_writable(o, err));
    if (ds->chunks == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG,
                        "the dataset is not chunked: its extent is fixed");
    HRY_TRY(hvol_filter_ready(o->node, err));
    HRY_TRY(hvol_data_resolve(o->file->tree, o->node, err));
    for (uint32_t i = 0; i < ds->space.rank; i++) {
        dims[i] = size[i];
        if (dims[i] > ds->space.max[i])
            return HRY_FAIL(err, HRY_ERR_RANGE, "dimension %u cannot be %llu, at most %llu",
                            i, (unsigned long long)dims[i],
                            (unsigned long long)ds->space.max[i]);
    }
    HRY_TRY(hvol_chunks_resize(o->file->tree, ds, dims, err));
    hvol_node_touch(o->file->tree, o->node);
    return o->file->tree->store->ranks > 1
               ? hvol_data_allocate(o->file->tree, o->node, HVOL_SOME, err)
               : HRY_OK;
}

herr_t hvol_dataset_cb_specific(void *obj, H5VL_dataset_specific_args_t *args, hid_t dxpl,
                                void **req)
{
    hvol_object *object = obj;
    hry_status status = HRY_OK;
    hry_error err;
    (void)dxpl, (void)req;
    if (args->op_type == H5VL_DATASET_SET_EXTENT)
        status = set_extent(object, args->args.set_extent.size, &err);
    else if (args->op_type == H5VL_DATASET_FLUSH)
        status = hvol_file_commit(object->file, &err);
    else if (args->op_type != H5VL_DATASET_REFRESH) /* one tree per file: never stale */
        return hvol_unsupported(__func__, "dataset operation", (int)args->op_type);
    if (status != HRY_OK)
        return HVOL_FAIL(-1, H5E_DATASET, H5E_CANTOPERATE, &err);
    return 0;
}
