/* SPDX-License-Identifier: Apache-2.0 */
/* vol_attr.c - H5A callbacks. */
#include "create.h"
#include "fail.h"
#include "h5/attr_data.h"

#include <stdlib.h>
#include <string.h>

/* ---- finding ---- */

/* The n-th attribute of the object that an index location names. */
static hry_status nth_attr(const hvol_object *from, const H5VL_loc_by_idx_t *at,
                           hvol_spot *spot, hvol_attr **out, hry_error *err)
{
    const H5VL_loc_params_t self = {.type = H5VL_OBJECT_BY_SELF};
    HRY_TRY(hvol_resolve_name(from, &self, at->name, at->lapl_id, spot, err));
    hvol_names *attrs = &spot->in.node->attrs;
    *out = (hvol_attr *)hvol_names_at(attrs, at->idx_type == H5_INDEX_CRT_ORDER,
                                      at->order == H5_ITER_DEC, at->n);
    return *out != NULL ? HRY_OK
                        : HRY_FAIL(err, HRY_ERR_RANGE, "index %llu of %llu attributes",
                                   (unsigned long long)at->n,
                                   (unsigned long long)hvol_names_count(attrs));
}

/* By index; by name on the object at `loc`; or, without a name, the attribute itself. On
 * failure too the caller ends *spot with hvol_spot_clear(). */
static hry_status find_attr(const hvol_object *from, const H5VL_loc_params_t *loc,
                            const char *name, hvol_spot *spot, hvol_attr **out,
                            hry_error *err)
{
    *spot = (hvol_spot){0};
    if (name == NULL && from->attr != NULL) {
        *out = from->attr;
        spot->in.file = from->file;
        return HRY_OK;
    }
    if (name == NULL)
        return nth_attr(from, &loc->loc_data.loc_by_idx, spot, out, err);
    HRY_TRY(hvol_resolve(from, loc, spot, err));
    *out = hvol_attr_find(spot->in.node, name);
    return *out != NULL ? HRY_OK
                        : HRY_FAIL(err, HRY_ERR_NOTFOUND, "no attribute '%s'", name);
}

/* ---- create, open, read, write ---- */

typedef struct attr_args {
    const char *name;
    hid_t type, space, acpl, aapl;
} attr_args;

static hry_status fill_attr(const hvol_object *from, hvol_attr *attr, const attr_args *a,
                            hry_error *err)
{
    hvol_tree *tree = from->file->tree;
    uint64_t size;
    HRY_TRY(hvol_type_intern(tree, a->type, &attr->type, err));
    HRY_TRY(hvol_space_from(a->space, &attr->space, err));
    HRY_TRY(
        hvol_plist_intern(tree, a->acpl, H5P_ATTRIBUTE_CREATE_DEFAULT, &attr->plist, err));
    HRY_TRY(hvol_attr_size(attr, &size, err));
    attr->named_type = hvol_committed(from, a->type);
    if (attr->named_type != NULL)
        attr->named_type->links++;
    return HRY_OK;
}

static hry_status create_attr(const hvol_object *from, const attr_args *a,
                              hvol_object **out, hry_error *err)
{
    hvol_tree *tree = from->file->tree;
    hvol_node *node = from->node;
    hvol_attr *attr;
    H5T_cset_t cset = H5T_CSET_ASCII;
    HRY_TRY(hvol_require_writable(from, err));
    HRY_TRY(hvol_check_access(a->aapl, err));
    if (a->acpl > 0 && a->acpl != H5P_ATTRIBUTE_CREATE_DEFAULT)
        H5Pget_char_encoding(a->acpl, &cset);
    HRY_TRY(hvol_attr_new(tree, node, a->name, cset == H5T_CSET_UTF8, &attr, err));
    const hry_status status = fill_attr(from, attr, a, err);
    if (status != HRY_OK) {
        hvol_attr_remove(tree, attr);
        hvol_attr_release(tree, attr);
        return status;
    }
    hvol_node_touch(tree, node);
    *out = hvol_object_of_attr(from, attr, err);
    return *out != NULL ? HRY_OK : HRY_ERR_NOMEM;
}

void *hvol_attr_cb_create(void *obj, const H5VL_loc_params_t *loc, const char *name,
                          hid_t type, hid_t space, hid_t acpl, hid_t aapl, hid_t dxpl,
                          void **req)
{
    const attr_args args = {name, type, space, acpl, aapl};
    hvol_object *object;
    hvol_spot spot;
    hry_error err;
    (void)dxpl, (void)req;
    hry_status status = hvol_resolve(obj, loc, &spot, &err);
    if (status == HRY_OK) {
        status = create_attr(&spot.in, &args, &object, &err);
        hvol_spot_clear(&spot);
    }
    if (status != HRY_OK)
        return HVOL_FAIL(NULL, H5E_ATTR, H5E_CANTCREATE, &err);
    return object;
}

void *hvol_attr_cb_open(void *obj, const H5VL_loc_params_t *loc, const char *name,
                        hid_t aapl, hid_t dxpl, void **req)
{
    hvol_attr *attr;
    hvol_object *object = NULL;
    hvol_spot spot;
    hry_error err;
    (void)aapl, (void)dxpl, (void)req;
    const hry_status status = find_attr(obj, loc, name, &spot, &attr, &err);
    if (status == HRY_OK) {
        attr->opens++;
        object = hvol_object_of_attr(&spot.in, attr, &err);
    }
    hvol_spot_clear(&spot);
    if (status != HRY_OK)
        return HVOL_FAIL(NULL, H5E_ATTR, H5E_CANTOPENOBJ, &err);
    return object != NULL ? object : HVOL_FAIL(NULL, H5E_ATTR, H5E_CANTALLOC, &err);
}

herr_t hvol_attr_cb_read(void *obj, hid_t mem_type, void *buf, hid_t dxpl, void **req)
{
    const hvol_object *object = obj;
    hry_error err;
    (void)req;
    if (hvol_attr_read(object->file->tree, object->attr, mem_type, dxpl, buf, &err) !=
        HRY_OK)
        return HVOL_FAIL(-1, H5E_ATTR, H5E_READERROR, &err);
    return 0;
}

herr_t hvol_attr_cb_write(void *obj, hid_t mem_type, const void *buf, hid_t dxpl,
                          void **req)
{
    const hvol_object *object = obj;
    hry_error err;
    (void)req;
    hry_status status = hvol_require_writable(object, &err);
    if (status == HRY_OK)
        status =
            hvol_attr_write(object->file->tree, object->attr, mem_type, dxpl, buf, &err);
    if (status != HRY_OK)
        return HVOL_FAIL(-1, H5E_ATTR, H5E_WRITEERROR, &err);
    return 0;
}

/* ---- get ---- */

void hvol_attr_info(const hvol_file *file, const hvol_attr *attr, H5A_info_t *out)
{
    uint64_t size = 0;
    hvol_attr_size(attr, &size, NULL);
    out->corder_valid = attr->owner != NULL && hvol_tracks_attrs(file, attr->owner);
    out->corder = out->corder_valid ? (H5O_msg_crt_idx_t)attr->named.order : 0;
    out->cset = attr->named.cset ? H5T_CSET_UTF8 : H5T_CSET_ASCII;
    out->data_size = size;
}

static hry_status get_acpl(hvol_object *o, H5VL_attr_get_args_t *a, hry_error *err)
{
    return hvol_plist_to(o->attr->plist, H5P_ATTRIBUTE_CREATE_DEFAULT,
                         &a->args.get_acpl.acpl_id, err);
}

static hry_status get_info(hvol_object *o, H5VL_attr_get_args_t *a, hry_error *err)
{
    H5VL_attr_get_info_args_t *info = &a->args.get_info;
    hvol_attr *attr;
    hvol_spot spot;
    const hry_status status =
        find_attr(o, &info->loc_params, info->attr_name, &spot, &attr, err);
    if (status == HRY_OK)
        hvol_attr_info(spot.in.file, attr, info->ainfo);
    hvol_spot_clear(&spot);
    return status;
}

static hry_status get_name(hvol_object *o, H5VL_attr_get_args_t *a, hry_error *err)
{
    H5VL_attr_get_name_args_t *name = &a->args.get_name;
    hvol_attr *attr;
    hvol_spot spot;
    const hry_status status = find_attr(o, &name->loc_params, NULL, &spot, &attr, err);
    if (status == HRY_OK)
        *name->attr_name_len = attr->named.name_length;
    if (status == HRY_OK && name->buf != NULL && name->buf_size > 0) {
        const size_t n = attr->named.name_length < name->buf_size ? attr->named.name_length
                                                                  : name->buf_size - 1;
        memcpy(name->buf, attr->named.name, n);
        name->buf[n] = '\0';
    }
    hvol_spot_clear(&spot);
    return status;
}

static hry_status get_space(hvol_object *o, H5VL_attr_get_args_t *a, hry_error *err)
{
    return hvol_space_to(&o->attr->space, &a->args.get_space.space_id, err);
}

static hry_status get_storage_size(hvol_object *o, H5VL_attr_get_args_t *a, hry_error *err)
{
    uint64_t size;
    HRY_TRY(hvol_attr_size(o->attr, &size, err));
    *a->args.get_storage_size.data_size = size;
    return HRY_OK;
}

static hry_status get_type(hvol_object *o, H5VL_attr_get_args_t *a, hry_error *err)
{
    if (o->attr->named_type != NULL) {
        a->args.get_type.type_id = hvol_register(o, o->attr->named_type, err);
        return a->args.get_type.type_id >= 0 ? HRY_OK : HRY_ERR_NOMEM;
    }
    return hvol_type_copy(o->attr->type, &a->args.get_type.type_id, err);
}

herr_t hvol_attr_cb_get(void *obj, H5VL_attr_get_args_t *args, hid_t dxpl, void **req)
{
    typedef hry_status (*getter)(hvol_object *, H5VL_attr_get_args_t *, hry_error *);
    static const getter getters[] = {
        [H5VL_ATTR_GET_ACPL] = get_acpl, [H5VL_ATTR_GET_INFO] = get_info,
        [H5VL_ATTR_GET_NAME] = get_name, [H5VL_ATTR_GET_SPACE] = get_space,
        [H5VL_ATTR_GET_TYPE] = get_type, [H5VL_ATTR_GET_STORAGE_SIZE] = get_storage_size};
    hry_error err;
    (void)dxpl, (void)req;
    if ((size_t)args->op_type >= sizeof getters / sizeof *getters)
        return hvol_unsupported(__func__, "attribute query", (int)args->op_type);
    if (getters[args->op_type](obj, args, &err) != HRY_OK)
        return HVOL_FAIL(-1, H5E_ATTR, H5E_CANTGET, &err);
    return 0;
}

/* ---- specific ---- */

typedef struct attr_target {
    const hvol_object *from; /* in the file of `node` */
    hvol_node *node;
} attr_target;

static hry_status drop(const attr_target *t, hvol_attr *attr, hry_error *err)
{
    HRY_TRY(hvol_require_writable(t->from, err));
    hvol_node_touch(t->from->file->tree, attr->owner);
    hvol_attr_remove(t->from->file->tree, attr);
    return HRY_OK;
}

static herr_t delete_named(const attr_target *t, H5VL_attr_specific_args_t *a,
                           hry_error *err)
{
    hvol_attr *attr = hvol_attr_find(t->node, a->args.del.name);
    if (attr == NULL)
        return HRY_FAIL(err, HRY_ERR_NOTFOUND, "no attribute '%s'", a->args.del.name);
    return drop(t, attr, err);
}

static herr_t delete_nth(const attr_target *t, H5VL_attr_specific_args_t *a, hry_error *err)
{
    const H5VL_attr_delete_by_idx_args_t *at = &a->args.delete_by_idx;
    hvol_attr *attr =
        (hvol_attr *)hvol_names_at(&t->node->attrs, at->idx_type == H5_INDEX_CRT_ORDER,
                                   at->order == H5_ITER_DEC, at->n);
    if (attr == NULL)
        return HRY_FAIL(err, HRY_ERR_RANGE, "index %llu of %llu attributes",
                        (unsigned long long)at->n,
                        (unsigned long long)hvol_names_count(&t->node->attrs));
    return drop(t, attr, err);
}

static herr_t exists(const attr_target *t, H5VL_attr_specific_args_t *a, hry_error *err)
{
    (void)err;
    *a->args.exists.exists = hvol_attr_find(t->node, a->args.exists.name) != NULL;
    return 0;
}

static herr_t rename_attr(const attr_target *t, H5VL_attr_specific_args_t *a,
                          hry_error *err)
{
    hvol_attr *attr = hvol_attr_find(t->node, a->args.rename.old_name);
    HRY_TRY(hvol_require_writable(t->from, err));
    if (attr == NULL)
        return HRY_FAIL(err, HRY_ERR_NOTFOUND, "no attribute '%s'",
                        a->args.rename.old_name);
    hvol_node_touch(t->from->file->tree, t->node);
    return hvol_attr_rename(t->from->file->tree, attr, a->args.rename.new_name, err);
}

/* Calls back for each; the callback may change the set, so positions are looked up anew. */
static herr_t call_each(const attr_target *t, H5VL_attr_iterate_args_t *it, hid_t id)
{
    hsize_t n = it->idx != NULL ? *it->idx : 0;
    herr_t result = 0;
    hvol_named *item;
    while (result == 0 &&
           (item = hvol_names_at(&t->node->attrs, it->idx_type == H5_INDEX_CRT_ORDER,
                                 it->order == H5_ITER_DEC, n)) != NULL) {
        H5A_info_t info;
        hvol_attr *attr = (hvol_attr *)item;
        char *name = strdup(item->name);
        hvol_attr_info(t->from->file, attr, &info);
        result = name == NULL ? -1 : it->op(id, name, &info, it->op_data);
        free(name);
        n++;
        if (it->idx != NULL)
            *it->idx = n;
    }
    return result;
}

static herr_t iterate(const attr_target *t, H5VL_attr_specific_args_t *a, hry_error *err)
{
    H5VL_attr_iterate_args_t *it = &a->args.iterate;
    const uint64_t count = hvol_names_count(&t->node->attrs);
    if (it->idx != NULL && *it->idx > 0 && *it->idx >= count)
        return HRY_FAIL(err, HRY_ERR_RANGE, "iteration starts at %llu of %llu attributes",
                        (unsigned long long)*it->idx, (unsigned long long)count);
    const hid_t id = hvol_register(t->from, t->node, err);
    if (id < 0)
        return -1;
    const herr_t result = call_each(t, it, id);
    H5Idec_ref(id);
    if (result < 0)
        (void)HRY_FAIL(err, HRY_ERR_ARG, "attribute iteration's callback failed");
    return result;
}

herr_t hvol_attr_cb_specific(void *obj, const H5VL_loc_params_t *loc,
                             H5VL_attr_specific_args_t *args, hid_t dxpl, void **req)
{
    typedef herr_t (*operation)(const attr_target *, H5VL_attr_specific_args_t *,
                                hry_error *);
    static const operation operations[] = {[H5VL_ATTR_DELETE] = delete_named,
                                           [H5VL_ATTR_DELETE_BY_IDX] = delete_nth,
                                           [H5VL_ATTR_EXISTS] = exists,
                                           [H5VL_ATTR_ITER] = iterate,
                                           [H5VL_ATTR_RENAME] = rename_attr};
    hvol_spot spot;
    hry_error err;
    (void)dxpl, (void)req;
    if ((size_t)args->op_type >= sizeof operations / sizeof *operations)
        return hvol_unsupported(__func__, "attribute operation", (int)args->op_type);
    if (hvol_resolve(obj, loc, &spot, &err) != HRY_OK)
        return HVOL_FAIL(-1, H5E_ATTR, H5E_NOTFOUND, &err);
    const attr_target target = {&spot.in, spot.in.node};
    const herr_t result = operations[args->op_type](&target, args, &err);
    hvol_spot_clear(&spot);
    if (result < 0)
        return HVOL_FAIL(-1, H5E_ATTR, H5E_CANTOPERATE, &err);
    return result;
}
