/* SPDX-License-Identifier: Apache-2.0 */
/* dtype.c - the table of element types (format section 2), ascending by tag. */
#include "hry/dtype.h"

#include "checked.h"

#include <string.h>

/* clang-format off */
#define FLOAT(b, a, e, m, bi)  .bits = (b), .align = (a), .cls = HRY_CLASS_FLOAT, \
                               .exponent = (e), .mantissa = (m), .bias = (bi), .has_sign = true
#define IEEE                   .has_inf = true, .has_nan = true
#define INT(b, a)              .bits = (b), .align = (a), .cls = HRY_CLASS_INT
#define UINT(b, a)             .bits = (b), .align = (a), .cls = HRY_CLASS_UINT

static const hry_dtype dtypes[] = {
    {.tag = HRY_FLOAT16,     FLOAT(16, 2, 5, 10, 15), IEEE,         .name = "float16"},
    {.tag = HRY_BFLOAT16,    FLOAT(16, 2, 8, 7, 127), IEEE,         .name = "bfloat16"},
    {.tag = HRY_FLOAT32,     FLOAT(32, 4, 8, 23, 127), IEEE,        .name = "float32"},
    {.tag = HRY_FLOAT64,     FLOAT(64, 8, 11, 52, 1023), IEEE,      .name = "float64"},
    {.tag = HRY_INT8,        INT(8, 1),                             .name = "int8"},
    {.tag = HRY_UINT8,       UINT(8, 1),                            .name = "uint8"},
    {.tag = HRY_INT16,       INT(16, 2),                            .name = "int16"},
    {.tag = HRY_UINT16,      UINT(16, 2),                           .name = "uint16"},
    {.tag = HRY_INT32,       INT(32, 4),                            .name = "int32"},
    {.tag = HRY_UINT32,      UINT(32, 4),                           .name = "uint32"},
    {.tag = HRY_INT64,       INT(64, 8),                            .name = "int64"},
    {.tag = HRY_UINT64,      UINT(64, 8),                           .name = "uint64"},
    {.tag = HRY_BOOL,        .bits = 1, .align = 1, .cls = HRY_CLASS_BOOL, .name = "bool"},
    {.tag = HRY_FLOAT8_E4M3, FLOAT(8, 1, 4, 3, 7), .has_nan = true, .name = "float8_e4m3"},
    {.tag = HRY_FLOAT8_E5M2, FLOAT(8, 1, 5, 2, 15), IEEE,           .name = "float8_e5m2"},
    {.tag = HRY_FLOAT8_E8M0, .bits = 8, .align = 1, .cls = HRY_CLASS_FLOAT,
                             .exponent = 8, .bias = 127,            .name = "float8_e8m0"},
    {.tag = HRY_FLOAT4_E2M1, FLOAT(4, 1, 2, 1, 1),                  .name = "float4_e2m1"},
    {.tag = HRY_FLOAT6_E2M3, FLOAT(6, 1, 2, 3, 1),                  .name = "float6_e2m3"},
    {.tag = HRY_FLOAT6_E3M2, FLOAT(6, 1, 3, 2, 3),                  .name = "float6_e3m2"},
    {.tag = HRY_FLOAT128,    FLOAT(128, 16, 15, 112, 16383), IEEE,  .name = "float128"},
    {.tag = HRY_INT4,        INT(4, 1),                             .name = "int4"},
    {.tag = HRY_UINT4,       UINT(4, 1),                            .name = "uint4"},
    {.tag = HRY_INT2,        INT(2, 1),                             .name = "int2"},
    {.tag = HRY_UINT2,       UINT(2, 1),                            .name = "uint2"},
    {.tag = HRY_COMPLEX64,   .bits = 64, .align = 4, .cls = HRY_CLASS_COMPLEX, .exponent = 8,
                             .mantissa = 23, .bias = 127, .has_sign = true, IEEE,
                             .name = "complex64"},
    {.tag = HRY_COMPLEX128,  .bits = 128, .align = 8, .cls = HRY_CLASS_COMPLEX, .exponent = 11,
                             .mantissa = 52, .bias = 1023, .has_sign = true, IEEE,
                             .name = "complex128"},
};
/* clang-format on */

const hry_dtype *hry_dtype_at(size_t i)
{
    return i < sizeof dtypes / sizeof *dtypes ? &dtypes[i] : NULL;
}

const hry_dtype *hry_dtype_by_tag(uint8_t tag)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (dtypes[i].tag == tag)
            return &dtypes[i];
    return NULL;
}

const hry_dtype *hry_dtype_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (strcmp(dtypes[i].name, name) == 0)
            return &dtypes[i];
    return NULL;
}

uint64_t hry_packed_size(uint64_t count, uint32_t bits)
{
    uint64_t size;
    if (bits == 6)
        return checked_mul(count / 4 + (count % 4 != 0), 3, &size) ? size : UINT64_MAX;
    if (bits >= 8) {
        const uint64_t bytes = bits / 8 + (bits % 8 != 0);
        return checked_mul(count, bytes, &size) ? size : UINT64_MAX;
    }
    const uint64_t per_byte = 8 / bits;
    return count / per_byte + (count % per_byte != 0);
}
