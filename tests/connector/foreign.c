/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign.c - files that other programs wrote, through HDF5: a line "STATUS<tab>FILE
 * TENSOR" for each tensor of the interop vectors, "STATUS<tab>FILE key KEY" for each
 * key-value entry, and why on standard error. tests/hdf5/foreign.sh judges them.
 */
#include "h5_test.h"
#include "manifest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *file_name;

static bool complain(const char *tensor, const char *what)
{
    fprintf(stderr, "%s %s: %s\n%s", file_name, tensor, what, h5_error());
    return false;
}

static hid_t complex_type(hid_t dataset)
{
    const hid_t type = H5Dget_type(dataset), out = H5Tcreate(H5T_COMPOUND, 16);
    for (unsigned i = 0; i < 2; i++) {
        char *name = H5Tget_member_name(type, i);
        H5Tinsert(out, name != NULL ? name : "", (size_t)8 * i, H5T_NATIVE_DOUBLE);
        H5free_memory(name);
    }
    H5Tclose(type);
    return out;
}

static bool same_real(double got, const cJSON *want)
{
    const double v = json_real_of(want);
    return isnan(v) ? isnan(got) : got == v;
}

static bool same_shape(hid_t dataset, const cJSON *shape)
{
    hsize_t dims[H5S_MAX_RANK];
    const hid_t space = H5Dget_space(dataset);
    const int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    const cJSON *want;
    int k = 0;

    H5Sclose(space);
    if (rank != cJSON_GetArraySize(shape))
        return false;
    cJSON_ArrayForEach(want, shape)
    {
        const uint64_t n = json_u64_of(want);
        if (n != UINT64_MAX && dims[k] != n)
            return false;
        k++;
    }
    return true;
}

/* One element of a kind, 16 bytes apart at most. */
static bool same_element(const char *kind, const void *values, size_t i, bool is_signed,
                         const cJSON *want)
{
    if (strcmp(kind, "complex") == 0)
        return same_real(((const double *)values)[2 * i], cJSON_GetArrayItem(want, 0)) &&
               same_real(((const double *)values)[2 * i + 1], cJSON_GetArrayItem(want, 1));
    if (strcmp(kind, "real") == 0)
        return same_real(((const double *)values)[i], want);
    return is_signed ? ((const long long *)values)[i] == json_i64_of(want)
                     : ((const unsigned long long *)values)[i] == json_u64_of(want);
}

static bool same_values(hid_t dataset, const char *name, const char *kind,
                        const cJSON *want)
{
    const size_t n = (size_t)cJSON_GetArraySize(want);
    const hid_t stored = H5Dget_type(dataset);
    const bool is_signed =
        H5Tget_class(stored) == H5T_INTEGER && H5Tget_sign(stored) == H5T_SGN_2;
    hid_t type = strcmp(kind, "complex") == 0 ? complex_type(dataset)
                 : strcmp(kind, "real") == 0  ? H5Tcopy(H5T_NATIVE_DOUBLE)
                 : is_signed                  ? H5Tcopy(H5T_NATIVE_LLONG)
                                              : H5Tcopy(H5T_NATIVE_ULLONG);
    void *values = calloc(n + 1, 16);
    bool same = values != NULL;
    size_t i = 0;
    const cJSON *one;

    H5Tclose(stored);
    if (same && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        same = complain(name, "cannot be read");
    H5Tclose(type);
    cJSON_ArrayForEach(one, want)
    {
        if (same && !cJSON_IsNull(one) && !same_element(kind, values, i, is_signed, one)) {
            fprintf(stderr, "%s %s: element %zu differs\n", file_name, name, i);
            same = false;
        }
        i++;
    }
    free(values);
    return same;
}

static bool check_tensor(hid_t file, const cJSON *tensor)
{
    const char *name = json_text(tensor, "name");
    const cJSON *descriptor = json_field(tensor, "descriptor");
    bool good;

    if (!json_has(tensor, "values_kind"))
        return H5Oexists_by_name(file, name, H5P_DEFAULT) > 0 ||
               complain(name, "is not there");
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset < 0)
        return complain(name, "cannot be opened");
    good = same_shape(dataset, json_field(descriptor, "shape")) ||
           complain(name, "has another shape");
    good = good && same_values(dataset, name, json_text(tensor, "values_kind"),
                               json_field(tensor, "values"));
    H5Dclose(dataset);
    return good;
}

static void result(bool good, const char *what, const char *name)
{
    printf("%s\t%s %s%s\n", good ? "PASSED" : "FAILED", file_name, what, name);
}

static void check_file(const cJSON *entry)
{
    char path[512];
    const cJSON *one;
    file_name = json_text(entry, "file");
    vector_path("interop", file_name, path);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        complain("", "cannot be opened");
    cJSON_ArrayForEach(one, json_field(entry, "tensors"))
        result(file >= 0 && check_tensor(file, one), "", json_text(one, "name"));
    cJSON_ArrayForEach(one, json_field(entry, "kv"))
        result(file >= 0 && H5Aexists(file, json_text(one, "key")) > 0, "key ",
               json_text(one, "key"));
    if (file >= 0)
        H5Fclose(file);
}

int main(int argc, char **argv)
{
    const cJSON *entry;
    h5_begin(argc, argv);
    cJSON *manifest = manifest_load("interop/manifest.json");
    cJSON_ArrayForEach(entry, manifest_list(manifest, "good_files")) check_file(entry);
    cJSON_Delete(manifest);
    return h5_end(0);
}
