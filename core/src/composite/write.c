/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - an array into a box of a partition, member by member. */
#include "head.h"

#include "checked.h"
#include "fail.h"
#include "rows.h"
#include "stored.h"

#include <stdlib.h>
#include <string.h>

typedef struct writing {
    const hry_head *head;
    const uint64_t *count; /* of the box */
    uint32_t element;      /* in BYTES */
    const uint8_t *src;
    hry_stored stored;
} writing;

static hry_status check_part(void *ctx, const hry_part *part, hry_error *err)
{
    writing *w = ctx;
    hry_descriptor *d = &w->stored.d;
    if (part->rule == HRY_OVERLAY)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "tensor %llu is in an overlay, which is sealed",
                        (unsigned long long)part->tensor);
    HRY_TRY(hry_file_descriptor(w->head->file, part->tensor, d, err));
    if (d->opaque || d->layout_tag >= 0xF0 || (d->flags & HRY_HAS_QUANTIZATION) != 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "tensor %llu is quantized or of a private layout",
                        (unsigned long long)part->tensor);
    return HRY_OK;
}

/* The part's elements, one after another; *owned when they had to be copied. */
static hry_status gather(const writing *w, const hry_part *part, const uint8_t **elements,
                         uint8_t **owned, hry_error *err)
{
    const uint32_t rank = w->head->info.rank;
    hry_rows rows;
    size_t size = w->element; /* less than the array's bytes, which fit */
    for (uint32_t k = 0; k < rank; k++)
        size *= (size_t)part->count[k];
    rows_first(&rows, rank, w->count, part->at, part->count);
    *owned = NULL;
    *elements = w->src + rows.to * w->element;
    if (rows_is_one(&rows))
        return HRY_OK;
    uint8_t *to = malloc(size);
    if (to == NULL)
        return HRY_NO_MEMORY(err, size);
    *elements = *owned = to;
    const size_t length = (size_t)rows.length * w->element;
    do {
        memcpy(to, w->src + rows.to * w->element, length);
        to += length;
    } while (rows_next(&rows));
    return HRY_OK;
}

static hry_status write_part(void *ctx, const hry_part *part, hry_error *err)
{
    writing *w = ctx;
    const uint8_t *elements;
    uint8_t *owned = NULL;
    hry_status status = hry_stored_open(w->head->file, part->tensor, true, &w->stored, err);
    if (status == HRY_OK)
        status = gather(w, part, &elements, &owned, err);
    if (status == HRY_OK)
        status = hry_stored_write(&w->stored, part->start, part->count, elements, err);
    free(owned);
    hry_stored_close(&w->stored);
    return status;
}

hry_status hry_head_write(const hry_head *head, const uint64_t *start,
                          const uint64_t *count, const void *src, hry_error *err)
{
    writing w;
    w.head = head;
    w.count = count;
    w.element = hry_head_element(head);
    w.src = src;
    HRY_TRY(hry_head_check_size(head, count, err));
    HRY_TRY(hry_head_search(head, start, count, check_part, &w, err));
    return hry_head_search(head, start, count, write_part, &w, err);
}
