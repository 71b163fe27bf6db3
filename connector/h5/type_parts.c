/* SPDX-License-Identifier: Apache-2.0 */
/*
 * type_parts.c - what is inside a datatype, and the form in which its elements are stored.
 *
 * References of the old kind (H5R_OBJECT1, H5R_DATASET_REGION1) name addresses in a native
 * file, and HDF5 converts them only for one. Their bytes are kept as they are: wherever
 * HDF5 converts, an opaque type of the same size stands for them, in memory and in the
 * file.
 */
#include "handle.h"

#include <H5VLconnector.h>
#include <H5VLconnector_passthru.h>

/* Does `test` hold for the type or anything in it? */
static bool any_part(hid_t type, bool (*test)(hid_t))
{
    const H5T_class_t cls = H5Tget_class(type);
    bool found = test(type);
    if (!found && (cls == H5T_ARRAY || cls == H5T_VLEN)) {
        const hid_t base = H5Tget_super(type);
        found = base >= 0 && any_part(base, test);
        H5Tclose(base);
    }
    const int members = cls == H5T_COMPOUND ? H5Tget_nmembers(type) : 0;
    for (int i = 0; i < members && !found; i++) {
        const hid_t member = H5Tget_member_type(type, (unsigned)i);
        found = member >= 0 && any_part(member, test);
        H5Tclose(member);
    }
    return found;
}

/* Compared in memory's form, which a copy has: the base of a variable-length type is in the
 * file's. */
static bool is_new_reference(hid_t type)
{
    if (H5Tget_class(type) != H5T_REFERENCE)
        return false;
    const hid_t copy = H5Tcopy(type);
    const bool equal = copy >= 0 && H5Tequal(copy, H5T_STD_REF) > 0;
    if (copy >= 0)
        H5Tclose(copy);
    return equal;
}

static bool is_old_reference(hid_t type)
{
    return H5Tget_class(type) == H5T_REFERENCE && !is_new_reference(type);
}

static bool lies_elsewhere(hid_t type)
{
    const H5T_class_t cls = H5Tget_class(type);
    return cls == H5T_VLEN || (cls == H5T_STRING && H5Tis_variable_str(type) > 0) ||
           is_new_reference(type);
}

bool hvol_needs_heap(hid_t type)
{
    return any_part(type, lies_elsewhere);
}

bool hvol_has_old_references(hid_t type)
{
    return any_part(type, is_old_reference);
}

typedef hid_t (*leaf_form)(hid_t type);

static hid_t rebuild(hid_t type, leaf_form leaf);

static hid_t rebuild_over(hid_t type, leaf_form leaf)
{
    hsize_t dims[H5S_MAX_RANK];
    hid_t result = H5I_INVALID_HID;
    const bool array = H5Tget_class(type) == H5T_ARRAY;
    const hid_t super = H5Tget_super(type);
    const hid_t base = super < 0 ? super : rebuild(super, leaf);
    if (base >= 0 && !array)
        result = H5Tvlen_create(base);
    else if (base >= 0 && H5Tget_array_dims2(type, dims) > 0)
        result = H5Tarray_create2(base, (unsigned)H5Tget_array_ndims(type), dims);
    H5Tclose(super);
    if (base >= 0)
        H5Tclose(base);
    return result;
}

static bool add_member(hid_t result, hid_t type, unsigned i, leaf_form leaf)
{
    const hid_t member = H5Tget_member_type(type, i);
    const hid_t changed = member < 0 ? member : rebuild(member, leaf);
    char *name = H5Tget_member_name(type, i);
    const bool added = changed >= 0 && name != NULL &&
                       H5Tinsert(result, name, H5Tget_member_offset(type, i), changed) >= 0;
    H5free_memory(name);
    if (changed >= 0)
        H5Tclose(changed);
    if (member >= 0)
        H5Tclose(member);
    return added;
}

static hid_t rebuild_compound(hid_t type, leaf_form leaf)
{
    const int members = H5Tget_nmembers(type);
    const hid_t result = H5Tcreate(H5T_COMPOUND, H5Tget_size(type));
    for (int i = 0; i < members && result >= 0; i++)
        if (!add_member(result, type, (unsigned)i, leaf)) {
            H5Tclose(result);
            return H5I_INVALID_HID;
        }
    return result;
}

/* The same type with `leaf` of what it is made of; sizes must stay. */
static hid_t rebuild(hid_t type, leaf_form leaf)
{
    const H5T_class_t cls = H5Tget_class(type);
    if (cls == H5T_ARRAY || cls == H5T_VLEN)
        return rebuild_over(type, leaf);
    return cls == H5T_COMPOUND ? rebuild_compound(type, leaf) : leaf(type);
}

static hid_t opaque_reference(hid_t type)
{
    if (!is_old_reference(type))
        return H5Tcopy(type);
    const hid_t opaque = H5Tcreate(H5T_OPAQUE, H5Tget_size(type));
    if (opaque >= 0)
        H5Tset_tag(opaque, "HDF5 reference");
    return opaque;
}

hid_t hvol_without_old_references(hid_t type)
{
    return hvol_has_old_references(type) ? rebuild(type, opaque_reference) : H5Tcopy(type);
}

hid_t hvol_in_memory(hid_t type)
{
    return rebuild(type, H5Tcopy);
}

/* Numbers are little-endian in the file. */
static hid_t little_endian(hid_t type)
{
    const H5T_class_t cls = H5Tget_class(type);
    const hid_t copy = H5Tcopy(type);
    if (copy >= 0 && (cls == H5T_INTEGER || cls == H5T_FLOAT) &&
        H5Tget_order(copy) != H5T_ORDER_LE)
        H5Tset_order(copy, H5T_ORDER_LE);
    return copy;
}

static hid_t number_form(hid_t type)
{
    const H5T_class_t cls = H5Tget_class(type);
    if (cls == H5T_ARRAY || cls == H5T_VLEN)
        return rebuild_over(type, number_form);
    return little_endian(type);
}

hid_t hvol_type_in_file(hid_t type, void *file)
{
    const hid_t connector = H5VLget_connector_id_by_name("hurray");
    const hid_t result =
        connector < 0 ? connector : H5VLget_file_type(file, connector, type);
    if (connector >= 0)
        H5VLclose(connector);
    return result;
}

hid_t hvol_stored_form(hid_t type, void *file)
{
    const hid_t plain = hvol_without_old_references(type);
    const hid_t memory = plain < 0 ? plain : number_form(plain);
    const hid_t stored = memory < 0 ? memory : hvol_type_in_file(memory, file);
    if (plain >= 0)
        H5Tclose(plain);
    if (memory >= 0)
        H5Tclose(memory);
    return stored;
}
