/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mount.c - files in the place of groups. A mounted file stays open until it is unmounted
 * or the file it is mounted in is closed; absolute paths begin at the top of the hierarchy.
 */
#include "fail.h"
#include "vol.h"

#include <stdlib.h>
#include <string.h>

typedef struct hvol_mounted {
    hvol_node *point; /* retained */
    hvol_file *child; /* counted */
    bool writable;    /* the child was opened for writing */
    struct hvol_mounted *next;
} hvol_mounted;

/* Would mounting `child` in `file` make a file its own ancestor? */
static bool makes_a_cycle(const hvol_file *file, const hvol_file *child)
{
    for (; file != NULL; file = file->parent)
        if (file == child)
            return true;
    return false;
}

static hry_status add_mount(const hvol_spot *spot, const hvol_object *child, hry_error *err)
{
    if (spot->in.node->kind != HVOL_GROUP)
        return HRY_FAIL(err, HRY_ERR_ARG, "a file can be mounted on groups only");
    if (child->file->parent != NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "%s: is mounted already", child->file->path);
    if (makes_a_cycle(spot->in.file, child->file) ||
        spot->in.node == spot->in.file->tree->root)
        return HRY_FAIL(err, HRY_ERR_ARG, "%s: cannot be mounted there", child->file->path);
    hvol_mounted *m = malloc(sizeof *m);
    if (m == NULL)
        return HRY_NO_MEMORY(err, sizeof *m);
    *m = (hvol_mounted){.point = spot->in.node,
                        .child = child->file,
                        .writable = child->writable,
                        .next = spot->in.file->mounts};
    hvol_node_retain(m->point);
    m->point->mounted = true;
    m->child->refs++;
    m->child->parent = spot->in.file;
    spot->in.file->mounts = m;
    return HRY_OK;
}

hry_status hvol_mount(const hvol_object *from, const char *name, const hvol_object *child,
                      hry_error *err)
{
    hvol_spot spot;
    const H5VL_loc_params_t self = {.type = H5VL_OBJECT_BY_SELF};
    HRY_TRY(hvol_resolve_name(from, &self, name, 0, &spot, err));
    const hry_status status = add_mount(&spot, child, err);
    hvol_spot_clear(&spot);
    return status;
}

static hry_status end_mount(hvol_file *parent, hvol_mounted *m, hry_error *err)
{
    m->point->mounted = false;
    m->child->parent = NULL;
    hvol_node_release(parent->tree, m->point);
    const hry_status status = hvol_file_release(m->child, err);
    free(m);
    return status;
}

hry_status hvol_unmount(const hvol_object *from, const char *name, hry_error *err)
{
    hvol_spot spot;
    const H5VL_loc_params_t self = {.type = H5VL_OBJECT_BY_SELF};
    HRY_TRY(hvol_resolve_name(from, &self, name, 0, &spot, err));
    hvol_file *child = spot.in.file, *parent = child->parent;
    const bool is_root = spot.in.node == child->tree->root;
    hvol_spot_clear(&spot);
    if (parent == NULL || !is_root)
        return HRY_FAIL(err, HRY_ERR_ARG, "'%s' is not a mount point", name);
    hvol_mounted **at = &parent->mounts;
    while ((*at)->child != child)
        at = &(*at)->next;
    hvol_mounted *m = *at;
    *at = m->next;
    return end_mount(parent, m, err);
}

void hvol_unmount_all(hvol_file *file)
{
    while (file->mounts != NULL) {
        hvol_mounted *m = file->mounts;
        file->mounts = m->next;
        end_mount(file, m, NULL);
    }
}

hry_status hvol_follow_mount(hvol_spot *spot, unsigned flags, unsigned *links_left,
                             hry_error *err)
{
    const hvol_mounted *m = spot->in.file->mounts;
    while (m != NULL && m->point != spot->found.node)
        m = m->next;
    if (m == NULL)
        return HRY_FAIL(err, HRY_ERR_NOTFOUND, "nothing is mounted there");
    hvol_spot next = {.in = {.what = HVOL_AN_OBJECT,
                             .writable = m->writable,
                             .file = m->child,
                             .node = m->child->tree->root,
                             .opening = hvol_new_opening()},
                      .entered = true};
    m->child->refs++;
    char *rest = strdup(spot->found.rest);
    hry_status status =
        rest == NULL ? HRY_NO_MEMORY(err, strlen(spot->found.rest)) : HRY_OK;
    const char *path = rest == NULL ? NULL : rest + strspn(rest, "/");
    if (status == HRY_OK)
        status = hvol_walk(next.in.file->tree, next.in.node, path, flags, links_left,
                           &next.found, err);
    if (status != HRY_OK || next.found.buffer != NULL)
        free(rest);
    else
        next.found.buffer = rest; /* its name points into it */
    if (status != HRY_OK) {
        hvol_spot_clear(&next);
        return status;
    }
    hvol_spot_clear(spot);
    *spot = next;
    return HRY_OK;
}
