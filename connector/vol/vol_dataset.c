/* SPDX-License-Identifier: Apache-2.0 */
/* vol_dataset.c - H5D callbacks: unwrap, translate, delegate, report. No I/O here. */
#include "create.h"
#include "fail.h"
#include "h5/transfer.h"

typedef struct dataset_args {
    hid_t type, space, dcpl;
} dataset_args;

static hry_status check_layout(hid_t dcpl, hry_error *err)
{
    if (dcpl == H5P_DEFAULT || dcpl == H5P_DATASET_CREATE_DEFAULT)
        return HRY_OK;
    switch (H5Pget_layout(dcpl)) {
    case H5D_CHUNKED:
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "chunked datasets are not supported yet");
    case H5D_VIRTUAL:
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "virtual datasets are not supported yet");
    default:
        break;
    }
    if (H5Pget_external_count(dcpl) > 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "external storage is not supported yet");
    return HRY_OK;
}

/* HDF5 keeps a reference from a dataset to the committed type it was made with. */
static void use_committed(const hvol_object *from, hid_t type, hvol_node **out)
{
    *out = hvol_committed(from, type);
    if (*out != NULL)
        (*out)->links++;
}

static hry_status fill_dataset(const hvol_object *from, hvol_node *node, void *ctx,
                               hry_error *err)
{
    const dataset_args *a = ctx;
    hvol_tree *tree = from->file->tree;
    hvol_dataset *ds = &node->u.dataset;
    const hvol_type *type;
    uint64_t size;
    HRY_TRY(check_layout(a->dcpl, err));
    HRY_TRY(hvol_type_intern(tree, a->type, &ds->type, err));
    HRY_TRY(hvol_type_of(ds->type, &type, err));
    ds->element = type->element;
    HRY_TRY(hvol_space_from(a->space, &ds->space, err));
    for (uint32_t i = 0; i < ds->space.rank; i++)
        if (ds->space.max[i] != ds->space.dims[i])
            return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                            "extendible datasets are not supported yet");
    HRY_TRY(hvol_data_size(ds, &size, err));
    HRY_TRY(hvol_plist_fill(tree, a->dcpl, type, ds, err));
    use_committed(from, a->type, &ds->named_type);
    /* several processes must agree on where the data go, so it is settled here */
    return tree->store->ranks > 1 ? hvol_data_allocate(tree, node, false, err) : HRY_OK;
}

void *hvol_dataset_cb_create(void *obj, const H5VL_loc_params_t *loc, const char *name,
                             hid_t lcpl, hid_t type, hid_t space, hid_t dcpl, hid_t dapl,
                             hid_t dxpl, void **req)
{
    const hvol_creation creation = {loc, name, lcpl, dcpl, H5P_DATASET_CREATE_DEFAULT};
    dataset_args args = {type, space, dcpl};
    hvol_object *object;
    hry_error err;
    (void)dapl, (void)dxpl, (void)req;
    if (hvol_create(obj, &creation, HVOL_DATASET, fill_dataset, &args, &object, &err) !=
        HRY_OK)
        return HVOL_FAIL(NULL, H5E_DATASET, H5E_CANTCREATE, &err);
    return object;
}

void *hvol_dataset_cb_open(void *obj, const H5VL_loc_params_t *loc, const char *name,
                           hid_t dapl, hid_t dxpl, void **req)
{
    hvol_object *object;
    hry_error err;
    (void)dapl, (void)dxpl, (void)req;
    if (hvol_open(obj, loc, name, HVOL_DATASET, &object, &err) != HRY_OK)
        return HVOL_FAIL(NULL, H5E_DATASET, H5E_CANTOPENOBJ, &err);
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
    (void)o;
    a->args.get_dapl.dapl_id = H5Pcreate(H5P_DATASET_ACCESS);
    return a->args.get_dapl.dapl_id >= 0
               ? HRY_OK
               : HRY_FAIL(err, HRY_ERR_NOMEM, "access property list cannot be made");
}

static hry_status get_dcpl(hvol_object *o, H5VL_dataset_get_args_t *a, hry_error *err)
{
    return hvol_plist_to(o->node->plist, H5P_DATASET_CREATE_DEFAULT,
                         &a->args.get_dcpl.dcpl_id, err);
}

static hry_status get_space(hvol_object *o, H5VL_dataset_get_args_t *a, hry_error *err)
{
    return hvol_space_to(&o->node->u.dataset.space, &a->args.get_space.space_id, err);
}

static hry_status get_space_status(hvol_object *o, H5VL_dataset_get_args_t *a,
                                   hry_error *err)
{
    HRY_TRY(hvol_data_resolve(o->file->tree, o->node, err));
    *a->args.get_space_status.status = o->node->u.dataset.storage.place == HVOL_UNWRITTEN
                                           ? H5D_SPACE_STATUS_NOT_ALLOCATED
                                           : H5D_SPACE_STATUS_ALLOCATED;
    return HRY_OK;
}

static hry_status get_storage_size(hvol_object *o, H5VL_dataset_get_args_t *a,
                                   hry_error *err)
{
    uint64_t size = 0;
    HRY_TRY(hvol_data_resolve(o->file->tree, o->node, err));
    if (o->node->u.dataset.storage.place != HVOL_UNWRITTEN)
        HRY_TRY(hvol_data_size(&o->node->u.dataset, &size, err));
    *a->args.get_storage_size.storage_size = size;
    return HRY_OK;
}

static hry_status get_type(hvol_object *o, H5VL_dataset_get_args_t *a, hry_error *err)
{
    hvol_dataset *ds = &o->node->u.dataset;
    const hvol_type *type;
    if (ds->named_type != NULL) {
        a->args.get_type.type_id = hvol_register(o, ds->named_type, err);
        return a->args.get_type.type_id >= 0 ? HRY_OK : HRY_ERR_NOMEM;
    }
    HRY_TRY(hvol_type_of_plain(o->file->tree, ds, err));
    HRY_TRY(hvol_type_of(ds->type, &type, err));
    a->args.get_type.type_id = H5Tcopy(type->file);
    return a->args.get_type.type_id >= 0
               ? HRY_OK
               : HRY_FAIL(err, HRY_ERR_NOMEM, "datatype cannot be copied");
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

herr_t hvol_dataset_cb_specific(void *obj, H5VL_dataset_specific_args_t *args, hid_t dxpl,
                                void **req)
{
    const hvol_object *object = obj;
    hry_error err;
    (void)dxpl, (void)req;
    if (args->op_type == H5VL_DATASET_REFRESH)
        return 0; /* one tree per file: nothing is ever stale */
    if (args->op_type != H5VL_DATASET_FLUSH)
        return hvol_unsupported(__func__, "changing extents: dataset operation",
                                (int)args->op_type);
    if (hvol_file_commit(object->file, &err) != HRY_OK)
        return HVOL_FAIL(-1, H5E_DATASET, H5E_CANTFLUSH, &err);
    return 0;
}
