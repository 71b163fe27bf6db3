/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalog.h - the tensor `.hdf5/catalog`: what HDF5 knows beyond tensors. docs/catalog.md
 * has the bytes.
 */
#ifndef HVOL_CATALOG_H
#define HVOL_CATALOG_H

#include "builder.h"
#include "tree.h"

#define HVOL_CATALOG_VERSION 1
#define HVOL_CATALOG_HEADER 24 /* magic, version, checksum, length */

/* Flags of an object's record. */
enum {
    HVOL_REC_TRACKS_TIMES = 1 << 0,
    HVOL_REC_HAS_TIMES = 1 << 1,
    HVOL_REC_HAS_PLIST = 1 << 2,
    HVOL_REC_HAS_COMMENT = 1 << 3
};

/* Name of the tensor of the dataset `id`, as the catalog and the index give it. */
typedef struct hvol_tensor_name {
    const char *name;
    size_t length;    /* 0: not stored */
    const char *heap; /* of the tensor with its variable-length elements */
    size_t heap_length;
} hvol_tensor_name;

/* Encode the tree; names[i] belongs to nodes[i], all in the order of ids. */
hry_status hvol_catalog_encode(const hvol_tree *tree, hvol_node *const *nodes,
                               const hvol_tensor_name *names, uint64_t count,
                               hry_builder *out, hry_error *err);

/* Fill the empty `tree`, whose store has the file, from `size` bytes of a catalog. */
hry_status hvol_catalog_decode(hvol_tree *tree, const void *bytes, size_t size,
                               hry_error *err);

#endif
