/* SPDX-License-Identifier: Apache-2.0 */
/*
 * h5_test.h - tests through HDF5's API. A program begins with h5_begin() and ends with
 * h5_end(); between them it works in a folder of its own, with the connector as default,
 * or with native HDF5 when its argument says "native": what is true for every HDF5 file is
 * tested with both.
 */
#ifndef H5_TEST_H
#define H5_TEST_H

#include "cmocka_all.h"

#include <stdbool.h>

#include <hdf5.h>

/* Before anything of HDF5 is used. */
void h5_begin(int argc, char **argv);
/* Removes the folder; returns `failed` for main() to return. */
int h5_end(int failed);

/* Is it native HDF5 that is being tested? */
bool h5_is_native(void);

/* Says that the connector is known to fail here, so that the test is to be skipped; false
 * with native HDF5 and when HURRAY_KNOWN is set, which runs these tests. */
bool h5_known(const char *what);

/* The result of an HDF5 call; the test fails with HDF5's own words when it is negative. */
#define h5(call) h5_checked((hid_t)(call), #call, __FILE__, __LINE__)
hid_t h5_checked(hid_t result, const char *call, const char *file, int line);

/* The call fails, and with the connector the reason says `text`. */
#define h5_fails(call, text) h5_refused((hid_t)(call), text, #call, __FILE__, __LINE__)
void h5_refused(hid_t result, const char *text, const char *call, const char *file,
                int line);

/* What HDF5's error stack says, innermost last, one line each; valid until the next call.
 */
const char *h5_error(void);

/* A new file; an existing one opened. */
hid_t h5_create(const char *path);
hid_t h5_open(const char *path);

/* A dataset of `rank` dimensions with these creation properties, closed by the caller. */
hid_t h5_dataset(hid_t where, const char *name, hid_t type, int rank, const hsize_t *dims,
                 const hsize_t *max, hid_t dcpl);

/* A contiguous int dataset 0, 1, 2, ... of `count` elements; closed. */
void h5_put_ints(hid_t where, const char *name, hsize_t count);
/* The same read back, each element plus `base`. */
void h5_assert_ints(hid_t where, const char *name, hsize_t count, int base);

/* The bytes of a file in memory to be freed; a file of these bytes. */
uint8_t *h5_slurp(const char *path, size_t *size);
void h5_spill(const char *path, const void *bytes, size_t size);

/* Runs `child` in a forked process, where a failing test ends it; its exit status, or
 * -signal. */
int h5_in_child(void (*child)(const void *arg), const void *arg);

/* fail_msg() that works in such a child, too. */
#define h5_fail(...) h5_fail_at(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void h5_fail_at(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
