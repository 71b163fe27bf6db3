/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.c - any type to any other, in blocks that stay in the first-level cache: both
 * integers through 64-bit integers, others through doubles. Where a double could round a
 * second time, the first rounding is to odd.
 */
#include "hry/convert.h"

#include "fail.h"
#include "numeric.h"

#include <string.h>

#define BLOCK 512

typedef struct conversion {
    hry_numeric from, to;
    hry_rounding rounding; /* of the doubles on the way */
    bool has_table;        /* from 8 bits or less: decoded once */
    double table[256];
} conversion;

static bool is_int(const hry_numeric *n)
{
    return n->cls == HRY_CLASS_INT || n->cls == HRY_CLASS_UINT || n->cls == HRY_CLASS_BOOL;
}

static bool is_uint64(const hry_numeric *n)
{
    return n->cls == HRY_CLASS_UINT && n->bits == 64;
}

static uint64_t code_at(const hry_numeric *n, const uint8_t *bytes)
{
    uint64_t code = 0;
    memcpy(&code, bytes, n->bytes);
    return n->bits < 64 ? code & ((UINT64_C(1) << n->bits) - 1) : code;
}

static hry_float128 float128_at(const uint8_t *bytes)
{
    hry_float128 v;
    memcpy(&v, bytes, sizeof v);
    return v;
}

static void ints_to_doubles(const conversion *c, const uint8_t *src, double *dst,
                            size_t count)
{
    int64_t whole[BLOCK];
    hry_ints_load(&c->from, src, whole, count);
    if (c->from.bits <= 53) {
        for (size_t i = 0; i < count; i++)
            dst[i] = (double)whole[i];
        return;
    }
    for (size_t i = 0; i < count; i++)
        dst[i] = hry_int_to_double(whole[i], is_uint64(&c->from), c->rounding);
}

static void load(const conversion *c, const uint8_t *src, double *dst, size_t count)
{
    if (is_int(&c->from)) {
        ints_to_doubles(c, src, dst, count);
    } else if (c->from.tag == HRY_FLOAT128) {
        for (size_t i = 0; i < count; i++)
            dst[i] = hry_float128_to_double(float128_at(src + i * 16), c->rounding);
    } else if (c->from.tag == HRY_FLOAT64) {
        memcpy(dst, src, count * sizeof *dst);
    } else if (c->has_table) {
        const uint32_t mask = (1U << c->from.bits) - 1;
        for (size_t i = 0; i < count; i++)
            dst[i] = c->table[src[i] & mask];
    } else {
        const hry_fast_pair fast = hry_fast_pair_of(c->from.tag, HRY_FLOAT64);
        if (fast != NULL) {
            fast(src, dst, count);
            return;
        }
        for (size_t i = 0; i < count; i++)
            dst[i] = hry_float_decode(&c->from, code_at(&c->from, src + i * c->from.bytes));
    }
}

static void doubles_to_ints(const conversion *c, const double *src, uint8_t *dst,
                            size_t count)
{
    int64_t whole[BLOCK];
    if (c->to.cls == HRY_CLASS_BOOL) {
        for (size_t i = 0; i < count; i++)
            dst[i] = src[i] != 0;
        return;
    }
    for (size_t i = 0; i < count; i++)
        whole[i] = hry_int_from_double(src[i], is_uint64(&c->to));
    hry_ints_store(&c->to, whole, is_uint64(&c->to), dst, count);
}

static void store(const conversion *c, const double *src, uint8_t *dst, size_t count)
{
    if (is_int(&c->to)) {
        doubles_to_ints(c, src, dst, count);
    } else if (c->to.tag == HRY_FLOAT128) {
        for (size_t i = 0; i < count; i++) {
            const hry_float128 v = hry_float128_from_double(src[i]);
            memcpy(dst + i * sizeof v, &v, sizeof v);
        }
    } else if (c->to.tag == HRY_FLOAT64) {
        memcpy(dst, src, count * sizeof *src);
    } else if (c->to.tag == HRY_FLOAT32) {
        hry_fast_pair_of(HRY_FLOAT64, HRY_FLOAT32)(src, dst, count);
    } else {
        for (size_t i = 0; i < count; i++) {
            const uint64_t code = hry_float_encode(&c->to, src[i]);
            memcpy(dst + i * c->to.bytes, &code, c->to.bytes);
        }
    }
}

/* Both wide: no double is large enough for what is between them. */
static bool block_wide(const conversion *c, const uint8_t *src, uint8_t *dst, size_t count)
{
    int64_t whole[BLOCK];
    if (is_int(&c->from) && is_int(&c->to)) {
        hry_ints_load(&c->from, src, whole, count);
        hry_ints_store(&c->to, whole, is_uint64(&c->from), dst, count);
        return true;
    }
    if (is_int(&c->from) && c->to.tag == HRY_FLOAT128) {
        hry_ints_load(&c->from, src, whole, count);
        for (size_t i = 0; i < count; i++) {
            const hry_float128 v = hry_float128_from_int(whole[i], is_uint64(&c->from));
            memcpy(dst + i * sizeof v, &v, sizeof v);
        }
        return true;
    }
    if (c->from.tag == HRY_FLOAT128 && is_int(&c->to) && c->to.cls != HRY_CLASS_BOOL) {
        for (size_t i = 0; i < count; i++)
            whole[i] = hry_float128_to_int(float128_at(src + i * 16), is_uint64(&c->to));
        hry_ints_store(&c->to, whole, is_uint64(&c->to), dst, count);
        return true;
    }
    return false;
}

static void all_blocks(conversion *c, const uint8_t *src, uint8_t *dst, size_t count)
{
    /* Rounding again to at least two bits less undoes nothing that rounding to odd kept;
     * a bool must see what is not quite 0. */
    const bool again = c->to.cls == HRY_CLASS_BOOL ||
                       (c->to.cls == HRY_CLASS_FLOAT && c->to.mantissa <= 50) ||
                       c->to.tag == HRY_FLOAT32;
    c->rounding = again ? HRY_TO_ODD : HRY_TO_NEAREST;
    c->has_table = !is_int(&c->from) && c->from.bits <= 8 && count >= 64;
    for (uint64_t code = 0; c->has_table && code < UINT64_C(1) << c->from.bits; code++)
        c->table[code] = hry_float_decode(&c->from, code);
    for (size_t i = 0; i < count; i += BLOCK) {
        const size_t n = count - i < BLOCK ? count - i : BLOCK;
        const uint8_t *s = src + i * c->from.bytes;
        uint8_t *d = dst + i * c->to.bytes;
        double middle[BLOCK];
        if (block_wide(c, s, d, n))
            continue;
        load(c, s, middle, n);
        store(c, middle, d, n);
    }
}

static void convert_parts(conversion *c, const void *src, void *dst, size_t count)
{
    const bool builtin = c->from.tag < 0xF0 && c->to.tag < 0xF0;
    const hry_fast_pair fast = builtin ? hry_fast_pair_of(c->from.tag, c->to.tag) : NULL;
    if (builtin && c->from.tag == c->to.tag)
        memcpy(dst, src, count * c->from.bytes);
    else if (fast != NULL)
        fast(src, dst, count);
    else
        all_blocks(c, src, dst, count);
}

/* Real parts into the first half of each block's place, then spread from the end. */
static void real_to_complex(conversion *c, const uint8_t *src, uint8_t *dst, size_t count)
{
    const size_t part = c->to.bytes;
    for (size_t i = 0; i < count; i += BLOCK) {
        const size_t n = count - i < BLOCK ? count - i : BLOCK;
        uint8_t *block = dst + i * 2 * part;
        convert_parts(c, src + i * c->from.bytes, block, n);
        for (size_t j = n; j-- > 0;) {
            memmove(block + j * 2 * part, block + j * part, part);
            memset(block + j * 2 * part + part, 0, part);
        }
    }
}

static bool is_complex(hry_type type)
{
    return type.extension == NULL &&
           (type.tag == HRY_COMPLEX64 || type.tag == HRY_COMPLEX128);
}

static bool same_extension(const hry_extension_type *a, const hry_extension_type *b)
{
    return a != NULL && b != NULL && a->bit_width == b->bit_width &&
           a->is_float == b->is_float && a->is_signed == b->is_signed &&
           a->sign_bits == b->sign_bits && a->exponent_bits == b->exponent_bits &&
           a->mantissa_bits == b->mantissa_bits && a->exponent_bias == b->exponent_bias &&
           a->has_nan == b->has_nan && a->has_inf == b->has_inf;
}

hry_status hry_convert(hry_type from, const void *src, hry_type to, void *dst, size_t count,
                       hry_error *err)
{
    conversion c;
    if (count == 0)
        return HRY_OK;
    if (from.tag == to.tag && same_extension(from.extension, to.extension)) {
        const size_t bits = from.extension->bit_width;
        memcpy(dst, src, count * (bits / 8 + (bits % 8 != 0)));
        return HRY_OK;
    }
    HRY_TRY(hry_numeric_of(from, &c.from, err));
    HRY_TRY(hry_numeric_of(to, &c.to, err));
    if (is_complex(from) && !is_complex(to))
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "complex numbers to type 0x%02x",
                        (unsigned)to.tag);
    if (!is_complex(from) && is_complex(to))
        real_to_complex(&c, src, dst, count);
    else
        convert_parts(&c, src, dst, is_complex(from) ? 2 * count : count);
    return HRY_OK;
}

/* The plain type that goes with a type: complex where it is. */
static hry_type plain(hry_type like, uint8_t real, uint8_t complex_tag)
{
    return hry_type_builtin(is_complex(like) ? complex_tag : real);
}

hry_status hry_to_double(hry_type from, const void *src, double *dst, size_t count,
                         hry_error *err)
{
    return hry_convert(from, src, plain(from, HRY_FLOAT64, HRY_COMPLEX128), dst, count,
                       err);
}

hry_status hry_to_float(hry_type from, const void *src, float *dst, size_t count,
                        hry_error *err)
{
    return hry_convert(from, src, plain(from, HRY_FLOAT32, HRY_COMPLEX64), dst, count, err);
}

hry_status hry_from_double(const double *src, hry_type to, void *dst, size_t count,
                           hry_error *err)
{
    return hry_convert(plain(to, HRY_FLOAT64, HRY_COMPLEX128), src, to, dst, count, err);
}

hry_status hry_from_float(const float *src, hry_type to, void *dst, size_t count,
                          hry_error *err)
{
    return hry_convert(plain(to, HRY_FLOAT32, HRY_COMPLEX64), src, to, dst, count, err);
}
