/* SPDX-License-Identifier: Apache-2.0 */
/* plist.c - creation property lists, kept exactly as the program gave them. */
#include "fail.h"
#include "handle.h"

#include <stdlib.h>
#include <string.h>

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

/* Convert one element between memory and what is stored with the dataset's heap. */
static hry_status convert_fill(hvol_tree *tree, hvol_dataset *ds, hid_t from, hid_t to,
                               void *element, hry_error *err)
{
    tree->heap = ds->heap;
    tree->heap_store = tree->store;
    const herr_t converted = H5Tconvert(from, to, 1, element, NULL, H5P_DEFAULT);
    tree->heap = NULL;
    return converted >= 0 ? HRY_OK
                          : HRY_FAIL(err, HRY_ERR_ARG, "fill value cannot be converted");
}

static void *wide_element(const hvol_type *type, hid_t own)
{
    const size_t mem = H5Tget_size(own), stored = (size_t)type->element.size;
    return calloc(1, mem > stored ? mem : stored);
}

/* Strings and sequences of the fill value stay in the heap whatever else is written. */
static hry_status fill_to_heap(hvol_tree *tree, hid_t dcpl, const hvol_type *type,
                               hvol_dataset *ds, unsigned char *bytes, hry_error *err)
{
    hid_t own;
    HRY_TRY(hvol_type_copy(ds->type, &own, err));
    void *element = wide_element(type, own);
    hry_status status = element == NULL ? HRY_NO_MEMORY(err, H5Tget_size(own)) : HRY_OK;
    if (status == HRY_OK && H5Pget_fill_value(dcpl, own, element) < 0)
        status = HRY_FAIL(err, HRY_ERR_ARG, "fill value cannot be read");
    if (status == HRY_OK)
        status = convert_fill(tree, ds, own, type->stored, element, err);
    if (status == HRY_OK) {
        memcpy(bytes, element, (size_t)type->element.size);
        ds->heap->lasting = ds->heap->size;
    }
    free(element);
    H5Tclose(own);
    return status;
}

hry_status hvol_plist_without_fill(hvol_tree *tree, hid_t dcpl, hvol_blob **out,
                                   hry_error *err)
{
    const hid_t copy = H5Pcopy(dcpl);
    if (copy < 0 || H5Pset_fill_value(copy, H5I_INVALID_HID, NULL) < 0) {
        hvol_close_id(copy);
        return HRY_FAIL(err, HRY_ERR_NOMEM, "property list cannot be copied");
    }
    const hry_status status =
        hvol_plist_intern(tree, copy, H5P_DATASET_CREATE_DEFAULT, out, err);
    H5Pclose(copy);
    return status;
}

hry_status hvol_plist_put_fill(hvol_tree *tree, hvol_dataset *ds, hid_t dcpl,
                               hry_error *err)
{
    const hvol_type *type;
    hid_t own;
    HRY_TRY(hvol_type_of(ds->type, &type, err));
    HRY_TRY(hvol_type_copy(ds->type, &own, err));
    const hid_t scalar = H5Screate(H5S_SCALAR);
    void *element = wide_element(type, own);
    hry_status status =
        scalar < 0 || element == NULL ? HRY_NO_MEMORY(err, H5Tget_size(own)) : HRY_OK;
    if (status == HRY_OK) {
        memcpy(element, ds->fill->data, ds->fill->size);
        status = convert_fill(tree, ds, type->stored, own, element, err);
    }
    if (status == HRY_OK) {
        if (H5Pset_fill_value(dcpl, own, element) < 0)
            status = HRY_FAIL(err, HRY_ERR_NOMEM, "fill value cannot be set");
        H5Treclaim(own, scalar, H5P_DEFAULT, element);
    }
    hvol_close_id(scalar);
    free(element);
    H5Tclose(own);
    return status;
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
    if (type->needs_heap)
        status = fill_to_heap(tree, dcpl, type, dataset, bytes, err);
    else if (H5Pget_fill_value(dcpl, type->stored, bytes) < 0)
        status =
            HRY_FAIL(err, HRY_ERR_ARG, "fill value cannot be converted to the datatype");
    if (status == HRY_OK && !all_zero(bytes, size))
        status = hvol_blobs_intern(&tree->blobs, bytes, size, &dataset->fill, err);
    free(bytes);
    return status;
}
