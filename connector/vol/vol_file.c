/* SPDX-License-Identifier: Apache-2.0 */
/* vol_file.c - H5F callbacks. */
#include "container.h"
#include "fail.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint64_t hvol_new_opening(void)
{
    static uint64_t last;
    return ++last;
}

static hvol_object *new_file_handle(hvol_file *file, const char *path, bool writable,
                                    hry_error *err)
{
    hvol_object *object = calloc(1, sizeof *object);
    char *copy = strdup(path);
    if (object == NULL || copy == NULL) {
        free(object);
        free(copy);
        (void)HRY_NO_MEMORY(err, strlen(path));
        hvol_file_release(file, NULL);
        return NULL;
    }
    *object = (hvol_object){.what = HVOL_A_FILE,
                            .writable = writable,
                            .file = file,
                            .node = file->tree->root,
                            .path = copy,
                            .opening = hvol_new_opening()};
    hvol_node_retain(object->node);
    return object;
}

void *hvol_file_cb_create(const char *name, unsigned flags, hid_t fcpl, hid_t fapl,
                          hid_t dxpl, void **req)
{
    hvol_file *file;
    hry_error err;
    (void)dxpl, (void)req;
    if (hvol_file_create(name, flags, fcpl, fapl, &file, &err) != HRY_OK)
        return HVOL_FAIL(NULL, H5E_FILE, H5E_CANTCREATE, &err);
    hvol_object *object = new_file_handle(file, name, true, &err);
    return object != NULL ? object : HVOL_FAIL(NULL, H5E_FILE, H5E_CANTALLOC, &err);
}

void *hvol_file_cb_open(const char *name, unsigned flags, hid_t fapl, hid_t dxpl,
                        void **req)
{
    hvol_file *file;
    hry_error err;
    (void)dxpl, (void)req;
    if (hvol_file_open(name, flags, fapl, &file, &err) != HRY_OK)
        return HVOL_FAIL(NULL, H5E_FILE, H5E_CANTOPENFILE, &err);
    hvol_object *object = new_file_handle(file, name, (flags & H5F_ACC_RDWR) != 0, &err);
    return object != NULL ? object : HVOL_FAIL(NULL, H5E_FILE, H5E_CANTALLOC, &err);
}

/* ---- get ---- */

/* Copies a string as HDF5's getters do: the whole length, and what fits with a NUL. */
static void give_string(const char *text, size_t *length, char *buffer, size_t size)
{
    *length = strlen(text);
    if (buffer == NULL || size == 0)
        return;
    const size_t n = *length < size ? *length : size - 1;
    memcpy(buffer, text, n);
    buffer[n] = '\0';
}

static uint64_t local_opening(const hvol_object *o, unsigned types)
{
    return (types & H5F_OBJ_LOCAL) != 0 ? o->opening : 0;
}

static hry_status get_cont_info(hvol_object *o, H5VL_file_get_args_t *a, hry_error *err)
{
    H5VL_file_cont_info_t *info = a->args.get_cont_info.info;
    (void)o, (void)err;
    info->feature_flags = 0;
    info->token_size = H5O_MAX_TOKEN_SIZE;
    info->blob_id_size = HVOL_BLOB_ID;
    return HRY_OK;
}

static hry_status get_fapl(hvol_object *o, H5VL_file_get_args_t *a, hry_error *err)
{
    a->args.get_fapl.fapl_id = H5Pcopy(o->file->fapl);
    return a->args.get_fapl.fapl_id >= 0
               ? HRY_OK
               : HRY_FAIL(err, HRY_ERR_NOMEM, "property list cannot be copied");
}

static hry_status get_fcpl(hvol_object *o, H5VL_file_get_args_t *a, hry_error *err)
{
    return hvol_plist_to(o->file->tree->file_plist, H5P_FILE_CREATE_DEFAULT,
                         &a->args.get_fcpl.fcpl_id, err);
}

static hry_status get_fileno(hvol_object *o, H5VL_file_get_args_t *a, hry_error *err)
{
    (void)err;
    *a->args.get_fileno.fileno = o->file->number;
    return HRY_OK;
}

static hry_status get_intent(hvol_object *o, H5VL_file_get_args_t *a, hry_error *err)
{
    (void)err;
    *a->args.get_intent.flags = o->writable ? H5F_ACC_RDWR : H5F_ACC_RDONLY;
    return HRY_OK;
}

/* The name the file was opened by; objects ask for the name of any way it was opened. */
static const char *name_of(const hvol_object *o)
{
    if (o->path != NULL)
        return o->path;
    return o->file->path;
}

static hry_status get_name(hvol_object *o, H5VL_file_get_args_t *a, hry_error *err)
{
    (void)err;
    H5VL_file_get_name_args_t *name = &a->args.get_name;
    give_string(name_of(o), name->file_name_len, name->buf, name->buf_size);
    return HRY_OK;
}

static hry_status get_obj_count(hvol_object *o, H5VL_file_get_args_t *a, hry_error *err)
{
    (void)err;
    hvol_id_search search = {.file = o->file,
                             .opening = local_opening(o, a->args.get_obj_count.types)};
    hvol_find_ids(&search, a->args.get_obj_count.types);
    *a->args.get_obj_count.count = search.count;
    return HRY_OK;
}

static hry_status get_obj_ids(hvol_object *o, H5VL_file_get_args_t *a, hry_error *err)
{
    (void)err;
    H5VL_file_get_obj_ids_args_t *ids = &a->args.get_obj_ids;
    hvol_id_search search = {.file = o->file,
                             .opening = local_opening(o, ids->types),
                             .max = ids->max_objs,
                             .ids = ids->oid_list};
    hvol_find_ids(&search, ids->types);
    *ids->count = search.count;
    return HRY_OK;
}

herr_t hvol_file_cb_get(void *obj, H5VL_file_get_args_t *args, hid_t dxpl, void **req)
{
    typedef hry_status (*getter)(hvol_object *, H5VL_file_get_args_t *, hry_error *);
    static const getter getters[] = {
        [H5VL_FILE_GET_CONT_INFO] = get_cont_info, [H5VL_FILE_GET_FAPL] = get_fapl,
        [H5VL_FILE_GET_FCPL] = get_fcpl,           [H5VL_FILE_GET_FILENO] = get_fileno,
        [H5VL_FILE_GET_INTENT] = get_intent,       [H5VL_FILE_GET_NAME] = get_name,
        [H5VL_FILE_GET_OBJ_COUNT] = get_obj_count, [H5VL_FILE_GET_OBJ_IDS] = get_obj_ids};
    hry_error err;
    (void)dxpl, (void)req;
    if ((size_t)args->op_type >= sizeof getters / sizeof *getters)
        return hvol_unsupported(__func__, "file query", (int)args->op_type);
    if (getters[args->op_type](obj, args, &err) != HRY_OK)
        return HVOL_FAIL(-1, H5E_FILE, H5E_CANTGET, &err);
    return 0;
}

/* ---- specific ---- */

static hry_status flush(hvol_object *o, H5VL_file_specific_args_t *a, hry_error *err)
{
    (void)a;
    return hvol_file_commit(o->file, err);
}

static hry_status reopen(hvol_object *o, H5VL_file_specific_args_t *a, hry_error *err)
{
    o->file->refs++;
    hvol_object *again = new_file_handle(o->file, name_of(o), o->writable, err);
    *a->args.reopen.file = again;
    return again != NULL ? HRY_OK : HRY_ERR_NOMEM;
}

/* Opens as a file and not only begins like one. */
static hry_status is_accessible(hvol_object *o, H5VL_file_specific_args_t *a,
                                hry_error *err)
{
    hry_file *file = NULL;
    (void)o;
    const char *path = a->args.is_accessible.filename;
    if (access(path, F_OK) != 0)
        return HRY_FAIL(err, HRY_ERR_IO, "%s: no such file", path);
    *a->args.is_accessible.accessible = hry_file_open(path, NULL, &file, err) == HRY_OK;
    hry_file_close(file);
    return HRY_OK;
}

static hry_status delete_file(hvol_object *o, H5VL_file_specific_args_t *a, hry_error *err)
{
    (void)o;
    return hvol_medium_delete(a->args.del.filename, a->args.del.fapl_id, err);
}

static hry_status is_equal(hvol_object *o, H5VL_file_specific_args_t *a, hry_error *err)
{
    const hvol_object *other = a->args.is_equal.obj2;
    (void)err;
    *a->args.is_equal.same_file = other != NULL && other->file == o->file;
    return HRY_OK;
}

herr_t hvol_file_cb_specific(void *obj, H5VL_file_specific_args_t *args, hid_t dxpl,
                             void **req)
{
    typedef hry_status (*operation)(hvol_object *, H5VL_file_specific_args_t *,
                                    hry_error *);
    static const operation operations[] = {[H5VL_FILE_FLUSH] = flush,
                                           [H5VL_FILE_REOPEN] = reopen,
                                           [H5VL_FILE_IS_ACCESSIBLE] = is_accessible,
                                           [H5VL_FILE_DELETE] = delete_file,
                                           [H5VL_FILE_IS_EQUAL] = is_equal};
    hry_error err;
    (void)dxpl, (void)req;
    if ((size_t)args->op_type >= sizeof operations / sizeof *operations)
        return hvol_unsupported(__func__, "file operation", (int)args->op_type);
    if (operations[args->op_type](obj, args, &err) != HRY_OK)
        return HVOL_FAIL(-1, H5E_FILE, H5E_CANTOPERATE, &err);
    return 0;
}

/* What becomes of objects that are still open: HDF5's close degree. */
static hry_status close_degree(const hvol_object *file, hry_error *err)
{
    H5F_close_degree_t degree = H5F_CLOSE_DEFAULT;
    hvol_id_search open = {.file = file->file, .opening = file->opening};
    if (H5Pget_fclose_degree(file->file->fapl, &degree) < 0)
        degree = H5F_CLOSE_DEFAULT;
    if (degree == H5F_CLOSE_STRONG)
        hvol_close_ids(file);
    if (degree != H5F_CLOSE_SEMI)
        return HRY_OK;
    hvol_find_ids(&open, H5F_OBJ_ALL & ~H5F_OBJ_FILE);
    return open.count == 0 ? HRY_OK
                           : HRY_FAIL(err, HRY_ERR_ARG,
                                      "%s: %zu objects are open, and its close degree "
                                      "is H5F_CLOSE_SEMI",
                                      file->file->path, open.count);
}

herr_t hvol_file_cb_close(void *obj, hid_t dxpl, void **req)
{
    hvol_object *object = obj;
    hry_error err;
    (void)dxpl, (void)req;
    hry_status status = close_degree(object, &err);
    if (status != HRY_OK)
        return HVOL_FAIL(-1, H5E_FILE, H5E_CANTCLOSEFILE, &err);
    if (object->file->refs >
        1) /* something else is open still: but this may be the last call */
        status = hvol_file_commit(object->file, &err);
    const hry_status closed = hvol_object_close(object, status == HRY_OK ? &err : NULL);
    if (status != HRY_OK || closed != HRY_OK)
        return HVOL_FAIL(-1, H5E_FILE, H5E_CANTCLOSEFILE, &err);
    return 0;
}
