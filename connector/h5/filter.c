/* SPDX-License-Identifier: Apache-2.0 */
/* filter.c - see filter.h. */
#include "filter.h"

#include "fail.h"

#include <H5VLconnector_passthru.h>
#include <H5Zdevelop.h>

#include <stdio.h>
#include <stdlib.h>

/* A native dataset of one chunk. */
typedef struct filter {
    hid_t file, dataset, type;
    uint32_t mask; /* of the chunk that is there */
    bool guarded;  /* by the size guard, the first bit of its masks */
} filter;

/*
 * HDF5 trusts that a chunk comes out of its filters as large as it went in, and reads past
 * the end of one that does not. So one more filter, which sees the chunk before all others
 * when it is stored and after them when it is read, compares.
 */
enum { SIZE_GUARD = 65519 };

static size_t guard_size(unsigned flags, size_t count, const unsigned *values, size_t size,
                         size_t *capacity, void **bytes)
{
    (void)capacity;
    (void)bytes;
    return (flags & H5Z_FLAG_REVERSE) == 0 || (count == 1 && size == values[0]) ? size : 0;
}

static const H5Z_class2_t size_guard = {
    .version = H5Z_CLASS_T_VERS,
    .id = SIZE_GUARD,
    .encoder_present = 1,
    .decoder_present = 1,
    .name = "size guard",
    .filter = guard_size,
};

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
    *mask >>= f->guarded;
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
    mask <<= f->guarded;
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

/* Copy filter i of a list to the end of another. */
static bool copy_filter(hid_t from, unsigned i, hid_t to)
{
    unsigned flags, config, *values;
    size_t count = 0;
    H5Z_filter_t id = H5Pget_filter2(from, i, &flags, &count, NULL, 0, NULL, &config);
    if (id < 0 || (values = calloc(count + 1, sizeof *values)) == NULL)
        return false;
    id = H5Pget_filter2(from, i, &flags, &count, values, 0, NULL, &config);
    const bool copied = id >= 0 && H5Pset_filter(to, id, flags, count, values) >= 0;
    free(values);
    return copied;
}

/* Give `to` the filters of `from`, but for the guard. */
static bool copy_filters(hid_t from, hid_t to)
{
    const int count = H5Pget_nfilters(from);
    bool copied = count >= 0;
    for (int i = 0; i < count && copied; i++) {
        size_t none = 0;
        unsigned flags, config;
        copied = H5Pget_filter2(from, (unsigned)i, &flags, &none, NULL, 0, NULL, &config) ==
                     SIZE_GUARD ||
                 copy_filter(from, (unsigned)i, to);
    }
    return copied;
}

/* Filters behind the guard, if there is a place left for it. */
static bool guard_filters(filter *f, hid_t dcpl, hid_t copy, uint64_t chunk_size)
{
    const unsigned size = (unsigned)chunk_size;
    f->guarded = H5Pget_nfilters(dcpl) < H5Z_MAX_NFILTERS && size == chunk_size;
    return !f->guarded ||
           (H5Zregister(&size_guard) >= 0 && H5Premove_filter(copy, H5Z_FILTER_ALL) >= 0 &&
            H5Pset_filter(copy, SIZE_GUARD, H5Z_FLAG_MANDATORY, 1, &size) >= 0 &&
            copy_filters(dcpl, copy));
}

/* The caller's list, for one chunk that is never filled. */
static hid_t chunk_dcpl(filter *f, hid_t dcpl, const hvol_chunks *chunks, int rank,
                        const hsize_t *dims)
{
    const hid_t copy = H5Pcopy(dcpl);
    if (copy >= 0 && H5Pset_chunk(copy, rank, dims) >= 0 &&
        H5Pset_fill_time(copy, H5D_FILL_TIME_NEVER) >= 0 &&
        guard_filters(f, dcpl, copy, chunks->bytes))
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
    const hid_t own = chunk_dcpl(f, dcpl, ds->chunks, rank, dims);
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

hry_status hvol_filter_keep(hvol_tree *tree, hvol_node *node, hid_t dcpl, hid_t settled,
                            hry_error *err)
{
    const hid_t list = H5Pcopy(dcpl);
    hry_status status = HRY_OK;
    if (list >= 0 && H5Premove_filter(list, H5Z_FILTER_ALL) >= 0 &&
        copy_filters(settled, list))
        status =
            hvol_plist_intern(tree, list, H5P_DATASET_CREATE_DEFAULT, &node->plist, err);
    if (list >= 0)
        H5Pclose(list);
    return status;
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
