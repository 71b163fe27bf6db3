/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkpoint.c - writes the state of a small simulation, reads it back and compares.
 *
 * Plain HDF5, nothing else: which file format it writes is decided outside, by
 * HDF5_VOL_CONNECTOR and HDF5_PLUGIN_PATH. With a parallel HDF5 every rank owns a slab of
 * every field, and reads back the slab of its neighbour.
 *
 *   checkpoint FILE
 */
#include <hdf5.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank_of_mine = 0, rank_count = 1;

/* Any failure ends the program, on every rank: HDF5 has printed why. */
static void stop(const char *what)
{
    fprintf(stderr, "checkpoint: rank %d: %s\n", rank_of_mine, what);
#ifdef H5_HAVE_PARALLEL
    MPI_Abort(MPI_COMM_WORLD, 1);
#endif
    exit(1);
}

static hid_t must(hid_t id, const char *what)
{
    if (id < 0)
        stop(what);
    return id;
}

typedef struct field {
    const char *name;
    hid_t stored, memory; /* type in the file, type in the program */
    const char *units;
    int rank;
    hsize_t shape[3]; /* the first dimension is split between the ranks */
} field;

enum { field_count = 4 };

static void list_fields(field fields[field_count])
{
    const field list[field_count] = {
        {"density", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, "kg/m3", 3, {16, 24, 32}},
        {"temperature", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, "K", 2, {48, 40}},
        {"material", H5T_STD_I32LE, H5T_NATIVE_INT32, "index", 2, {48, 40}},
        {"pressure", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, "Pa", 3, {16, 12, 8}},
    };
    memcpy(fields, list, sizeof list);
}

/* The part of a field that one rank owns: rows [start[0], start[0] + count[0]). */
typedef struct slab {
    hsize_t start[3], count[3];
    size_t first, elements; /* the same as element numbers of the whole field */
} slab;

static slab slab_of(const field *f, int rank)
{
    slab s = {{0}, {0}, 0, 1};
    hsize_t row = 1;
    for (int k = 0; k < f->rank; k++) {
        s.count[k] = f->shape[k];
        if (k > 0)
            row *= f->shape[k];
    }
    s.start[0] = f->shape[0] * (hsize_t)rank / (hsize_t)rank_count;
    s.count[0] = f->shape[0] * (hsize_t)(rank + 1) / (hsize_t)rank_count - s.start[0];
    s.first = (size_t)(s.start[0] * row);
    s.elements = (size_t)(s.count[0] * row);
    return s;
}

/* What element i of any field holds, in the program's type; the caller frees the array. */
static void *values_of(const field *f, const slab *s)
{
    size_t size = H5Tget_size(f->memory);
    char *values = malloc(s->elements * size + 1);
    if (values == NULL)
        stop("out of memory");
    for (size_t i = 0; i < s->elements; i++) {
        size_t n = (s->first + i) % 1000;
        double d = (double)n / 8 - 50;
        float x = (float)d;
        int32_t m = (int32_t)n - 500;
        const void *value = H5Tget_class(f->memory) == H5T_INTEGER ? (void *)&m
                            : size == sizeof x                     ? (void *)&x
                                                                   : (void *)&d;
        memcpy(values + i * size, value, size);
    }
    return values;
}

static hid_t transfer_list(void)
{
    hid_t list = must(H5Pcreate(H5P_DATASET_XFER), "transfer list");
#ifdef H5_HAVE_PARALLEL
    must(H5Pset_dxpl_mpio(list, H5FD_MPIO_COLLECTIVE), "collective transfer");
#endif
    return list;
}

/* Text, as most programs store it: a fixed string attribute. */
static void put_text(hid_t object, const char *name, const char *text)
{
    hid_t type = must(H5Tcopy(H5T_C_S1), "string type");
    must(H5Tset_size(type, strlen(text) + 1), "string size");
    hid_t space = must(H5Screate(H5S_SCALAR), "scalar space");
    hid_t attribute = must(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT),
                           "create attribute");
    must(H5Awrite(attribute, type, text), "write attribute");
    must(H5Aclose(attribute), "close attribute");
    H5Sclose(space);
    H5Tclose(type);
}

static void put_field(hid_t group, const field *f)
{
    hid_t space = must(H5Screate_simple(f->rank, f->shape, NULL), "space");
    hid_t dataset = must(
        H5Dcreate2(group, f->name, f->stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        "create dataset");
    put_text(dataset, "units", f->units);
    slab s = slab_of(f, rank_of_mine);
    hid_t memory = must(H5Screate_simple(f->rank, s.count, NULL), "memory space");
    must(H5Sselect_hyperslab(space, H5S_SELECT_SET, s.start, NULL, s.count, NULL),
         "select");
    hid_t transfer = transfer_list();
    void *values = values_of(f, &s);
    must(H5Dwrite(dataset, f->memory, memory, space, transfer, values), "write dataset");
    free(values);
    H5Pclose(transfer);
    H5Sclose(memory);
    H5Sclose(space);
    must(H5Dclose(dataset), "close dataset");
}

static void check_field(hid_t group, const field *f)
{
    hid_t dataset = must(H5Dopen2(group, f->name, H5P_DEFAULT), "open dataset");
    hid_t stored = must(H5Dget_type(dataset), "type");
    if (H5Tequal(stored, f->stored) <= 0)
        stop("a dataset came back with another type");
    H5Tclose(stored);
    hid_t space = must(H5Dget_space(dataset), "space");
    slab s = slab_of(f, (rank_of_mine + 1) % rank_count);
    hid_t memory = must(H5Screate_simple(f->rank, s.count, NULL), "memory space");
    must(H5Sselect_hyperslab(space, H5S_SELECT_SET, s.start, NULL, s.count, NULL),
         "select");
    void *wanted = values_of(f, &s);
    size_t bytes = s.elements * H5Tget_size(f->memory);
    void *found = calloc(1, bytes + 1);
    if (found == NULL)
        stop("out of memory");
    hid_t transfer = transfer_list();
    must(H5Dread(dataset, f->memory, memory, space, transfer, found), "read dataset");
    if (memcmp(wanted, found, bytes) != 0)
        stop("a dataset came back with other values");
    free(found);
    free(wanted);
    H5Pclose(transfer);
    H5Sclose(memory);
    H5Sclose(space);
    must(H5Dclose(dataset), "close dataset");
}

static hid_t access_list(void)
{
    hid_t list = must(H5Pcreate(H5P_FILE_ACCESS), "access list");
#ifdef H5_HAVE_PARALLEL
    must(H5Pset_fapl_mpio(list, MPI_COMM_WORLD, MPI_INFO_NULL), "MPI access");
#endif
    return list;
}

static void write_checkpoint(const char *path, const field fields[field_count])
{
    hid_t access = access_list();
    hid_t file = must(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access), "create file");
    put_text(file, "program", "checkpoint example");
    hid_t group = must(H5Gcreate2(file, "fields", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                       "create group");
    for (int i = 0; i < field_count; i++)
        put_field(group, &fields[i]);
    must(H5Gclose(group), "close group");

    hid_t scalar = must(H5Screate(H5S_SCALAR), "scalar space");
    hid_t step = must(H5Dcreate2(file, "step", H5T_STD_I64LE, scalar, H5P_DEFAULT,
                                 H5P_DEFAULT, H5P_DEFAULT),
                      "create scalar");
    const int64_t number = 1234;
    hid_t transfer = transfer_list();
    must(H5Dwrite(step, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, transfer, &number),
         "write scalar");
    H5Pclose(transfer);
    must(H5Dclose(step), "close scalar");
    H5Sclose(scalar);
    must(H5Fclose(file), "close file");
    H5Pclose(access);
}

static void check_checkpoint(const char *path, const field fields[field_count])
{
    hid_t access = access_list();
    hid_t file = must(H5Fopen(path, H5F_ACC_RDONLY, access), "open file");
    hid_t group = must(H5Gopen2(file, "fields", H5P_DEFAULT), "open group");
    for (int i = 0; i < field_count; i++)
        check_field(group, &fields[i]);
    must(H5Gclose(group), "close group");

    int64_t number = 0;
    hid_t step = must(H5Dopen2(file, "step", H5P_DEFAULT), "open scalar");
    must(H5Dread(step, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &number),
         "read scalar");
    if (number != 1234)
        stop("the step came back with another value");
    must(H5Dclose(step), "close scalar");
    must(H5Fclose(file), "close file");
    H5Pclose(access);
}

int main(int argc, char **argv)
{
#ifdef H5_HAVE_PARALLEL
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_of_mine);
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
#endif
    if (argc != 2)
        stop("use: checkpoint FILE");
    field fields[field_count];
    list_fields(fields);
    write_checkpoint(argv[1], fields);
    check_checkpoint(argv[1], fields);
    if (rank_of_mine == 0)
        printf("checkpoint: %d rank(s) wrote and verified %d fields and a scalar in %s\n",
               rank_count, field_count, argv[1]);
#ifdef H5_HAVE_PARALLEL
    MPI_Finalize();
#endif
    return 0;
}
