/* SPDX-License-Identifier: Apache-2.0 */
/* written.h - going through a file in write order. Private to core/src/composite. */
#ifndef HRY_WRITTEN_H
#define HRY_WRITTEN_H

#include "hry/composite.h"

typedef struct hry_written {
    hry_file *file;
    const hry_order *order;
    uint64_t place; /* of the next tensor */
    /* The tensor before that: */
    uint64_t tensor;
    hry_bound bound;
    hry_descriptor d;
} hry_written;

/* Read the tensor at `place`, add it to the binder, go on. There is one. */
hry_status hry_written_next(hry_written *w, hry_binder *binder, hry_error *err);

/* Where a tensor of the file is in the order; false when the order is of another file. */
bool hry_order_find(const hry_order *order, const hry_file *file, uint64_t tensor,
                    uint64_t *place);

#endif
