/* SPDX-License-Identifier: Apache-2.0 */
/* type.c - datatypes: encoded, as HDF5 ids, and as Hurray elements. */
#include "fail.h"
#include "handle.h"

#include <stdlib.h>
#include <string.h>

/* ---- what HDF5 types become ---- */

/* A float of HDF5 that is one of Hurray's, by its fields. */
static uint8_t standard_float(hid_t type)
{
    size_t sign, exp_at, exp_bits, man_at, man_bits;
    const size_t size = H5Tget_size(type), bias = H5Tget_ebias(type);
    if (H5Tget_fields(type, &sign, &exp_at, &exp_bits, &man_at, &man_bits) < 0 ||
        H5Tget_norm(type) != H5T_NORM_IMPLIED || H5Tget_precision(type) != size * 8 ||
        H5Tget_offset(type) != 0)
        return 0;
    const hry_dtype *t;
    for (size_t i = 0; (t = hry_dtype_at(i)) != NULL; i++)
        if (t->cls == HRY_CLASS_FLOAT && t->has_sign && t->bits == size * 8 &&
            t->exponent == exp_bits && t->mantissa == man_bits && (size_t)t->bias == bias &&
            man_at == 0 && exp_at == man_bits && sign == man_bits + exp_bits)
            return t->tag;
    return 0;
}

static uint8_t standard_integer(hid_t type)
{
    static const uint8_t tags[2][9] = {
        {[1] = HRY_UINT8, [2] = HRY_UINT16, [4] = HRY_UINT32, [8] = HRY_UINT64},
        {[1] = HRY_INT8, [2] = HRY_INT16, [4] = HRY_INT32, [8] = HRY_INT64}};
    const size_t size = H5Tget_size(type);
    if (size > 8 || H5Tget_precision(type) != size * 8 || H5Tget_offset(type) != 0)
        return 0;
    return tags[H5Tget_sign(type) == H5T_SGN_2][size];
}

/* A number that Hurray has no tag for, described by its fields. */
static void private_number(hid_t type, hvol_element *e)
{
    size_t sign, exp_at, exp_bits, man_at, man_bits;
    hry_extension_type *x = &e->extension;
    e->type_tag = 0xF0;
    *x = (hry_extension_type){.bit_width = (uint32_t)e->size * 8, .packing = 1};
    if (H5Tget_class(type) == H5T_FLOAT &&
        H5Tget_fields(type, &sign, &exp_at, &exp_bits, &man_at, &man_bits) >= 0) {
        x->is_float = true;
        x->sign_bits = 1;
        x->exponent_bits = (uint8_t)exp_bits;
        x->mantissa_bits = (uint8_t)man_bits;
        x->exponent_bias = (uint32_t)H5Tget_ebias(type);
    } else {
        x->is_signed = H5Tget_sign(type) == H5T_SGN_2;
    }
}

/* Anything else: bytes, in a trailing dimension. */
static void opaque_bytes(hvol_element *e)
{
    e->type_tag = HRY_UINT8;
    e->rank = 1;
    e->dims[0] = e->size;
}

static void element_of(hid_t stored, hvol_element *e);

static void array_element(hid_t stored, hvol_element *e)
{
    hvol_element base = {0};
    hsize_t dims[H5S_MAX_RANK];
    const hid_t super = H5Tget_super(stored);
    const int rank = H5Tget_array_dims2(stored, dims);
    if (super >= 0)
        element_of(super, &base);
    H5Tclose(super);
    if (rank < 1 || rank + base.rank > HVOL_MAX_RANK) {
        opaque_bytes(e);
        return;
    }
    e->type_tag = base.type_tag;
    e->extension = base.extension;
    e->rank = (uint8_t)(rank + base.rank);
    for (int i = 0; i < rank; i++)
        e->dims[i] = dims[i];
    memcpy(e->dims + rank, base.dims, base.rank * sizeof *base.dims);
}

/* Sequences and strings of any length: pairs of a count and an offset in the heap. */
static void pair_element(hvol_element *e)
{
    e->type_tag = HRY_UINT64;
    e->rank = 1;
    e->dims[0] = 2;
}

/* The Hurray element of a type in stored form. */
static void element_of(hid_t stored, hvol_element *e)
{
    e->size = H5Tget_size(stored);
    const H5T_class_t cls = H5Tget_class(stored);
    if (cls == H5T_ARRAY) {
        array_element(stored, e);
        return;
    }
    if (e->size == 16 &&
        (cls == H5T_VLEN || (cls == H5T_STRING && H5Tis_variable_str(stored) > 0))) {
        pair_element(e);
        return;
    }
    if (cls == H5T_ENUM) { /* the base integer; names are in the catalog */
        const hid_t base = H5Tget_super(stored);
        if (base >= 0 && H5Tget_order(base) != H5T_ORDER_BE)
            e->type_tag = standard_integer(base);
        H5Tclose(base);
    } else if (cls == H5T_INTEGER) {
        e->type_tag = standard_integer(stored);
    } else if (cls == H5T_FLOAT) {
        e->type_tag = standard_float(stored);
    }
    if (e->type_tag == 0 && (cls == H5T_INTEGER || cls == H5T_FLOAT))
        private_number(stored, e);
    else if (e->type_tag == 0)
        opaque_bytes(e);
}

/* ---- blobs ---- */

hry_status hvol_type_intern(hvol_tree *tree, hid_t type, hvol_blob **out, hry_error *err)
{
    unsigned char small[512], *bytes = small;
    size_t size = 0;
    if (H5Tencode(type, NULL, &size) < 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "datatype cannot be encoded");
    if (size > sizeof small && (bytes = malloc(size)) == NULL)
        return HRY_NO_MEMORY(err, size);
    hry_status status = HRY_OK;
    if (H5Tencode(type, bytes, &size) < 0)
        status = HRY_FAIL(err, HRY_ERR_ARG, "datatype cannot be encoded");
    else
        status = hvol_blobs_intern(&tree->blobs, bytes, size, out, err);
    if (bytes != small)
        free(bytes);
    return status;
}

hry_status hvol_type_of(hvol_blob *blob, const hvol_type **out, hry_error *err)
{
    hvol_handle *handle;
    HRY_TRY(hvol_handle_of(blob, HVOL_HANDLE_TYPE, &handle, err));
    hvol_type *type = &handle->type;
    *out = type;
    if (type->stored > 0)
        return HRY_OK;
    const hid_t own = H5Tdecode(blob->data);
    if (own < 0)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "datatype of %zu bytes cannot be decoded",
                        blob->size);
    type->stored = hvol_stored_form(own, blob->table->owner);
    type->needs_heap = hvol_needs_heap(own);
    type->old_references = hvol_has_old_references(own);
    type->needs_background = H5Tdetect_class(own, H5T_COMPOUND) > 0;
    type->is_sequence = H5Tget_class(own) == H5T_VLEN;
    if (!type->needs_heap && !type->old_references)
        type->kept = hvol_type_in_file(own, blob->table->owner);
    H5Tclose(own);
    if (type->stored < 0)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "stored form of a datatype cannot be made");
    element_of(type->stored, &type->element);
    return HRY_OK;
}

hry_status hvol_type_copy(hvol_blob *blob, hid_t *out, hry_error *err)
{
    const hvol_type *type;
    HRY_TRY(hvol_type_of(blob, &type, err));
    const hid_t own = type->kept > 0 ? type->kept : H5Tdecode(blob->data);
    *out = own < 0 ? own : type->kept > 0 ? H5Tcopy(own) : hvol_in_memory(own);
    if (own >= 0 && type->kept <= 0)
        H5Tclose(own);
    return *out >= 0 ? HRY_OK : HRY_FAIL(err, HRY_ERR_NOMEM, "datatype cannot be copied");
}

/* A heap of whole numbers where sequences are of those, else of bytes. */
hry_status hvol_type_heap(const hvol_type *type, hvol_heap **out, hry_error *err)
{
    hvol_element unit = {.type_tag = HRY_UINT8, .size = 1};
    if (type->is_sequence) {
        hvol_element base = {0};
        const hid_t super = H5Tget_super(type->stored);
        if (super >= 0)
            element_of(super, &base);
        H5Tclose(super);
        if (base.rank == 0 && base.type_tag != 0 && base.type_tag < 0xF0)
            unit = base;
    }
    return hvol_heap_new(unit.type_tag, unit.size, out, err);
}

/* ---- plain tensors ---- */

static hid_t float_type(const hry_dtype *t)
{
    const hid_t type = H5Tcopy(t->bits == 64 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE);
    const size_t m = t->mantissa, e = t->exponent;
    if (t->bits == 32 || t->bits == 64)
        return type;
    /* the mantissa first when shrinking, so that the fields always fit */
    if (H5Tset_fields(type, m + e, m, e, 0, m) < 0 ||
        H5Tset_ebias(type, (size_t)t->bias) < 0 || H5Tset_precision(type, t->bits) < 0 ||
        H5Tset_size(type, t->bits / 8u) < 0) {
        H5Tclose(type);
        return H5I_INVALID_HID;
    }
    return type;
}

/* As NumPy's complex numbers come through HDF5: two floats, r and i. */
static hid_t complex_type(const hry_dtype *t)
{
    const size_t half = t->bits / 16u;
    const hid_t part = half == 8 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
    const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * half);
    if (type >= 0 &&
        (H5Tinsert(type, "r", 0, part) < 0 || H5Tinsert(type, "i", half, part) < 0)) {
        H5Tclose(type);
        return H5I_INVALID_HID;
    }
    return type;
}

static hid_t plain_type(const hvol_element *e)
{
    static const struct {
        uint8_t tag;
        hid_t *type;
    } integers[] = {{HRY_INT8, &H5T_STD_I8LE_g},   {HRY_UINT8, &H5T_STD_U8LE_g},
                    {HRY_INT16, &H5T_STD_I16LE_g}, {HRY_UINT16, &H5T_STD_U16LE_g},
                    {HRY_INT32, &H5T_STD_I32LE_g}, {HRY_UINT32, &H5T_STD_U32LE_g},
                    {HRY_INT64, &H5T_STD_I64LE_g}, {HRY_UINT64, &H5T_STD_U64LE_g}};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        if (integers[i].tag == e->type_tag)
            return H5Tcopy(*integers[i].type);
    const hry_dtype *t = hry_dtype_by_tag(e->type_tag);
    if (t != NULL && t->cls == HRY_CLASS_FLOAT && t->has_sign && t->bits >= 8 &&
        t->bits <= 64)
        return float_type(t);
    if (t != NULL && t->cls == HRY_CLASS_COMPLEX)
        return complex_type(t);
    const hid_t opaque = H5Tcreate(H5T_OPAQUE, (size_t)e->size);
    if (opaque >= 0)
        H5Tset_tag(opaque, hry_type_name(e->type_tag));
    return opaque;
}

hry_status hvol_type_of_plain(hvol_tree *tree, hvol_dataset *dataset, hry_error *err)
{
    if (dataset->type != NULL)
        return HRY_OK;
    const hid_t type = plain_type(&dataset->element);
    if (type < 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "element type '%s' has no HDF5 datatype",
                        hry_type_name(dataset->element.type_tag));
    hvol_blob *blob;
    const hry_status status = hvol_type_intern(tree, type, &blob, err);
    H5Tclose(type);
    if (status == HRY_OK)
        dataset->type = blob;
    return status;
}
