/* SPDX-License-Identifier: Apache-2.0 */
/* plist.c - creation property lists, kept exactly as the program gave them. */
#include "fail.h"
#include "handle.h"

#include <stdlib.h>

hry_status hvol_plist_intern(hvol_tree *tree, hid_t plist, hid_t defaults, hvol_blob **out,
                             hry_error *err)
{
    unsigned char small[1024], *bytes = small;
    size_t size = 0;
    *out = NULL;
    if (plist == H5P_DEFAULT || plist == defaults || H5Pequal(plist, defaults) > 0)
        return HRY_OK;
    if (H5Pencode2(plist, NULL, &size, H5P_DEFAULT) < 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "property list cannot be encoded");
    if (size > sizeof small && (bytes = malloc(size)) == NULL)
        return HRY_NO_MEMORY(err, size);
    hry_status status = HRY_OK;
    if (H5Pencode2(plist, bytes, &size, H5P_DEFAULT) < 0)
        status = HRY_FAIL(err, HRY_ERR_ARG, "property list cannot be encoded");
    else
        status = hvol_blobs_intern(&tree->blobs, bytes, size, out, err);
    if (bytes != small)
        free(bytes);
    return status;
}

hry_status hvol_plist_to(hvol_blob *blob, hid_t defaults, hid_t *out, hry_error *err)
{
    hvol_handle *handle = NULL;
    hid_t source = defaults;
    if (blob != NULL) {
        HRY_TRY(hvol_handle_of(blob, HVOL_HANDLE_PLIST, &handle, err));
        if (handle->plist <= 0)
            handle->plist = H5Pdecode(blob->data);
        if (handle->plist < 0)
            return HRY_FAIL(err, HRY_ERR_CORRUPT,
                            "property list of %zu bytes is unreadable", blob->size);
        source = handle->plist;
    }
    *out = H5Pcopy(source);
    return *out < 0 ? HRY_FAIL(err, HRY_ERR_NOMEM, "property list cannot be copied")
                    : HRY_OK;
}

static bool all_zero(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

hry_status hvol_plist_fill(hvol_tree *tree, hid_t dcpl, const hvol_type *type,
                           hvol_dataset *dataset, hry_error *err)
{
    H5D_fill_value_t defined;
    H5D_fill_time_t when;
    dataset->fill = NULL;
    dataset->fill_never = false;
    if (dcpl == H5P_DEFAULT || dcpl == H5P_DATASET_CREATE_DEFAULT)
        return HRY_OK;
    if (H5Pfill_value_defined(dcpl, &defined) < 0 || H5Pget_fill_time(dcpl, &when) < 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "fill value cannot be read");
    dataset->fill_never = when == H5D_FILL_TIME_NEVER;
    if (defined != H5D_FILL_VALUE_USER_DEFINED)
        return HRY_OK;
    const size_t size = (size_t)type->element.size;
    unsigned char *bytes = calloc(1, size);
    if (bytes == NULL)
        return HRY_NO_MEMORY(err, size);
    hry_status status = HRY_OK;
    if (H5Pget_fill_value(dcpl, type->stored, bytes) < 0)
        status =
            HRY_FAIL(err, HRY_ERR_ARG, "fill value cannot be converted to the datatype");
    else if (!all_zero(bytes, size))
        status = hvol_blobs_intern(&tree->blobs, bytes, size, &dataset->fill, err);
    free(bytes);
    return status;
}
