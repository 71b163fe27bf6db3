/* SPDX-License-Identifier: Apache-2.0 */
/* handle.c - see handle.h. */
#include "handle.h"

#include "fail.h"

#include <stdlib.h>

hry_status hvol_handle_of(hvol_blob *blob, hvol_handle_kind kind, hvol_handle **out,
                          hry_error *err)
{
    hvol_handle *handle = (hvol_handle *)(intptr_t)blob->handle;
    if (handle == NULL) {
        if ((handle = calloc(1, sizeof *handle)) == NULL)
            return HRY_NO_MEMORY(err, sizeof *handle);
        handle->kind = kind;
        blob->handle = (int64_t)(intptr_t)handle;
    }
    if (handle->kind != kind)
        return HRY_FAIL(err, HRY_ERR_CORRUPT,
                        "catalog: a datatype where a property list is");
    *out = handle;
    return HRY_OK;
}

void hvol_close_id(hid_t id)
{
    if (id > 0 && H5Iget_type(id) != H5I_BADID) /* H5Iis_valid() sees the program's only */
        H5Idec_ref(id);
}

void hvol_handle_release(int64_t number)
{
    hvol_handle *handle = (hvol_handle *)(intptr_t)number;
    hvol_close_id(handle->type.kept);
    hvol_close_id(handle->type.stored);
    hvol_close_id(handle->plist);
    free(handle);
}
