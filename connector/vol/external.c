/* SPDX-License-Identifier: Apache-2.0 */
/*
 * external.c - files that links and mappings name. HDF5 looks for them in this order: an
 * absolute name as it is, afterwards its last component only; below each prefix of an
 * environment variable; below the prefix of a property list; beside the file that names it;
 * as it is; beside the real place of the file that names it, behind symbolic links.
 */
#define _XOPEN_SOURCE 700
#include "fail.h"
#include "vol.h"

#include <H5Lpublic.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char ORIGIN[] = "${ORIGIN}";

/* One search: where it looks from, and what it found. */
typedef struct search {
    const hvol_object *from;
    const hvol_beside *what;
    const char *name; /* what is left of the name: all, or its last component */
    hvol_file *file;
    hry_error err; /* of the first failure that found a file */
    bool broken;   /* there was such a failure */
} search;

static void try_file(search *s, const char *path)
{
    hry_error err;
    if (s->file != NULL)
        return;
    const hid_t fapl = s->what->fapl == H5P_DEFAULT ? s->from->file->fapl : s->what->fapl;
    const hry_status status = hvol_file_open(path, s->what->flags, fapl, &s->file, &err);
    if (status != HRY_OK) {
        s->file = NULL;
        if (!s->broken && status != HRY_ERR_IO) {
            s->err = err;
            s->broken = true;
        }
    }
}

/* Look for the name in a directory, given as its first `length` characters. */
static void try_in(search *s, const char *directory, size_t length)
{
    char path[PATH_MAX];
    const bool slash = length > 0 && directory[length - 1] != '/';
    const size_t name = strlen(s->name);
    if (length + slash + name + 1 > sizeof path)
        return;
    memcpy(path, directory, length);
    if (slash)
        path[length] = '/';
    memcpy(path + length + slash, s->name, name + 1);
    try_file(s, path);
}

/* The directory part of a path: its length, with the slash. */
static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* A prefix may begin with ${ORIGIN}: the directory of the file that names the other. */
static void try_prefix(search *s, const char *prefix, size_t length)
{
    char path[PATH_MAX];
    const char *own = s->from->file->path;
    const size_t origin = sizeof ORIGIN - 1, directory = directory_length(own);
    if (length == 0)
        return;
    if (length < origin || memcmp(prefix, ORIGIN, origin) != 0) {
        try_in(s, prefix, length);
        return;
    }
    if (directory + length - origin + 1 > sizeof path)
        return;
    memcpy(path, own, directory);
    memcpy(path + directory, prefix + origin, length - origin);
    try_in(s, path, directory + length - origin);
}

static void try_environment(search *s)
{
    const char *at = s->what->variable == NULL ? NULL : getenv(s->what->variable);
    while (at != NULL && *at != '\0') {
        const size_t length = strcspn(at, ":");
        try_prefix(s, at, length);
        at += length + (at[length] == ':');
    }
}

hry_status hvol_open_beside(const hvol_object *from, const hvol_beside *what,
                            hvol_file **out, hry_error *err)
{
    search s = {.from = from, .what = what, .name = what->name};
    const char *own = from->file->path;
    if (what->name[0] == '/') {
        try_file(&s, what->name);
        s.name = strrchr(what->name, '/') + 1;
    }
    try_environment(&s);
    if (what->prefix != NULL)
        try_prefix(&s, what->prefix, strlen(what->prefix));
    try_in(&s, own, directory_length(own));
    try_file(&s, s.name);
    char *real = s.file == NULL ? realpath(own, NULL) : NULL;
    if (real != NULL)
        try_in(&s, real, directory_length(real));
    free(real);
    *out = s.file;
    if (s.file != NULL)
        return HRY_OK;
    if (s.broken && err != NULL)
        *err = s.err;
    return s.broken
               ? s.err.code
               : HRY_FAIL(err, HRY_ERR_IO, "%s, named in %s: not found", what->name, own);
}

/* ---- external links ---- */

/* What a link access list says about files behind links; owned by it. */
typedef struct link_access {
    char prefix[PATH_MAX];
    unsigned flags; /* H5F_ACC_DEFAULT: as the file with the link */
    hid_t fapl;     /* owned when > 0 */
    H5L_elink_traverse_t callback;
    void *callback_data;
} link_access;

static hry_status read_lapl(hid_t lapl, link_access *a, hry_error *err)
{
    *a = (link_access){.flags = H5F_ACC_DEFAULT};
    if (lapl <= 0 || lapl == H5P_LINK_ACCESS_DEFAULT)
        return HRY_OK;
    if (H5Pget_elink_prefix(lapl, a->prefix, sizeof a->prefix) < 0 ||
        H5Pget_elink_acc_flags(lapl, &a->flags) < 0 ||
        H5Pget_elink_cb(lapl, &a->callback, &a->callback_data) < 0 ||
        (a->fapl = H5Pget_elink_fapl(lapl)) < 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "link access property list cannot be read");
    return HRY_OK;
}

/* HDF5 lets the program look at, and change, how the file is going to be opened. */
static hry_status ask_program(const hvol_spot *spot, link_access *a, const char *file,
                              const char *object, hry_error *err)
{
    char group[PATH_MAX] = "";
    if (a->callback == NULL)
        return HRY_OK;
    hvol_node_path(spot->in.file->tree, spot->found.group, group, sizeof group);
    const hid_t fapl = a->fapl > 0 ? a->fapl : spot->in.file->fapl;
    if (a->callback(spot->in.file->path, group, file, object, &a->flags, fapl,
                    a->callback_data) < 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "the program refuses the external link to %s",
                        file);
    return HRY_OK;
}

static hry_status open_target(const hvol_spot *spot, hid_t lapl, const char *file,
                              const char *object, hvol_spot *out, hry_error *err)
{
    link_access a;
    HRY_TRY(read_lapl(lapl, &a, err));
    hry_status status = ask_program(spot, &a, file, object, err);
    if (a.flags == H5F_ACC_DEFAULT)
        a.flags = spot->in.writable ? H5F_ACC_RDWR : H5F_ACC_RDONLY;
    const hvol_beside what = {.name = file,
                              .prefix = a.prefix[0] == '\0' ? NULL : a.prefix,
                              .variable = "HDF5_EXT_PREFIX",
                              .flags = a.flags,
                              .fapl = a.fapl > 0 ? a.fapl : H5P_DEFAULT};
    hvol_file *opened = NULL;
    if (status == HRY_OK)
        status = hvol_open_beside(&spot->in, &what, &opened, err);
    if (a.fapl > 0)
        H5Pclose(a.fapl);
    if (status != HRY_OK)
        return status;
    *out = (hvol_spot){.in = {.what = HVOL_AN_OBJECT,
                              .writable = (a.flags & H5F_ACC_RDWR) != 0,
                              .file = opened,
                              .node = opened->tree->root,
                              .opening = hvol_new_opening()},
                       .entered = true};
    return HRY_OK;
}

/* The link's path in the other file, then what followed the link in the path here. */
static char *join(const char *object, const char *rest)
{
    const size_t size = strlen(object) + strlen(rest) + 2;
    char *path = malloc(size);
    if (path == NULL)
        return NULL;
    memcpy(path, object, strlen(object));
    path[strlen(object)] = '/';
    memcpy(path + strlen(object) + 1, rest, strlen(rest) + 1);
    return path;
}

hry_status hvol_follow_external(hvol_spot *spot, unsigned flags, hid_t lapl,
                                unsigned *links_left, hry_error *err)
{
    const hvol_link *link = spot->found.link;
    const char *file, *object;
    hvol_spot next;
    if (link->kind != HVOL_LINK_EXTERNAL)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "user-defined link '%s' of class %u: HDF5 gives connectors no way "
                        "to follow it",
                        link->named.name, link->kind);
    if ((*links_left)-- == 0)
        return HRY_FAIL(err, HRY_ERR_RANGE, "too many links at '%s'", link->named.name);
    if (H5Lunpack_elink_val(link->value, link->value_size, NULL, &file, &object) < 0)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "external link '%s' has no readable value",
                        link->named.name);
    HRY_TRY(open_target(spot, lapl, file, object, &next, err));
    char *path = join(object, spot->found.rest);
    hry_status status = path == NULL ? HRY_NO_MEMORY(err, strlen(object)) : HRY_OK;
    if (status == HRY_OK)
        status = hvol_walk(next.in.file->tree, next.in.node, path, flags, links_left,
                           &next.found, err);
    if (status != HRY_OK) {
        free(path);
        hvol_spot_clear(&next);
        return status;
    }
    if (next.found.buffer == NULL)
        next.found.buffer = path; /* its name points into it */
    else
        free(path);
    hvol_spot_clear(spot);
    *spot = next;
    return HRY_OK;
}
