/* SPDX-License-Identifier: Apache-2.0 */
/* opt_group.c - H5Giterate, H5Gget_objinfo and H5Aiterate1: calls of HDF5 1.6 that programs
 * and bindings still make. */
#include "fail.h"
#include "optional.h"

#include <stdlib.h>
#include <string.h>

typedef H5VL_native_group_optional_args_t opt_args;

static herr_t call_each_link(const hvol_spot *spot, H5VL_native_group_iterate_old_t *it,
                             hid_t id)
{
    hsize_t n = it->idx;
    herr_t result = 0;
    hvol_named *item;
    while (result == 0 &&
           (item = hvol_names_at(&spot->in.node->u.links, false, false, n)) != NULL) {
        char *name = strdup(item->name); /* the callback may remove the link */
        result = name == NULL ? -1 : it->op(id, name, it->op_data);
        free(name);
        n++;
    }
    if (it->last_obj != NULL)
        *it->last_obj = n;
    return result;
}

static herr_t iterate_spot(hvol_spot *spot, H5VL_native_group_iterate_old_t *it,
                           hry_error *err)
{
    if (spot->in.node->kind != HVOL_GROUP)
        return HRY_FAIL(err, HRY_ERR_ARG, "not a group");
    const uint64_t count = hvol_names_count(&spot->in.node->u.links);
    if (it->idx > 0 && it->idx >= count)
        return HRY_FAIL(err, HRY_ERR_RANGE, "iteration starts at %llu of %llu links",
                        (unsigned long long)it->idx, (unsigned long long)count);
    const hid_t id = hvol_register(&spot->in, spot->in.node, err);
    if (id < 0)
        return -1;
    const herr_t result = call_each_link(spot, it, id);
    H5Idec_ref(id);
    if (result < 0)
        (void)HRY_FAIL(err, HRY_ERR_ARG, "group iteration's callback failed");
    return result;
}

static herr_t iterate_old(hvol_object *o, opt_args *a, hry_error *err)
{
    hvol_spot spot;
    HRY_TRY(hvol_resolve(o, &a->iterate_old.loc_params, &spot, err));
    const herr_t result = iterate_spot(&spot, &a->iterate_old, err);
    hvol_spot_clear(&spot);
    return result;
}

static void describe_object(const hvol_spot *spot, H5G_stat_t *out)
{
    static const H5G_obj_t types[] = {
        [HVOL_GROUP] = H5G_GROUP, [HVOL_DATASET] = H5G_DATASET, [HVOL_TYPE] = H5G_TYPE};
    const hvol_node *node = spot->in.node;
    out->fileno[0] = spot->in.file->number;
    out->objno[0] = (unsigned long)node->id;
    out->nlink = node->links;
    out->type = types[node->kind];
    out->mtime = (time_t)node->times[1];
}

static herr_t get_objinfo(hvol_object *o, opt_args *a, hry_error *err)
{
    H5G_stat_t *out = a->get_objinfo.statbuf;
    const bool follow = a->get_objinfo.follow_link;
    hvol_spot spot;
    HRY_TRY(hvol_locate(o, &a->get_objinfo.loc_params, follow ? 0 : HVOL_NO_FOLLOW, &spot,
                        err));
    hry_status status = HRY_OK;
    const hvol_link *link = spot.found.link;
    if (out != NULL)
        memset(out, 0, sizeof *out);
    if (!follow && link != NULL && link->kind == HVOL_LINK_HARD)
        spot.in.node = link->target;
    if (!follow && link != NULL && link->kind != HVOL_LINK_HARD && out != NULL) {
        out->type = link->kind == HVOL_LINK_SOFT ? H5G_LINK : H5G_UDLINK;
        out->linklen = link->value_size;
    } else if (spot.in.node == NULL && (follow || link == NULL)) {
        status = HRY_FAIL(err, HRY_ERR_NOTFOUND, "there is no object");
    } else if (spot.in.node != NULL && out != NULL) {
        describe_object(&spot, out);
    }
    hvol_spot_clear(&spot);
    return status;
}

typedef herr_t (*operation)(hvol_object *, opt_args *, hry_error *);
static const operation operations[] = {[H5VL_NATIVE_GROUP_ITERATE_OLD] = iterate_old,
                                       [H5VL_NATIVE_GROUP_GET_OBJINFO] = get_objinfo};

bool hvol_opt_group_has(int op)
{
    return HVOL_HAS(operations, op);
}

herr_t hvol_group_cb_optional(void *obj, H5VL_optional_args_t *args, hid_t dxpl, void **req)
{
    hry_error err;
    (void)dxpl, (void)req;
    if (!hvol_opt_group_has(args->op_type))
        return hvol_unsupported(__func__, "optional group operation", args->op_type);
    const herr_t result = operations[args->op_type](obj, args->args, &err);
    if (result < 0)
        return HVOL_FAIL(-1, H5E_SYM, H5E_CANTOPERATE, &err);
    return result;
}

/* ---- attributes ---- */

bool hvol_opt_attr_has(int op)
{
    return op == H5VL_NATIVE_ATTR_ITERATE_OLD;
}

static herr_t call_each_attr(hvol_object *o, H5VL_native_attr_iterate_old_t *it)
{
    hvol_node *node = o->attr != NULL ? o->attr->owner : o->node;
    unsigned n = it->attr_num != NULL ? *it->attr_num : 0;
    herr_t result = 0;
    hvol_named *item;
    while (result == 0 && (item = hvol_names_at(&node->attrs, true, false, n)) != NULL) {
        char *name = strdup(item->name);
        result = name == NULL ? -1 : it->op(it->loc_id, name, it->op_data);
        free(name);
        n++;
        if (it->attr_num != NULL)
            *it->attr_num = n;
    }
    return result;
}

herr_t hvol_attr_cb_optional(void *obj, H5VL_optional_args_t *args, hid_t dxpl, void **req)
{
    H5VL_native_attr_optional_args_t *a = args->args;
    hry_error err;
    (void)dxpl, (void)req;
    if (!hvol_opt_attr_has(args->op_type))
        return hvol_unsupported(__func__, "optional attribute operation", args->op_type);
    const herr_t result = call_each_attr(obj, &a->iterate_old);
    if (result < 0) {
        (void)HRY_FAIL(&err, HRY_ERR_ARG, "attribute iteration's callback failed");
        return HVOL_FAIL(-1, H5E_ATTR, H5E_BADITER, &err);
    }
    return result;
}
