/* SPDX-License-Identifier: Apache-2.0 */
/* handle.h - the decoded form that a blob carries: a datatype or a property list. */
#ifndef HVOL_HANDLE_H
#define HVOL_HANDLE_H

#include "h5.h"

typedef enum hvol_handle_kind { HVOL_HANDLE_TYPE = 1, HVOL_HANDLE_PLIST } hvol_handle_kind;

typedef struct hvol_handle {
    hvol_handle_kind kind;
    hvol_type type;
    hid_t plist;
} hvol_handle;

/* The blob's handle, empty at first. HRY_ERR_CORRUPT when it is of the other kind. */
hry_status hvol_handle_of(hvol_blob *blob, hvol_handle_kind kind, hvol_handle **out,
                          hry_error *err);

/* A new id of `type` as it is in `file`. Identifiers that are kept are made by this: HDF5
 * does not count them as the program's. */
hid_t hvol_type_in_file(hid_t type, void *file);

/* A new id of the form in which elements of `type` lie in `file`, which is what HDF5 shall
 * take for the file's object; < 0 on failure. */
hid_t hvol_stored_form(hid_t type, void *file);

/* Is there anything in `type` whose values lie outside the elements: sequences and strings
 * of variable length, references? */
bool hvol_needs_heap(hid_t type);
bool hvol_has_old_references(hid_t type);

#endif
