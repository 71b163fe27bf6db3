/* SPDX-License-Identifier: Apache-2.0 */
/* binding.h - the composite, if it is one, that a request or a put is about: its tensors as
 * they come or go. Private to core/src/stream. */
#ifndef HRY_BINDING_H
#define HRY_BINDING_H

#include "hry/composite.h"

/* Starts as zeros; ended by hry_binding_end(). */
typedef struct hry_binding {
    hry_binder *binder; /* owned; NULL before the first head */
    uint32_t depth;     /* composites that the last tensor is in */
    uint32_t open;      /* composites that still lack members */
} hry_binding;

/* The next tensor: errors as hry_binder_add(). */
static inline hry_status hry_binding_add(hry_binding *b, const hry_descriptor *d,
                                         hry_error *err)
{
    hry_bound bound = {.depth = 0};
    hry_status status = HRY_OK;
    if (b->binder == NULL && d->layout_tag == HRY_COMPOSITE)
        status = hry_binder_new(HRY_STRICT, &b->binder, err);
    if (b->binder != NULL)
        status = hry_binder_add(b->binder, d, 0, &bound, err);
    if (status != HRY_OK)
        return status;
    b->depth = bound.depth;
    b->open = bound.depth + (bound.is_head ? 1 : 0) - bound.closed;
    return HRY_OK;
}

static inline void hry_binding_end(hry_binding *b)
{
    hry_binder_free(b->binder);
    *b = (hry_binding){.binder = NULL};
}

#endif
