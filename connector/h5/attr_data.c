/* SPDX-License-Identifier: Apache-2.0 */
/* attr_data.c - see attr_data.h. */
#include "attr_data.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

/* Everything a conversion of the whole attribute needs. */
typedef struct attr_copy {
    const hvol_type *type;
    hvol_tree *tree;
    hvol_heap *heap; /* that conversions use */
    hid_t mem_type;
    hid_t own_mem_type; /* made for this transfer: < 0, or to be closed */
    uint64_t count;
    size_t stored_size, mem_size; /* of all elements, in BYTES */
    bool converts;
    uint8_t *work, *background; /* owned; as large as the larger form */
} attr_copy;

hry_status hvol_attr_size(const hvol_attr *attr, uint64_t *size, hry_error *err)
{
    const hvol_type *type;
    uint64_t count;
    HRY_TRY(hvol_type_of(attr->type, &type, err));
    HRY_TRY(hvol_space_count(&attr->space, &count, err));
    if (__builtin_mul_overflow(count, type->element.size, size) || *size > SIZE_MAX / 4)
        return HRY_FAIL(err, HRY_ERR_RANGE, "attribute of %llu elements of %llu bytes",
                        (unsigned long long)count, (unsigned long long)type->element.size);
    return HRY_OK;
}

static hry_status begin(attr_copy *c, hvol_tree *tree, const hvol_attr *attr,
                        hid_t mem_type, hry_error *err)
{
    uint64_t stored, mem;
    *c = (attr_copy){.tree = tree,
                     .heap = attr->heap,
                     .mem_type = mem_type,
                     .own_mem_type = H5I_INVALID_HID};
    HRY_TRY(hvol_type_of(attr->type, &c->type, err));
    HRY_TRY(hvol_space_count(&attr->space, &c->count, err));
    HRY_TRY(hvol_attr_size(attr, &stored, err));
    if (attr->data != NULL && attr->size != stored)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "attribute '%s' has %zu bytes, not %llu",
                        attr->named.name, attr->size, (unsigned long long)stored);
    if (__builtin_mul_overflow(c->count, H5Tget_size(mem_type), &mem) || mem > SIZE_MAX / 4)
        return HRY_FAIL(err, HRY_ERR_RANGE, "attribute does not fit memory");
    c->stored_size = (size_t)stored;
    c->mem_size = (size_t)mem;
    if (c->type->old_references)
        c->mem_type = c->own_mem_type = hvol_without_old_references(mem_type);
    c->converts = H5Tequal(c->mem_type, c->type->stored) <= 0;
    if (!c->converts)
        return HRY_OK;
    const size_t wide = c->stored_size > c->mem_size ? c->stored_size : c->mem_size;
    c->work = calloc(1, wide + 1);
    if (c->type->needs_background)
        c->background = calloc(1, wide + 1);
    return c->work != NULL && (c->background != NULL || !c->type->needs_background)
               ? HRY_OK
               : HRY_NO_MEMORY(err, wide);
}

static hry_status end(attr_copy *c, hry_status status)
{
    free(c->work);
    free(c->background);
    if (c->own_mem_type >= 0)
        H5Tclose(c->own_mem_type);
    return status;
}

static hry_status convert(attr_copy *c, hid_t from, hid_t to, hid_t dxpl, hry_error *err)
{
    c->tree->heap = c->heap;
    c->tree->heap_store = NULL;
    const herr_t converted =
        H5Tconvert(from, to, (size_t)c->count, c->work, c->background, dxpl);
    c->tree->heap = NULL;
    if (converted < 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "no conversion between the memory datatype and the attribute's");
    return HRY_OK;
}

static hry_status read_into(attr_copy *c, const hvol_attr *attr, hid_t dxpl, void *buf,
                            hry_error *err)
{
    uint8_t *to = c->converts ? c->work : buf;
    if (attr->data != NULL)
        memcpy(to, attr->data, c->stored_size);
    else
        memset(to, 0, c->stored_size);
    if (!c->converts)
        return HRY_OK;
    if (c->background != NULL)
        memcpy(c->background, buf, c->mem_size);
    HRY_TRY(convert(c, c->type->stored, c->mem_type, dxpl, err));
    memcpy(buf, c->work, c->mem_size);
    return HRY_OK;
}

hry_status hvol_attr_read(hvol_tree *tree, hvol_attr *attr, hid_t mem_type, hid_t dxpl,
                          void *buf, hry_error *err)
{
    attr_copy c;
    hry_status status = begin(&c, tree, attr, mem_type, err);
    if (status == HRY_OK)
        status = read_into(&c, attr, dxpl, buf, err);
    return end(&c, status);
}

/* A new heap for the new values: an attribute is always written as a whole, but for members
 * of a compound that the memory type leaves out. */
static hry_status write_heap(attr_copy *c, hvol_attr *attr, hid_t dxpl, hry_error *err)
{
    if (attr->heap != NULL && c->type->needs_background)
        return convert(c, c->mem_type, c->type->stored, dxpl, err);
    HRY_TRY(hvol_heap_new(HRY_UINT8, 1, &c->heap, err));
    const hry_status status = convert(c, c->mem_type, c->type->stored, dxpl, err);
    hvol_heap_free(status == HRY_OK ? attr->heap : c->heap);
    if (status == HRY_OK)
        attr->heap = c->heap;
    return status;
}

static hry_status write_from(attr_copy *c, hvol_attr *attr, hid_t dxpl, const void *buf,
                             hry_error *err)
{
    if (attr->data == NULL) {
        if ((attr->data = calloc(1, c->stored_size + 1)) == NULL)
            return HRY_NO_MEMORY(err, c->stored_size);
        attr->size = c->stored_size;
    }
    if (!c->converts) {
        memcpy(attr->data, buf, c->stored_size);
        return HRY_OK;
    }
    memcpy(c->work, buf, c->mem_size);
    if (c->background != NULL)
        memcpy(c->background, attr->data, c->stored_size);
    if (c->type->needs_heap)
        HRY_TRY(write_heap(c, attr, dxpl, err));
    else
        HRY_TRY(convert(c, c->mem_type, c->type->stored, dxpl, err));
    memcpy(attr->data, c->work, c->stored_size);
    return HRY_OK;
}

hry_status hvol_attr_write(hvol_tree *tree, hvol_attr *attr, hid_t mem_type, hid_t dxpl,
                           const void *buf, hry_error *err)
{
    attr_copy c;
    hry_status status = begin(&c, tree, attr, mem_type, err);
    if (status == HRY_OK)
        status = write_from(&c, attr, dxpl, buf, err);
    tree->dirty = true;
    return end(&c, status);
}
