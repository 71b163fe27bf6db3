/* SPDX-License-Identifier: Apache-2.0 */
/* foreign.c - see foreign.h. Boxes of a few megabytes are read at a time, and kept. */
#include "foreign.h"

#include "fail.h"

#include "hry/composite.h"
#include "hry/convert.h"

#include <stdlib.h>
#include <string.h>

enum { SLAB = 4 << 20 }; /* BYTES read at a time, if one element is not more */

/* An open foreign tensor, and the part of its data that was read last. */
typedef struct hvol_view {
    hry_head *head; /* NULL: not a composite */
    uint8_t *bytes; /* owned; `size` bytes from `at` of the data on */
    uint64_t at;
    size_t size;
} hvol_view;

static const hry_dtype *plain_dtype(const hry_descriptor *d)
{
    return (d->flags & HRY_HAS_QUANTIZATION) != 0 ? NULL : hry_dtype_by_tag(d->type_tag);
}

bool hvol_is_foreign(const hry_descriptor *d)
{
    const hry_dtype *t = hry_dtype_by_tag(d->type_tag);
    return d->layout_tag != HRY_ROW_MAJOR || (d->flags & HRY_HAS_QUANTIZATION) != 0 ||
           (t != NULL && t->bits < 8);
}

/* Small numbers take the smallest type HDF5 has that holds them all. */
static uint8_t shown_tag(const hry_dtype *t)
{
    if (t->bits >= 8)
        return t->tag;
    if (t->cls == HRY_CLASS_FLOAT)
        return HRY_FLOAT32;
    return t->cls == HRY_CLASS_INT ? HRY_INT8 : HRY_UINT8;
}

void hvol_foreign_element(const hry_descriptor *d, hvol_element *out)
{
    const hry_dtype *t = plain_dtype(d);
    if ((d->flags & HRY_HAS_QUANTIZATION) != 0)
        out->type_tag = HRY_FLOAT32;
    else if (t != NULL)
        out->type_tag = shown_tag(t);
    const hry_dtype *shown = hry_dtype_by_tag(out->type_tag);
    if (shown != NULL)
        out->size = shown->bits / 8;
}

void hvol_view_free(hvol_view *view)
{
    if (view == NULL)
        return;
    hry_head_close(view->head);
    free(view->bytes);
    free(view);
}

static hry_status open_view(hvol_tree *tree, hvol_dataset *ds, hry_error *err)
{
    hry_descriptor d;
    hry_file *file = tree->store->file;
    const uint64_t row = ds->storage.entry;
    if (ds->view != NULL)
        return HRY_OK;
    HRY_TRY(hry_file_descriptor(file, row, &d, err));
    hvol_view *view = calloc(1, sizeof *view);
    if (view == NULL)
        return HRY_NO_MEMORY(err, sizeof *view);
    if (d.layout_tag == HRY_COMPOSITE) {
        const hry_status status = hry_head_open(file, row, NULL, &view->head, err);
        if (status != HRY_OK) {
            free(view);
            return status;
        }
    }
    ds->view = view;
    return HRY_OK;
}

/* A box that is one stretch of the row-major data. */
typedef struct slab {
    uint64_t start[HVOL_MAX_RANK], count[HVOL_MAX_RANK];
    uint64_t at;     /* of its first element in the data, in BYTES */
    uint64_t number; /* of ELEMENTS */
} slab;

/* The box with element `element`: trailing dimensions whole, as many as fit, and a part of
 * the one before them. */
static slab slab_at(const hvol_dataset *ds, uint64_t element)
{
    slab s = {.number = 1};
    const uint64_t limit = SLAB / ds->element.size == 0 ? 1 : SLAB / ds->element.size;
    uint64_t rest = element, stride = 1;
    for (uint32_t i = ds->space.rank; i-- > 0;) {
        const uint64_t dim = ds->space.dims[i], here = rest % dim;
        rest /= dim;
        s.count[i] = 1;
        s.start[i] = here;
        if (s.number == stride && stride * dim <= limit) {
            s.start[i] = 0;
            s.count[i] = dim;
        } else if (s.number == stride) {
            const uint64_t most = limit / stride;
            s.count[i] = dim - here < most ? dim - here : most;
        }
        s.number *= s.count[i];
        stride *= dim;
    }
    for (uint32_t i = 0; i < ds->space.rank; i++)
        s.at = s.at * ds->space.dims[i] + s.start[i];
    s.at *= ds->element.size;
    return s;
}

/* Codes of less than a byte, one to a byte, become numbers of the shown type. */
static hry_status widen(const hvol_dataset *ds, const hry_descriptor *d, uint8_t *bytes,
                        uint64_t number, hry_error *err)
{
    const hry_dtype *t = plain_dtype(d);
    if (t == NULL || t->bits >= 8 || t->cls == HRY_CLASS_BOOL || t->cls == HRY_CLASS_UINT)
        return HRY_OK;
    uint8_t *codes = malloc((size_t)number + 1);
    if (codes == NULL)
        return HRY_NO_MEMORY(err, number);
    memcpy(codes, bytes, (size_t)number);
    const hry_status status =
        hry_convert((hry_type){.tag = t->tag}, codes,
                    (hry_type){.tag = ds->element.type_tag}, bytes, (size_t)number, err);
    free(codes);
    return status;
}

static hry_status read_slab(hvol_tree *tree, hvol_dataset *ds, uint64_t element,
                            hry_error *err)
{
    hvol_view *view = ds->view;
    hry_descriptor d;
    const slab s = slab_at(ds, element);
    HRY_TRY(hry_file_descriptor(tree->store->file, ds->storage.entry, &d, err));
    view->size = 0;
    free(view->bytes);
    view->bytes = malloc((size_t)(s.number * ds->element.size) + 1);
    if (view->bytes == NULL)
        return HRY_NO_MEMORY(err, s.number * ds->element.size);
    if (view->head != NULL)
        HRY_TRY(hry_head_read(view->head, s.start, s.count, view->bytes, err));
    else
        HRY_TRY(hry_plain_read(tree->store->file, ds->storage.entry, s.start, s.count,
                               view->bytes, err));
    HRY_TRY(widen(ds, &d, view->bytes, s.number, err));
    view->at = s.at;
    view->size = (size_t)(s.number * ds->element.size);
    return HRY_OK;
}

hry_status hvol_foreign_read(hvol_tree *tree, hvol_dataset *ds, uint64_t offset, void *dst,
                             size_t size, hry_error *err)
{
    uint8_t *to = dst;
    HRY_TRY(open_view(tree, ds, err));
    while (size > 0) {
        const hvol_view *view = ds->view;
        if (offset < view->at || offset - view->at >= view->size)
            HRY_TRY(read_slab(tree, ds, offset / ds->element.size, err));
        const size_t inside = (size_t)(offset - view->at);
        const size_t n = size < view->size - inside ? size : view->size - inside;
        memcpy(to, view->bytes + inside, n);
        to += n;
        offset += n;
        size -= n;
    }
    return HRY_OK;
}
