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

static hry_status walk(const hvol_object *from, const char *path, unsigned flags,
                       hid_t lapl, hvol_found *out, hry_error *err)
{
    hvol_tree *tree = from->file->tree;
    HRY_TRY(hvol_check_access(lapl, err));
    HRY_TRY(hvol_walk(tree, from->node, path, flags, max_soft_links(lapl), out, err));
    if (!out->foreign)
        return HRY_OK;
    const bool external = out->link->kind == HVOL_LINK_EXTERNAL;
    const hry_status status =
        HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "%s link '%.*s' is not followed yet",
                 external ? "external" : "user-defined", (int)out->name_length, out->name);
    hvol_found_clear(out);
    return status;
}

static hry_status by_index(const hvol_object *from, const H5VL_loc_by_idx_t *at,
                           unsigned flags, hvol_found *out, hry_error *err)
{
    hvol_found group;
    HRY_TRY(walk(from, at->name, 0, at->lapl_id, &group, err));
    hvol_node *node = group.node;
    hvol_found_clear(&group);
    if (node == NULL || node->kind != HVOL_GROUP)
        return HRY_FAIL(err, HRY_ERR_NOTFOUND, "'%s' is not a group", at->name);
    const bool by_order = at->idx_type == H5_INDEX_CRT_ORDER;
    if (by_order && !hvol_tracks_links(from->file, node))
        return HRY_FAIL(err, HRY_ERR_ARG,
                        "creation order is not tracked for links in group");
    hvol_link *link = (hvol_link *)hvol_names_at(&node->u.links, by_order,
                                                 at->order == H5_ITER_DEC, at->n);
    if (link == NULL)
        return HRY_FAIL(err, HRY_ERR_RANGE, "index %llu of %llu links",
                        (unsigned long long)at->n,
                        (unsigned long long)hvol_names_count(&node->u.links));
    const hvol_object here = {.file = from->file, .node = node};
    return walk(&here, link->named.name, flags, at->lapl_id, out, err);
}

static hry_status by_token(const hvol_object *from, const H5O_token_t *token,
                           hvol_found *out, hry_error *err)
{
    uint64_t id;
    memcpy(&id, token, sizeof id);
    *out = (hvol_found){.node = hvol_node_by_id(from->file->tree, id), .rest = ""};
    return out->node != NULL ? HRY_OK
                             : HRY_FAIL(err, HRY_ERR_NOTFOUND, "no object with token %llu",
                                        (unsigned long long)id);
}

hry_status hvol_locate(const hvol_object *from, const H5VL_loc_params_t *loc,
                       unsigned flags, hvol_found *out, hry_error *err)
{
    switch (loc->type) {
    case H5VL_OBJECT_BY_SELF:
        *out = (hvol_found){.node = from->attr != NULL ? from->attr->owner : from->node,
                            .rest = ""};
        return HRY_OK;
    case H5VL_OBJECT_BY_NAME:
        return walk(from, loc->loc_data.loc_by_name.name, flags,
                    loc->loc_data.loc_by_name.lapl_id, out, err);
    case H5VL_OBJECT_BY_IDX:
        return by_index(from, &loc->loc_data.loc_by_idx, flags, out, err);
    case H5VL_OBJECT_BY_TOKEN:
        return by_token(from, loc->loc_data.loc_by_token.token, out, err);
    }
    return HRY_FAIL(err, HRY_ERR_ARG, "unknown kind of location %d", (int)loc->type);
}

static hry_status take_node(hvol_found *found, hvol_node **out, hry_error *err)
{
    hry_status status = HRY_OK;
    *out = found->node;
    if (found->node == NULL && found->link != NULL)
        status = HRY_FAIL(err, HRY_ERR_NOTFOUND, "link '%.*s' leads to no object",
                          (int)found->name_length, found->name);
    else if (found->node == NULL)
        status =
            HRY_FAIL(err, HRY_ERR_NOTFOUND, "no object '%.*s'", (int)found->name_length,
                     found->name_length > 0 ? found->name : "");
    hvol_found_clear(found);
    return status;
}

hry_status hvol_resolve(const hvol_object *from, const H5VL_loc_params_t *loc,
                        hvol_node **out, hry_error *err)
{
    hvol_found found;
    HRY_TRY(hvol_locate(from, loc, 0, &found, err));
    return take_node(&found, out, err);
}

hry_status hvol_resolve_name(const hvol_object *from, const H5VL_loc_params_t *loc,
                             const char *name, hvol_node **out, hry_error *err)
{
    hvol_found found;
    hvol_object here = {.file = from->file};
    HRY_TRY(hvol_resolve(from, loc, &here.node, err));
    HRY_TRY(walk(&here, name, 0, 0, &found, err));
    return take_node(&found, out, err);
}

hry_status hvol_resolve_link(const hvol_object *from, const H5VL_loc_params_t *loc,
                             hvol_link **out, hry_error *err)
{
    hvol_found found;
    HRY_TRY(hvol_locate(from, loc, HVOL_NO_FOLLOW, &found, err));
    hry_status status = HRY_OK;
    *out = found.link;
    if (found.link == NULL)
        status = HRY_FAIL(err, HRY_ERR_NOTFOUND, "no link '%.*s'", (int)found.name_length,
                          found.name_length > 0 ? found.name : "");
    hvol_found_clear(&found);
    return status;
}

/* ---- new links ---- */

static hry_status make_group(hvol_tree *tree, const hvol_found *at, uint8_t cset,
                             hry_error *err)
{
    hvol_node *node;
    HRY_TRY(hvol_node_new(tree, HVOL_GROUP, &node, err));
    const hry_status status = hvol_link_add(tree, at->group, at->name, at->name_length,
                                            cset, HVOL_LINK_HARD, node, NULL, 0, NULL, err);
    hvol_node_release(tree, node);
    return status;
}

/* Make each missing group that `path` names before its last component. */
static hry_status make_parents(const hvol_object *here, const char *path, uint8_t cset,
                               hry_error *err)
{
    char *prefix = strdup(path);
    hry_status status = prefix == NULL ? HRY_NO_MEMORY(err, strlen(path)) : HRY_OK;
    size_t end = strlen(path);
    while (end > 0 && path[end - 1] == '/')
        end--;
    for (size_t i = 1; i < end && status == HRY_OK; i++) {
        hvol_found found;
        if (path[i] != '/' || path[i - 1] == '/')
            continue;
        prefix[i] = '\0';
        status = walk(here, prefix, 0, 0, &found, err);
        if (status == HRY_OK && found.node == NULL)
            status = make_group(here->file->tree, &found, cset, err);
        if (status == HRY_OK)
            hvol_found_clear(&found);
        prefix[i] = '/';
    }
    free(prefix);
    return status;
}

static hry_status read_lcpl(hid_t lcpl, unsigned *intermediate, uint8_t *cset,
                            hry_error *err)
{
    H5T_cset_t set = H5T_CSET_ASCII;
    *intermediate = 0;
    if (lcpl > 0 && lcpl != H5P_LINK_CREATE_DEFAULT &&
        (H5Pget_create_intermediate_group(lcpl, intermediate) < 0 ||
         H5Pget_char_encoding(lcpl, &set) < 0))
        return HRY_FAIL(err, HRY_ERR_ARG, "link creation property list cannot be read");
    *cset = set == H5T_CSET_UTF8;
    return HRY_OK;
}

static hry_status aim_at(const hvol_object *here, const char *path, unsigned flags,
                         hid_t lcpl, hvol_target *out, hry_error *err)
{
    hvol_found found;
    unsigned intermediate;
    *out = (hvol_target){0};
    HRY_TRY(read_lcpl(lcpl, &intermediate, &out->cset, err));
    if (intermediate)
        HRY_TRY(make_parents(here, path, out->cset, err));
    HRY_TRY(walk(here, path, flags, 0, &found, err));
    hry_status status = HRY_OK;
    if (found.link != NULL || found.group == NULL)
        status = HRY_FAIL(err, HRY_ERR_ARG, "name already exists: '%s'", path);
    else if ((out->name = strndup(found.name, found.name_length)) == NULL)
        status = HRY_NO_MEMORY(err, found.name_length);
    out->group = found.group;
    out->length = found.name_length;
    hvol_found_clear(&found);
    return status;
}

hry_status hvol_aim(const hvol_object *from, const H5VL_loc_params_t *loc, const char *name,
                    hid_t lcpl, hvol_target *out, hry_error *err)
{
    hvol_object here = {.file = from->file, .node = from->node};
    if (name == NULL)
        return aim_at(&here, loc->loc_data.loc_by_name.name, HVOL_NO_FOLLOW, lcpl, out,
                      err);
    HRY_TRY(hvol_resolve(from, loc, &here.node, err));
    return aim_at(&here, name, 0, lcpl, out, err);
}

void hvol_target_clear(hvol_target *target)
{
    free(target->name);
    target->name = NULL;
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
