/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vol_blob.c - H5VL_blob callbacks: HDF5 asks for them while it converts variable-length
 * elements and references. They go to the heap of what is being transferred. An identifier
 * is 4 bytes of zeros and the offset in the heap, so that with the 4-byte count that HDF5
 * puts before it an element is two 64-bit numbers.
 */
#include "fail.h"
#include "le.h"
#include "vol.h"

#include <string.h>

enum { OFFSET_AT = 4 };

static uint64_t offset_in(const void *id)
{
    uint64_t offset;
    memcpy(&offset, (const uint8_t *)id + OFFSET_AT, sizeof offset);
    return le64(offset);
}

static hry_status heap_of(const hvol_object *file, hvol_heap **out, hry_error *err)
{
    *out = file->file->tree->heap;
    return *out != NULL
               ? HRY_OK
               : HRY_FAIL(err, HRY_ERR_ARG, "variable-length value outside any transfer");
}

herr_t hvol_blob_cb_put(void *obj, const void *buf, size_t size, void *id, void *ctx)
{
    const hvol_object *file = obj;
    hvol_heap *heap = NULL;
    uint64_t offset = 0;
    hry_error err;
    (void)ctx;
    hry_status status = heap_of(file, &heap, &err);
    if (status == HRY_OK)
        status =
            hvol_heap_put(heap, file->file->tree->heap_store, buf, size, &offset, &err);
    if (status != HRY_OK)
        return HVOL_FAIL(-1, H5E_DATATYPE, H5E_WRITEERROR, &err);
    memset(id, 0, OFFSET_AT);
    offset = le64(offset);
    memcpy((uint8_t *)id + OFFSET_AT, &offset, sizeof offset);
    return 0;
}

herr_t hvol_blob_cb_get(void *obj, const void *id, void *buf, size_t size, void *ctx)
{
    const hvol_object *file = obj;
    hvol_heap *heap = NULL;
    hry_error err;
    (void)ctx;
    hry_status status = heap_of(file, &heap, &err);
    if (status == HRY_OK)
        status =
            hvol_heap_get(heap, file->file->tree->store, offset_in(id), buf, size, &err);
    if (status != HRY_OK)
        return HVOL_FAIL(-1, H5E_DATATYPE, H5E_READERROR, &err);
    return 0;
}

/* Deleting leaves the bytes behind: see heap.h. */
herr_t hvol_blob_cb_specific(void *obj, void *id, H5VL_blob_specific_args_t *args)
{
    (void)obj;
    if (args->op_type == H5VL_BLOB_ISNULL)
        *args->args.is_null.isnull = offset_in(id) == 0;
    else if (args->op_type == H5VL_BLOB_SETNULL)
        memset(id, 0, HVOL_BLOB_ID);
    else if (args->op_type != H5VL_BLOB_DELETE)
        return hvol_unsupported(__func__, "operation on values", (int)args->op_type);
    return 0;
}
