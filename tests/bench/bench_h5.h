/* SPDX-License-Identifier: Apache-2.0 */
/* bench_h5.h - what the benchmarks that compare storage backends of HDF5 share. */
#ifndef BENCH_H5_H
#define BENCH_H5_H

#include <hdf5.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

/* A way to store: the library's own format, its newest form, or Hurray. */
typedef struct backend {
    const char *name;
    hid_t fapl;
} backend;

enum { NATIVE, LATEST, HURRAY, BACKENDS };

static inline void need_at(int line, int64_t result)
{
    if (result >= 0)
        return;
    fprintf(stderr, "benchmark: line %d failed\n", line);
    exit(1);
}
#define need(call) need_at(__LINE__, (int64_t)(call))

static inline void open_backends(backend *backends)
{
    const hid_t native = H5VLregister_connector_by_name("native", H5P_DEFAULT);
    need(native);
    setenv("HDF5_PLUGIN_PATH", HURRAY_PLUGIN_DIR, 1);
    need(H5PLreplace(HURRAY_PLUGIN_DIR, 0));
    const hid_t hurray = H5VLregister_connector_by_name("hurray", H5P_DEFAULT);
    need(hurray);
    static const char *const names[BACKENDS] = {"native", "latest", "hurray"};
    for (int i = 0; i < BACKENDS; i++) {
        backends[i] = (backend){names[i], H5Pcreate(H5P_FILE_ACCESS)};
        need(H5Pset_vol(backends[i].fapl, i == HURRAY ? hurray : native, NULL));
        if (i == LATEST)
            need(H5Pset_libver_bounds(backends[i].fapl, H5F_LIBVER_LATEST,
                                      H5F_LIBVER_LATEST));
    }
}

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double file_size(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 ? (double)s.st_size : 0;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts them. */
static inline double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[count / 2];
}

#endif
