/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter.h - HDF5's filter pipeline for our chunks. HDF5 has no call for it, so a native
 * dataset of one chunk in memory does the work: write the values, read the chunk's stored
 * bytes; and back. Every filter and plug-in that HDF5 finds works so.
 */
#ifndef HVOL_FILTER_H
#define HVOL_FILTER_H

#include "h5.h"

/*
 * Make the codec of a dataset with filters, by its creation list. HRY_ERR_UNSUPPORTED when
 * HDF5 refuses (a filter that is missing or cannot be applied).
 *
 * settled  if not NULL: the creation list as HDF5 completed it for this type; the caller's
 */
hry_status hvol_filter_attach(hvol_dataset *dataset, const hvol_type *type, hid_t dcpl,
                              hid_t *settled, hry_error *err);

/* Keep a creation list whose filters are as `settled` has them, all else as in `dcpl`. */
hry_status hvol_filter_keep(hvol_tree *tree, hvol_node *node, hid_t dcpl, hid_t settled,
                            hry_error *err);

/* The same for a loaded dataset, at its first use. */
hry_status hvol_filter_ready(hvol_node *node, hry_error *err);

#endif
