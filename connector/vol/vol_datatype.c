/* SPDX-License-Identifier: Apache-2.0 */
/* vol_datatype.c - H5T callbacks: committed datatypes. */
#include "create.h"
#include "fail.h"

#include <string.h>

static hry_status fill_type(const hvol_object *from, hvol_node *node, void *ctx,
                            hry_error *err)
{
    return hvol_type_intern(from->file->tree, *(const hid_t *)ctx, &node->u.type, err);
}

void *hvol_type_cb_commit(void *obj, const H5VL_loc_params_t *loc, const char *name,
                          hid_t type, hid_t lcpl, hid_t tcpl, hid_t tapl, hid_t dxpl,
                          void **req)
{
    const hvol_creation creation = {loc, name, lcpl, tcpl, H5P_DATATYPE_CREATE_DEFAULT,
                                    tapl};
    hvol_object *object;
    hry_error err;
    (void)dxpl, (void)req;
    if (hvol_create(obj, &creation, HVOL_TYPE, fill_type, &type, &object, &err) != HRY_OK)
        return HVOL_FAIL(NULL, H5E_DATATYPE, H5E_CANTCREATE, &err);
    return object;
}

void *hvol_type_cb_open(void *obj, const H5VL_loc_params_t *loc, const char *name,
                        hid_t tapl, hid_t dxpl, void **req)
{
    hvol_object *object;
    hry_error err;
    (void)dxpl, (void)req;
    if (hvol_open(obj, loc, name, tapl, HVOL_TYPE, &object, &err) != HRY_OK)
        return HVOL_FAIL(NULL, H5E_DATATYPE, H5E_CANTOPENOBJ, &err);
    return object;
}

static hry_status get_binary_size(hvol_object *o, H5VL_datatype_get_args_t *a,
                                  hry_error *err)
{
    (void)err;
    *a->args.get_binary_size.size = o->node->u.type->size;
    return HRY_OK;
}

static hry_status get_binary(hvol_object *o, H5VL_datatype_get_args_t *a, hry_error *err)
{
    const hvol_blob *blob = o->node->u.type;
    if (a->args.get_binary.buf_size < blob->size)
        return HRY_FAIL(err, HRY_ERR_RANGE, "datatype needs %zu bytes, buffer has %zu",
                        blob->size, a->args.get_binary.buf_size);
    memcpy(a->args.get_binary.buf, blob->data, blob->size);
    return HRY_OK;
}

static hry_status get_tcpl(hvol_object *o, H5VL_datatype_get_args_t *a, hry_error *err)
{
    return hvol_plist_to(o->node->plist, H5P_DATATYPE_CREATE_DEFAULT,
                         &a->args.get_tcpl.tcpl_id, err);
}

herr_t hvol_type_cb_get(void *obj, H5VL_datatype_get_args_t *args, hid_t dxpl, void **req)
{
    typedef hry_status (*getter)(hvol_object *, H5VL_datatype_get_args_t *, hry_error *);
    static const getter getters[] = {[H5VL_DATATYPE_GET_BINARY_SIZE] = get_binary_size,
                                     [H5VL_DATATYPE_GET_BINARY] = get_binary,
                                     [H5VL_DATATYPE_GET_TCPL] = get_tcpl};
    hry_error err;
    (void)dxpl, (void)req;
    if ((size_t)args->op_type >= sizeof getters / sizeof *getters)
        return hvol_unsupported(__func__, "datatype query", (int)args->op_type);
    if (getters[args->op_type](obj, args, &err) != HRY_OK)
        return HVOL_FAIL(-1, H5E_DATATYPE, H5E_CANTGET, &err);
    return 0;
}

herr_t hvol_type_cb_specific(void *obj, H5VL_datatype_specific_args_t *args, hid_t dxpl,
                             void **req)
{
    const hvol_object *object = obj;
    hry_error err;
    (void)dxpl, (void)req;
    if (args->op_type == H5VL_DATATYPE_FLUSH &&
        hvol_file_commit(object->file, &err) != HRY_OK)
        return HVOL_FAIL(-1, H5E_DATATYPE, H5E_CANTFLUSH, &err);
    return 0;
}
