/* SPDX-License-Identifier: Apache-2.0 */
/* create.h - what creating a group, a dataset and a committed type have in common. */
#ifndef HVOL_CREATE_H
#define HVOL_CREATE_H

#include "vol.h"

typedef struct hvol_creation {
    const H5VL_loc_params_t *loc;
    const char *name; /* NULL: an object without a link */
    hid_t lcpl;
    hid_t plist, defaults; /* creation properties, and what need not be kept */
    hid_t access;
} hvol_creation;

/*
 * Make an object of `kind` seen from `from`, let `fill` complete it (NULL: nothing to
 * complete), and link it only then. *out is a handle on it.
 */
hry_status
hvol_create(const hvol_object *from, const hvol_creation *creation, hvol_kind kind,
            hry_status (*fill)(const hvol_object *, hvol_node *, void *, hry_error *),
            void *fill_ctx, hvol_object **out, hry_error *err);

/* A handle on the object of `kind` named `name`; `lapl` is its access list, which is a link
 * access list too. */
hry_status hvol_open(const hvol_object *from, const H5VL_loc_params_t *loc,
                     const char *name, hid_t lapl, hvol_kind kind, hvol_object **out,
                     hry_error *err);

/* The committed type that `type` is an identifier of, in the file of `from`, or NULL. */
hvol_node *hvol_committed(const hvol_object *from, hid_t type);

#endif
