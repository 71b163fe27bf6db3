/* SPDX-License-Identifier: Apache-2.0 */
/* space.c - extents of dataspaces. */
#include "fail.h"
#include "h5.h"

hry_status hvol_space_from(hid_t space, hvol_space *out, hry_error *err)
{
    hsize_t dims[H5S_MAX_RANK], max[H5S_MAX_RANK];
    *out = (hvol_space){.cls = HVOL_SCALAR};
    switch (H5Sget_simple_extent_type(space)) {
    case H5S_SCALAR:
        return HRY_OK;
    case H5S_NULL:
        out->cls = HVOL_NULL;
        return HRY_OK;
    case H5S_SIMPLE:
        if (H5Sget_simple_extent_ndims(space) > 0)
            break;
        return HRY_FAIL(err, HRY_ERR_ARG, "dataspace's extent was never set");
    default:
        return HRY_FAIL(err, HRY_ERR_ARG, "dataspace has no extent");
    }
    const int rank = H5Sget_simple_extent_dims(space, dims, max);
    if (rank < 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "dataspace has no readable extent");
    out->cls = HVOL_SIMPLE;
    out->rank = (uint32_t)rank;
    for (int i = 0; i < rank; i++) {
        out->dims[i] = dims[i];
        out->max[i] = max[i];
    }
    uint64_t count;
    return hvol_space_count(out, &count, err);
}

hry_status hvol_space_to(const hvol_space *space, hid_t *out, hry_error *err)
{
    hsize_t dims[H5S_MAX_RANK], max[H5S_MAX_RANK];
    for (uint32_t i = 0; i < space->rank; i++) {
        dims[i] = space->dims[i];
        max[i] = space->max[i];
    }
    if (space->cls == HVOL_SIMPLE)
        *out = H5Screate_simple((int)space->rank, dims, max);
    else
        *out = H5Screate(space->cls == HVOL_NULL ? H5S_NULL : H5S_SCALAR);
    return *out < 0 ? HRY_FAIL(err, HRY_ERR_NOMEM, "dataspace cannot be made") : HRY_OK;
}
