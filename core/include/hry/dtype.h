/* SPDX-License-Identifier: Apache-2.0 */
/* hry/dtype.h - element types (format section 2): one row of a static table each. */
#ifndef HRY_DTYPE_H
#define HRY_DTYPE_H

#include "hry/api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HRY_BEGIN

/* Wire values of the element types. 0xF0..0xFE are private: see hry_extension_type. */
enum {
    HRY_FLOAT16 = 0x01,
    HRY_BFLOAT16 = 0x02,
    HRY_FLOAT32 = 0x03,
    HRY_FLOAT64 = 0x04,
    HRY_INT8 = 0x10,
    HRY_UINT8 = 0x11,
    HRY_INT16 = 0x12,
    HRY_UINT16 = 0x13,
    HRY_INT32 = 0x14,
    HRY_UINT32 = 0x15,
    HRY_INT64 = 0x16,
    HRY_UINT64 = 0x17,
    HRY_BOOL = 0x20,
    HRY_FLOAT8_E4M3 = 0x40,
    HRY_FLOAT8_E5M2 = 0x41,
    HRY_FLOAT8_E8M0 = 0x42,
    HRY_FLOAT4_E2M1 = 0x43,
    HRY_FLOAT6_E2M3 = 0x44,
    HRY_FLOAT6_E3M2 = 0x45,
    HRY_FLOAT128 = 0x46,
    HRY_INT4 = 0x48,
    HRY_UINT4 = 0x49,
    HRY_INT2 = 0x4A,
    HRY_UINT2 = 0x4B,
    HRY_COMPLEX64 = 0x50,
    HRY_COMPLEX128 = 0x51
};

typedef enum hry_dtype_class {
    HRY_CLASS_FLOAT = 1,
    HRY_CLASS_INT,
    HRY_CLASS_UINT,
    HRY_CLASS_BOOL,
    HRY_CLASS_COMPLEX
} hry_dtype_class;

typedef struct hry_dtype {
    uint8_t tag;   /* wire value                                            */
    uint8_t bits;  /* storage width of one element, in BITS                 */
    uint8_t align; /* natural alignment, in BYTES                           */
    hry_dtype_class cls;
    uint8_t exponent; /* width in bits; 0 unless float or complex (each part)  */
    uint8_t mantissa; /* width in bits, without the implied one                */
    int16_t bias;     /* of the exponent                                       */
    bool has_sign;    /* floats: is there a sign bit                           */
    bool has_inf;     /* floats: all-ones exponent, zero mantissa is infinity  */
    bool has_nan;     /* floats: some code is not a number                     */
    const char *name; /* as spelled in the format, such as "float32"           */
} hry_dtype;

/* Borrowed, static, valid for ever. NULL when there is no such built-in type. */
HRY_API const hry_dtype *hry_dtype_by_tag(uint8_t tag);
HRY_API const hry_dtype *hry_dtype_by_name(const char *name);

/* i-th row in tag order, or NULL past the end: for listing and for tests. */
HRY_API const hry_dtype *hry_dtype_at(size_t i);

/*
 * Bytes that `count` elements of `bits` bits take when packed contiguously (format
 * section 2): whole bytes for widths of 8 and more, ceil(count * bits / 8) below,
 * for 6-bit types ceil(count / 4) * 3. UINT64_MAX when that does not fit 64 bits.
 */
HRY_API uint64_t hry_packed_size(uint64_t count, uint32_t bits);

HRY_END

#endif
