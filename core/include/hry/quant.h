/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/quant.h - quantized tensors (format section 5): from stored codes to float32, from
 * float32 to codes and parameters, and checking of parameters.
 */
#ifndef HRY_QUANT_DATA_H
#define HRY_QUANT_DATA_H

#include "hry/tensor.h"

HRY_BEGIN

/*
 * Dequantize the box of count[k] elements from start[k] on, on every axis k, into `dst`,
 * row-major over the box. Works on every layout that hry_region_read() reads; what a
 * sparse layout does not store is 0. The arithmetic is float32 as the format writes it,
 * bit for bit. Parameters are used as they are: see hry_quant_check().
 *
 * HRY_ERR_ARG        the tensor is not quantized
 * HRY_ERR_TRUNCATED  a parameter buffer is too small
 * HRY_ERR_NOMEM      and the errors of hry_region_read()
 */
HRY_API hry_status hry_dequantize(const hry_tensor *t, const uint64_t *start,
                                  const uint64_t *count, float *dst, hry_error *err);

/*
 * Check the parameters in a quantized tensor's buffers: scales finite and not 0 (NF4:
 * finite and not negative), zero points within the storage type, MXFP scale bytes
 * neither 0 nor 255 (permissive: 0 is 2^-127). A tensor without quantization passes.
 *
 * HRY_ERR_CORRUPT  a parameter is none of these; the message names buffer, byte and
 *                  value, err->offset is the byte in that buffer
 */
HRY_API hry_status hry_quant_check(const hry_tensor *t, hry_mode mode, hry_error *err);

/* A quantized tensor made here, with its buffers. */
typedef struct hry_quantized hry_quantized;

/*
 * Quantize an array of float32.
 *
 * values    row-major, one for each element of `shape`, all finite
 * rank      and shape[rank]: none dynamic; shape may be NULL for a scalar
 * type_tag  of the codes: one the scheme may store (format section 5)
 * how       scheme, flags (HRY_QUANT_SYMMETRIC), axis, block, and for per-block
 *           scale_type; the rest is chosen here
 *
 * Affine schemes map [min, max] with 0 in it on the whole range of the type, or, when
 * symmetric, [-absmax, absmax] on [-max, max]; per-tensor takes HRY_QUANT_SYMMETRIC too
 * (zero point 0, no flag stored). NF4 takes the nearest level of value / absmax, the
 * lower of two equally near. MXFP shares 2^(floor(log2(absmax)) - emax of the type), as
 * OCP MX 1.0 does, and rounds to nearest, ties to even, saturating. Blocks of zeros have
 * scale 1.
 *
 * The result is row-major; partial last blocks are padded with zeros in storage.
 *
 * HRY_ERR_ARG    a symmetric unsigned type with a negative value
 * HRY_ERR_RANGE  a value is not finite; a size does not fit
 * HRY_ERR_NOMEM  and the errors of hry_descriptor_validate(): what the format refuses
 */
HRY_API hry_status hry_quantize(const float *values, uint32_t rank, const uint64_t *shape,
                                uint8_t type_tag, const hry_quantization *how,
                                hry_quantized **out, hry_error *err);

/* NULL is allowed. */
HRY_API void hry_quantized_free(hry_quantized *quantized);

/* Descriptor and buffers, borrowed until hry_quantized_free(). */
HRY_API const hry_tensor *hry_quantized_tensor(const hry_quantized *quantized);

/* How far the dequantized tensor is from the values. 0 for an empty one. */
typedef struct hry_quantize_error {
    double max_abs;
    double rms; /* root of the mean of squares */
} hry_quantize_error;

HRY_API hry_quantize_error hry_quantized_error(const hry_quantized *quantized);

HRY_END

#endif
