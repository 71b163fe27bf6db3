/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vol.h - shared by the connector's callbacks: open files, handles, errors, locations.
 * vol_class.c lists the callbacks; each file defines those of one HDF5 interface.
 */
#ifndef HVOL_VOL_H
#define HVOL_VOL_H

#include "h5/h5.h"
#include "options.h"

#include <hdf5.h>

#include <H5VLconnector.h>
#include <H5VLconnector_passthru.h>

/* ---- open files (container.c) ---- */

/* A container open in this process, however many times. */
typedef struct hvol_file {
    hvol_tree *tree;
    uint64_t refs; /* handles on it and on anything in it */
    uint64_t device, inode;
    bool minimal_headers, atomic; /* what the program asked for; no effect */
    unsigned long number;         /* HDF5's fileno */
    bool writable;
    char *path;                  /* as first opened; owned */
    hid_t fapl;                  /* as first opened; owned */
    struct hvol_mounted *mounts; /* files in the place of groups of this one; owned */
    struct hvol_file *parent;    /* the file this one is mounted in, or NULL */
    struct hvol_object *self;    /* what stored datatypes take for their file; owned */
    struct hvol_file *next;
} hvol_file;

/* Open or create `path`; the result has a reference for the caller. `flags` are H5F_ACC_.
 */
hry_status hvol_file_create(const char *path, unsigned flags, hid_t fcpl, hid_t fapl,
                            hvol_file **out, hry_error *err);
hry_status hvol_file_open(const char *path, unsigned flags, hid_t fapl, hvol_file **out,
                          hry_error *err);
/* Write what changed. Nothing to do for a file opened read-only. */
hry_status hvol_file_commit(hvol_file *file, hry_error *err);
/* All open ones, for H5atclose(): while HDF5 can still filter and convert. */
void hvol_file_commit_all(void *ctx);
/* One reference less; the last one commits and closes. */
hry_status hvol_file_release(hvol_file *file, hry_error *err);

/* ---- handles (object.c) ---- */

typedef enum hvol_what { HVOL_A_FILE = 1, HVOL_AN_OBJECT, HVOL_AN_ATTR } hvol_what;

/* What HDF5 holds for an identifier. */
typedef struct hvol_object {
    /* HDF5 1.14 looks for bounds of format versions in the file of a region reference as if
     * it were a native one: in a structure behind its third pointer. It finds zeros. */
    const void *native_look[3];
    hvol_what what;
    bool writable;    /* the file was opened for writing by this way */
    hvol_file *file;  /* counted */
    hvol_node *node;  /* counted; the root of a file; NULL for an attribute */
    hvol_attr *attr;  /* counted; only for an attribute */
    char *path;       /* files: the name it was opened by; owned */
    uint64_t opening; /* which H5Fopen it came from: unique in the process */
    hid_t access;     /* access property list that is not the default; owned, or 0 */
} hvol_object;

/* A handle on `node`, whose file is `from`'s; NULL and *err when there is no memory. */
hvol_object *hvol_object_new(const hvol_object *from, hvol_node *node, hry_error *err);
/* The same for a program that opens the object: its data get a place where several
 * processes must agree on it, so collective where the file is. */
hry_status hvol_object_open(const hvol_object *from, hvol_node *node, hvol_object **out,
                            hry_error *err);
/* A handle on an attribute that is open once for it already. */
hvol_object *hvol_object_of_attr(const hvol_object *from, hvol_attr *attr, hry_error *err);
hry_status hvol_object_close(hvol_object *object, hry_error *err);
/* A number for one more way that a file is opened. */
uint64_t hvol_new_opening(void);

/* HDF5's kind of identifier for a node. */
H5I_type_t hvol_id_type(const hvol_node *node);
/* A new identifier for a new handle on `node`, for HDF5's callbacks; < 0 on failure. */
hid_t hvol_register(const hvol_object *from, hvol_node *node, hry_error *err);

/* ---- identifiers of the program (ids.c) ---- */

/* A search for open identifiers of one file: how many, and the first `max` of them. */
typedef struct hvol_id_search {
    const hvol_file *file;
    uint64_t opening; /* only what came from this H5Fopen; 0: from any */
    H5I_type_t type;  /* that is searched right now */
    size_t count, max;
    hid_t *ids; /* NULL: only count */
} hvol_id_search;

/* `types` are H5F_OBJ_; zero `count` first. */
void hvol_find_ids(hvol_id_search *search, unsigned types);
/* Close every object that was opened by way of this file handle. */
void hvol_close_ids(const hvol_object *file);

/* HRY_ERR_ARG when the file was opened read-only. */
hry_status hvol_require_writable(const hvol_object *object, hry_error *err);

/* ---- locations (loc.c, aim.c, external.c) ---- */

/*
 * Where a location leads: to found.node or found.link in the file of `in`, which an
 * external link may make another file than the one it was seen from. `in` is an object of
 * that file for callers to go on from, not counted; in.node is found.node.
 */
typedef struct hvol_spot {
    hvol_object in;
    hvol_found found;
    bool entered; /* in.file was opened for this */
} hvol_spot;

/* HDF5 hands on access property lists unchecked: HRY_ERR_ARG for an invalid one. */
hry_status hvol_check_access(hid_t list, hry_error *err);

/* Where `loc` points, seen from `from`; nothing may be there. With HVOL_NO_FOLLOW a link
 * itself is meant. The caller ends it with hvol_spot_clear(). */
hry_status hvol_locate(const hvol_object *from, const H5VL_loc_params_t *loc,
                       unsigned flags, hvol_spot *out, hry_error *err);
void hvol_spot_clear(hvol_spot *spot);

/* The same for an object: HRY_ERR_NOTFOUND when there is none. */
hry_status hvol_resolve(const hvol_object *from, const H5VL_loc_params_t *loc,
                        hvol_spot *out, hry_error *err);
/* The object at `name` seen from the object at `loc`. */
hry_status hvol_resolve_name(const hvol_object *from, const H5VL_loc_params_t *loc,
                             const char *name, hid_t lapl, hvol_spot *out, hry_error *err);
/* The link at `loc`: HRY_ERR_NOTFOUND when there is none. */
hry_status hvol_resolve_link(const hvol_object *from, const H5VL_loc_params_t *loc,
                             hvol_spot *out, hry_error *err);
/* `path` seen from the object `from`. */
hry_status hvol_follow_path(const hvol_object *from, const char *path, unsigned flags,
                            hid_t lapl, hvol_spot *out, hry_error *err);

/* Where a new link is to be: in spot.found.group, in the file of spot.in. */
typedef struct hvol_target {
    hvol_spot spot;
    hvol_node *group;
    char *name; /* owned: hvol_target_clear() */
    size_t length;
    uint8_t cset;
} hvol_target;

/* Find the group for a new link `name` (NULL: the location's own name), and make those
 * missing on the way if the link creation list says so. HRY_ERR_ARG when it exists. */
hry_status hvol_aim(const hvol_object *from, const H5VL_loc_params_t *loc, const char *name,
                    hid_t lcpl, hvol_target *out, hry_error *err);
void hvol_target_clear(hvol_target *target);

/* Open the file that a link or a mapping in `from`'s file names, looking where HDF5 looks:
 * see external.c. *out has a reference for the caller. */
typedef struct hvol_beside {
    const char *name, *prefix, *variable; /* file, property's prefix or NULL, environment */
    unsigned flags;                       /* H5F_ACC_ */
    hid_t fapl;                           /* H5P_DEFAULT: as `from`'s file was opened */
} hvol_beside;
hry_status hvol_open_beside(const hvol_object *from, const hvol_beside *what,
                            hvol_file **out, hry_error *err);

/* ---- mounts (mount.c) ---- */

/* Put `child`'s root in the place of the group `name` seen from `from`. */
hry_status hvol_mount(const hvol_object *from, const char *name, const hvol_object *child,
                      hry_error *err);
/* `name` leads to the root of a mounted file. */
hry_status hvol_unmount(const hvol_object *from, const char *name, hry_error *err);
void hvol_unmount_all(hvol_file *file);
/* Go on in the file mounted where spot->found stopped. */
hry_status hvol_follow_mount(hvol_spot *spot, unsigned flags, unsigned *links_left,
                             hry_error *err);

/* Go on behind the external link that spot->found stopped at. */
hry_status hvol_follow_external(hvol_spot *spot, unsigned flags, hid_t lapl,
                                unsigned *links_left, hry_error *err);

/* Does this group keep its links' (its attributes') creation order? */
bool hvol_tracks_links(const hvol_file *file, const hvol_node *node);
bool hvol_tracks_attrs(const hvol_file *file, const hvol_node *node);

/* ---- errors (vol_error.c) ---- */

/* Put `err` on HDF5's error stack and yield `ret`, so that failing is one statement. */
#define HVOL_FAIL(ret, major, minor, err)                                                  \
    (hvol_push(__FILE__, __func__, __LINE__, (major), (minor), (err)), (ret))

void hvol_push(const char *file, const char *func, unsigned line, hid_t major, hid_t minor,
               const hry_error *err);
/* Pushes "<func>: <what> <op> is not supported by the hurray connector", returns -1. */
herr_t hvol_unsupported(const char *func, const char *what, int op);

herr_t hvol_error_init(void);
void hvol_error_term(void);

/* ---- the connector itself (vol_class.c) ---- */

#define HVOL_NAME "hurray"
extern const H5VL_class_t hvol_class;

/* Is `id` an identifier of an object of this connector, nothing stacked on it? */
bool hvol_is_ours(hid_t id);

/* ---- callbacks ---- */

void *hvol_file_cb_create(const char *, unsigned, hid_t, hid_t, hid_t, void **);
void *hvol_file_cb_open(const char *, unsigned, hid_t, hid_t, void **);
herr_t hvol_file_cb_get(void *, H5VL_file_get_args_t *, hid_t, void **);
herr_t hvol_file_cb_specific(void *, H5VL_file_specific_args_t *, hid_t, void **);
herr_t hvol_file_cb_close(void *, hid_t, void **);

herr_t hvol_file_cb_optional(void *, H5VL_optional_args_t *, hid_t, void **);
herr_t hvol_group_cb_optional(void *, H5VL_optional_args_t *, hid_t, void **);
herr_t hvol_dataset_cb_optional(void *, H5VL_optional_args_t *, hid_t, void **);
herr_t hvol_attr_cb_optional(void *, H5VL_optional_args_t *, hid_t, void **);

void *hvol_group_cb_create(void *, const H5VL_loc_params_t *, const char *, hid_t, hid_t,
                           hid_t, hid_t, void **);
void *hvol_group_cb_open(void *, const H5VL_loc_params_t *, const char *, hid_t, hid_t,
                         void **);
herr_t hvol_group_cb_get(void *, H5VL_group_get_args_t *, hid_t, void **);
herr_t hvol_group_cb_specific(void *, H5VL_group_specific_args_t *, hid_t, void **);

void *hvol_dataset_cb_create(void *, const H5VL_loc_params_t *, const char *, hid_t, hid_t,
                             hid_t, hid_t, hid_t, hid_t, void **);
void *hvol_dataset_cb_open(void *, const H5VL_loc_params_t *, const char *, hid_t, hid_t,
                           void **);
herr_t hvol_dataset_cb_read(size_t, void *[], hid_t[], hid_t[], hid_t[], hid_t, void *[],
                            void **);
herr_t hvol_dataset_cb_write(size_t, void *[], hid_t[], hid_t[], hid_t[], hid_t,
                             const void *[], void **);
herr_t hvol_dataset_cb_get(void *, H5VL_dataset_get_args_t *, hid_t, void **);
herr_t hvol_dataset_cb_specific(void *, H5VL_dataset_specific_args_t *, hid_t, void **);

void *hvol_type_cb_commit(void *, const H5VL_loc_params_t *, const char *, hid_t, hid_t,
                          hid_t, hid_t, hid_t, void **);
void *hvol_type_cb_open(void *, const H5VL_loc_params_t *, const char *, hid_t, hid_t,
                        void **);
herr_t hvol_type_cb_get(void *, H5VL_datatype_get_args_t *, hid_t, void **);
herr_t hvol_type_cb_specific(void *, H5VL_datatype_specific_args_t *, hid_t, void **);

void *hvol_attr_cb_create(void *, const H5VL_loc_params_t *, const char *, hid_t, hid_t,
                          hid_t, hid_t, hid_t, void **);
void *hvol_attr_cb_open(void *, const H5VL_loc_params_t *, const char *, hid_t, hid_t,
                        void **);
herr_t hvol_attr_cb_read(void *, hid_t, void *, hid_t, void **);
herr_t hvol_attr_cb_write(void *, hid_t, const void *, hid_t, void **);
herr_t hvol_attr_cb_get(void *, H5VL_attr_get_args_t *, hid_t, void **);
herr_t hvol_attr_cb_specific(void *, const H5VL_loc_params_t *, H5VL_attr_specific_args_t *,
                             hid_t, void **);

herr_t hvol_link_cb_create(H5VL_link_create_args_t *, void *, const H5VL_loc_params_t *,
                           hid_t, hid_t, hid_t, void **);
herr_t hvol_link_cb_copy(void *, const H5VL_loc_params_t *, void *,
                         const H5VL_loc_params_t *, hid_t, hid_t, hid_t, void **);
herr_t hvol_link_cb_move(void *, const H5VL_loc_params_t *, void *,
                         const H5VL_loc_params_t *, hid_t, hid_t, hid_t, void **);
herr_t hvol_link_cb_get(void *, const H5VL_loc_params_t *, H5VL_link_get_args_t *, hid_t,
                        void **);
herr_t hvol_link_cb_specific(void *, const H5VL_loc_params_t *, H5VL_link_specific_args_t *,
                             hid_t, void **);

void *hvol_object_cb_open(void *, const H5VL_loc_params_t *, H5I_type_t *, hid_t, void **);
herr_t hvol_object_cb_copy(void *, const H5VL_loc_params_t *, const char *, void *,
                           const H5VL_loc_params_t *, const char *, hid_t, hid_t, hid_t,
                           void **);
herr_t hvol_object_cb_get(void *, const H5VL_loc_params_t *, H5VL_object_get_args_t *,
                          hid_t, void **);
herr_t hvol_object_cb_specific(void *, const H5VL_loc_params_t *,
                               H5VL_object_specific_args_t *, hid_t, void **);
herr_t hvol_object_cb_optional(void *, const H5VL_loc_params_t *, H5VL_optional_args_t *,
                               hid_t, void **);
/* Of groups, datasets, committed types and attributes alike. */
herr_t hvol_cb_close(void *, hid_t, void **);

enum { HVOL_BLOB_ID = 12 }; /* BYTES of an identifier */
herr_t hvol_blob_cb_put(void *, const void *, size_t, void *, void *);
herr_t hvol_blob_cb_get(void *, const void *, void *, size_t, void *);
herr_t hvol_blob_cb_specific(void *, void *, H5VL_blob_specific_args_t *);

herr_t hvol_token_cb_cmp(void *, const H5O_token_t *, const H5O_token_t *, int *);
herr_t hvol_token_cb_to_str(void *, H5I_type_t, const H5O_token_t *, char **);
herr_t hvol_token_cb_from_str(void *, H5I_type_t, const char *, H5O_token_t *);
H5O_token_t hvol_token_of(const hvol_node *node);

/* Fill an H5O_info2_t as `fields` (H5O_INFO_) ask. */
void hvol_object_info(const hvol_file *file, hvol_node *node, unsigned fields,
                      H5O_info2_t *out);
/* Fill an H5L_info2_t. */
void hvol_link_info(const hvol_file *file, const hvol_link *link, H5L_info2_t *out);

/* What H5Oget_info of an open attribute iteration reports. */
void hvol_attr_info(const hvol_file *file, const hvol_attr *attr, H5A_info_t *out);

#endif
