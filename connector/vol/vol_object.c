/* SPDX-License-Identifier: Apache-2.0 */
/* vol_object.c - H5O callbacks. */
#include "fail.h"
#include "tree/visit.h"
#include "vol.h"

#include <stdlib.h>
#include <string.h>

void *hvol_object_cb_open(void *obj, const H5VL_loc_params_t *loc, H5I_type_t *type,
                          hid_t dxpl, void **req)
{
    hvol_object *object;
    hvol_spot spot;
    hry_error err;
    (void)dxpl, (void)req;
    hry_status status = hvol_resolve(obj, loc, &spot, &err);
    if (status == HRY_OK) {
        *type = hvol_id_type(spot.in.node);
        status = hvol_object_open(&spot.in, spot.in.node, &object, &err);
        hvol_spot_clear(&spot);
    }
    if (status != HRY_OK)
        return HVOL_FAIL(NULL, H5E_OHDR, H5E_CANTOPENOBJ, &err);
    return object;
}

/* ---- get ---- */

void hvol_object_info(const hvol_file *file, hvol_node *node, unsigned fields,
                      H5O_info2_t *out)
{
    static const H5O_type_t types[] = {[HVOL_GROUP] = H5O_TYPE_GROUP,
                                       [HVOL_DATASET] = H5O_TYPE_DATASET,
                                       [HVOL_TYPE] = H5O_TYPE_NAMED_DATATYPE};
    memset(out, 0, sizeof *out);
    if ((fields & H5O_INFO_BASIC) != 0) {
        out->fileno = file->number;
        out->token = hvol_token_of(node);
        out->type = types[node->kind];
        out->rc = node->links;
    }
    if ((fields & H5O_INFO_TIME) != 0) {
        out->atime = (time_t)node->times[0];
        out->mtime = (time_t)node->times[1];
        out->ctime = (time_t)node->times[2];
        out->btime = (time_t)node->times[3];
    }
    if ((fields & H5O_INFO_NUM_ATTRS) != 0)
        out->num_attrs = hvol_names_count(&node->attrs);
}

static hry_status get_file(hvol_object *o, hvol_node *node, H5VL_object_get_args_t *a,
                           hry_error *err)
{
    (void)node;
    hvol_object *file = hvol_object_new(o, o->file->tree->root, err);
    if (file == NULL)
        return HRY_ERR_NOMEM;
    file->what = HVOL_A_FILE;
    *a->args.get_file.file = file;
    return HRY_OK;
}

static hry_status get_name(hvol_object *o, hvol_node *node, H5VL_object_get_args_t *a,
                           hry_error *err)
{
    (void)err;
    char *buf = a->args.get_name.buf;
    const size_t size = buf == NULL ? 0 : a->args.get_name.buf_size;
    *a->args.get_name.name_len = hvol_node_path(o->file->tree, node, buf, size);
    if (*a->args.get_name.name_len == 0 && size > 0)
        buf[0] = '\0';
    return HRY_OK;
}

static hry_status get_type(hvol_object *o, hvol_node *node, H5VL_object_get_args_t *a,
                           hry_error *err)
{
    H5O_info2_t info;
    (void)err;
    hvol_object_info(o->file, node, H5O_INFO_BASIC, &info);
    *a->args.get_type.obj_type = info.type;
    return HRY_OK;
}

static hry_status get_info(hvol_object *o, hvol_node *node, H5VL_object_get_args_t *a,
                           hry_error *err)
{
    (void)err;
    hvol_object_info(o->file, node, a->args.get_info.fields, a->args.get_info.oinfo);
    return HRY_OK;
}

herr_t hvol_object_cb_get(void *obj, const H5VL_loc_params_t *loc,
                          H5VL_object_get_args_t *args, hid_t dxpl, void **req)
{
    typedef hry_status (*getter)(hvol_object *, hvol_node *, H5VL_object_get_args_t *,
                                 hry_error *);
    static const getter getters[] = {[H5VL_OBJECT_GET_FILE] = get_file,
                                     [H5VL_OBJECT_GET_NAME] = get_name,
                                     [H5VL_OBJECT_GET_TYPE] = get_type,
                                     [H5VL_OBJECT_GET_INFO] = get_info};
    hvol_spot spot;
    hry_error err;
    (void)dxpl, (void)req;
    if ((size_t)args->op_type >= sizeof getters / sizeof *getters)
        return hvol_unsupported(__func__, "object query", (int)args->op_type);
    hry_status status = hvol_resolve(obj, loc, &spot, &err);
    if (status == HRY_OK) {
        status = getters[args->op_type](&spot.in, spot.in.node, args, &err);
        hvol_spot_clear(&spot);
    }
    if (status != HRY_OK)
        return HVOL_FAIL(-1, H5E_OHDR, H5E_CANTGET, &err);
    return 0;
}

/* ---- specific ---- */

static herr_t change_count(hvol_object *in, H5VL_object_specific_args_t *a, hry_error *err)
{
    const int delta = a->args.change_rc.delta;
    hvol_node *node = in->node;
    HRY_TRY(hvol_require_writable(in, err));
    if (delta < 0 && (uint32_t)-delta > node->links)
        return HRY_FAIL(err, HRY_ERR_RANGE, "reference count %u cannot change by %d",
                        node->links, delta);
    hvol_node_retain(node); /* a count of zero ends the object only when it is closed */
    node->links = (uint32_t)((int64_t)node->links + delta);
    hvol_node_touch(in->file->tree, node);
    hvol_node_release(in->file->tree, node);
    return 0;
}

static herr_t object_exists(const hvol_object *from, const H5VL_loc_params_t *loc,
                            H5VL_object_specific_args_t *a, hry_error *err)
{
    hvol_spot spot;
    HRY_TRY(hvol_locate(from, loc, 0, &spot, err));
    *a->args.exists.exists = spot.found.node != NULL;
    hvol_spot_clear(&spot);
    return 0;
}

static herr_t lookup(hvol_object *in, H5VL_object_specific_args_t *a, hry_error *err)
{
    (void)err;
    *a->args.lookup.token_ptr = hvol_token_of(in->node);
    return 0;
}

typedef struct object_walk {
    const hvol_object *from;
    const H5VL_object_visit_args_t *args;
    hid_t id; /* of the start, for the callback */
} object_walk;

static herr_t call(const object_walk *w, const char *path, hvol_node *node)
{
    H5O_info2_t info;
    hvol_object_info(w->from->file, node, w->args->fields, &info);
    return w->args->op(w->id, path, &info, w->args->op_data);
}

static int visit_object(void *ctx, const char *path, hvol_link *link, bool fresh)
{
    return fresh ? call(ctx, path, link->target) : 0;
}

static bool keeps_order(void *ctx, const hvol_node *group)
{
    return hvol_tracks_links(((const object_walk *)ctx)->from->file, group);
}

static herr_t visit(hvol_object *in, H5VL_object_specific_args_t *a, hry_error *err)
{
    object_walk w = {.from = in, .args = &a->args.visit};
    const hvol_visit_order order = {.by_order = w.args->idx_type == H5_INDEX_CRT_ORDER,
                                    .backwards = w.args->order == H5_ITER_DEC,
                                    .keeps_order = keeps_order};
    hvol_node *node = in->node;
    if ((w.id = hvol_register(in, node, err)) < 0)
        return -1;
    herr_t result = call(&w, ".", node);
    if (result == 0 &&
        hvol_visit(in->file->tree, node, &order, visit_object, &w, &result, err) != HRY_OK)
        result = -1;
    else if (result < 0)
        (void)HRY_FAIL(err, HRY_ERR_ARG, "object visit's callback failed");
    H5Idec_ref(w.id);
    return result;
}

static herr_t flush(hvol_object *in, H5VL_object_specific_args_t *a, hry_error *err)
{
    (void)a;
    return hvol_file_commit(in->file, err);
}

static herr_t refresh(hvol_object *in, H5VL_object_specific_args_t *a, hry_error *err)
{
    (void)in, (void)a, (void)err;
    return 0; /* one tree per file: nothing is ever stale */
}

/* On the object at `loc`, which must be there. */
static herr_t operate(const hvol_object *from, const H5VL_loc_params_t *loc,
                      H5VL_object_specific_args_t *args, hry_error *err)
{
    typedef herr_t (*operation)(hvol_object *, H5VL_object_specific_args_t *, hry_error *);
    static const operation operations[] = {[H5VL_OBJECT_CHANGE_REF_COUNT] = change_count,
                                           [H5VL_OBJECT_LOOKUP] = lookup,
                                           [H5VL_OBJECT_VISIT] = visit,
                                           [H5VL_OBJECT_FLUSH] = flush,
                                           [H5VL_OBJECT_REFRESH] = refresh};
    hvol_spot spot;
    if ((size_t)args->op_type >= sizeof operations / sizeof *operations)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "object operation %d",
                        (int)args->op_type);
    HRY_TRY(hvol_resolve(from, loc, &spot, err));
    const herr_t result = operations[args->op_type](&spot.in, args, err);
    hvol_spot_clear(&spot);
    return result;
}

herr_t hvol_object_cb_specific(void *obj, const H5VL_loc_params_t *loc,
                               H5VL_object_specific_args_t *args, hid_t dxpl, void **req)
{
    hry_error err;
    (void)dxpl, (void)req;
    const herr_t result = args->op_type == H5VL_OBJECT_EXISTS
                              ? object_exists(obj, loc, args, &err)
                              : operate(obj, loc, args, &err);
    if (result < 0)
        return HVOL_FAIL(-1, H5E_OHDR, H5E_CANTOPERATE, &err);
    return result;
}
