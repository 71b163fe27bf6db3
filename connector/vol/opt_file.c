/* SPDX-License-Identifier: Apache-2.0 */
/* opt_file.c - sizes and images of files; what tunes native files' caches has no effect. */
#include "fail.h"
#include "optional.h"

#include <string.h>

typedef H5VL_native_file_optional_args_t opt_args;

static herr_t nothing(hvol_object *o, opt_args *a, hry_error *err)
{
    (void)o, (void)a, (void)err;
    return 0;
}

/* As it would be after a flush. */
static hry_status size_of(hvol_object *o, uint64_t *size, hry_error *err)
{
    HRY_TRY(hvol_file_commit(o->file, err));
    *size = o->file->tree->store->committed;
    return HRY_OK;
}

static herr_t get_size(hvol_object *o, opt_args *a, hry_error *err)
{
    uint64_t size;
    HRY_TRY(size_of(o, &size, err));
    *a->get_size.size = size;
    return 0;
}

static herr_t get_eoa(hvol_object *o, opt_args *a, hry_error *err)
{
    uint64_t size;
    HRY_TRY(size_of(o, &size, err));
    *a->get_eoa.eoa = size;
    return 0;
}

static herr_t get_file_image(hvol_object *o, opt_args *a, hry_error *err)
{
    uint64_t size;
    HRY_TRY(size_of(o, &size, err));
    if (a->get_file_image.image_len != NULL)
        *a->get_file_image.image_len = (size_t)size;
    if (a->get_file_image.buf == NULL)
        return 0;
    if (a->get_file_image.buf_size < size)
        return HRY_FAIL(err, HRY_ERR_RANGE, "file of %llu bytes, buffer of %zu",
                        (unsigned long long)size, a->get_file_image.buf_size);
    return hry_io_read(&o->file->tree->store->io, 0, a->get_file_image.buf, (size_t)size,
                       err);
}

static herr_t get_free_space(hvol_object *o, opt_args *a, hry_error *err)
{
    (void)o, (void)err;
    *a->get_freespace.size = 0;
    return 0;
}

static herr_t get_free_sections(hvol_object *o, opt_args *a, hry_error *err)
{
    (void)o, (void)err;
    *a->get_free_sections.sect_count = 0;
    return 0;
}

static herr_t get_info(hvol_object *o, opt_args *a, hry_error *err)
{
    (void)o, (void)err;
    memset(a->get_info.finfo, 0, sizeof *a->get_info.finfo);
    return 0;
}

static herr_t get_mdc_config(hvol_object *o, opt_args *a, hry_error *err)
{
    if (H5Pget_mdc_config(o->file->fapl, a->get_mdc_config.config) < 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "metadata cache configuration cannot be read");
    return 0;
}

static herr_t get_mdc_hit_rate(hvol_object *o, opt_args *a, hry_error *err)
{
    (void)o, (void)err;
    *a->get_mdc_hit_rate.hit_rate = 0;
    return 0;
}

static herr_t get_mdc_size(hvol_object *o, opt_args *a, hry_error *err)
{
    (void)o, (void)err;
    if (a->get_mdc_size.max_size != NULL)
        *a->get_mdc_size.max_size = 0;
    if (a->get_mdc_size.min_clean_size != NULL)
        *a->get_mdc_size.min_clean_size = 0;
    if (a->get_mdc_size.cur_size != NULL)
        *a->get_mdc_size.cur_size = 0;
    if (a->get_mdc_size.cur_num_entries != NULL)
        *a->get_mdc_size.cur_num_entries = 0;
    return 0;
}

static herr_t get_retry_info(hvol_object *o, opt_args *a, hry_error *err)
{
    (void)o, (void)err;
    memset(a->get_metadata_read_retry_info.info, 0,
           sizeof *a->get_metadata_read_retry_info.info);
    return 0;
}

static herr_t get_min_ohdr(hvol_object *o, opt_args *a, hry_error *err)
{
    (void)err;
    *a->get_min_dset_ohdr_flag.minimize = o->file->minimal_headers;
    return 0;
}

/* There are no headers to make smaller; the hint is remembered for who asks. */
static herr_t set_min_ohdr(hvol_object *o, opt_args *a, hry_error *err)
{
    (void)err;
    o->file->minimal_headers = a->set_min_dset_ohdr_flag.minimize;
    return 0;
}

#ifdef H5_HAVE_PARALLEL
/* Writes are seen by every rank at once: POSIX promises it, whatever is asked for. */
static herr_t get_atomicity(hvol_object *o, opt_args *a, hry_error *err)
{
    (void)err;
    *a->get_mpi_atomicity.flag = o->file->atomic;
    return 0;
}

static herr_t set_atomicity(hvol_object *o, opt_args *a, hry_error *err)
{
    (void)err;
    o->file->atomic = a->set_mpi_atomicity.flag;
    return 0;
}
#endif

typedef herr_t (*operation)(hvol_object *, opt_args *, hry_error *);
static const operation operations[] = {
    [H5VL_NATIVE_FILE_CLEAR_ELINK_CACHE] = nothing,
    [H5VL_NATIVE_FILE_GET_FILE_IMAGE] = get_file_image,
    [H5VL_NATIVE_FILE_GET_FREE_SECTIONS] = get_free_sections,
    [H5VL_NATIVE_FILE_GET_FREE_SPACE] = get_free_space,
    [H5VL_NATIVE_FILE_GET_INFO] = get_info,
    [H5VL_NATIVE_FILE_GET_MDC_CONF] = get_mdc_config,
    [H5VL_NATIVE_FILE_GET_MDC_HR] = get_mdc_hit_rate,
    [H5VL_NATIVE_FILE_GET_MDC_SIZE] = get_mdc_size,
    [H5VL_NATIVE_FILE_GET_SIZE] = get_size,
    [H5VL_NATIVE_FILE_RESET_MDC_HIT_RATE] = nothing,
    [H5VL_NATIVE_FILE_SET_MDC_CONFIG] = nothing,
    [H5VL_NATIVE_FILE_GET_METADATA_READ_RETRY_INFO] = get_retry_info,
    [H5VL_NATIVE_FILE_GET_EOA] = get_eoa,
    [H5VL_NATIVE_FILE_SET_LIBVER_BOUNDS] = nothing,
    [H5VL_NATIVE_FILE_GET_MIN_DSET_OHDR_FLAG] = get_min_ohdr,
    [H5VL_NATIVE_FILE_SET_MIN_DSET_OHDR_FLAG] = set_min_ohdr,
#ifdef H5_HAVE_PARALLEL
    [H5VL_NATIVE_FILE_GET_MPI_ATOMICITY] = get_atomicity,
    [H5VL_NATIVE_FILE_SET_MPI_ATOMICITY] = set_atomicity,
#endif
};

bool hvol_opt_file_has(int op)
{
    return HVOL_HAS(operations, op);
}

herr_t hvol_file_cb_optional(void *obj, H5VL_optional_args_t *args, hid_t dxpl, void **req)
{
    hry_error err;
    (void)dxpl, (void)req;
    if (!hvol_opt_file_has(args->op_type))
        return hvol_unsupported(__func__, "optional file operation", args->op_type);
    const herr_t result = operations[args->op_type](obj, args->args, &err);
    if (result < 0)
        return HVOL_FAIL(-1, H5E_FILE, H5E_CANTOPERATE, &err);
    return result;
}
