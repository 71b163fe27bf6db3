/* SPDX-License-Identifier: Apache-2.0 */
/*
 * optional.h - operations that HDF5 knows of native files only, answered where they have a
 * meaning here: programs and tools ask for them by the same calls.
 */
#ifndef HVOL_OPTIONAL_H
#define HVOL_OPTIONAL_H

#include "vol.h"

#include <H5VLnative.h>

/* Is there an answer in this table of functions? */
#define HVOL_HAS(table, op)                                                                \
    ((op) >= 0 && (size_t)(op) < sizeof(table) / sizeof *(table) && (table)[op] != NULL)

bool hvol_opt_file_has(int op);
bool hvol_opt_group_has(int op);
bool hvol_opt_dataset_has(int op);
bool hvol_opt_attr_has(int op);
bool hvol_opt_object_has(int op);

/* H5VLquery_optional: H5VL_OPT_QUERY_ flags. */
herr_t hvol_opt_query(void *obj, H5VL_subclass_t subclass, int op, uint64_t *flags);

#endif
