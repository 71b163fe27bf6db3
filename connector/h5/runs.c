/* SPDX-License-Identifier: Apache-2.0 */
/* runs.c - see runs.h. */
#include "runs.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

enum {
    BATCH = 1024, /* runs taken from HDF5's iterator at a time */
    NEAR = 1024   /* ELEMENTS between runs that still make one cluster */
};

static void one_run(hvol_runs *r, uint64_t offset, uint64_t length)
{
    r->offset = offset;
    r->length = length;
    r->cluster_end = offset + length;
    r->last = true;
}

/* ---- regular hyperslabs ---- */

static void begin_row(hvol_runs *r)
{
    const hvol_steps *inner = &r->dim[r->rank - 1];
    r->row = r->origin;
    for (uint32_t i = 0; i + 1 < r->rank; i++)
        r->row += (r->dim[i].step * r->dim[i].stride + r->dim[i].index) * r->dim[i].pitch;
    r->offset = r->row;
    r->length = inner->block;
    r->cluster_end = r->row + inner->block;
    if (inner->stride - inner->block <= NEAR)
        r->cluster_end += (inner->count - 1) * inner->stride;
}

/* The next row of the dimensions but the innermost; false when there is none. */
static bool next_row(hvol_runs *r)
{
    for (uint32_t i = r->rank - 1; i-- > 0;) {
        hvol_steps *d = &r->dim[i];
        if (++d->index < d->block)
            return true;
        d->index = 0;
        if (++d->step < d->count)
            return true;
        d->step = 0;
    }
    return false;
}

static void next_regular(hvol_runs *r)
{
    hvol_steps *inner = &r->dim[r->rank - 1];
    if (++inner->step < inner->count) {
        r->offset = r->row + inner->step * inner->stride;
        r->length = inner->block;
        if (r->offset >= r->cluster_end)
            r->cluster_end = r->offset + r->length;
        return;
    }
    inner->step = 0;
    if (next_row(r))
        begin_row(r);
    else
        r->last = true;
}

/* Blocks that touch are one; innermost dimensions taken whole become part of the next. */
static void merge(hvol_runs *r, const hsize_t *start, const hsize_t *dims, uint32_t rank)
{
    uint64_t pitch = 1, scale = 1;
    for (uint32_t i = rank; i-- > 0;) {
        hvol_steps *d = &r->dim[i];
        d->pitch = pitch;
        r->origin += start[i] * pitch;
        pitch *= dims[i];
        if (d->count == 1 || d->stride == d->block) {
            d->block *= d->count;
            d->stride = d->block;
            d->count = 1;
        }
    }
    while (rank > 1 && r->dim[rank - 1].block == dims[rank - 1]) {
        scale *= dims[rank - 1];
        rank--;
    }
    r->rank = rank;
    r->dim[rank - 1].block *= scale;
    r->dim[rank - 1].stride *= scale;
    r->dim[rank - 1].pitch = 1;
}

static hry_status open_regular(hid_t space, hvol_runs *r, hry_error *err)
{
    hsize_t start[H5S_MAX_RANK], stride[H5S_MAX_RANK], count[H5S_MAX_RANK],
        block[H5S_MAX_RANK], dims[H5S_MAX_RANK], end[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    if (rank < 1 || H5Sget_regular_hyperslab(space, start, stride, count, block) < 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "hyperslab selection cannot be read");
    for (int i = 0; i < rank; i++) {
        if (count[i] == H5S_UNLIMITED || block[i] == H5S_UNLIMITED)
            return HRY_FAIL(err, HRY_ERR_ARG, "selection is unlimited in dimension %d", i);
        r->dim[i] = (hvol_steps){.stride = stride[i], .count = count[i], .block = block[i]};
    }
    /* unlike the hyperslab's own start, the bounds count H5Soffset_simple() in */
    if (H5Sget_select_bounds(space, start, end) < 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "hyperslab selection has no bounds");
    merge(r, start, dims, (uint32_t)rank);
    begin_row(r);
    return HRY_OK;
}

/* ---- everything else ---- */

static hry_status refill(hvol_runs *r, hry_error *err)
{
    size_t elements;
    if (H5Ssel_iter_get_seq_list(r->iterator, BATCH, SIZE_MAX, &r->listed, &elements,
                                 r->offsets, r->lengths) < 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "selection cannot be iterated");
    r->next = 0;
    return HRY_OK;
}

static hry_status next_listed(hvol_runs *r, hry_error *err)
{
    if (r->next == r->listed)
        HRY_TRY(refill(r, err));
    if (r->listed == 0) {
        r->last = true;
        r->length = 0;
        return HRY_OK;
    }
    const bool inside = r->offset < r->cluster_end && r->offsets[r->next] >= r->offset &&
                        r->offsets[r->next] + r->lengths[r->next] <= r->cluster_end;
    r->offset = r->offsets[r->next];
    r->length = r->lengths[r->next];
    if (!inside) {
        r->cluster_end = r->offset + r->length;
        for (size_t i = r->next + 1; i < r->listed && r->offsets[i] >= r->cluster_end &&
                                     r->offsets[i] - r->cluster_end <= NEAR;
             i++)
            r->cluster_end = r->offsets[i] + r->lengths[i];
    }
    r->next++;
    return HRY_OK;
}

static hry_status open_listed(hid_t space, hvol_runs *r, hry_error *err)
{
    r->offsets = malloc(BATCH * sizeof *r->offsets);
    r->lengths = malloc(BATCH * sizeof *r->lengths);
    if (r->offsets == NULL || r->lengths == NULL)
        return HRY_NO_MEMORY(err, BATCH * sizeof *r->offsets);
    if ((r->iterator = H5Ssel_iter_create(space, 1, 0)) < 0) {
        r->iterator = 0;
        return HRY_FAIL(err, HRY_ERR_ARG, "selection cannot be iterated");
    }
    return next_listed(r, err);
}

/* ---- all ---- */

static hry_status open_selection(hid_t space, hvol_runs *r, hry_error *err)
{
    const hssize_t total = H5Sget_select_npoints(space);
    if (total < 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "dataspace has no readable selection");
    r->total = (uint64_t)total;
    if (total == 0) {
        r->last = true;
        return HRY_OK;
    }
    switch (H5Sget_select_type(space)) {
    case H5S_SEL_ALL:
        one_run(r, 0, r->total);
        return HRY_OK;
    case H5S_SEL_HYPERSLABS:
        if (H5Sis_regular_hyperslab(space) > 0)
            return open_regular(space, r, err);
        return open_listed(space, r, err);
    case H5S_SEL_POINTS:
        return open_listed(space, r, err);
    default:
        return HRY_FAIL(err, HRY_ERR_ARG, "selection of an unknown kind");
    }
}

hry_status hvol_runs_open(hid_t space, uint64_t count, hvol_runs *out, hry_error *err)
{
    memset(out, 0, offsetof(hvol_runs, dim));
    out->iterator = 0;
    out->offsets = NULL;
    out->lengths = NULL;
    out->listed = out->next = 0;
    if (space == H5S_BLOCK) {
        out->total = count;
        one_run(out, 0, count);
        return HRY_OK;
    }
    const hry_status status = open_selection(space, out, err);
    if (status != HRY_OK)
        hvol_runs_close(out);
    return status;
}

void hvol_runs_close(hvol_runs *r)
{
    if (r->iterator > 0)
        H5Ssel_iter_close(r->iterator);
    r->iterator = 0;
    free(r->offsets);
    free(r->lengths);
    r->offsets = NULL;
    r->lengths = NULL;
}

hry_status hvol_runs_use(hvol_runs *r, uint64_t n, hry_error *err)
{
    r->offset += n;
    r->length -= n;
    if (r->length > 0 || r->last)
        return HRY_OK;
    if (r->iterator > 0)
        return next_listed(r, err);
    next_regular(r);
    return HRY_OK;
}
