/* SPDX-License-Identifier: Apache-2.0 */
/* transfer.h - H5Dread and H5Dwrite: selections, conversion, and the bytes in the file. */
#ifndef HVOL_TRANSFER_H
#define HVOL_TRANSFER_H

#include "h5.h"

/*
 * Move the elements selected in `file_space` (H5S_ALL: all) between the dataset `node` and
 * `buf`, whose elements are selected by `mem_space` (H5S_ALL: like file_space; H5S_BLOCK:
 * the first ones) and of type `mem_type`. HDF5 converts; the caller's buffer is only read
 * when writing.
 */
hry_status hvol_transfer_read(hvol_tree *tree, hvol_node *node, hid_t mem_type,
                              hid_t mem_space, hid_t file_space, hid_t dxpl, void *buf,
                              hry_error *err);
hry_status hvol_transfer_write(hvol_tree *tree, hvol_node *node, hid_t mem_type,
                               hid_t mem_space, hid_t file_space, hid_t dxpl,
                               const void *buf, hry_error *err);

#endif
