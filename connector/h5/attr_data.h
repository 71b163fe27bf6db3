/* SPDX-License-Identifier: Apache-2.0 */
/* attr_data.h - H5Aread and H5Awrite: always the whole attribute. */
#ifndef HVOL_ATTR_DATA_H
#define HVOL_ATTR_DATA_H

#include "h5.h"

/* `buf` holds, or gets, all elements as `mem_type`. */
hry_status hvol_attr_read(hvol_tree *tree, hvol_attr *attr, hid_t mem_type, hid_t dxpl,
                          void *buf, hry_error *err);
hry_status hvol_attr_write(hvol_tree *tree, hvol_attr *attr, hid_t mem_type, hid_t dxpl,
                           const void *buf, hry_error *err);

/* Size in BYTES of the stored values. */
hry_status hvol_attr_size(const hvol_attr *attr, uint64_t *size, hry_error *err);

#endif
