/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container.c - containers open in this process. Opening a file twice gives the same
 * container, so that what is written through one identifier is seen through the other;
 * the list of open ones is this connector's only mutable global besides its registration.
 */
#include "container.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static hvol_file *open_files;
static unsigned long last_number;

static hvol_file *find_open(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return NULL;
    for (hvol_file *f = open_files; f != NULL; f = f->next)
        if (f->inode == (uint64_t)st.st_ino && f->device == (uint64_t)st.st_dev)
            return f;
    return NULL;
}

/* The options in the FAPL, or the defaults when it names none. */
static hvol_options options_of(hid_t fapl)
{
    hvol_options options = hvol_options_default();
    void *info = NULL;
    if (H5Pget_vol_info(fapl, &info) >= 0 && info != NULL) {
        options = *(hvol_options *)info;
        free(info);
    }
    return options;
}

/* As large as the structure in which HDF5 looks for versions; see hvol_object. */
static const unsigned char no_bounds[8192];

static hry_status new_file(const char *path, hvol_tree *tree, bool writable, hid_t fapl,
                           hvol_file **out, hry_error *err)
{
    struct stat st;
    hvol_file *file = calloc(1, sizeof *file);
    hvol_object *self = calloc(1, sizeof *self);
    char *copy = strdup(path);
    if (file == NULL || self == NULL || copy == NULL || stat(path, &st) != 0) {
        free(file);
        free(self);
        free(copy);
        hvol_tree_free(tree);
        return HRY_FAIL(err, HRY_ERR_IO, "%s: vanished while being opened", path);
    }
    tree->blobs.release = hvol_handle_release;
    tree->blobs.owner = self;
    *file = (hvol_file){.tree = tree,
                        .refs = 1,
                        .device = (uint64_t)st.st_dev,
                        .inode = (uint64_t)st.st_ino,
                        .number = ++last_number,
                        .writable = writable,
                        .path = copy,
                        .self = self,
                        .fapl = H5Pcopy(fapl),
                        .next = open_files};
    *self = (hvol_object){.native_look[2] = no_bounds,
                          .what = HVOL_A_FILE,
                          .writable = writable,
                          .file = file,
                          .node = tree->root};
    open_files = file;
    *out = file;
    return HRY_OK;
}

static hry_status check_create(const char *path, unsigned flags, hry_error *err)
{
    if ((flags & H5F_ACC_SWMR_WRITE) != 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "%s: SWMR access is not supported", path);
    if (find_open(path) != NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "%s: is open already and cannot be created",
                        path);
    return HRY_OK;
}

hry_status hvol_file_create(const char *path, unsigned flags, hid_t fcpl, hid_t fapl,
                            hvol_file **out, hry_error *err)
{
    const hvol_options options = options_of(fapl);
    const bool truncate = (flags & H5F_ACC_TRUNC) != 0;
    hvol_medium medium;
    hvol_store *store;
    hvol_tree *tree;
    HRY_TRY(check_create(path, flags, err));
    HRY_TRY(hvol_medium_open(path,
                             HRY_IO_WRITE | HRY_IO_CREATE |
                                 (truncate ? HRY_IO_TRUNCATE : HRY_IO_EXCLUSIVE),
                             fapl, &options, &medium, err));
    HRY_TRY(hvol_store_new(medium.io, options.signature, &store, err));
    hvol_medium_attach(&medium, store);
    HRY_TRY(hvol_tree_new(store, &tree, err));
    hry_status status = hvol_guard_begin(store, err);
    if (status == HRY_OK)
        status =
            hvol_plist_intern(tree, fcpl, H5P_FILE_CREATE_DEFAULT, &tree->file_plist, err);
    if (status != HRY_OK) {
        hvol_tree_free(tree);
        return status;
    }
    return new_file(path, tree, true, fapl, out, err);
}

static hry_status reopen(hvol_file *file, const char *path, bool writable, hvol_file **out,
                         hry_error *err)
{
    if (writable && !file->writable)
        return HRY_FAIL(err, HRY_ERR_ARG, "%s: is open read-only already", path);
    file->refs++;
    *out = file;
    return HRY_OK;
}

hry_status hvol_file_open(const char *path, unsigned flags, hid_t fapl, hvol_file **out,
                          hry_error *err)
{
    const hvol_options options = options_of(fapl);
    const bool writable = (flags & H5F_ACC_RDWR) != 0;
    hvol_medium medium;
    hvol_store *store;
    hvol_tree *tree;
    if ((flags & (H5F_ACC_SWMR_WRITE | H5F_ACC_SWMR_READ)) != 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "%s: SWMR access is not supported", path);
    hvol_file *already = find_open(path);
    if (already != NULL)
        return reopen(already, path, writable, out, err);
    HRY_TRY(hvol_medium_open(path, writable ? HRY_IO_WRITE : HRY_IO_READ, fapl, &options,
                             &medium, err));
    HRY_TRY(hvol_store_open(medium.io, writable, &store, err));
    hvol_medium_attach(&medium, store);
    HRY_TRY(hvol_tree_load(store, &tree, err));
    return new_file(path, tree, writable, fapl, out, err);
}

hry_status hvol_file_commit(hvol_file *file, hry_error *err)
{
    hvol_store *store = file->tree->store;
    if (!file->writable)
        return HRY_OK;
    if (!hvol_store_any(store, file->tree->dirty))
        return HRY_OK;
    return hvol_tree_commit(file->tree, err);
}

void hvol_file_commit_all(void *ctx)
{
    (void)ctx;
    for (hvol_file *file = open_files; file != NULL; file = file->next)
        hvol_file_commit(file, NULL);
}

hry_status hvol_file_release(hvol_file *file, hry_error *err)
{
    if (--file->refs > 0)
        return HRY_OK;
    hvol_unmount_all(file);
    hry_status status = hvol_file_commit(file, err);
    if (status == HRY_OK)
        status = hvol_store_end(file->tree->store, err);
    hvol_file **at = &open_files;
    while (*at != file)
        at = &(*at)->next;
    *at = file->next;
    hvol_tree_free(file->tree);
    hvol_close_id(file->fapl);
    free(file->self);
    free(file->path);
    free(file);
    return status;
}
