/* SPDX-License-Identifier: Apache-2.0 */
/* vol_copy.c - H5Ocopy: the flags of an object copy list as rules for tree/copy.h. */
#include "fail.h"
#include "h5/handle.h"
#include "tree/copy.h"
#include "vol.h"

#include <stdlib.h>
#include <string.h>

enum { NOT_YET = H5O_COPY_EXPAND_REFERENCE_FLAG };

/* A file that an external link led into; open until the copy ends. */
typedef struct entered {
    hvol_spot spot;
    struct entered *next;
} entered;

typedef struct copy_ctx {
    const hvol_object *from; /* in the file of the start */
    entered *files;          /* owned */
} copy_ctx;

static hry_status follow(void *ctx, hvol_tree *tree, hvol_link *link, hvol_tree **out_tree,
                         hvol_node **out, hry_error *err)
{
    copy_ctx *c = ctx;
    hvol_object group = *c->from;
    entered *e = calloc(1, sizeof *e);
    if (e == NULL)
        return HRY_NO_MEMORY(err, sizeof *e);
    for (const entered *other = c->files; other != NULL; other = other->next)
        if (other->spot.in.file->tree == tree)
            group.file = other->spot.in.file;
    group.attr = NULL;
    group.node = link->group;
    if (hvol_follow_path(&group, link->named.name, 0, 0, &e->spot, err) != HRY_OK ||
        e->spot.in.node == NULL) {
        free(e); /* it leads nowhere now: the link is copied */
        return HRY_ERR_NOTFOUND;
    }
    e->next = c->files;
    c->files = e;
    *out_tree = e->spot.in.file->tree;
    *out = e->spot.in.node;
    return HRY_OK;
}

static void close_files(copy_ctx *c)
{
    while (c->files != NULL) {
        entered *e = c->files;
        c->files = e->next;
        hvol_spot_clear(&e->spot);
        free(e);
    }
}

/* A committed type of the destination that is the same as `type`. */
static hvol_node *same_type(void *ctx, hvol_tree *to, const hvol_node *type)
{
    (void)ctx;
    for (uint64_t i = 0; i < to->slot_count; i++) {
        hvol_node *node = to->slots[i];
        if (node != NULL && node != type && node->kind == HVOL_TYPE && node->links > 0 &&
            node->u.type != NULL && node->u.type->size == type->u.type->size &&
            memcmp(node->u.type->data, type->u.type->data, node->u.type->size) == 0)
            return node;
    }
    return NULL;
}

static bool names_objects(void *ctx, hvol_blob *type)
{
    (void)ctx;
    const hid_t id = H5Tdecode(type->data);
    const bool names = id >= 0 && H5Tdetect_class(id, H5T_REFERENCE) > 0;
    hvol_close_id(id);
    return names;
}

static hry_status read_rules(hid_t ocpypl, hvol_copy_rules *rules, hry_error *err)
{
    unsigned flags = 0;
    if (ocpypl < 0 || (ocpypl != H5P_DEFAULT && H5Pget_copy_object(ocpypl, &flags) < 0))
        return HRY_FAIL(err, HRY_ERR_ARG, "object copy property list cannot be read");
    if ((flags & NOT_YET) != 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "copying what references name is not supported");
    rules->shallow = (flags & H5O_COPY_SHALLOW_HIERARCHY_FLAG) != 0;
    rules->expand_soft = (flags & H5O_COPY_EXPAND_SOFT_LINK_FLAG) != 0;
    rules->without_attrs = (flags & H5O_COPY_WITHOUT_ATTR_FLAG) != 0;
    rules->names_objects = names_objects;
    if ((flags & H5O_COPY_EXPAND_EXT_LINK_FLAG) != 0)
        rules->external = follow;
    if ((flags & H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG) != 0)
        rules->merge = same_type;
    return HRY_OK;
}

/* From the object at `source` to where `target` is. */
static hry_status copy_to(const hvol_spot *source, const hvol_target *target, hid_t ocpypl,
                          hry_error *err)
{
    hvol_copy_rules rules = {0};
    copy_ctx ctx = {.from = &source->in};
    hvol_tree *to = target->spot.in.file->tree;
    hvol_node *copy;
    HRY_TRY(hvol_require_writable(&target->spot.in, err));
    HRY_TRY(read_rules(ocpypl, &rules, err));
    rules.ctx = &ctx;
    hry_status status =
        hvol_copy(source->in.file->tree, source->in.node, to, &rules, &copy, err);
    close_files(&ctx);
    if (status != HRY_OK)
        return status;
    status = hvol_link_add(to, target->group, target->name, target->length, target->cset,
                           HVOL_LINK_HARD, copy, NULL, 0, NULL, err);
    hvol_node_touch(to, target->group);
    hvol_node_release(to, copy);
    return status;
}

herr_t hvol_object_cb_copy(void *src, const H5VL_loc_params_t *src_loc,
                           const char *src_name, void *dst,
                           const H5VL_loc_params_t *dst_loc, const char *dst_name,
                           hid_t ocpypl, hid_t lcpl, hid_t dxpl, void **req)
{
    hvol_spot source;
    hvol_target target;
    hry_error err;
    (void)dxpl, (void)req;
    hry_status status = hvol_resolve_name(src, src_loc, src_name, 0, &source, &err);
    if (status == HRY_OK) {
        status = hvol_aim(dst, dst_loc, dst_name, lcpl, &target, &err);
        if (status == HRY_OK)
            status = copy_to(&source, &target, ocpypl, &err);
        hvol_target_clear(&target);
        hvol_spot_clear(&source);
    }
    if (status != HRY_OK)
        return HVOL_FAIL(-1, H5E_OHDR, H5E_CANTCOPY, &err);
    return 0;
}
