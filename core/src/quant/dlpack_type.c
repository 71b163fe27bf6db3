/* SPDX-License-Identifier: Apache-2.0 */
/* dlpack_type.c - the table of types shared with DLPack, and strided copying. */
#include "dlpack_type.h"

#include "checked.h"
#include "fail.h"

#include <string.h>

/* 6-bit types have codes in DLPack, but how they are packed is not said there. */
static const struct {
    uint8_t tag;
    uint8_t code, bits;
} types[] = {
    {HRY_FLOAT16, HRY_DL_FLOAT, 16},
    {HRY_BFLOAT16, HRY_DL_BFLOAT, 16},
    {HRY_FLOAT32, HRY_DL_FLOAT, 32},
    {HRY_FLOAT64, HRY_DL_FLOAT, 64},
    {HRY_INT8, HRY_DL_INT, 8},
    {HRY_UINT8, HRY_DL_UINT, 8},
    {HRY_INT16, HRY_DL_INT, 16},
    {HRY_UINT16, HRY_DL_UINT, 16},
    {HRY_INT32, HRY_DL_INT, 32},
    {HRY_UINT32, HRY_DL_UINT, 32},
    {HRY_INT64, HRY_DL_INT, 64},
    {HRY_UINT64, HRY_DL_UINT, 64},
    {HRY_BOOL, HRY_DL_BOOL, 8},
    {HRY_FLOAT8_E4M3, HRY_DL_FLOAT8_E4M3FN, 8},
    {HRY_FLOAT8_E5M2, HRY_DL_FLOAT8_E5M2, 8},
    {HRY_FLOAT8_E8M0, HRY_DL_FLOAT8_E8M0FNU, 8},
    {HRY_FLOAT4_E2M1, HRY_DL_FLOAT4_E2M1FN, 4},
    {HRY_FLOAT128, HRY_DL_FLOAT, 128},
    {HRY_INT4, HRY_DL_INT, 4},
    {HRY_UINT4, HRY_DL_UINT, 4},
    {HRY_INT2, HRY_DL_INT, 2},
    {HRY_UINT2, HRY_DL_UINT, 2},
    {HRY_COMPLEX64, HRY_DL_COMPLEX, 64},
    {HRY_COMPLEX128, HRY_DL_COMPLEX, 128},
};

hry_status hry_dl_type_of(uint8_t type_tag, hry_dl_type *out, hry_error *err)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].tag == type_tag) {
            *out = (hry_dl_type){types[i].code, types[i].bits, 1};
            return HRY_OK;
        }
    return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "type 0x%02X: DLPack has none like it",
                    type_tag);
}

hry_status hry_dl_type_tag(hry_dl_type type, uint8_t *type_tag, hry_error *err)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].code == type.code && types[i].bits == type.bits && type.lanes == 1) {
            *type_tag = types[i].tag;
            return HRY_OK;
        }
    return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                    "DLPack type code %u, %u bits, %u lanes: no element type is like it",
                    type.code, type.bits, type.lanes);
}

void hry_dl_row_major(uint32_t rank, const uint64_t *shape, int64_t *strides)
{
    int64_t step = 1;
    for (uint32_t k = rank; k-- > 0;) {
        strides[k] = step;
        step *= (int64_t)shape[k];
    }
}

hry_status hry_dl_extent(uint32_t rank, const uint64_t *shape, const int64_t *strides,
                         int64_t *low, int64_t *high, hry_error *err)
{
    int64_t lo = 0, hi = 0;
    for (uint32_t k = 0; k < rank; k++) {
        int64_t reach;
        int64_t *end = strides[k] < 0 ? &lo : &hi;
        if (shape[k] > INT64_MAX ||
            !checked_mul_i64((int64_t)shape[k] - 1, strides[k], &reach) ||
            !checked_add_i64(*end, reach, end))
            return HRY_FAIL(err, HRY_ERR_RANGE,
                            "stride %lld of dimension %u: offsets do not fit 64 bits",
                            (long long)strides[k], k);
    }
    *low = lo;
    *high = hi;
    return HRY_OK;
}

static unsigned get_bits(const uint8_t *base, int64_t at, uint32_t bits)
{
    const uint32_t per_byte = 8 / bits;
    const unsigned byte = base[at / per_byte];
    return byte >> ((uint32_t)(at % per_byte) * bits) & ((1u << bits) - 1);
}

static void put_bits(uint8_t *base, int64_t at, uint32_t bits, unsigned value)
{
    const uint32_t per_byte = 8 / bits;
    const uint32_t shift = (uint32_t)(at % per_byte) * bits;
    const unsigned mask = ((1u << bits) - 1) << shift;
    uint8_t *byte = &base[at / per_byte];
    *byte = (uint8_t)((*byte & ~mask) | (value << shift & mask));
}

/* Copy `count` elements that follow each other on both sides. */
static void copy_run(size_t size, uint64_t count, const hry_dl_place *from, int64_t src,
                     const hry_dl_place *to, int64_t dst)
{
    const uint8_t *in = from->base;
    uint8_t *out = to->base;
    if (from->bits == 0 && to->bits == 0) {
        memcpy(out + dst * (int64_t)size, in + src * (int64_t)size, (size_t)count * size);
        return;
    }
    for (int64_t i = 0; i < (int64_t)count; i++) {
        const unsigned value =
            from->bits != 0 ? get_bits(in, src + i, from->bits) : in[src + i];
        if (to->bits == 0)
            out[dst + i] = (uint8_t)value;
        else
            put_bits(out, dst + i, to->bits, to->bits == 1 ? value != 0 : value);
    }
}

void hry_dl_copy(uint32_t rank, const uint64_t *shape, size_t size,
                 const hry_dl_place *from, const hry_dl_place *to)
{
    uint64_t index[HRY_MAX_RANK] = {0};
    int64_t src = from->first, dst = to->first;
    uint64_t run = 1;
    for (uint32_t k = 0; k < rank; k++)
        if (shape[k] == 0)
            return;
    for (; rank > 0 && from->strides[rank - 1] == (int64_t)run &&
           to->strides[rank - 1] == (int64_t)run;
         rank--)
        run *= shape[rank - 1];
    for (;;) {
        copy_run(size, run, from, src, to, dst);
        uint32_t k = rank;
        while (k-- > 0) {
            src += from->strides[k];
            dst += to->strides[k];
            if (++index[k] < shape[k])
                break;
            src -= from->strides[k] * (int64_t)shape[k];
            dst -= to->strides[k] * (int64_t)shape[k];
            index[k] = 0;
        }
        if (k == UINT32_MAX)
            return;
    }
}
