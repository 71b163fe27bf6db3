/* SPDX-License-Identifier: Apache-2.0 */
/* opt_object.c - comments of objects, and what native files know of an object's header. */
#include "fail.h"
#include "optional.h"

#include <stdlib.h>
#include <string.h>

static herr_t get_comment(hvol_object *from, hvol_node *node,
                          H5VL_native_object_optional_args_t *a, hry_error *err)
{
    const char *text = node->comment == NULL ? "" : node->comment;
    (void)from, (void)err;
    *a->get_comment.comment_len = strlen(text);
    if (a->get_comment.buf != NULL && a->get_comment.buf_size > 0) {
        const size_t size = a->get_comment.buf_size, length = strlen(text);
        const size_t n = length < size ? length : size - 1;
        memcpy(a->get_comment.buf, text, n);
        ((char *)a->get_comment.buf)[n] = '\0';
    }
    return 0;
}

static herr_t set_comment(hvol_object *from, hvol_node *node,
                          H5VL_native_object_optional_args_t *a, hry_error *err)
{
    const char *text = a->set_comment.comment;
    char *copy = NULL;
    HRY_TRY(hvol_require_writable(from, err));
    if (text != NULL && *text != '\0' && (copy = strdup(text)) == NULL)
        return HRY_NO_MEMORY(err, strlen(text));
    free(node->comment);
    node->comment = copy;
    hvol_node_touch(from->file->tree, node);
    return 0;
}

/* There is no object header here: all sizes are 0. */
static herr_t get_native_info(hvol_object *from, hvol_node *node,
                              H5VL_native_object_optional_args_t *a, hry_error *err)
{
    (void)from, (void)node, (void)err;
    memset(a->get_native_info.ninfo, 0, sizeof *a->get_native_info.ninfo);
    return 0;
}

/* Nothing of ours is flushed by a metadata cache. */
static herr_t set_mdc_flushes(hvol_object *from, hvol_node *node,
                              H5VL_native_object_optional_args_t *a, hry_error *err)
{
    (void)from, (void)node, (void)a, (void)err;
    return 0;
}

static herr_t are_mdc_flushes_disabled(hvol_object *from, hvol_node *node,
                                       H5VL_native_object_optional_args_t *a,
                                       hry_error *err)
{
    (void)from, (void)node, (void)err;
    *a->are_mdc_flushes_disabled.flag = false;
    return 0;
}

typedef herr_t (*operation)(hvol_object *, hvol_node *,
                            H5VL_native_object_optional_args_t *, hry_error *);
static const operation operations[] = {
    [H5VL_NATIVE_OBJECT_GET_COMMENT] = get_comment,
    [H5VL_NATIVE_OBJECT_SET_COMMENT] = set_comment,
    [H5VL_NATIVE_OBJECT_DISABLE_MDC_FLUSHES] = set_mdc_flushes,
    [H5VL_NATIVE_OBJECT_ENABLE_MDC_FLUSHES] = set_mdc_flushes,
    [H5VL_NATIVE_OBJECT_ARE_MDC_FLUSHES_DISABLED] = are_mdc_flushes_disabled,
    [H5VL_NATIVE_OBJECT_GET_NATIVE_INFO] = get_native_info};

bool hvol_opt_object_has(int op)
{
    return HVOL_HAS(operations, op);
}

herr_t hvol_object_cb_optional(void *obj, const H5VL_loc_params_t *loc,
                               H5VL_optional_args_t *args, hid_t dxpl, void **req)
{
    hvol_spot spot;
    hry_error err;
    (void)dxpl, (void)req;
    if (!hvol_opt_object_has(args->op_type))
        return hvol_unsupported(__func__, "optional object operation", args->op_type);
    if (hvol_resolve(obj, loc, &spot, &err) != HRY_OK)
        return HVOL_FAIL(-1, H5E_OHDR, H5E_NOTFOUND, &err);
    const herr_t result =
        operations[args->op_type](&spot.in, spot.in.node, args->args, &err);
    hvol_spot_clear(&spot);
    if (result < 0)
        return HVOL_FAIL(-1, H5E_OHDR, H5E_CANTOPERATE, &err);
    return result;
}
