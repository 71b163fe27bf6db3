/* SPDX-License-Identifier: Apache-2.0 */
/* npy.h - NumPy's .npy files: the header, and which type stands for which. */
#ifndef NPY_H
#define NPY_H

#include "hry/convert.h"

#include <stdio.h>

/*
 * The type that the elements get in NumPy: their own where it has that, else the next one
 * that holds every value: float32 for small floats, int8 and uint8 for small integers,
 * float64 for float128, which is rounded.
 */
uint8_t npy_type(hry_type type);

enum { NPY_HEADER = 2048 }; /* enough for any */

/* The header of a row-major array of a type that npy_type() gives; returns its length. */
size_t npy_header(uint8_t type, uint32_t rank, const uint64_t *shape, char out[NPY_HEADER]);

/* What a .npy file begins with. */
struct npy {
    uint8_t type;
    bool is_big_endian, is_column_major;
    uint32_t rank;
    uint64_t shape[HRY_MAX_RANK];
    size_t length; /* of the header, in BYTES */
};

/* HRY_ERR_CORRUPT, or HRY_ERR_UNSUPPORTED for types that are no numbers. */
hry_status npy_parse(const void *bytes, size_t size, struct npy *out, hry_error *err);

#endif
