/* SPDX-License-Identifier: Apache-2.0 */
/* vol_group.c - H5G callbacks. */
#include "create.h"
#include "fail.h"

void *hvol_group_cb_create(void *obj, const H5VL_loc_params_t *loc, const char *name,
                           hid_t lcpl, hid_t gcpl, hid_t gapl, hid_t dxpl, void **req)
{
    const hvol_creation creation = {loc, name, lcpl, gcpl, H5P_GROUP_CREATE_DEFAULT, gapl};
    hvol_object *group;
    hry_error err;
    (void)dxpl, (void)req;
    if (hvol_create(obj, &creation, HVOL_GROUP, NULL, NULL, &group, &err) != HRY_OK)
        return HVOL_FAIL(NULL, H5E_SYM, H5E_CANTCREATE, &err);
    return group;
}

void *hvol_group_cb_open(void *obj, const H5VL_loc_params_t *loc, const char *name,
                         hid_t gapl, hid_t dxpl, void **req)
{
    hvol_object *group;
    hry_error err;
    (void)dxpl, (void)req;
    if (hvol_open(obj, loc, name, gapl, HVOL_GROUP, &group, &err) != HRY_OK)
        return HVOL_FAIL(NULL, H5E_SYM, H5E_CANTOPENOBJ, &err);
    return group;
}

/* The root group's properties are those of the file that groups have. */
static hry_status root_gcpl(hvol_tree *tree, hid_t *out, hry_error *err)
{
    hid_t fcpl;
    unsigned links = 0, attrs = 0, few = 0, many = 0;
    hbool_t times = true;
    HRY_TRY(hvol_plist_to(tree->file_plist, H5P_FILE_CREATE_DEFAULT, &fcpl, err));
    const hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE);
    const bool copied = gcpl >= 0 && H5Pget_link_creation_order(fcpl, &links) >= 0 &&
                        H5Pset_link_creation_order(gcpl, links) >= 0 &&
                        H5Pget_attr_creation_order(fcpl, &attrs) >= 0 &&
                        H5Pset_attr_creation_order(gcpl, attrs) >= 0 &&
                        H5Pget_obj_track_times(fcpl, &times) >= 0 &&
                        H5Pset_obj_track_times(gcpl, times) >= 0 &&
                        H5Pget_link_phase_change(fcpl, &many, &few) >= 0 &&
                        H5Pset_link_phase_change(gcpl, many, few) >= 0 &&
                        H5Pget_attr_phase_change(fcpl, &many, &few) >= 0 &&
                        H5Pset_attr_phase_change(gcpl, many, few) >= 0;
    H5Pclose(fcpl);
    if (!copied) {
        H5Pclose(gcpl);
        return HRY_FAIL(err, HRY_ERR_NOMEM, "root group's creation list cannot be made");
    }
    *out = gcpl;
    return HRY_OK;
}

static hry_status get_gcpl(hvol_object *o, H5VL_group_get_args_t *a, hry_error *err)
{
    hvol_tree *tree = o->file->tree;
    if (o->node == tree->root)
        return root_gcpl(tree, &a->args.get_gcpl.gcpl_id, err);
    return hvol_plist_to(o->node->plist, H5P_GROUP_CREATE_DEFAULT,
                         &a->args.get_gcpl.gcpl_id, err);
}

static hry_status get_info(hvol_object *o, H5VL_group_get_args_t *a, hry_error *err)
{
    H5G_info_t *info = a->args.get_info.ginfo;
    hvol_spot spot;
    HRY_TRY(hvol_resolve(o, &a->args.get_info.loc_params, &spot, err));
    hry_status status = HRY_OK;
    const hvol_node *node = spot.in.node;
    if (node->kind != HVOL_GROUP)
        status = HRY_FAIL(err, HRY_ERR_ARG, "not a group");
    else
        *info = (H5G_info_t){.storage_type = H5G_STORAGE_TYPE_COMPACT,
                             .nlinks = hvol_names_count(&node->u.links),
                             .max_corder = hvol_tracks_links(spot.in.file, node)
                                               ? (int64_t)node->u.links.next_order
                                               : 0};
    hvol_spot_clear(&spot);
    return status;
}

herr_t hvol_group_cb_get(void *obj, H5VL_group_get_args_t *args, hid_t dxpl, void **req)
{
    typedef hry_status (*getter)(hvol_object *, H5VL_group_get_args_t *, hry_error *);
    static const getter getters[] = {
        [H5VL_GROUP_GET_GCPL] = get_gcpl, [H5VL_GROUP_GET_INFO] = get_info};
    hry_error err;
    (void)dxpl, (void)req;
    if ((size_t)args->op_type >= sizeof getters / sizeof *getters)
        return hvol_unsupported(__func__, "group query", (int)args->op_type);
    if (getters[args->op_type](obj, args, &err) != HRY_OK)
        return HVOL_FAIL(-1, H5E_SYM, H5E_CANTGET, &err);
    return 0;
}

herr_t hvol_group_cb_specific(void *obj, H5VL_group_specific_args_t *args, hid_t dxpl,
                              void **req)
{
    const hvol_object *object = obj;
    hry_error err;
    (void)dxpl, (void)req;
    hry_status status = HRY_OK;
    switch (args->op_type) {
    case H5VL_GROUP_MOUNT:
        status =
            hvol_mount(object, args->args.mount.name, args->args.mount.child_file, &err);
        break;
    case H5VL_GROUP_UNMOUNT:
        status = hvol_unmount(object, args->args.unmount.name, &err);
        break;
    case H5VL_GROUP_FLUSH:
        status = hvol_file_commit(object->file, &err);
        break;
    case H5VL_GROUP_REFRESH: /* one tree per file: nothing is ever stale */
        break;
    default:
        return hvol_unsupported(__func__, "group operation", (int)args->op_type);
    }
    if (status != HRY_OK)
        return HVOL_FAIL(-1, H5E_SYM, H5E_CANTOPERATE, &err);
    return 0;
}
