/* SPDX-License-Identifier: Apache-2.0 */
/* vol_class.c - the connector as a table. Reading this file is reading what it does. */
#include "optional.h"

#include <H5PLextern.h>

#include <stdlib.h>
#include <string.h>

enum { HVOL_VALUE = 300 }; /* 256-511: HDF5's range for unregistered connectors */

static herr_t init(hid_t vipl)
{
    (void)vipl;
    /* a program may end with files open; later HDF5 has no filters any more */
    if (H5atclose(hvol_file_commit_all, NULL) < 0)
        return -1;
    return hvol_error_init();
}

static herr_t term(void)
{
    hvol_error_term();
    return 0;
}

/* ---- VOL info: the connector string, parsed ---- */

static void *info_copy(const void *info)
{
    hvol_options *copy = malloc(sizeof *copy);
    if (copy != NULL)
        *copy = *(const hvol_options *)info;
    return copy;
}

static herr_t info_cmp(int *order, const void *a, const void *b)
{
    *order = memcmp(a, b, sizeof(hvol_options));
    return 0;
}

static herr_t info_free(void *info)
{
    free(info);
    return 0;
}

static herr_t info_to_str(const void *info, char **text)
{
    const size_t length = hvol_options_print(info, NULL, 0);
    if ((*text = malloc(length + 1)) == NULL)
        return -1;
    hvol_options_print(info, *text, length + 1);
    return 0;
}

static herr_t info_from_str(const char *text, void **info)
{
    hvol_options options;
    hry_error err;
    if (hvol_options_parse(text == NULL ? "" : text, &options, &err) != HRY_OK)
        return HVOL_FAIL(-1, H5E_VOL, H5E_BADVALUE, &err);
    *info = info_copy(&options);
    return *info == NULL ? -1 : 0;
}

/* ---- introspection ---- */

static herr_t get_conn_cls(void *obj, H5VL_get_conn_lvl_t level, const H5VL_class_t **cls)
{
    (void)obj, (void)level;
    *cls = &hvol_class;
    return 0;
}

static herr_t get_cap_flags(const void *info, uint64_t *flags)
{
    (void)info;
    *flags = hvol_class.cap_flags;
    return 0;
}

/* Named members: a callback left out is NULL, which HDF5 reports as unsupported. */
const H5VL_class_t hvol_class = {
    .version = H5VL_VERSION,
    .value = HVOL_VALUE,
    .name = HVOL_NAME,
    .conn_version = 1,
    .cap_flags =
        H5VL_CAP_FLAG_FILE_BASIC | H5VL_CAP_FLAG_FILE_MORE | H5VL_CAP_FLAG_GROUP_BASIC |
        H5VL_CAP_FLAG_GROUP_MORE | H5VL_CAP_FLAG_DATASET_BASIC |
        H5VL_CAP_FLAG_DATASET_MORE | H5VL_CAP_FLAG_ATTR_BASIC | H5VL_CAP_FLAG_ATTR_MORE |
        H5VL_CAP_FLAG_LINK_BASIC | H5VL_CAP_FLAG_LINK_MORE | H5VL_CAP_FLAG_OBJECT_BASIC |
        H5VL_CAP_FLAG_OBJECT_MORE | H5VL_CAP_FLAG_STORED_DATATYPES |
        H5VL_CAP_FLAG_CREATION_ORDER | H5VL_CAP_FLAG_ITERATE | H5VL_CAP_FLAG_STORAGE_SIZE |
        H5VL_CAP_FLAG_BY_IDX | H5VL_CAP_FLAG_GET_PLIST | H5VL_CAP_FLAG_FLUSH_REFRESH |
        H5VL_CAP_FLAG_HARD_LINKS | H5VL_CAP_FLAG_SOFT_LINKS | H5VL_CAP_FLAG_TRACK_TIMES |
        H5VL_CAP_FLAG_FILL_VALUES | H5VL_CAP_FLAG_FILTERS | H5VL_CAP_FLAG_REF_BASIC |
        H5VL_CAP_FLAG_REF_MORE | H5VL_CAP_FLAG_OBJ_REF | H5VL_CAP_FLAG_REG_REF |
        H5VL_CAP_FLAG_ATTR_REF | H5VL_CAP_FLAG_EXTERNAL_LINKS | H5VL_CAP_FLAG_UD_LINKS |
        H5VL_CAP_FLAG_MOUNT,
    .initialize = init,
    .terminate = term,
    .info_cls = {.size = sizeof(hvol_options),
                 .copy = info_copy,
                 .cmp = info_cmp,
                 .free = info_free,
                 .to_str = info_to_str,
                 .from_str = info_from_str},
    .attr_cls = {.create = hvol_attr_cb_create,
                 .open = hvol_attr_cb_open,
                 .read = hvol_attr_cb_read,
                 .write = hvol_attr_cb_write,
                 .get = hvol_attr_cb_get,
                 .specific = hvol_attr_cb_specific,
                 .optional = hvol_attr_cb_optional,
                 .close = hvol_cb_close},
    .dataset_cls = {.create = hvol_dataset_cb_create,
                    .open = hvol_dataset_cb_open,
                    .read = hvol_dataset_cb_read,
                    .write = hvol_dataset_cb_write,
                    .get = hvol_dataset_cb_get,
                    .specific = hvol_dataset_cb_specific,
                    .optional = hvol_dataset_cb_optional,
                    .close = hvol_cb_close},
    .datatype_cls = {.commit = hvol_type_cb_commit,
                     .open = hvol_type_cb_open,
                     .get = hvol_type_cb_get,
                     .specific = hvol_type_cb_specific,
                     .close = hvol_cb_close},
    .file_cls = {.create = hvol_file_cb_create,
                 .open = hvol_file_cb_open,
                 .get = hvol_file_cb_get,
                 .specific = hvol_file_cb_specific,
                 .optional = hvol_file_cb_optional,
                 .close = hvol_file_cb_close},
    .group_cls = {.create = hvol_group_cb_create,
                  .open = hvol_group_cb_open,
                  .get = hvol_group_cb_get,
                  .specific = hvol_group_cb_specific,
                  .optional = hvol_group_cb_optional,
                  .close = hvol_cb_close},
    .link_cls = {.create = hvol_link_cb_create,
                 .copy = hvol_link_cb_copy,
                 .move = hvol_link_cb_move,
                 .get = hvol_link_cb_get,
                 .specific = hvol_link_cb_specific},
    .object_cls = {.open = hvol_object_cb_open,
                   .copy = hvol_object_cb_copy,
                   .get = hvol_object_cb_get,
                   .specific = hvol_object_cb_specific,
                   .optional = hvol_object_cb_optional},
    .blob_cls = {.put = hvol_blob_cb_put,
                 .get = hvol_blob_cb_get,
                 .specific = hvol_blob_cb_specific},
    .introspect_cls = {.get_conn_cls = get_conn_cls,
                       .get_cap_flags = get_cap_flags,
                       .opt_query = hvol_opt_query},
    .token_cls = {.cmp = hvol_token_cb_cmp,
                  .to_str = hvol_token_cb_to_str,
                  .from_str = hvol_token_cb_from_str},
};

bool hvol_is_ours(hid_t id)
{
    H5VL_class_value_t value = -1;
    const hid_t connector = H5VLget_connector_id(id);
    if (connector < 0)
        return false;
    const bool ours = H5VLget_value(connector, &value) >= 0 && value == HVOL_VALUE;
    H5VLclose(connector);
    return ours;
}

H5PL_type_t H5PLget_plugin_type(void)
{
    return H5PL_TYPE_VOL;
}

const void *H5PLget_plugin_info(void)
{
    return &hvol_class;
}
