/* SPDX-License-Identifier: Apache-2.0 */
/* aim.c - where a new link is to be. */
#include "fail.h"
#include "vol.h"

#include <stdlib.h>
#include <string.h>

static hry_status make_group(const hvol_spot *spot, uint8_t cset, hry_error *err)
{
    hvol_tree *tree = spot->in.file->tree;
    const hvol_found *at = &spot->found;
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
        hvol_spot spot;
        if (path[i] != '/' || path[i - 1] == '/')
            continue;
        prefix[i] = '\0';
        status = hvol_follow_path(here, prefix, 0, 0, &spot, err);
        if (status == HRY_OK && spot.found.node == NULL)
            status = make_group(&spot, cset, err);
        if (status == HRY_OK)
            hvol_spot_clear(&spot);
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
    HRY_TRY(hvol_check_access(lcpl, err)); /* a creation list, and checked as little */
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
    unsigned intermediate;
    HRY_TRY(read_lcpl(lcpl, &intermediate, &out->cset, err));
    if (intermediate)
        HRY_TRY(make_parents(here, path, out->cset, err));
    HRY_TRY(hvol_follow_path(here, path, flags, 0, &out->spot, err));
    const hvol_found *found = &out->spot.found;
    if (found->link != NULL || found->group == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "name already exists: '%s'", path);
    if ((out->name = strndup(found->name, found->name_length)) == NULL)
        return HRY_NO_MEMORY(err, found->name_length);
    out->group = found->group;
    out->length = found->name_length;
    return HRY_OK;
}

hry_status hvol_aim(const hvol_object *from, const H5VL_loc_params_t *loc, const char *name,
                    hid_t lcpl, hvol_target *out, hry_error *err)
{
    hvol_spot start = {0};
    *out = (hvol_target){0};
    if (name == NULL)
        return aim_at(from, loc->loc_data.loc_by_name.name, HVOL_NO_FOLLOW, lcpl, out, err);
    HRY_TRY(hvol_resolve(from, loc, &start, err));
    const hry_status status = aim_at(&start.in, name, 0, lcpl, out, err);
    if (status == HRY_OK && start.entered && !out->spot.entered) {
        out->spot.entered = true;
        out->spot.in.file->refs++;
    }
    hvol_spot_clear(&start);
    return status;
}

void hvol_target_clear(hvol_target *target)
{
    free(target->name);
    hvol_spot_clear(&target->spot);
    *target = (hvol_target){0};
}
