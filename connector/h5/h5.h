/* SPDX-License-Identifier: Apache-2.0 */
/*
 * h5.h - HDF5's identifiers in the tree's terms and back: datatypes, dataspaces, property
 * lists. The only place that calls H5T, H5S and H5P.
 */
#ifndef HVOL_H5_H
#define HVOL_H5_H

#include "tree/tree.h"

#include <hdf5.h>
#include <stdbool.h>

/* Close an identifier kept since an earlier call; at the program's end HDF5 may have closed
 * it before us. 0 and invalid ones are allowed. */
void hvol_close_id(hid_t id);

/* ---- datatypes (type.c) ---- */

/* What an encoded datatype means; made once per blob, owned by it. */
typedef struct hvol_type {
    hid_t kept;   /* as the program made it, where a copy in the file is the same */
    hid_t stored; /* the form its elements have in the file, little-endian */
    hvol_element element;
    bool needs_background; /* converting keeps parts of what is there: compounds */
    bool is_sequence;      /* of variable length, at the top */
    bool needs_heap;       /* parts of its values lie in a heap */
    bool old_references;   /* see hvol_without_old_references() */
} hvol_type;

/* The blob of `type`. */
hry_status hvol_type_intern(hvol_tree *tree, hid_t type, hvol_blob **out, hry_error *err);

/* The meaning of a blob made by hvol_type_intern(); borrowed from it. */
hry_status hvol_type_of(hvol_blob *blob, const hvol_type **out, hry_error *err);

/* A new id of the datatype as the program made it, the caller's. */
hry_status hvol_type_copy(hvol_blob *blob, hid_t *out, hry_error *err);

/* A heap for values of that type, empty. */
hry_status hvol_type_heap(const hvol_type *type, hvol_heap **out, hry_error *err);

/* A new id of the same type in memory as HDF5 is to convert it; < 0 on failure. */
hid_t hvol_without_old_references(hid_t type);
/* A copy whose parts are all in memory's form: H5Tdecode() leaves the base of a
 * variable-length type in neither, so that it equals no other type. */
hid_t hvol_in_memory(hid_t type);

/* The blob of a plain tensor's element type, for a dataset that has none yet. */
hry_status hvol_type_of_plain(hvol_tree *tree, hvol_dataset *dataset, hry_error *err);

/* Frees what a blob's handle holds: for hvol_blobs.release. */
void hvol_handle_release(int64_t handle);

/* ---- dataspaces (space.c) ---- */

hry_status hvol_space_from(hid_t space, hvol_space *out, hry_error *err);
/* A new dataspace id, the caller's. */
hry_status hvol_space_to(const hvol_space *space, hid_t *out, hry_error *err);

/* ---- property lists (plist.c) ---- */

/* The blob of a property list, NULL when it is equal to `defaults`. */
hry_status hvol_plist_intern(hvol_tree *tree, hid_t plist, hid_t defaults, hvol_blob **out,
                             hry_error *err);
/* A new property list id, the caller's: of the blob, or of `defaults` when it is NULL. */
hry_status hvol_plist_to(hvol_blob *blob, hid_t defaults, hid_t *out, hry_error *err);

/* The blob of a list without its fill value: one with parts that lie elsewhere cannot be
 * encoded. hvol_plist_put_fill() puts it back. */
hry_status hvol_plist_without_fill(hvol_tree *tree, hid_t dcpl, hvol_blob **out,
                                   hry_error *err);
hry_status hvol_plist_put_fill(hvol_tree *tree, hvol_dataset *dataset, hid_t dcpl,
                               hry_error *err);

/* One element of a creation list's fill value in stored form; *out NULL: zeros. */
hry_status hvol_plist_fill(hvol_tree *tree, hid_t dcpl, const hvol_type *type,
                           hvol_dataset *dataset, hry_error *err);

#endif
