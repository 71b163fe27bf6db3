/* SPDX-License-Identifier: Apache-2.0 */
/* space.h - extents of dataspaces, and what one element is in the file. */
#ifndef HVOL_SPACE_H
#define HVOL_SPACE_H

#include "hry/descriptor.h"

#define HVOL_MAX_RANK 32 /* of an HDF5 dataspace */

typedef enum hvol_space_class {
    HVOL_SCALAR = 0,
    HVOL_SIMPLE = 1,
    HVOL_NULL = 2
} hvol_space_class;

/* A dataspace's extent. */
typedef struct hvol_space {
    hvol_space_class cls;
    uint32_t rank;
    uint64_t dims[HVOL_MAX_RANK];
    uint64_t max[HVOL_MAX_RANK]; /* UINT64_MAX: unlimited */
} hvol_space;

/* Number of elements; HRY_ERR_RANGE when it does not fit 64 bits. */
hry_status hvol_space_count(const hvol_space *space, uint64_t *count, hry_error *err);

/* What one element is in the file: a Hurray type with trailing dimensions. */
typedef struct hvol_element {
    uint64_t size;    /* in BYTES, all trailing dimensions included */
    uint8_t type_tag; /* of core */
    uint8_t rank;     /* trailing dimensions */
    uint64_t dims[HVOL_MAX_RANK];
    hry_extension_type extension; /* when type_tag is private */
} hvol_element;

#endif
