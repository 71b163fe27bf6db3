/* SPDX-License-Identifier: Apache-2.0 */
/* registry.c - the one table of quantization schemes (format section 5), by tag. */
#include "quant.h"

static const uint8_t affine_types[] = {HRY_INT8,  HRY_UINT8,  HRY_INT16, HRY_UINT16,
                                       HRY_INT32, HRY_UINT32, HRY_INT4,  HRY_UINT4,
                                       HRY_INT2,  HRY_UINT2,  0};
static const uint8_t block_types[] = {HRY_INT8, HRY_UINT8, HRY_INT4, HRY_UINT4,
                                      HRY_INT2, HRY_UINT2, 0};
static const uint8_t nf4_types[] = {HRY_UINT4, 0};
static const uint8_t mxfp_types[] = {
    HRY_FLOAT8_E4M3, HRY_FLOAT8_E5M2, HRY_FLOAT4_E2M1, HRY_FLOAT6_E2M3,
    HRY_FLOAT6_E3M2, HRY_INT8,        HRY_INT4,        0};

#define CODEC(scheme)                                                                      \
    .decode = hry_##scheme##_decode, .encode = hry_##scheme##_encode,                      \
    .check = hry_##scheme##_check

/* clang-format off */
static const hry_scheme schemes[] = {
    [HRY_QUANT_PER_TENSOR] = {.name = "per_tensor", .size = 16, .storage = affine_types,
                              CODEC(per_tensor)},
    [HRY_QUANT_PER_CHANNEL] = {.name = "per_channel", .size = 20, .storage = affine_types,
                               .flags = HRY_QUANT_SYMMETRIC, .has_parameters = true,
                               CODEC(per_channel)},
    [HRY_QUANT_PER_BLOCK] = {.name = "per_block", .size = 24, .storage = block_types,
                             .flags = HRY_QUANT_SYMMETRIC, .has_parameters = true,
                             CODEC(per_block)},
    [HRY_QUANT_NF4] = {.name = "nf4", .size = 16, .storage = nf4_types,
                       .has_parameters = true, CODEC(nf4)},
    [HRY_QUANT_MXFP] = {.name = "mxfp", .size = 16, .storage = mxfp_types,
                        .has_parameters = true, CODEC(mxfp)},
};
/* clang-format on */

const hry_scheme *hry_scheme_by_tag(uint8_t tag)
{
    if (tag < sizeof schemes / sizeof *schemes && schemes[tag].name != NULL)
        return &schemes[tag];
    return NULL;
}

bool hry_scheme_stores(const hry_scheme *scheme, uint8_t type_tag)
{
    for (const uint8_t *tag = scheme->storage; *tag != 0; tag++)
        if (*tag == type_tag)
            return true;
    return false;
}

uint32_t hry_quant_buffers(const hry_descriptor *d)
{
    if ((d->flags & HRY_HAS_QUANTIZATION) == 0)
        return 0;
    const hry_scheme *scheme = hry_scheme_by_tag(d->quantization.scheme);
    if (scheme == NULL || !scheme->has_parameters)
        return 0;
    const bool may_have_zeros = (scheme->flags & HRY_QUANT_SYMMETRIC) != 0;
    return may_have_zeros && d->quantization.zero_buffer != HRY_NO_BUFFER ? 2 : 1;
}
