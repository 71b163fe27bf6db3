/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of every type and byte order, in 0 to 3 dimensions, by hyperslabs, from and to
 * other types. */
#include "h5_test.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 3 * 4 * 6 };

static const hsize_t dims[3] = {3, 4, 6};

/* Types as they are in files; identifiers exist only at run time. */
typedef struct file_type {
    const char *name;
    hid_t id;
} file_type;

static size_t file_types(file_type out[32])
{
    const file_type all[] = {
        {"I8LE", H5T_STD_I8LE},          {"I8BE", H5T_STD_I8BE},
        {"U8LE", H5T_STD_U8LE},          {"U8BE", H5T_STD_U8BE},
        {"I16LE", H5T_STD_I16LE},        {"I16BE", H5T_STD_I16BE},
        {"U16LE", H5T_STD_U16LE},        {"U16BE", H5T_STD_U16BE},
        {"I32LE", H5T_STD_I32LE},        {"I32BE", H5T_STD_I32BE},
        {"U32LE", H5T_STD_U32LE},        {"U32BE", H5T_STD_U32BE},
        {"I64LE", H5T_STD_I64LE},        {"I64BE", H5T_STD_I64BE},
        {"U64LE", H5T_STD_U64LE},        {"U64BE", H5T_STD_U64BE},
        {"F32LE", H5T_IEEE_F32LE},       {"F32BE", H5T_IEEE_F32BE},
        {"F64LE", H5T_IEEE_F64LE},       {"F64BE", H5T_IEEE_F64BE},
        {"LDOUBLE", H5T_NATIVE_LDOUBLE},
#ifdef H5T_IEEE_F16LE
        {"F16LE", H5T_IEEE_F16LE},       {"F16BE", H5T_IEEE_F16BE},
#endif
    };
    memcpy(out, all, sizeof all);
    return sizeof all / sizeof all[0];
}

static bool is_signed(hid_t type)
{
    return H5Tget_class(type) == H5T_FLOAT || H5Tget_sign(type) == H5T_SGN_2;
}

static double value_at(hid_t type, size_t i)
{
    const int v = (int)(i * 7 % 100);
    return is_signed(type) && i % 2 == 1 ? -v : v;
}

static size_t element_count(int rank)
{
    size_t n = 1;
    for (int k = 0; k < rank; k++)
        n *= (size_t)dims[k];
    return n;
}

/* Every second index of the last dimension, from `first` on. */
static void select_half(hid_t space, int rank, hsize_t first)
{
    hsize_t start[3] = {0}, stride[3] = {1, 1, 1}, count[3];
    for (int k = 0; k < rank; k++)
        count[k] = dims[k];
    start[rank - 1] = first;
    stride[rank - 1] = 2;
    count[rank - 1] = dims[rank - 1] / 2 + (first == 0 ? dims[rank - 1] % 2 : 0);
    h5(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL));
}

static void write_halves(hid_t dataset, hid_t type, int rank)
{
    double values[MOST];
    for (size_t i = 0; i < element_count(rank); i++)
        values[i] = value_at(type, i);
    if (rank == 0) {
        h5(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
        return;
    }
    const hid_t space = h5(H5Dget_space(dataset));
    for (hsize_t first = 0; first < 2; first++) {
        select_half(space, rank, first);
        h5(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, space, space, H5P_DEFAULT, values));
    }
    h5(H5Sclose(space));
}

static void check_whole(hid_t dataset, hid_t type, const char *name, int rank)
{
    long long values[MOST];
    h5(H5Dread(dataset, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    for (size_t i = 0; i < element_count(rank); i++)
        if ((double)values[i] != value_at(type, i))
            fail_msg("%s, rank %d, element %zu: %lld, not %g", name, rank, i, values[i],
                     value_at(type, i));
}

/* One half goes to consecutive floats, and what was not selected stays away. */
static void check_half(hid_t dataset, hid_t type, const char *name, int rank)
{
    float values[MOST + 1];
    const hid_t space = h5(H5Dget_space(dataset));
    select_half(space, rank, 1);
    const hsize_t n = (hsize_t)H5Sget_select_npoints(space);
    const hid_t memory = h5(H5Screate_simple(1, &n, NULL));
    values[n] = 12345;
    h5(H5Dread(dataset, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, values));
    assert_true(values[n] == 12345);
    for (size_t i = 0; i < n; i++)
        if ((double)values[i] != value_at(type, 2 * i + 1))
            fail_msg("%s, rank %d, half %zu: %g", name, rank, i, (double)values[i]);
    h5(H5Sclose(memory));
    h5(H5Sclose(space));
}

/* Without a conversion the bytes are those of the type. */
static void check_bytes(hid_t dataset, hid_t type, const char *name, int rank)
{
    double values[MOST * 2];
    uint8_t stored[MOST * 16] = {0}; /* long double has padding */
    const size_t n = element_count(rank), size = H5Tget_size(type);

    memset(values, 0, sizeof values);
    for (size_t i = 0; i < n; i++)
        values[i] = value_at(type, i);
    h5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, stored));
    h5(H5Tconvert(H5T_NATIVE_DOUBLE, type, n, values, NULL, H5P_DEFAULT));
    for (size_t i = 0; i < n; i++)
        if (memcmp(stored + i * size, (uint8_t *)values + i * size, size < 16 ? size : 10))
            fail_msg("%s, rank %d, element %zu: other bytes", name, rank, i);
}

static void one(hid_t file, const file_type *t, int rank, bool chunked, bool again)
{
    char name[64];
    hid_t dataset;

    snprintf(name, sizeof name, "%s-%d%s", t->name, rank, chunked ? "-chunked" : "");
    if (!again) {
        const hsize_t chunk[3] = {2, 3, 4};
        const hid_t dcpl = h5(H5Pcreate(H5P_DATASET_CREATE));
        if (chunked)
            h5(H5Pset_chunk(dcpl, rank, chunk));
        dataset = h5_dataset(file, name, t->id, rank, dims, NULL, dcpl);
        h5(H5Pclose(dcpl));
        write_halves(dataset, t->id, rank);
    } else {
        dataset = h5(H5Dopen2(file, name, H5P_DEFAULT));
    }
    const hid_t type = h5(H5Dget_type(dataset));
    assert_true(H5Tequal(type, t->id) > 0);
    h5(H5Tclose(type));
    check_whole(dataset, t->id, name, rank);
    check_bytes(dataset, t->id, name, rank);
    if (rank > 0)
        check_half(dataset, t->id, name, rank);
    h5(H5Dclose(dataset));
}

static void every(bool chunked)
{
    file_type types[32];
    const size_t n = file_types(types);

    for (int again = 0; again < 2; again++) {
        const hid_t file = again ? h5_open("types.h5") : h5_create("types.h5");
        for (size_t i = 0; i < n; i++)
            for (int rank = chunked ? 1 : 0; rank <= 3; rank++)
                one(file, &types[i], rank, chunked, again > 0);
        h5(H5Fclose(file));
    }
}

static void every_number_type_in_every_rank(void **state)
{
    (void)state;
    every(false);
}

static void the_same_in_chunks(void **state)
{
    (void)state;
    every(true);
}

static void numbers_out_of_range_become_the_nearest(void **state)
{
    (void)state;
    const double big[4] = {300, -300, 1e30, -1};
    const int8_t want_i8[4] = {127, -128, 127, -1};
    const uint16_t want_u16[4] = {300, 0, 65535, 0};
    const hsize_t n = 4;
    int8_t i8[4];
    uint16_t u16[4];
    const hid_t file = h5_create("range.h5");
    hid_t dataset = h5_dataset(file, "i8", H5T_STD_I8BE, 1, &n, NULL, H5P_DEFAULT);
    h5(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, big));
    h5(H5Dread(dataset, H5T_NATIVE_INT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, i8));
    assert_memory_equal(i8, want_i8, sizeof i8);
    h5(H5Dclose(dataset));
    dataset = h5_dataset(file, "f64", H5T_IEEE_F64BE, 1, &n, NULL, H5P_DEFAULT);
    h5(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, big));
    h5(H5Dread(dataset, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, u16));
    assert_memory_equal(u16, want_u16, sizeof u16);
    h5(H5Dclose(dataset));
    h5(H5Fclose(file));
}

static void words_are_no_numbers(void **state)
{
    (void)state;
    const hsize_t n = 4;
    const hid_t file = h5_create("words.h5");
    const hid_t word = h5(H5Tcopy(H5T_C_S1));
    char text[4][8];
    h5(H5Tset_size(word, 8));
    const hid_t dataset = h5_dataset(file, "i", H5T_NATIVE_INT, 1, &n, NULL, H5P_DEFAULT);
    h5_fails(H5Dread(dataset, word, H5S_ALL, H5S_ALL, H5P_DEFAULT, text), "conver");
    h5_fails(H5Dwrite(dataset, word, H5S_ALL, H5S_ALL, H5P_DEFAULT, text), "conver");
    h5(H5Tclose(word));
    h5(H5Dclose(dataset));
    h5(H5Fclose(file));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_type_in_every_rank),
        cmocka_unit_test(the_same_in_chunks),
        cmocka_unit_test(numbers_out_of_range_become_the_nearest),
        cmocka_unit_test(words_are_no_numbers),
    };
    h5_begin(argc, argv);
    return h5_end(cmocka_run_group_tests(tests, NULL, NULL));
}
