/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lcopy.c - H5Lcopy for h5repack, preloaded: HDF5 refuses to copy a soft, external or
 * user-defined link from one connector's file to another's, so make it anew from its value.
 */
#include <hdf5.h>
#include <stdlib.h>

static herr_t never_followed(void)
{
    return -1;
}

/* A class for links whose own class this program does not have. */
static herr_t register_class(int type)
{
    const H5L_class_t class = {.version = H5L_LINK_CLASS_T_VERS,
                               .id = (H5L_type_t)type,
                               .trav_func =
                                   (H5L_traverse_func_t)(void (*)(void))never_followed};

    return H5Lis_registered((H5L_type_t)type) > 0 ? 0 : H5Lregister(&class);
}

static herr_t create(hid_t to, const char *name, const H5L_info2_t *info, const void *value,
                     hid_t lcpl, hid_t lapl)
{
    const char *file, *object;
    unsigned flags;

    switch ((int)info->type) {
    case H5L_TYPE_SOFT:
        return H5Lcreate_soft(value, to, name, lcpl, lapl);
    case H5L_TYPE_EXTERNAL:
        if (H5Lunpack_elink_val(value, info->u.val_size, &flags, &file, &object) < 0)
            return -1;
        return H5Lcreate_external(file, object, to, name, lcpl, lapl);
    default:
        if (register_class(info->type) < 0)
            return -1;
        return H5Lcreate_ud(to, name, info->type, value, info->u.val_size, lcpl, lapl);
    }
}

/* The exported name stands before HDF5's. */
herr_t H5Lcopy(hid_t from, const char *from_name, hid_t to, const char *to_name, hid_t lcpl,
               hid_t lapl)
{
    H5L_info2_t info;
    herr_t status = -1;
    void *value;

    if (H5Lget_info2(from, from_name, &info, lapl) < 0 || info.type == H5L_TYPE_HARD)
        return -1;
    value = malloc(info.u.val_size + 1);
    if (value != NULL && H5Lget_val(from, from_name, value, info.u.val_size, lapl) >= 0)
        status = create(to, to_name, &info, value, lcpl, lapl);
    free(value);
    return status;
}
