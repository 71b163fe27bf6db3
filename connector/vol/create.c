/* SPDX-License-Identifier: Apache-2.0 */
/* create.c - see create.h. */
#include "create.h"

#include "fail.h"

static hry_status read_plist(const hvol_object *from, const hvol_creation *c,
                             hvol_node *node, hry_error *err)
{
    hbool_t times = true;
    if (c->plist > 0 && H5Pget_obj_track_times(c->plist, &times) < 0)
        times = true;
    node->track_times = times;
    return hvol_plist_intern(from->file->tree, c->plist, c->defaults, &node->plist, err);
}

static hry_status link_in(const hvol_object *from, const hvol_creation *c, hvol_node *node,
                          hry_error *err)
{
    hvol_target target;
    if (c->name == NULL)
        return HRY_OK;
    hry_status status = hvol_aim(from, c->loc, c->name, c->lcpl, &target, err);
    if (status == HRY_OK) {
        status = hvol_link_add(from->file->tree, target.group, target.name, target.length,
                               target.cset, HVOL_LINK_HARD, node, NULL, 0, NULL, err);
        hvol_node_touch(from->file->tree, target.group);
    }
    hvol_target_clear(&target);
    return status;
}

hry_status
hvol_create(const hvol_object *from, const hvol_creation *creation, hvol_kind kind,
            hry_status (*fill)(const hvol_object *, hvol_node *, void *, hry_error *),
            void *fill_ctx, hvol_object **out, hry_error *err)
{
    hvol_tree *tree = from->file->tree;
    hvol_node *node;
    HRY_TRY(hvol_require_writable(from, err));
    HRY_TRY(hvol_check_access(creation->access, err));
    HRY_TRY(hvol_node_new(tree, kind, &node, err));
    hry_status status = read_plist(from, creation, node, err);
    if (status == HRY_OK && fill != NULL)
        status = fill(from, node, fill_ctx, err);
    if (status == HRY_OK)
        status = link_in(from, creation, node, err);
    if (status == HRY_OK) {
        hvol_node_touch(tree, node);
        *out = hvol_object_new(from, node, err);
        status = *out != NULL ? HRY_OK : HRY_ERR_NOMEM;
    }
    hvol_node_release(tree, node); /* the handle has its own */
    return status;
}

hry_status hvol_open(const hvol_object *from, const H5VL_loc_params_t *loc,
                     const char *name, hvol_kind kind, hvol_object **out, hry_error *err)
{
    static const char *const words[] = {"group", "dataset", "committed datatype"};
    hvol_node *node;
    HRY_TRY(hvol_resolve_name(from, loc, name, &node, err));
    if (node->kind != kind)
        return HRY_FAIL(err, HRY_ERR_ARG, "'%s' is a %s, not a %s", name, words[node->kind],
                        words[kind]);
    return hvol_object_open(from, node, out, err);
}

hvol_node *hvol_committed(const hvol_object *from, hid_t type)
{
    if (H5Tcommitted(type) <= 0 || !hvol_is_ours(type))
        return NULL;
    const hvol_object *object = H5VLobject(type);
    return object != NULL && object->file == from->file ? object->node : NULL;
}
