/* SPDX-License-Identifier: Apache-2.0 */
/* numeric.c - types as conversion sees them: rows of the type table, or private ones. */
#include "numeric.h"

#include "fail.h"

static void of_builtin(const hry_dtype *type, hry_numeric *out)
{
    const bool is_complex = type->cls == HRY_CLASS_COMPLEX;
    *out = (hry_numeric){
        .tag = type->tag,
        .cls = type->cls,
        .bits = is_complex ? type->bits / 2U : type->bits,
        .exponent = type->exponent,
        .mantissa = type->mantissa,
        .bias = type->bias,
        .has_sign = type->has_sign || type->cls == HRY_CLASS_INT,
        .has_inf = type->has_inf,
        .has_nan = type->has_nan,
    };
    if (is_complex)
        out->tag = type->tag == HRY_COMPLEX64 ? HRY_FLOAT32 : HRY_FLOAT64;
    out->bytes = (out->bits + 7) / 8;
    out->is_plain =
        out->tag == HRY_FLOAT32 || out->tag == HRY_FLOAT64 || out->tag == HRY_FLOAT128;
}

static hry_status of_private(hry_type type, hry_numeric *out, hry_error *err)
{
    const hry_extension_type *e = type.extension;
    const uint64_t fields = (uint64_t)e->sign_bits + e->exponent_bits + e->mantissa_bits;
    if (e->bit_width == 0 || e->bit_width > 64)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "private type 0x%02x of %u bits",
                        (unsigned)type.tag, (unsigned)e->bit_width);
    if (e->is_float && (fields > e->bit_width || fields == 0 || e->sign_bits > 1 ||
                        e->exponent_bits > 11 || e->mantissa_bits > 52 ||
                        e->exponent_bits == 0 || e->exponent_bias > 4096))
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "private float 0x%02x: %u+%u+%u bits, bias %u", (unsigned)type.tag,
                        (unsigned)e->sign_bits, (unsigned)e->exponent_bits,
                        (unsigned)e->mantissa_bits, (unsigned)e->exponent_bias);
    *out = (hry_numeric){
        .tag = type.tag,
        .cls = e->is_float    ? HRY_CLASS_FLOAT
               : e->is_signed ? HRY_CLASS_INT
                              : HRY_CLASS_UINT,
        .bits = e->bit_width,
        .bytes = (e->bit_width + 7) / 8,
        .exponent = e->exponent_bits,
        .mantissa = e->mantissa_bits,
        .bias = (int32_t)e->exponent_bias,
        .has_sign = e->is_float ? e->sign_bits > 0 : e->is_signed,
        .has_inf = e->has_inf,
        .has_nan = e->has_nan,
    };
    return HRY_OK;
}

hry_status hry_numeric_of(hry_type type, hry_numeric *out, hry_error *err)
{
    if (type.extension != NULL)
        return of_private(type, out, err);
    const hry_dtype *builtin = hry_dtype_by_tag(type.tag);
    if (builtin == NULL)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "type 0x%02x is not known",
                        (unsigned)type.tag);
    of_builtin(builtin, out);
    return HRY_OK;
}
