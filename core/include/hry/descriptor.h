/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/descriptor.h - what a tensor is: type, shape, layout, buffers and the optional
 * sections (format section 1). Decode, encode, validate, and make plain ones.
 */
#ifndef HRY_DESCRIPTOR_H
#define HRY_DESCRIPTOR_H

#include "hry/dtype.h"
#include "hry/error.h"

HRY_BEGIN

#define HRY_MAX_RANK 64
#define HRY_MAX_BUFFERS 255
#define HRY_MAX_TILE_DEPTH 8
#define HRY_DYNAMIC UINT64_MAX /* a dimension whose size is not known yet */

/* Wire values of the layouts (format section 3). 0xF0..0xFE are private. */
enum {
    HRY_ROW_MAJOR = 0x01,
    HRY_COLUMN_MAJOR = 0x02,
    HRY_STRIDED = 0x03,
    HRY_TILED = 0x04,
    HRY_MORTON = 0x05,
    HRY_COO = 0x06,
    HRY_CSR = 0x07,
    HRY_CSC = 0x08,
    HRY_CSF = 0x09,
    HRY_BLOCK_PAGED = 0x0A,
    HRY_COMPOSITE = 0x0B,
    HRY_HILBERT = 0x40
};

/* Descriptor flags; each says that an optional section is present. */
enum {
    HRY_HAS_QUANTIZATION = 1 << 0,
    HRY_HAS_SHARD = 1 << 1,
    HRY_HAS_EXTENSION_TYPE = 1 << 2,
    HRY_HAS_STATISTICS = 1 << 3,
    HRY_HAS_COMPOSITE_MEMBER = 1 << 4
};

/* How a reader treats what it does not know (format, first page). */
typedef enum hry_mode {
    HRY_STRICT,    /* refuse it                                                      */
    HRY_PERMISSIVE /* keep what can be kept (shape, sizes), never touch such data    */
} hry_mode;

/* One buffer handle: 16 bytes in the buffer table. */
typedef struct hry_buffer_info {
    uint64_t byte_size;   /* in BYTES, padding not counted                           */
    uint32_t alignment;   /* in BYTES; a power of two, at least 64 unless empty      */
    uint8_t device;       /* 0 CPU, 1 CUDA, ... 0xF0-0xFE private                    */
    uint8_t sync_mode;    /* 0 producer-synced, 1 event, 2 consumer-stream           */
    uint8_t memory_class; /* 0 standard, 1 host-pinned, 2 unified, 3 peer, private   */
} hry_buffer_info;

/* One level of a tiled layout. The inner layout is the last level's, or the next level. */
typedef struct hry_tile_level {
    uint64_t tile_shape[HRY_MAX_RANK];   /* in ELEMENTS, each > 0                    */
    int64_t outer_strides[HRY_MAX_RANK]; /* in TILES; used when outer is HRY_STRIDED */
    uint8_t outer;                       /* HRY_ROW_MAJOR, _COLUMN_MAJOR, _STRIDED   */
    uint8_t inner;                       /* the same, or HRY_TILED: the next level   */
} hry_tile_level;

typedef struct hry_tiled {
    uint32_t depth;                      /* levels used, 1..HRY_MAX_TILE_DEPTH   */
    int64_t inner_strides[HRY_MAX_RANK]; /* of the last level, when HRY_STRIDED  */
    hry_tile_level level[HRY_MAX_TILE_DEPTH];
} hry_tiled;

typedef struct hry_block_paged {
    uint32_t page_size; /* tokens per page, >= 1                                   */
    uint64_t num_pages;
    uint32_t num_seqs;
    uint8_t kv_role;    /* 0 key, 1 value, 2 generic                               */
    uint32_t layer;     /* UINT32_MAX: none                                        */
    uint8_t index_type; /* of block_table and seq_ptr: 0 u32, 1 u64                */
} hry_block_paged;

/* Composite rules and ways to combine (format section 4). */
enum { HRY_PARTITION = 1, HRY_OVERLAY = 2, HRY_GROUP = 3 };
enum { HRY_COMBINE_NONE = 0, HRY_COMBINE_REPLACE = 1, HRY_COMBINE_ADD = 2 };

typedef struct hry_composite {
    uint8_t rule;          /* HRY_PARTITION, HRY_OVERLAY, HRY_GROUP or private       */
    uint8_t combine;       /* overlays only                                          */
    uint32_t member_count; /* direct members                                         */
} hry_composite;

/* The layout's own fields: the member that goes with descriptor.layout_tag. */
typedef union hry_layout_fields {
    int64_t strides[HRY_MAX_RANK];      /* HRY_STRIDED: in ELEMENTS                  */
    hry_tiled tiled;                    /* HRY_TILED                                 */
    uint32_t morton_bits[HRY_MAX_RANK]; /* HRY_MORTON: bits per dimension            */
    uint32_t hilbert_order;             /* HRY_HILBERT: every dimension is 2^order   */
    struct {
        uint64_t nnz;
        bool is_sorted;                    /* HRY_COO                                   */
        uint32_t mode_order[HRY_MAX_RANK]; /* HRY_CSF: a permutation of the axes     */
    } sparse;                              /* HRY_COO, HRY_CSR, HRY_CSC, HRY_CSF        */
    hry_block_paged paged;                 /* HRY_BLOCK_PAGED                           */
    hry_composite composite;               /* HRY_COMPOSITE                             */
    struct {
        uint64_t id;
        uint32_t length;      /* in BYTES                                  */
        const uint8_t *bytes; /* borrowed from what was decoded or set     */
    } extension;              /* 0xF0..0xFE                                */
} hry_layout_fields;

/* Quantization schemes (format section 5). */
enum {
    HRY_QUANT_PER_TENSOR = 1,
    HRY_QUANT_PER_CHANNEL = 2,
    HRY_QUANT_PER_BLOCK = 3,
    HRY_QUANT_NF4 = 4,
    HRY_QUANT_MXFP = 5
};
#define HRY_QUANT_SYMMETRIC 1 /* flag: no zero points                            */
#define HRY_NO_BUFFER UINT32_MAX

typedef struct hry_quantization {
    uint8_t scheme;        /* HRY_QUANT_...                                           */
    uint8_t version;       /* 1                                                       */
    uint16_t flags;        /* HRY_QUANT_SYMMETRIC                                     */
    float scale;           /* per-tensor                                              */
    int32_t zero_point;    /* per-tensor                                              */
    uint32_t axis;         /* per-channel, per-block, NF4, MXFP                       */
    uint32_t block;        /* per-block, NF4, MXFP: ELEMENTS along the axis           */
    uint32_t scale_buffer; /* index in the buffer table                              */
    uint32_t zero_buffer;  /* index in the buffer table, or HRY_NO_BUFFER            */
    uint8_t scale_type;    /* type tag: float32, or float16/bfloat16/float32          */
    uint32_t length;       /* of an unknown scheme kept in permissive mode, in BYTES  */
    const uint8_t *bytes;  /* its whole section, borrowed from what was decoded       */
} hry_quantization;

typedef struct hry_shard {
    uint64_t parent_shape[HRY_MAX_RANK];
    uint64_t offset[HRY_MAX_RANK]; /* of this shard's element 0 in the parent         */
} hry_shard;

/* Statistics: which fields are filled. */
enum {
    HRY_STAT_NNZ = 1 << 0,
    HRY_STAT_SPARSITY = 1 << 1,
    HRY_STAT_RANGE = 1 << 2,
    HRY_STAT_MOMENTS = 1 << 3,
    HRY_STAT_NM = 1 << 4,
    HRY_STAT_SPECIAL = 1 << 5
};

typedef struct hry_statistics {
    uint32_t computed_mask; /* HRY_STAT_... */
    uint64_t nnz;
    double sparsity_ratio; /* zeros / total, 0..1                                   */
    double min, max, abs_max;
    double mean, stddev; /* population, >= 0                                      */
    uint8_t nm_n, nm_m;  /* at most n non-zeros in every m                        */
    bool has_nan, has_inf;
} hry_statistics;

/* A private element type (type tags 0xF0..0xFE). */
typedef struct hry_extension_type {
    uint32_t bit_width; /* > 0; below 8 only 1, 2 and 4                          */
    uint8_t packing;    /* elements per byte                                     */
    bool is_float, is_signed;
    uint8_t sign_bits, exponent_bits, mantissa_bits;
    uint32_t exponent_bias;
    bool has_nan, has_inf;
} hry_extension_type;

enum { HRY_ROLE_CORRECTION = 0, HRY_ROLE_BASE = 1 };

/*
 * A descriptor: a plain value that owns nothing, copied with = and never freed.
 * Invariant after decoding or hry_descriptor_validate(): every rule of the format that
 * the descriptor alone can show holds. Only the first `rank` entries of arrays by
 * dimension and the first `buffer_count` buffers mean anything; a section's member
 * means something only when its flag is set. Bytes of an extension layout or of an
 * unknown quantization scheme are borrowed from the decoded input.
 *
 * opaque: kept in permissive mode although its type, layout or scheme is unknown; then
 * only version, flags, tags, rank, shape and byte_offset are filled.
 */
typedef struct hry_descriptor {
    uint8_t version_major, version_minor; /* 1, 0 in what is written */
    uint8_t type_tag, layout_tag;
    uint32_t flags; /* HRY_HAS_... */
    uint32_t rank;  /* 0 is a scalar */
    uint32_t buffer_count;
    bool opaque;
    uint64_t byte_offset; /* of element [0,..,0] in buffer 0, in BYTES */
    uint64_t shape[HRY_MAX_RANK];
    hry_extension_type extension_type;
    uint8_t member_role; /* HRY_ROLE_... */
    hry_statistics statistics;
    hry_quantization quantization;
    hry_shard shard;
    hry_buffer_info buffers[HRY_MAX_BUFFERS];
    hry_layout_fields fields;
} hry_descriptor;

/*
 * Decode the descriptor that starts at `bytes` (format section 1) and validate it.
 *
 * size    bytes readable at `bytes`; may run past the descriptor.
 * out     written only on HRY_OK, and then only the parts that mean something.
 * length  if not NULL, the descriptor's length in BYTES on HRY_OK.
 *
 * HRY_ERR_TRUNCATED    `size` ends inside the descriptor
 * HRY_ERR_CORRUPT      a MUST of the format is broken; err->offset is the field's byte
 * HRY_ERR_UNSUPPORTED  newer major version, or (strict) an unknown type, layout, scheme
 *
 * Allocates nothing. Reentrant.
 */
HRY_API hry_status hry_descriptor_decode(const void *bytes, size_t size, hry_mode mode,
                                         hry_descriptor *out, size_t *length,
                                         hry_error *err);

/*
 * Bytes that hry_descriptor_encode() will write, or 0 when `d` is opaque or has an
 * unknown layout or scheme tag.
 */
HRY_API size_t hry_descriptor_size(const hry_descriptor *d);

/*
 * Validate and encode `d` into `out`, of `size` bytes; *length is what was written.
 * Decoding those bytes gives `d` again, and what was decoded encodes to the same bytes
 * (trailing bytes of a newer minor version excepted).
 *
 * HRY_ERR_RANGE  `size` is below hry_descriptor_size(d)
 * and the errors of hry_descriptor_validate()
 */
HRY_API hry_status hry_descriptor_encode(const hry_descriptor *d, void *out, size_t size,
                                         size_t *length, hry_error *err);

/*
 * Check every rule of the format that a descriptor alone can show: ranks, counts and
 * sizes of buffers against shape and layout, devices, sections. Dynamic dimensions skip
 * what depends on sizes. err->offset is the byte of the field at fault in the encoded
 * form. HRY_ERR_CORRUPT or HRY_ERR_UNSUPPORTED as hry_descriptor_decode().
 */
HRY_API hry_status hry_descriptor_validate(const hry_descriptor *d, hry_error *err);

/*
 * A dense row-major CPU tensor of a built-in type: one buffer of exactly the packed
 * size, alignment 64, no optional sections.
 *
 * shape  `rank` sizes; may be NULL when rank is 0.
 *
 * HRY_ERR_ARG    unknown type or rank above HRY_MAX_RANK
 * HRY_ERR_RANGE  the element count or byte size does not fit 64 bits
 */
HRY_API hry_status hry_descriptor_dense(uint8_t type_tag, uint32_t rank,
                                        const uint64_t *shape, hry_descriptor *out,
                                        hry_error *err);

/* Width of one stored element in BITS: of the built-in type, or the private one. */
HRY_API uint32_t hry_descriptor_bits(const hry_descriptor *d);

/*
 * Number of logical elements: the product of the shape, 1 for a scalar.
 * HRY_ERR_RANGE when it does not fit 64 bits or a dimension is dynamic.
 */
HRY_API hry_status hry_descriptor_count(const hry_descriptor *d, uint64_t *count,
                                        hry_error *err);

/* Name of a layout such as "row_major", "private" for 0xF0..0xFE, NULL if unknown. */
HRY_API const char *hry_layout_name(uint8_t layout_tag);
/* Tag of a layout by its name; 0 when there is none. */
HRY_API uint8_t hry_layout_tag(const char *name);
/* Name of the descriptor's element type; "private" for 0xF0..0xFE, "?" if unknown. */
HRY_API const char *hry_type_name(uint8_t type_tag);

HRY_END

#endif
