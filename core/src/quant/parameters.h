/* SPDX-License-Identifier: Apache-2.0 */
/* parameters.h - what schemes with parameter buffers check alike. Private to core/src. */
#ifndef HRY_PARAMETERS_H
#define HRY_PARAMETERS_H

#include "descriptor/places.h"
#include "fail.h"

/* Bytes from the start of the section: the axis and, if any, the block size. */
enum { HRY_QUANT_AT_AXIS = 8, HRY_QUANT_AT_BLOCK = 12 };

/* A parameter buffer as a scheme's fields name it. */
typedef struct hry_parameter {
    const char *name; /* of the field */
    uint32_t buffer;  /* index in the buffer table */
    size_t at;        /* byte of the field */
    uint32_t item;    /* size of one parameter, in BYTES */
} hry_parameter;

/* The axis exists and its size is known (block-paged: the pool's size counts). */
hry_status hry_check_axis(const hry_descriptor *d, size_t at, hry_error *err);

/* Schemes whose blocks do not go with pages. */
hry_status hry_check_no_pages(const hry_descriptor *d, size_t at, hry_error *err);

/* The block size is a power of two within [min, max]. */
hry_status hry_check_block(const hry_descriptor *d, size_t at, uint32_t min, uint32_t max,
                           hry_error *err);

/* The block size does not exceed the axis, unless that is empty. */
hry_status hry_check_block_fits(const hry_descriptor *d, size_t at, hry_error *err);

/* HRY_QUANT_SYMMETRIC goes with no zero points, its absence with zero points. */
hry_status hry_check_symmetric(const hry_descriptor *d, size_t at, size_t at_zero,
                               hry_error *err);

/*
 * Blocks of the whole tensor: block size along the axis, 1 along the others. False when
 * a dimension that counts is dynamic, or the number does not fit.
 */
bool hry_quant_blocks(const hry_descriptor *d, uint64_t *count);

/* The buffer is one after the layout's own, and is not the one `other` names (or NULL). */
hry_status hry_check_parameter(const hry_descriptor *d, const hry_parameter *parameter,
                               const hry_parameter *other, hry_error *err);

/* The buffer holds exactly `count` parameters. */
hry_status hry_check_parameter_size(const hry_descriptor *d, const hry_places *p,
                                    const hry_parameter *parameter, uint64_t count,
                                    hry_error *err);

#endif
