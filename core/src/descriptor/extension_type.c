/* SPDX-License-Identifier: Apache-2.0 */
/* extension_type.c - the section that describes a private type (format section 1). */
#include "sections.h"
#include "wire.h"

/* Bytes from the start of the section. */
enum {
    AT_BIT_WIDTH = 0,
    AT_PACKING = 4,
    AT_IS_SIGNED = 6,
    AT_SIGN_BITS = 7,
    AT_EXPONENT_BITS = 8,
    AT_MANTISSA_BITS = 9,
    AT_EXPONENT_BIAS = 12,
    SIZE = 20
};

size_t hry_extension_type_size(const hry_descriptor *d)
{
    (void)d;
    return SIZE;
}

hry_status hry_extension_type_decode(hry_cursor *c, hry_mode mode, hry_descriptor *d,
                                     hry_error *err)
{
    hry_extension_type *t = &d->extension_type;
    t->bit_width = cur_u32(c);
    t->packing = cur_u8(c);
    HRY_TRY(wire_bool(c, mode, "extension_type.is_float", &t->is_float, err));
    HRY_TRY(wire_bool(c, mode, "extension_type.is_signed", &t->is_signed, err));
    t->sign_bits = cur_u8(c);
    t->exponent_bits = cur_u8(c);
    t->mantissa_bits = cur_u8(c);
    HRY_TRY(wire_zeros(c, 2, "extension_type", err));
    t->exponent_bias = cur_u32(c);
    HRY_TRY(wire_bool(c, mode, "extension_type.has_nan", &t->has_nan, err));
    HRY_TRY(wire_bool(c, mode, "extension_type.has_inf", &t->has_inf, err));
    return wire_zeros(c, 2, "extension_type", err);
}

void hry_extension_type_encode(const hry_descriptor *d, hry_builder *b)
{
    const hry_extension_type *t = &d->extension_type;
    bld_u32(b, t->bit_width);
    bld_u8(b, t->packing);
    bld_u8(b, t->is_float);
    bld_u8(b, t->is_signed);
    bld_u8(b, t->sign_bits);
    bld_u8(b, t->exponent_bits);
    bld_u8(b, t->mantissa_bits);
    bld_u16(b, 0);
    bld_u32(b, t->exponent_bias);
    bld_u8(b, t->has_nan);
    bld_u8(b, t->has_inf);
    bld_u16(b, 0);
}

/* Below a byte, width and packing say the same twice; when they differ the width is named.
 */
static hry_status check_width(const hry_extension_type *t, size_t at, hry_error *err)
{
    const uint32_t width = t->bit_width;
    const bool is_sub_byte = width == 1 || width == 2 || width == 4;
    if (width < 8 && (!is_sub_byte || t->packing != 8 / width))
        return HRY_FAIL_AT(
            err, HRY_ERR_CORRUPT, at + AT_BIT_WIDTH,
            "extension_type.bit_width is %u with packing %u, must be 1, 2, 4 "
            "with 8, 4, 2, or at least 8",
            (unsigned)width, t->packing);
    if (width >= 8 && t->packing != 1)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + AT_PACKING,
                           "extension_type.packing is %u, must be 1 for %u bits",
                           t->packing, (unsigned)width);
    return HRY_OK;
}

/* A float's sign is in sign_bits; an integer has no exponent, mantissa or bias. */
static hry_status check_parts(const hry_extension_type *t, size_t at, hry_error *err)
{
    const struct {
        bool wrong;
        size_t at;
        const char *what;
    } rules[] = {
        {t->is_float && t->is_signed, AT_IS_SIGNED, "is_signed must be 0 for a float"},
        {t->sign_bits > 1, AT_SIGN_BITS, "sign_bits must be 0 or 1"},
        {!t->is_float && t->exponent_bits != 0, AT_EXPONENT_BITS,
         "exponent_bits must be 0 for an integer"},
        {!t->is_float && t->mantissa_bits != 0, AT_MANTISSA_BITS,
         "mantissa_bits must be 0 for an integer"},
        {!t->is_float && t->exponent_bias != 0, AT_EXPONENT_BIAS,
         "exponent_bias must be 0 for an integer"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].wrong)
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + rules[i].at, "extension_type.%s",
                               rules[i].what);
    return HRY_OK;
}

hry_status hry_extension_type_check(const hry_descriptor *d, const hry_places *p,
                                    hry_error *err)
{
    const size_t at = p->section[HRY_SECTION_EXTENSION_TYPE];
    HRY_TRY(check_width(&d->extension_type, at, err));
    return check_parts(&d->extension_type, at, err);
}
