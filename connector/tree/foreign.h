/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign.h - tensors that are stored otherwise than HDF5's data are: another layout,
 * sparse, quantized, packed, composed of members. They are read like an array of elements
 * HDF5 has a type for, and cannot be written.
 */
#ifndef HVOL_FOREIGN_H
#define HVOL_FOREIGN_H

#include "tree.h"

/* Is this descriptor of such a tensor? */
bool hvol_is_foreign(const hry_descriptor *d);

/* What its elements look like: quantized ones float32, packed ones whole bytes. */
void hvol_foreign_element(const hry_descriptor *d, hvol_element *out);

/* `size` BYTES of whole elements from `offset` of the row-major data on. */
hry_status hvol_foreign_read(hvol_tree *tree, hvol_dataset *dataset, uint64_t offset,
                             void *dst, size_t size, hry_error *err);

/* NULL is allowed. */
void hvol_view_free(struct hvol_view *view);

#endif
