/* SPDX-License-Identifier: Apache-2.0 */
/* object.c - handles: what an HDF5 identifier of this connector stands for. */
#include "fail.h"
#include "vol.h"

#include <stdlib.h>

static hvol_object *new_handle(const hvol_object *from, hvol_what what, hry_error *err)
{
    hvol_object *object = calloc(1, sizeof *object);
    if (object == NULL) {
        (void)HRY_NO_MEMORY(err, sizeof *object);
        return NULL;
    }
    object->what = what;
    object->writable = from->writable;
    object->file = from->file;
    object->opening = from->opening;
    object->file->refs++;
    return object;
}

hvol_object *hvol_object_new(const hvol_object *from, hvol_node *node, hry_error *err)
{
    hvol_object *object = new_handle(from, HVOL_AN_OBJECT, err);
    if (object == NULL)
        return NULL;
    object->node = node;
    hvol_node_retain(node);
    return object;
}

/*
 * Several processes must agree on where data go before one of them writes alone, so what a
 * single process left unwritten gets its place when they open it together.
 */
static hry_status settle(hvol_object *object, hry_error *err)
{
    hvol_tree *tree = object->file->tree;
    if (object->node->kind != HVOL_DATASET || tree->store->ranks == 1 || !object->writable)
        return HRY_OK;
    return hvol_data_allocate(tree, object->node, HVOL_SOME, err);
}

hry_status hvol_object_open(const hvol_object *from, hvol_node *node, hvol_object **out,
                            hry_error *err)
{
    hvol_object *object = hvol_object_new(from, node, err);
    if (object == NULL)
        return HRY_ERR_NOMEM;
    const hry_status status = settle(object, err);
    if (status != HRY_OK) {
        hvol_object_close(object, NULL);
        return status;
    }
    *out = object;
    return HRY_OK;
}

hvol_object *hvol_object_of_attr(const hvol_object *from, hvol_attr *attr, hry_error *err)
{
    hvol_object *object = new_handle(from, HVOL_AN_ATTR, err);
    if (object == NULL) {
        hvol_attr_release(from->file->tree, attr);
        return NULL;
    }
    object->attr = attr;
    return object;
}

/* The last handle on a dataset takes its chunks out of memory. */
static hry_status let_go_of_chunks(hvol_tree *tree, hvol_node *node, hry_error *err)
{
    if (node->kind != HVOL_DATASET || node->opens > 1)
        return HRY_OK;
    return hvol_chunks_flush(tree, &node->u.dataset, true, err);
}

hry_status hvol_object_close(hvol_object *object, hry_error *err)
{
    hvol_file *file = object->file;
    hry_status status = HRY_OK;
    if (object->attr != NULL)
        hvol_attr_release(file->tree, object->attr);
    if (object->node != NULL) {
        status = let_go_of_chunks(file->tree, object->node, err);
        hvol_node_release(file->tree, object->node);
    }
    hvol_close_id(object->access);
    free(object->path);
    free(object);
    const hry_status released = hvol_file_release(file, status == HRY_OK ? err : NULL);
    return status != HRY_OK ? status : released;
}

H5I_type_t hvol_id_type(const hvol_node *node)
{
    static const H5I_type_t types[] = {
        [HVOL_GROUP] = H5I_GROUP, [HVOL_DATASET] = H5I_DATASET, [HVOL_TYPE] = H5I_DATATYPE};
    return types[node->kind];
}

hid_t hvol_register(const hvol_object *from, hvol_node *node, hry_error *err)
{
    hvol_object *object = hvol_object_new(from, node, err);
    if (object == NULL)
        return H5I_INVALID_HID;
    const hid_t id = H5VLwrap_register(object, hvol_id_type(node));
    if (id < 0) {
        (void)HRY_FAIL(err, HRY_ERR_NOMEM, "identifier cannot be registered");
        hvol_object_close(object, NULL);
    }
    return id;
}

hry_status hvol_require_writable(const hvol_object *object, hry_error *err)
{
    return object->writable ? HRY_OK
                            : HRY_FAIL(err, HRY_ERR_ARG, "the file is open read-only");
}

herr_t hvol_cb_close(void *obj, hid_t dxpl, void **req)
{
    hry_error err;
    (void)dxpl, (void)req;
    if (hvol_object_close(obj, &err) != HRY_OK)
        return HVOL_FAIL(-1, H5E_VOL, H5E_CLOSEERROR, &err);
    return 0;
}
