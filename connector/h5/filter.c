/* SPDX-License-Identifier: Apache-2.0 */
/* filter.c - see filter.h. */
#include "filter.h"

#include "fail.h"

#include <H5VLconnector_passthru.h>

#include <stdio.h>
#include <stdlib.h>

/* A native dataset of one chunk. */
typedef struct filter {
    hid_t file, dataset, type;
    uint32_t mask; /* of the chunk that is there */
} filter;

/* HDF5 may only be called for other files between these: its state belongs to the call
 * that brought us here. */
static hry_status enter(void **state, hry_error *err)
{
    if (H5VLretrieve_lib_state(state) < 0 || H5VLstart_lib_state() < 0)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "HDF5's state cannot be kept");
    return HRY_OK;
}

static void leave(void *state)
{
    H5VLfinish_lib_state();
    H5VLrestore_lib_state(state);
    H5VLfree_lib_state(state);
}

static void close_all(filter *f)
{
    hvol_close_id(f->dataset);
    hvol_close_id(f->type);
    hvol_close_id(f->file);
}

static void free_filter(void *ctx)
{
    void *state;
    if (enter(&state, NULL) == HRY_OK) {
        close_all(ctx);
        leave(state);
    }
    free(ctx);
}

static hry_status encode_chunk(filter *f, const void *raw, void **out, size_t *size,
                               uint32_t *mask, hry_error *err)
{
    const hsize_t origin[H5S_MAX_RANK] = {0};
    hsize_t stored = 0;
    if (H5Dwrite(f->dataset, f->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw) < 0 ||
        H5Dflush(f->dataset) < 0 ||
        H5Dget_chunk_storage_size(f->dataset, origin, &stored) < 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "filters refuse the chunk");
    if ((*out = malloc((size_t)stored + 1)) == NULL)
        return HRY_NO_MEMORY(err, stored);
    *size = (size_t)stored;
    f->mask = UINT32_MAX; /* not known: the next reader opens it again */
    if (H5Dread_chunk(f->dataset, H5P_DEFAULT, origin, mask, *out) < 0) {
        free(*out);
        *out = NULL;
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "filtered chunk cannot be read back");
    }
    return HRY_OK;
}

static hry_status encode(void *ctx, const void *raw, size_t raw_size, void **out,
                         size_t *size, uint32_t *mask, hry_error *err)
{
    void *state;
    (void)raw_size;
    HRY_TRY(enter(&state, err));
    const hry_status status = encode_chunk(ctx, raw, out, size, mask, err);
    leave(state);
    return status;
}

/* HDF5 remembers the filter mask of a chunk that it has written: forget it. */
static bool reopen(filter *f, uint32_t mask)
{
    if (mask == f->mask)
        return true;
    f->mask = mask;
    H5Dclose(f->dataset);
    f->dataset = H5Dopen2(f->file, "chunk", H5P_DEFAULT);
    return f->dataset >= 0;
}

static hry_status decode(void *ctx, const void *bytes, size_t size, uint32_t mask,
                         void *raw, size_t raw_size, hry_error *err)
{
    const hsize_t origin[H5S_MAX_RANK] = {0};
    filter *f = ctx;
    void *state;
    hry_status status = HRY_OK;
    (void)raw_size;
    HRY_TRY(enter(&state, err));
    if (H5Dwrite_chunk(f->dataset, H5P_DEFAULT, mask, origin, size, bytes) < 0 ||
        !reopen(f, mask) ||
        H5Dread(f->dataset, f->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw) < 0)
        status = HRY_FAIL(err, HRY_ERR_CORRUPT,
                          "filters cannot decode a chunk of %zu bytes", size);
    leave(state);
    return status;
}

static const hvol_codec codec = {.encode = encode, .decode = decode, .free = free_filter};

/* A native file that lives in memory only; HDF5 tells such files apart by their names. */
static hid_t native_file(const filter *f)
{
    char name[40];
    snprintf(name, sizeof name, "hurray-filters-%p", (const void *)f);
    const hid_t native = H5VLget_connector_id_by_name("native");
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = H5I_INVALID_HID;
    if (native >= 0 && fapl >= 0 && H5Pset_vol(fapl, native, NULL) >= 0 &&
        H5Pset_fapl_core(fapl, 65536, false) >= 0)
        file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    if (fapl >= 0)
        H5Pclose(fapl);
    if (native >= 0)
        H5VLclose(native);
    return file;
}

/* The caller's list, for one chunk that is never filled. */
static hid_t chunk_dcpl(hid_t dcpl, int rank, const hsize_t *dims)
{
    const hid_t copy = H5Pcopy(dcpl);
    if (copy >= 0 && H5Pset_chunk(copy, rank, dims) >= 0 &&
        H5Pset_fill_time(copy, H5D_FILL_TIME_NEVER) >= 0)
        return copy;
    if (copy >= 0)
        H5Pclose(copy);
    return H5I_INVALID_HID;
}

static hry_status open_filter(filter *f, const hvol_dataset *ds, const hvol_type *type,
                              hid_t dcpl, hid_t *settled, hry_error *err)
{
    hsize_t dims[H5S_MAX_RANK];
    const int rank = (int)ds->space.rank;
    for (int i = 0; i < rank; i++)
        dims[i] = ds->chunks->dims[i];
    const hid_t own = chunk_dcpl(dcpl, rank, dims);
    const hid_t space = H5Screate_simple(rank, dims, NULL);
    f->file = native_file(f);
    f->type = type->needs_heap ? H5Tcreate(H5T_OPAQUE, (size_t)type->element.size)
                               : H5Tcopy(type->stored);
    if (own >= 0 && space >= 0 && f->file >= 0 && f->type >= 0)
        f->dataset =
            H5Dcreate2(f->file, "chunk", f->type, space, H5P_DEFAULT, own, H5P_DEFAULT);
    if (space >= 0)
        H5Sclose(space);
    if (own >= 0)
        H5Pclose(own);
    if (f->dataset <= 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "filters cannot be applied to the dataset");
    if (settled != NULL)
        *settled = H5Dget_create_plist(f->dataset);
    return HRY_OK;
}

hry_status hvol_filter_attach(hvol_dataset *ds, const hvol_type *type, hid_t dcpl,
                              hid_t *settled, hry_error *err)
{
    void *state;
    filter *f = calloc(1, sizeof *f);
    if (f == NULL)
        return HRY_NO_MEMORY(err, sizeof *f);
    hry_status status = enter(&state, err);
    if (status == HRY_OK) {
        status = open_filter(f, ds, type, dcpl, settled, err);
        if (status != HRY_OK)
            close_all(f);
        leave(state);
    }
    if (status != HRY_OK) {
        free(f);
        return status;
    }
    ds->chunks->codec = &codec;
    ds->chunks->codec_ctx = f;
    return HRY_OK;
}

/* Copy one filter's settled parameters into `list`. */
static bool copy_filter(hid_t settled, unsigned i, hid_t list)
{
    unsigned flags, config, values[64];
    size_t count = sizeof values / sizeof *values;
    const H5Z_filter_t id =
        H5Pget_filter2(settled, i, &flags, &count, values, 0, NULL, &config);
    return id >= 0 && count <= sizeof values / sizeof *values &&
           H5Pset_filter(list, id, flags, count, values) >= 0;
}

hry_status hvol_filter_keep(hvol_tree *tree, hvol_node *node, hid_t dcpl, hid_t settled,
                            hry_error *err)
{
    const hid_t list = H5Pcopy(dcpl);
    const int count = H5Pget_nfilters(settled);
    bool copied = list >= 0 && count >= 0 && H5Premove_filter(list, H5Z_FILTER_ALL) >= 0;
    for (int i = 0; i < count && copied; i++)
        copied = copy_filter(settled, (unsigned)i, list);
    hry_status status = HRY_OK;
    if (copied)
        status =
            hvol_plist_intern(tree, list, H5P_DATASET_CREATE_DEFAULT, &node->plist, err);
    if (list >= 0)
        H5Pclose(list);
    return status; /* a filter with more parameters than that stays as the program set it */
}

hry_status hvol_filter_ready(hvol_node *node, hry_error *err)
{
    hvol_dataset *ds = &node->u.dataset;
    const hvol_type *type;
    hid_t dcpl;
    if (ds->chunks == NULL || !ds->chunks->filtered || ds->chunks->codec != NULL)
        return HRY_OK;
    HRY_TRY(hvol_type_of(ds->type, &type, err));
    HRY_TRY(hvol_plist_to(node->plist, H5P_DATASET_CREATE_DEFAULT, &dcpl, err));
    const hry_status status = hvol_filter_attach(ds, type, dcpl, NULL, err);
    H5Pclose(dcpl);
    return status;
}
