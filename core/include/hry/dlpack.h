/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/dlpack.h - exchange of dense CPU tensors through DLPack, the in-process protocol of
 * NumPy, PyTorch, JAX and others. The structs have the layout of DLPack's C ABI (the
 * versioned one of major version 1, and the older DLManagedTensor); a pointer to one may
 * be cast to the DLPack type of the same shape. They are named here so that this header
 * and DLPack's own can be used together.
 */
#ifndef HRY_DLPACK_H
#define HRY_DLPACK_H

#include "hry/buffer.h"

HRY_BEGIN

#define HRY_DL_VERSION_MAJOR 1
#define HRY_DL_VERSION_MINOR 1

enum { HRY_DL_CPU = 1 }; /* DLDeviceType: the only device exchanged here */

/* DLDataTypeCode. */
enum {
    HRY_DL_INT = 0,
    HRY_DL_UINT = 1,
    HRY_DL_FLOAT = 2,
    HRY_DL_BFLOAT = 4,
    HRY_DL_COMPLEX = 5,
    HRY_DL_BOOL = 6,
    HRY_DL_FLOAT8_E4M3FN = 10,
    HRY_DL_FLOAT8_E5M2 = 12,
    HRY_DL_FLOAT8_E8M0FNU = 14,
    HRY_DL_FLOAT6_E2M3FN = 15,
    HRY_DL_FLOAT6_E3M2FN = 16,
    HRY_DL_FLOAT4_E2M1FN = 17
};

/* Flags of a versioned tensor. */
enum {
    HRY_DL_READ_ONLY = 1 << 0,
    HRY_DL_IS_COPIED = 1 << 1,
    HRY_DL_SUBBYTE_PADDED = 1 << 2 /* one byte per element of a type below 8 bits */
};

typedef struct hry_dl_device {
    int32_t type; /* HRY_DL_CPU */
    int32_t id;
} hry_dl_device;

typedef struct hry_dl_type {
    uint8_t code; /* HRY_DL_INT, ... */
    uint8_t bits;
    uint16_t lanes; /* 1 */
} hry_dl_type;

typedef struct hry_dl_tensor { /* DLTensor */
    void *data;
    hry_dl_device device;
    int32_t rank;
    hry_dl_type type;
    int64_t *shape;
    int64_t *strides; /* in ELEMENTS; NULL: row-major */
    uint64_t byte_offset;
} hry_dl_tensor;

typedef struct hry_dl_managed { /* DLManagedTensor */
    hry_dl_tensor tensor;
    void *ctx;
    void (*deleter)(struct hry_dl_managed *self); /* may be NULL */
} hry_dl_managed;

typedef struct hry_dl_versioned { /* DLManagedTensorVersioned */
    struct {
        uint32_t major, minor;
    } version;
    void *ctx;
    void (*deleter)(struct hry_dl_versioned *self); /* may be NULL */
    uint64_t flags;
    hry_dl_tensor tensor;
} hry_dl_versioned;

/*
 * Offer a dense tensor to a DLPack consumer. `data` is its buffer 0 and is shared, not
 * copied, until the consumer calls the deleter; only bool, which DLPack keeps one byte
 * per element, is unpacked into a copy. Read-only buffers are marked so, which the older
 * struct cannot do and therefore refuses.
 *
 * HRY_ERR_UNSUPPORTED  what DLPack cannot express: other layouts than row-major,
 *                      column-major and strided, other devices than the CPU, quantization,
 *                      private and 6-bit types, 2- and 4-bit types unless row-major
 * HRY_ERR_RANGE        a dynamic dimension, one beyond INT64_MAX, or elements outside data
 */
HRY_API hry_status hry_dlpack_export(const hry_descriptor *d, hry_shared_buffer *data,
                                     hry_dl_versioned **out, hry_error *err);
HRY_API hry_status hry_dlpack_export_old(const hry_descriptor *d, hry_shared_buffer *data,
                                         hry_dl_managed **out, hry_error *err);

/* Refuse rather than copy. */
enum { HRY_DLPACK_NO_COPY = 1 };

/*
 * Take over a tensor from a DLPack producer: its descriptor, and its buffer 0 for the
 * caller to hry_buffer_free(). The elements are shared, and the deleter is called when
 * the buffer's last owner frees it; where sharing is impossible (bool, one byte per
 * element below 8 bits, data not aligned to 64 bytes) they are copied and the deleter is
 * called at once. It is called exactly once either way; on failure not at all: the
 * tensor stays the caller's.
 *
 * HRY_ERR_ARG          HRY_DLPACK_NO_COPY and a copy would be needed; negative rank or
 *                      shape
 * HRY_ERR_UNSUPPORTED  a device, type, or major version that has no counterpart
 * HRY_ERR_RANGE        rank above HRY_MAX_RANK; sizes that do not fit 64 bits
 */
HRY_API hry_status hry_dlpack_import(hry_dl_versioned *from, uint32_t flags,
                                     hry_descriptor *d, hry_shared_buffer **data,
                                     hry_error *err);
HRY_API hry_status hry_dlpack_import_old(hry_dl_managed *from, uint32_t flags,
                                         hry_descriptor *d, hry_shared_buffer **data,
                                         hry_error *err);

HRY_END

#endif
