/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.h - the inner loops of dequantization (format section 5): stored codes to
 * float32. Private to core/src.
 */
#ifndef HRY_KERNEL_H
#define HRY_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/*
 * How one stored code, in `width` bytes, becomes a number: table[code & mask] where there
 * is a table, else the integer ((code & mask) ^ flip) - flip, which extends the sign when
 * flip is the sign bit. Integers subtract their zero point in wrapping 32-bit arithmetic.
 */
typedef struct hry_kernel {
    uint32_t width; /* 1, 2 or 4 */
    uint32_t mask;
    uint32_t flip;
    const float *table; /* mask + 1 numbers, or NULL */
} hry_kernel;

/* out[i] = scale * (number(codes[i]) - zero); tables have no zero point. */
void hry_kernel_same(const hry_kernel *k, const void *codes, size_t count, float scale,
                     int32_t zero, float *out);

/* The same with scales[i] and zeros[i]. */
void hry_kernel_each(const hry_kernel *k, const void *codes, size_t count,
                     const float *scales, const int32_t *zeros, float *out);

#endif
