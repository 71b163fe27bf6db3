/* SPDX-License-Identifier: Apache-2.0 */
/* vol_link.c - H5L callbacks. */
#include "create.h"
#include "fail.h"
#include "tree/visit.h"

#include <stdlib.h>
#include <string.h>

/* ---- create ---- */

static hry_status add(const hvol_target *at, uint8_t kind, hvol_node *node,
                      const void *value, size_t size, hry_error *err)
{
    return hvol_link_add(at->spot.in.file->tree, at->group, at->name, at->length, at->cset,
                         kind, node, value, size, NULL, err);
}

static hry_status create_hard(hvol_object *from, const H5VL_link_create_args_t *a,
                              const hvol_target *at, hry_error *err)
{
    const hvol_object *source = a->args.hard.curr_obj;
    hvol_spot spot;
    HRY_TRY(hvol_resolve(source != NULL ? source : from, &a->args.hard.curr_loc_params,
                         &spot, err));
    hry_status status;
    if (spot.in.file == at->spot.in.file)
        status = add(at, HVOL_LINK_HARD, spot.in.node, NULL, 0, err);
    else
        status = HRY_FAIL(err, HRY_ERR_ARG, "a hard link cannot lead into another file");
    hvol_spot_clear(&spot);
    return status;
}

static hry_status create_soft(hvol_object *from, const H5VL_link_create_args_t *a,
                              const hvol_target *at, hry_error *err)
{
    const char *target = a->args.soft.target;
    (void)from;
    return add(at, HVOL_LINK_SOFT, NULL, target, strlen(target) + 1, err);
}

static hry_status create_other(hvol_object *from, const H5VL_link_create_args_t *a,
                               const hvol_target *at, hry_error *err)
{
    (void)from;
    return add(at, (uint8_t)a->args.ud.type, NULL, a->args.ud.buf, a->args.ud.buf_size,
               err);
}

static hry_status create_link(hvol_object *from, const H5VL_loc_params_t *loc, hid_t lcpl,
                              const H5VL_link_create_args_t *a, hry_error *err)
{
    typedef hry_status (*maker)(hvol_object *, const H5VL_link_create_args_t *,
                                const hvol_target *, hry_error *);
    static const maker makers[] = {[H5VL_LINK_CREATE_HARD] = create_hard,
                                   [H5VL_LINK_CREATE_SOFT] = create_soft,
                                   [H5VL_LINK_CREATE_UD] = create_other};
    hvol_target target;
    if ((size_t)a->op_type >= sizeof makers / sizeof *makers)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "link of kind %d", (int)a->op_type);
    hry_status status = hvol_aim(from, loc, NULL, lcpl, &target, err);
    if (status == HRY_OK)
        status = hvol_require_writable(&target.spot.in, err);
    if (status == HRY_OK)
        status = makers[a->op_type](from, a, &target, err);
    if (status == HRY_OK)
        hvol_node_touch(target.spot.in.file->tree, target.group);
    hvol_target_clear(&target);
    return status;
}

herr_t hvol_link_cb_create(H5VL_link_create_args_t *args, void *obj,
                           const H5VL_loc_params_t *loc, hid_t lcpl, hid_t lapl, hid_t dxpl,
                           void **req)
{
    hvol_object *from = obj;
    hry_error err;
    (void)dxpl, (void)req;
    if (from == NULL) /* H5L_SAME_LOC: the new link lies where the old object is */
        from = args->args.hard.curr_obj;
    if (hvol_check_access(lapl, &err) != HRY_OK ||
        create_link(from, loc, lcpl, args, &err) != HRY_OK)
        return HVOL_FAIL(-1, H5E_LINK, H5E_CANTCREATE, &err);
    return 0;
}

/* ---- copy and move ---- */

/* Add the same link at `target`; `link` is in the file of `from`. */
static hry_status copy_to(const hvol_object *from, hvol_link *link,
                          const hvol_target *target, hid_t lcpl, bool move, hry_error *err)
{
    const hvol_object *to = &target->spot.in;
    const bool own_set = lcpl > 0 && lcpl != H5P_LINK_CREATE_DEFAULT;
    HRY_TRY(hvol_require_writable(to, err));
    if (from->file != to->file)
        return HRY_FAIL(err, HRY_ERR_ARG, "links are copied and moved within one file");
    HRY_TRY(hvol_link_add(to->file->tree, target->group, target->name, target->length,
                          own_set ? target->cset : link->named.cset, link->kind,
                          link->target, link->value, link->value_size, NULL, err));
    hvol_node_touch(to->file->tree, target->group);
    if (move) {
        hvol_node_touch(from->file->tree, link->group);
        hvol_link_remove(from->file->tree, link);
    }
    return HRY_OK;
}

static hry_status copy_link(hvol_object *from, const H5VL_loc_params_t *from_loc,
                            hvol_object *to, const H5VL_loc_params_t *to_loc, hid_t lcpl,
                            bool move, hry_error *err)
{
    hvol_spot spot;
    hvol_target target;
    HRY_TRY(hvol_resolve_link(from != NULL ? from : to, from_loc, &spot, err));
    hry_status status = hvol_aim(to != NULL ? to : from, to_loc, NULL, lcpl, &target, err);
    if (status == HRY_OK)
        status = copy_to(&spot.in, spot.found.link, &target, lcpl, move, err);
    hvol_target_clear(&target);
    hvol_spot_clear(&spot);
    return status;
}

herr_t hvol_link_cb_copy(void *src, const H5VL_loc_params_t *src_loc, void *dst,
                         const H5VL_loc_params_t *dst_loc, hid_t lcpl, hid_t lapl,
                         hid_t dxpl, void **req)
{
    hry_error err;
    (void)dxpl, (void)req;
    if (hvol_check_access(lapl, &err) != HRY_OK ||
        copy_link(src, src_loc, dst, dst_loc, lcpl, false, &err) != HRY_OK)
        return HVOL_FAIL(-1, H5E_LINK, H5E_CANTCOPY, &err);
    return 0;
}

herr_t hvol_link_cb_move(void *src, const H5VL_loc_params_t *src_loc, void *dst,
                         const H5VL_loc_params_t *dst_loc, hid_t lcpl, hid_t lapl,
                         hid_t dxpl, void **req)
{
    hry_error err;
    (void)dxpl, (void)req;
    if (hvol_check_access(lapl, &err) != HRY_OK ||
        copy_link(src, src_loc, dst, dst_loc, lcpl, true, &err) != HRY_OK)
        return HVOL_FAIL(-1, H5E_LINK, H5E_CANTMOVE, &err);
    return 0;
}

/* ---- get ---- */

void hvol_link_info(const hvol_file *file, const hvol_link *link, H5L_info2_t *out)
{
    memset(out, 0, sizeof *out);
    out->type = (H5L_type_t)link->kind;
    out->corder_valid = hvol_tracks_links(file, link->group);
    out->corder = out->corder_valid ? (int64_t)link->named.order : 0;
    out->cset = link->named.cset ? H5T_CSET_UTF8 : H5T_CSET_ASCII;
    if (link->kind == HVOL_LINK_HARD)
        out->u.token = hvol_token_of(link->target);
    else
        out->u.val_size = link->value_size;
}

static hry_status give_name(const hvol_spot *spot, H5VL_link_get_args_t *a, hry_error *err)
{
    const hvol_link *link = spot->found.link;
    (void)err;
    *a->args.get_name.name_len = link->named.name_length;
    if (a->args.get_name.name != NULL && a->args.get_name.name_size > 0) {
        const size_t size = a->args.get_name.name_size;
        const size_t n =
            link->named.name_length < size ? link->named.name_length : size - 1;
        memcpy(a->args.get_name.name, link->named.name, n);
        a->args.get_name.name[n] = '\0';
    }
    return HRY_OK;
}

static hry_status give_value(const hvol_spot *spot, H5VL_link_get_args_t *a, hry_error *err)
{
    const hvol_link *link = spot->found.link;
    const size_t size = a->args.get_val.buf_size;
    char *buf = a->args.get_val.buf;
    if (link->kind == HVOL_LINK_HARD)
        return HRY_FAIL(err, HRY_ERR_ARG, "a hard link has no value");
    if (buf == NULL || size == 0)
        return HRY_OK;
    const size_t n = link->value_size < size ? link->value_size : size;
    memcpy(buf, link->value, n);
    if (link->kind == HVOL_LINK_SOFT && n < link->value_size)
        buf[n - 1] = '\0';
    return HRY_OK;
}

static hry_status give_info(const hvol_spot *spot, H5VL_link_get_args_t *a, hry_error *err)
{
    (void)err;
    hvol_link_info(spot->in.file, spot->found.link, a->args.get_info.linfo);
    return HRY_OK;
}

herr_t hvol_link_cb_get(void *obj, const H5VL_loc_params_t *loc, H5VL_link_get_args_t *args,
                        hid_t dxpl, void **req)
{
    typedef hry_status (*getter)(const hvol_spot *, H5VL_link_get_args_t *, hry_error *);
    static const getter getters[] = {[H5VL_LINK_GET_INFO] = give_info,
                                     [H5VL_LINK_GET_NAME] = give_name,
                                     [H5VL_LINK_GET_VAL] = give_value};
    hvol_spot spot;
    hry_error err;
    (void)dxpl, (void)req;
    if ((size_t)args->op_type >= sizeof getters / sizeof *getters)
        return hvol_unsupported(__func__, "link query", (int)args->op_type);
    hry_status status = hvol_resolve_link(obj, loc, &spot, &err);
    if (status == HRY_OK) {
        status = getters[args->op_type](&spot, args, &err);
        hvol_spot_clear(&spot);
    }
    if (status != HRY_OK)
        return HVOL_FAIL(-1, H5E_LINK, H5E_CANTGET, &err);
    return 0;
}

/* ---- specific ---- */

static herr_t delete_link(hvol_object *from, const H5VL_loc_params_t *loc,
                          H5VL_link_specific_args_t *a, hry_error *err)
{
    hvol_spot spot;
    (void)a;
    HRY_TRY(hvol_resolve_link(from, loc, &spot, err));
    const hry_status status = hvol_require_writable(&spot.in, err);
    if (status == HRY_OK) {
        hvol_node_touch(spot.in.file->tree, spot.found.link->group);
        hvol_link_remove(spot.in.file->tree, spot.found.link);
    }
    hvol_spot_clear(&spot);
    return status == HRY_OK ? 0 : -1;
}

/* The root has no link, and exists all the same. */
static herr_t link_exists(hvol_object *from, const H5VL_loc_params_t *loc,
                          H5VL_link_specific_args_t *a, hry_error *err)
{
    hvol_spot spot;
    HRY_TRY(hvol_locate(from, loc, HVOL_NO_FOLLOW, &spot, err));
    *a->args.exists.exists = spot.found.link != NULL || spot.found.group == NULL;
    hvol_spot_clear(&spot);
    return 0;
}

/* One H5Literate or H5Lvisit. */
typedef struct link_walk {
    const hvol_object *from;
    hvol_node *group;
    H5VL_link_iterate_args_t *args;
    hid_t id; /* of the group, for the callback */
} link_walk;

static herr_t call_each(const link_walk *w)
{
    const H5VL_link_iterate_args_t *it = w->args;
    hsize_t n = it->idx_p != NULL ? *it->idx_p : 0;
    herr_t result = 0;
    hvol_named *item;
    while (result == 0 &&
           (item = hvol_names_at(&w->group->u.links, it->idx_type == H5_INDEX_CRT_ORDER,
                                 it->order == H5_ITER_DEC, n)) != NULL) {
        H5L_info2_t info;
        char *name = strdup(item->name); /* the callback may remove the link */
        hvol_link_info(w->from->file, (hvol_link *)item, &info);
        result = name == NULL ? -1 : it->op(w->id, name, &info, it->op_data);
        free(name);
        n++;
        if (it->idx_p != NULL)
            *it->idx_p = n;
    }
    return result;
}

static int visit_link(void *ctx, const char *path, hvol_link *link, bool fresh)
{
    const link_walk *w = ctx;
    H5L_info2_t info;
    (void)fresh;
    hvol_link_info(w->from->file, link, &info);
    return w->args->op(w->id, path, &info, w->args->op_data);
}

static bool keeps_order(void *ctx, const hvol_node *group)
{
    return hvol_tracks_links(((const link_walk *)ctx)->from->file, group);
}

static herr_t walk_links(link_walk *w, hry_error *err)
{
    const H5VL_link_iterate_args_t *it = w->args;
    const hvol_visit_order order = {.by_order = it->idx_type == H5_INDEX_CRT_ORDER,
                                    .backwards = it->order == H5_ITER_DEC,
                                    .keeps_order = keeps_order};
    int result = 0;
    if (!it->recursive)
        result = call_each(w);
    else if (hvol_visit(w->from->file->tree, w->group, &order, visit_link, w, &result,
                        err) != HRY_OK)
        return -1;
    if (result < 0)
        (void)HRY_FAIL(err, HRY_ERR_ARG, "link iteration's callback failed");
    return result;
}

static herr_t iterate_in(link_walk *w, hry_error *err)
{
    const hsize_t *at = w->args->idx_p;
    if (w->group->kind != HVOL_GROUP)
        return HRY_FAIL(err, HRY_ERR_ARG, "not a group");
    if (!w->args->recursive && w->args->idx_type == H5_INDEX_CRT_ORDER &&
        !hvol_tracks_links(w->from->file, w->group))
        return HRY_FAIL(err, HRY_ERR_ARG,
                        "creation order is not tracked for links in group");
    const uint64_t count = hvol_names_count(&w->group->u.links);
    if (at != NULL && *at > 0 && *at >= count)
        return HRY_FAIL(err, HRY_ERR_RANGE, "iteration starts at %llu of %llu links",
                        (unsigned long long)*at, (unsigned long long)count);
    if ((w->id = hvol_register(w->from, w->group, err)) < 0)
        return -1;
    const herr_t result = walk_links(w, err);
    H5Idec_ref(w->id);
    return result;
}

static herr_t iterate(hvol_object *from, const H5VL_loc_params_t *loc,
                      H5VL_link_specific_args_t *a, hry_error *err)
{
    hvol_spot spot;
    HRY_TRY(hvol_resolve(from, loc, &spot, err));
    link_walk w = {.from = &spot.in, .group = spot.in.node, .args = &a->args.iterate};
    const herr_t result = iterate_in(&w, err);
    hvol_spot_clear(&spot);
    return result;
}

herr_t hvol_link_cb_specific(void *obj, const H5VL_loc_params_t *loc,
                             H5VL_link_specific_args_t *args, hid_t dxpl, void **req)
{
    typedef herr_t (*operation)(hvol_object *, const H5VL_loc_params_t *,
                                H5VL_link_specific_args_t *, hry_error *);
    static const operation operations[] = {[H5VL_LINK_DELETE] = delete_link,
                                           [H5VL_LINK_EXISTS] = link_exists,
                                           [H5VL_LINK_ITER] = iterate};
    hry_error err;
    (void)dxpl, (void)req;
    if ((size_t)args->op_type >= sizeof operations / sizeof *operations)
        return hvol_unsupported(__func__, "link operation", (int)args->op_type);
    const herr_t result = operations[args->op_type](obj, loc, args, &err);
    if (result < 0)
        return HVOL_FAIL(-1, H5E_LINK, H5E_CANTOPERATE, &err);
    return result;
}
