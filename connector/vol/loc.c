/* SPDX-License-Identifier: Apache-2.0 */
/* loc.c - where a callback's location points. The one switch on loc->type. */
#include "fail.h"
#include "h5/handle.h"
#include "vol.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_SOFT_LINKS = 16 }; /* HDF5's H5L_NUM_LINKS */

static unsigned max_soft_links(hid_t lapl)
{
    size_t n = DEFAULT_SOFT_LINKS;
    if (lapl > 0 && lapl != H5P_LINK_ACCESS_DEFAULT)
        H5Pget_nlinks(lapl, &n);
    return n > 65535 ? 65535 : (unsigned)n;
}

hry_status hvol_check_access(hid_t list, hry_error *err)
{
    return list >= 0 ? HRY_OK
                     : HRY_FAIL(err, HRY_ERR_ARG, "access property list is not valid");
}

void hvol_spot_clear(hvol_spot *spot)
{
    hvol_found_clear(&spot->found);
    if (spot->entered)
        hvol_file_release(spot->in.file, NULL);
    *spot = (hvol_spot){0};
}

/* A spot in the file of `from`, at its object, or at the one its attribute is of. */
static hvol_spot spot_at(const hvol_object *from)
{
    return (hvol_spot){.in = {.what = HVOL_AN_OBJECT,
                              .writable = from->writable,
                              .file = from->file,
                              .node = from->attr != NULL ? from->attr->owner : from->node,
                              .opening = from->opening},
                       .found.rest = ""};
}

hry_status hvol_follow_path(const hvol_object *from, const char *path, unsigned flags,
                            hid_t lapl, hvol_spot *out, hry_error *err)
{
    *out = spot_at(from);
    HRY_TRY(hvol_check_access(lapl, err));
    unsigned left = max_soft_links(lapl);
    while (path[0] == '/' && out->in.file->parent != NULL) /* of the whole hierarchy */
        out->in.file = out->in.file->parent;
    hry_status status =
        hvol_walk(out->in.file->tree, out->in.node, path, flags, &left, &out->found, err);
    while (status == HRY_OK && out->found.foreign)
        status = out->found.link->kind == HVOL_LINK_HARD
                     ? hvol_follow_mount(out, flags, &left, err)
                     : hvol_follow_external(out, flags, lapl, &left, err);
    if (status != HRY_OK)
        hvol_spot_clear(out);
    out->in.node = out->found.node;
    return status;
}

static hry_status nth_link(hvol_spot *group, const H5VL_loc_by_idx_t *at, hvol_link **out,
                           hry_error *err)
{
    hvol_node *node = group->in.node;
    if (node == NULL || node->kind != HVOL_GROUP)
        return HRY_FAIL(err, HRY_ERR_NOTFOUND, "'%s' is not a group", at->name);
    const bool by_order = at->idx_type == H5_INDEX_CRT_ORDER;
    if (by_order && !hvol_tracks_links(group->in.file, node))
        return HRY_FAIL(err, HRY_ERR_ARG,
                        "creation order is not tracked for links in group");
    *out = (hvol_link *)hvol_names_at(&node->u.links, by_order, at->order == H5_ITER_DEC,
                                      at->n);
    return *out != NULL ? HRY_OK
                        : HRY_FAIL(err, HRY_ERR_RANGE, "index %llu of %llu links",
                                   (unsigned long long)at->n,
                                   (unsigned long long)hvol_names_count(&node->u.links));
}

static hry_status by_index(const hvol_object *from, const H5VL_loc_by_idx_t *at,
                           unsigned flags, hvol_spot *out, hry_error *err)
{
    hvol_spot group;
    hvol_link *link;
    HRY_TRY(hvol_follow_path(from, at->name, 0, at->lapl_id, &group, err));
    hry_status status = nth_link(&group, at, &link, err);
    if (status == HRY_OK)
        status =
            hvol_follow_path(&group.in, link->named.name, flags, at->lapl_id, out, err);
    if (status == HRY_OK && group.entered && !out->entered) { /* keep it open for `out` */
        out->entered = true;
        out->in.file->refs++;
    }
    hvol_spot_clear(&group);
    return status;
}

static hry_status by_token(const hvol_object *from, const H5O_token_t *token,
                           hvol_spot *out, hry_error *err)
{
    uint64_t id;
    memcpy(&id, token, sizeof id);
    *out = spot_at(from);
    out->in.node = out->found.node = hvol_node_by_id(from->file->tree, id);
    return out->in.node != NULL
               ? HRY_OK
               : HRY_FAIL(err, HRY_ERR_NOTFOUND, "no object with token %llu",
                          (unsigned long long)id);
}

hry_status hvol_locate(const hvol_object *from, const H5VL_loc_params_t *loc,
                       unsigned flags, hvol_spot *out, hry_error *err)
{
    switch (loc->type) {
    case H5VL_OBJECT_BY_SELF:
        *out = spot_at(from);
        out->found.node = out->in.node;
        return HRY_OK;
    case H5VL_OBJECT_BY_NAME:
        return hvol_follow_path(from, loc->loc_data.loc_by_name.name, flags,
                                loc->loc_data.loc_by_name.lapl_id, out, err);
    case H5VL_OBJECT_BY_IDX:
        return by_index(from, &loc->loc_data.loc_by_idx, flags, out, err);
    case H5VL_OBJECT_BY_TOKEN:
        return by_token(from, loc->loc_data.loc_by_token.token, out, err);
    }
    return HRY_FAIL(err, HRY_ERR_ARG, "unknown kind of location %d", (int)loc->type);
}

static hry_status require_node(hvol_spot *spot, hry_error *err)
{
    const hvol_found *found = &spot->found;
    if (found->node != NULL)
        return HRY_OK;
    const hry_status status = HRY_FAIL(
        err, HRY_ERR_NOTFOUND, "%s '%.*s'%s", found->link != NULL ? "link" : "no object",
        (int)found->name_length, found->name_length > 0 ? found->name : "",
        found->link != NULL ? " leads to no object" : "");
    hvol_spot_clear(spot);
    return status;
}

hry_status hvol_resolve(const hvol_object *from, const H5VL_loc_params_t *loc,
                        hvol_spot *out, hry_error *err)
{
    HRY_TRY(hvol_locate(from, loc, 0, out, err));
    return require_node(out, err);
}

hry_status hvol_resolve_name(const hvol_object *from, const H5VL_loc_params_t *loc,
                             const char *name, hid_t lapl, hvol_spot *out, hry_error *err)
{
    hvol_spot start;
    HRY_TRY(hvol_resolve(from, loc, &start, err));
    const hry_status status = hvol_follow_path(&start.in, name, 0, lapl, out, err);
    if (status == HRY_OK && start.entered && !out->entered) {
        out->entered = true;
        out->in.file->refs++;
    }
    hvol_spot_clear(&start);
    return status == HRY_OK ? require_node(out, err) : status;
}

hry_status hvol_resolve_link(const hvol_object *from, const H5VL_loc_params_t *loc,
                             hvol_spot *out, hry_error *err)
{
    HRY_TRY(hvol_locate(from, loc, HVOL_NO_FOLLOW, out, err));
    if (out->found.link != NULL)
        return HRY_OK;
    const hry_status status =
        HRY_FAIL(err, HRY_ERR_NOTFOUND, "no link '%.*s'", (int)out->found.name_length,
                 out->found.name_length > 0 ? out->found.name : "");
    hvol_spot_clear(out);
    return status;
}

/* ---- creation order ---- */

typedef herr_t (*order_getter)(hid_t plist, unsigned *flags);

/* The root group has its properties in the file's creation list. */
static bool tracks(const hvol_file *file, const hvol_node *node, order_getter get)
{
    hvol_blob *blob = node == file->tree->root ? file->tree->file_plist : node->plist;
    unsigned flags = 0;
    hid_t plist;
    if (blob == NULL || hvol_plist_to(blob, H5P_DEFAULT, &plist, NULL) != HRY_OK)
        return false;
    get(plist, &flags);
    H5Pclose(plist);
    return (flags & H5P_CRT_ORDER_TRACKED) != 0;
}

bool hvol_tracks_links(const hvol_file *file, const hvol_node *node)
{
    return tracks(file, node, H5Pget_link_creation_order);
}

bool hvol_tracks_attrs(const hvol_file *file, const hvol_node *node)
{
    return tracks(file, node, H5Pget_attr_creation_order);
}
