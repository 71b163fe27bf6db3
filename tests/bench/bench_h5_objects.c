/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_h5_objects - what an object costs, through the same HDF5 calls: files of the
 * library's own format (as it writes by default, and in its latest form) and Hurray files.
 * In each round every backend does everything once. Prints medians, and how many times
 * faster than native's default each is.
 *
 *   bench_h5_objects [objects = 100000] [rounds = 3] [folder = .]
 */
#include "bench_h5.h"

#include <string.h>

typedef struct bench {
    int objects;
    const char *folder;
    char path[512];
    int *order; /* all numbers of objects, shuffled */
} bench;

enum {
    CREATE,
    READ_ALL,
    READ_ONE,
    SIZE,
    CREATE_GROUPS,
    OPEN_GROUPS,
    CREATE_ATTRS,
    READ_ATTRS,
    CASES
};
static const char *const titles[CASES] = {
    "datasets created, each one float and an attribute",
    "all opened and read, shuffled",
    "file opened, one of them read",
    "size of that file [MB]",
    "groups created",
    "groups opened, shuffled",
    "1000 attributes of an object created",
    "1000 attributes read",
};

static const char *path_of(bench *b, const backend *k, const char *what)
{
    snprintf(b->path, sizeof b->path, "%s/bench_%s_%s", b->folder, what, k->name);
    return b->path;
}

static void create_datasets(bench *b, const backend *k)
{
    const hid_t scalar = H5Screate(H5S_SCALAR);
    const hid_t file =
        H5Fcreate(path_of(b, k, "sets"), H5F_ACC_TRUNC, H5P_DEFAULT, k->fapl);
    need(file);
    for (int i = 0; i < b->objects; i++) {
        char name[32];
        const float value = (float)i;
        snprintf(name, sizeof name, "d%06d", i);
        const hid_t set = H5Dcreate2(file, name, H5T_NATIVE_FLOAT, scalar, H5P_DEFAULT,
                                     H5P_DEFAULT, H5P_DEFAULT);
        need(H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value));
        const hid_t attr =
            H5Acreate2(set, "a", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT);
        need(H5Awrite(attr, H5T_NATIVE_INT, &i));
        need(H5Aclose(attr));
        need(H5Dclose(set));
    }
    need(H5Fclose(file));
    need(H5Sclose(scalar));
}

static void read_one(hid_t file, int i)
{
    char name[32];
    float value = -1;
    snprintf(name, sizeof name, "d%06d", i);
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    need(H5Dread(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value));
    need(value == (float)i ? 0 : -1);
    need(H5Dclose(set));
}

static void read_datasets(bench *b, const backend *k, int count)
{
    const hid_t file = H5Fopen(path_of(b, k, "sets"), H5F_ACC_RDONLY, k->fapl);
    need(file);
    for (int i = 0; i < count; i++)
        read_one(file, b->order[i]);
    need(H5Fclose(file));
}

static void create_groups(bench *b, const backend *k)
{
    const hid_t file =
        H5Fcreate(path_of(b, k, "groups"), H5F_ACC_TRUNC, H5P_DEFAULT, k->fapl);
    need(file);
    for (int i = 0; i < b->objects; i++) {
        char name[32];
        snprintf(name, sizeof name, "g%06d", i);
        need(H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    }
    need(H5Fclose(file));
}

static void open_groups(bench *b, const backend *k)
{
    const hid_t file = H5Fopen(path_of(b, k, "groups"), H5F_ACC_RDONLY, k->fapl);
    need(file);
    for (int i = 0; i < b->objects; i++) {
        char name[32];
        snprintf(name, sizeof name, "g%06d", b->order[i]);
        need(H5Gclose(H5Gopen2(file, name, H5P_DEFAULT)));
    }
    need(H5Fclose(file));
}

static void create_attrs(bench *b, const backend *k)
{
    const hid_t scalar = H5Screate(H5S_SCALAR);
    const hid_t file =
        H5Fcreate(path_of(b, k, "attrs"), H5F_ACC_TRUNC, H5P_DEFAULT, k->fapl);
    const hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    need(group);
    for (int i = 0; i < 1000; i++) {
        char name[32];
        snprintf(name, sizeof name, "a%06d", i);
        const hid_t attr =
            H5Acreate2(group, name, H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT);
        need(H5Awrite(attr, H5T_NATIVE_INT, &i));
        need(H5Aclose(attr));
    }
    need(H5Gclose(group));
    need(H5Fclose(file));
    need(H5Sclose(scalar));
}

static void read_attrs(bench *b, const backend *k)
{
    const hid_t file = H5Fopen(path_of(b, k, "attrs"), H5F_ACC_RDONLY, k->fapl);
    const hid_t group = H5Gopen2(file, "g", H5P_DEFAULT);
    need(group);
    for (int i = 0; i < 1000; i++) {
        char name[32];
        int value = -1;
        snprintf(name, sizeof name, "a%06d", i);
        const hid_t attr = H5Aopen(group, name, H5P_DEFAULT);
        need(H5Aread(attr, H5T_NATIVE_INT, &value));
        need(value == i ? 0 : -1);
        need(H5Aclose(attr));
    }
    need(H5Gclose(group));
    need(H5Fclose(file));
}

static void run(bench *b, const backend *k, int which)
{
    switch (which) {
    case CREATE:
        create_datasets(b, k);
        break;
    case READ_ALL:
        read_datasets(b, k, b->objects);
        break;
    case READ_ONE:
        read_datasets(b, k, 1);
        break;
    case CREATE_GROUPS:
        create_groups(b, k);
        break;
    case OPEN_GROUPS:
        open_groups(b, k);
        break;
    case CREATE_ATTRS:
        create_attrs(b, k);
        break;
    case READ_ATTRS:
        read_attrs(b, k);
        break;
    default:
        break;
    }
}

static void measure(bench *b, const backend *backends, int rounds)
{
    double *times = calloc((size_t)(CASES * BACKENDS * rounds), sizeof *times);
    need(times == NULL ? -1 : 0);
    for (int round = 0; round < rounds; round++)
        for (int which = 0; which < CASES; which++)
            for (int i = 0; i < BACKENDS; i++) {
                const double begin = now();
                run(b, &backends[i], which);
                times[(which * BACKENDS + i) * rounds + round] =
                    which == SIZE ? file_size(path_of(b, &backends[i], "sets")) / 1e9
                                  : now() - begin;
            }
    printf("%-50s", "[ms]");
    for (int i = 0; i < BACKENDS; i++)
        printf(" %10s", backends[i].name);
    puts("   native/hurray");
    for (int which = 0; which < CASES; which++) {
        double medians[BACKENDS];
        printf("%-50s", titles[which]);
        for (int i = 0; i < BACKENDS; i++) {
            medians[i] = median(times + (which * BACKENDS + i) * rounds, rounds);
            printf(" %10.2f", medians[i] * 1e3);
        }
        printf(" %10.2f\n", medians[NATIVE] / medians[HURRAY]);
    }
    free(times);
}

static void shuffle(bench *b)
{
    uint32_t state = 1;
    b->order = calloc((size_t)b->objects, sizeof *b->order);
    need(b->order == NULL ? -1 : 0);
    for (int i = 0; i < b->objects; i++) {
        state = state * 1664525u + 1013904223u;
        const int other = (int)(state >> 4) % (i + 1);
        b->order[i] = b->order[other];
        b->order[other] = i;
    }
}

int main(int argc, char **argv)
{
    bench b = {.objects = argc > 1 ? atoi(argv[1]) : 100000,
               .folder = argc > 3 ? argv[3] : "."};
    const int rounds = argc > 2 ? atoi(argv[2]) : 3;
    backend backends[BACKENDS];
    if (b.objects < 1 || rounds < 1) {
        fputs("usage: bench_h5_objects [OBJECTS [ROUNDS [FOLDER]]]\n", stderr);
        return 2;
    }
    open_backends(backends);
    shuffle(&b);
    measure(&b, backends, rounds);
    for (int i = 0; i < BACKENDS; i++) {
        remove(path_of(&b, &backends[i], "sets"));
        remove(path_of(&b, &backends[i], "groups"));
        remove(path_of(&b, &backends[i], "attrs"));
        H5Pclose(backends[i].fapl);
    }
    free(b.order);
    return 0;
}
