/* SPDX-License-Identifier: Apache-2.0 */
/* compressed.c - entries of CSR, CSC and CSF (format section 3). */
#include "entries.h"
#include "fail.h"

/* CSR: major is axis 0; CSC: axis 1. */
static hry_status compressed(const hry_entry_walk *w, uint32_t major, hry_error *err)
{
    const hry_descriptor *d = w->t->descriptor;
    const uint32_t minor = 1 - major;
    const uint64_t nnz = d->fields.sparse.nnz;
    hry_indices at;
    hry_indices ptr;
    if (d->rank != 2 || d->shape[major] == UINT64_MAX)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "rank %u of a compressed matrix",
                        (unsigned)d->rank);
    HRY_TRY(hry_index_buffer(w->t, 1, 8, nnz, &at, err));
    HRY_TRY(hry_index_buffer(w->t, 2, 8, d->shape[major] + 1, &ptr, err));
    const uint64_t end = w->start[minor] + w->count[minor];
    for (uint64_t i = w->start[major]; i < w->start[major] + w->count[major]; i++) {
        const uint64_t first = index_at(&ptr, i);
        const uint64_t last = index_at(&ptr, i + 1);
        if (first > last || last > nnz)
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, i * 8,
                               "buffer[2]: entries %llu to %llu of %llu",
                               (unsigned long long)first, (unsigned long long)last,
                               (unsigned long long)nnz);
        uint64_t e = w->start[minor] == 0
                         ? first
                         : hry_index_search(&at, first, last, w->start[minor]);
        for (; e < last; e++) {
            uint64_t index[2];
            index[major] = i;
            index[minor] = index_at(&at, e);
            if (index[minor] >= end)
                break;
            if (index[minor] >= w->start[minor])
                HRY_TRY(w->visit(w->ctx, e, index));
        }
    }
    return HRY_OK;
}

hry_status hry_csr_entries(const hry_entry_walk *w, hry_error *err)
{
    return compressed(w, 0, err);
}

hry_status hry_csc_entries(const hry_entry_walk *w, hry_error *err)
{
    return compressed(w, 1, err);
}

typedef struct csf_level {
    hry_indices pos, crd;
    uint32_t axis;
    uint64_t next, end; /* siblings left to visit */
} csf_level;

/* The children of node `node` of the level above that may lie in the box. */
static hry_status enter(const hry_entry_walk *w, csf_level *l, uint32_t level,
                        uint64_t node, hry_error *err)
{
    if (node + 1 >= l->pos.count)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, node * 8, "buffer[%u]: no entry %llu",
                           (unsigned)(1 + 2 * level), (unsigned long long)(node + 1));
    const uint64_t first = index_at(&l->pos, node);
    l->end = index_at(&l->pos, node + 1);
    if (first > l->end || l->end > l->crd.count)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, node * 8,
                           "buffer[%u]: siblings %llu to %llu of %llu",
                           (unsigned)(1 + 2 * level), (unsigned long long)first,
                           (unsigned long long)l->end, (unsigned long long)l->crd.count);
    l->next = w->start[l->axis] == 0
                  ? first
                  : hry_index_search(&l->crd, first, l->end, w->start[l->axis]);
    return HRY_OK;
}

static hry_status walk_levels(const hry_entry_walk *w, csf_level *levels, hry_error *err)
{
    const uint32_t rank = w->t->descriptor->rank;
    uint64_t index[HRY_MAX_RANK];
    uint32_t level = 0;
    HRY_TRY(enter(w, &levels[0], 0, 0, err));
    for (;;) {
        csf_level *l = &levels[level];
        const uint64_t node = l->next;
        const uint64_t i = node < l->end ? index_at(&l->crd, node) : UINT64_MAX;
        if (node >= l->end ||
            (i > w->start[l->axis] && i - w->start[l->axis] >= w->count[l->axis])) {
            if (level == 0)
                return HRY_OK;
            level--;
            continue;
        }
        l->next++;
        index[l->axis] = i;
        if (i < w->start[l->axis])
            continue;
        if (level + 1 < rank) {
            level++;
            HRY_TRY(enter(w, &levels[level], level, node, err));
        } else if (node < w->t->descriptor->fields.sparse.nnz) {
            HRY_TRY(w->visit(w->ctx, node, index));
        }
    }
}

hry_status hry_csf_entries(const hry_entry_walk *w, hry_error *err)
{
    const hry_descriptor *d = w->t->descriptor;
    csf_level levels[HRY_MAX_RANK];
    for (uint32_t l = 0; l < d->rank; l++) {
        levels[l].axis = d->fields.sparse.mode_order[l];
        if (levels[l].axis >= d->rank)
            return HRY_FAIL(err, HRY_ERR_CORRUPT, "mode_order[%u] is %u of rank %u",
                            (unsigned)l, (unsigned)levels[l].axis, (unsigned)d->rank);
        HRY_TRY(hry_index_buffer(w->t, 1 + 2 * l, 8, 1, &levels[l].pos, err));
        HRY_TRY(hry_index_buffer(w->t, 2 + 2 * l, 8, 0, &levels[l].crd, err));
    }
    return d->rank == 0 ? HRY_OK : walk_levels(w, levels, err);
}
