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

static hry_status link_in(hvol_tree *tree, const hvol_target *target, hvol_node *node,
                          hry_error *err)
{
    if (target->group == NULL) /* an object without a link */
        return HRY_OK;
    hvol_node_touch(tree, target->group);
    return hvol_link_add(tree, target->group, target->name, target->length, target->cset,
                         HVOL_LINK_HARD, node, NULL, 0, NULL, err);
}

typedef hry_status (*filler)(const hvol_object *, hvol_node *, void *, hry_error *);

/* `from` is in the file where the object is going to be. */
static hry_status make(const hvol_object *from, const hvol_creation *creation,
                       const hvol_target *target, hvol_kind kind, filler fill,
                       void *fill_ctx, hvol_object **out, hry_error *err)
{
    hvol_tree *tree = from->file->tree;
    hvol_node *node;
    HRY_TRY(hvol_require_writable(from, err));
    HRY_TRY(hvol_node_new(tree, kind, &node, err));
    hry_status status = read_plist(from, creation, node, err);
    if (status == HRY_OK && fill != NULL)
        status = fill(from, node, fill_ctx, err);
    if (status == HRY_OK)
        status = link_in(tree, target, node, err);
    if (status == HRY_OK) {
        hvol_node_touch(tree, node);
        *out = hvol_object_new(from, node, err);
        status = *out != NULL ? HRY_OK : HRY_ERR_NOMEM;
    }
    hvol_node_release(tree, node); /* the handle has its own */
    return status;
}

hry_status
hvol_create(const hvol_object *from, const hvol_creation *creation, hvol_kind kind,
            hry_status (*fill)(const hvol_object *, hvol_node *, void *, hry_error *),
            void *fill_ctx, hvol_object **out, hry_error *err)
{
    hvol_target target = {0};
    hry_status status = hvol_check_access(creation->access, err);
    if (status == HRY_OK && creation->name != NULL)
        status =
            hvol_aim(from, creation->loc, creation->name, creation->lcpl, &target, err);
    const hvol_object *where = creation->name != NULL ? &target.spot.in : from;
    if (status == HRY_OK)
        status = make(where, creation, &target, kind, fill, fill_ctx, out, err);
    hvol_target_clear(&target);
    return status;
}

hry_status hvol_open(const hvol_object *from, const H5VL_loc_params_t *loc,
                     const char *name, hid_t lapl, hvol_kind kind, hvol_object **out,
                     hry_error *err)
{
    static const char *const words[] = {"group", "dataset", "committed datatype"};
    hvol_spot spot;
    HRY_TRY(hvol_resolve_name(from, loc, name, lapl, &spot, err));
    hry_status status;
    if (spot.in.node->kind == kind)
        status = hvol_object_open(&spot.in, spot.in.node, out, err);
    else
        status = HRY_FAIL(err, HRY_ERR_ARG, "'%s' is a %s, not a %s", name,
                          words[spot.in.node->kind], words[kind]);
    hvol_spot_clear(&spot);
    return status;
}

hvol_node *hvol_committed(const hvol_object *from, hid_t type)
{
    if (H5Tcommitted(type) <= 0 || !hvol_is_ours(type))
        return NULL;
    const hvol_object *object = H5VLobject(type);
    return object != NULL && object->file == from->file ? object->node : NULL;
}
