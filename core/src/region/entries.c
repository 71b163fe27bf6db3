/* SPDX-License-Identifier: Apache-2.0 */
/* entries.c - index buffers, COO, and which layout lists its entries how (section 3). */
#include "entries.h"

#include "checked.h"
#include "fail.h"

hry_status hry_index_buffer(const hry_tensor *t, uint32_t b, uint32_t width, uint64_t need,
                            hry_indices *out, hry_error *err)
{
    const hry_descriptor *d = t->descriptor;
    if (b >= d->buffer_count)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "index buffer %u of %u buffers", (unsigned)b,
                        (unsigned)d->buffer_count);
    const uint64_t size = d->buffers[b].byte_size;
    if (t->buffers[b].size < size || (t->buffers[b].bytes == NULL && size > 0))
        return HRY_FAIL_AT(err, HRY_ERR_TRUNCATED, t->buffers[b].size,
                           "buffer[%u]: %llu bytes, its handle says %llu", (unsigned)b,
                           (unsigned long long)t->buffers[b].size,
                           (unsigned long long)size);
    *out =
        (hry_indices){.bytes = t->buffers[b].bytes, .count = size / width, .width = width};
    if (out->count < need)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, size,
                           "buffer[%u]: %llu numbers, %llu needed", (unsigned)b,
                           (unsigned long long)out->count, (unsigned long long)need);
    return HRY_OK;
}

uint64_t hry_index_search(const hry_indices *a, uint64_t low, uint64_t high, uint64_t v)
{
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (index_at(a, middle) < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Is entry `e` before the index point[k] + plus[k] - 1, or at it when `at` is set? */
static bool is_before(const hry_indices *a, uint32_t rank, uint64_t e,
                      const uint64_t *point, const uint64_t *plus, bool at)
{
    for (uint32_t k = 0; k < rank; k++) {
        const uint64_t i = index_at(a, e * rank + k);
        const uint64_t p = point[k] + (plus != NULL ? plus[k] - 1 : 0);
        if (i != p)
            return i < p;
    }
    return at;
}

static uint64_t coo_search(const hry_entry_walk *w, const hry_indices *a, uint64_t nnz,
                           bool end)
{
    uint64_t low = 0;
    uint64_t high = nnz;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (is_before(a, w->t->descriptor->rank, middle, w->start, end ? w->count : NULL,
                      end))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

hry_status hry_coo_entries(const hry_entry_walk *w, hry_error *err)
{
    const hry_descriptor *d = w->t->descriptor;
    const uint64_t nnz = d->fields.sparse.nnz;
    uint64_t need;
    hry_indices a;
    if (!checked_mul(nnz, d->rank, &need))
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "nnz %llu: indices beyond 64 bits",
                        (unsigned long long)nnz);
    HRY_TRY(hry_index_buffer(w->t, 1, 8, need, &a, err));
    const bool sorted = d->fields.sparse.is_sorted;
    const uint64_t end = sorted ? coo_search(w, &a, nnz, true) : nnz;
    for (uint64_t e = sorted ? coo_search(w, &a, nnz, false) : 0; e < end; e++) {
        uint64_t index[HRY_MAX_RANK];
        bool inside = true;
        for (uint32_t k = 0; k < d->rank; k++) {
            index[k] = index_at(&a, e * d->rank + k);
            inside = inside && index[k] - w->start[k] < w->count[k];
        }
        if (inside)
            HRY_TRY(w->visit(w->ctx, e, index));
    }
    return HRY_OK;
}

typedef hry_status (*entries_of)(const hry_entry_walk *w, hry_error *err);

static entries_of layout_of(uint8_t tag)
{
    static const entries_of layouts[] = {
        [HRY_COO] = hry_coo_entries,
        [HRY_CSR] = hry_csr_entries,
        [HRY_CSC] = hry_csc_entries,
        [HRY_CSF] = hry_csf_entries,
    };
    return tag < sizeof layouts / sizeof *layouts ? layouts[tag] : NULL;
}

bool hry_layout_is_sparse(uint8_t layout_tag)
{
    return layout_of(layout_tag) != NULL;
}

hry_status hry_entries(const hry_entry_walk *w, hry_error *err)
{
    return layout_of(w->t->descriptor->layout_tag)(w, err);
}
