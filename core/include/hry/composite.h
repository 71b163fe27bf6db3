/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/composite.h - composites (format section 4): a head without data, and the tensors
 * that follow it in the file as its members.
 *
 *   partition  the members' boxes tile the head's shape; an element is in exactly one
 *   overlay    a base of the head's shape, and corrections that replace or add
 *   group      tensors that belong together; nothing else
 *
 * A member may be a head itself. To read a composite like one array:
 *
 *     hry_file *file;
 *     hry_head *head;
 *     uint64_t i;
 *     hry_file_open("weights.hrry", &(hry_file_options){.map = true}, &file, &err);
 *     hry_file_find(file, "w", 1, &i, &err);
 *     hry_head_open(file, i, NULL, &head, &err);
 *     hry_head_read(head, start, count, array, &err);
 *     hry_head_close(head);
 *     hry_file_close(file);
 *
 * Indices, starts and counts have the head's rank, one number for each dimension, in
 * ELEMENTS; for a scalar they may be NULL. Several threads may use one open head.
 */
#ifndef HRY_COMPOSITE_H
#define HRY_COMPOSITE_H

#include "hry/box_index.h"
#include "hry/writer.h"

HRY_BEGIN

/* ---- which tensor belongs to which head ---- */

/*
 * Watches tensors in the order they are written, wherever they come from, binds them to
 * heads and checks every rule of composites: what a member must have when it comes, what
 * the members must be together when the last has come. Partitions are checked exactly, in
 * about O(n log n) time.
 */
typedef struct hry_binder hry_binder;

/* What a tensor is to the heads around it. */
typedef struct hry_bound {
    uint32_t depth;  /* heads it is inside of; 0: no member                              */
    uint32_t number; /* among the direct members of its head                             */
    uint32_t closed; /* heads that are complete with it; a head without members is one   */
    bool is_head;
} hry_bound;

/* mode  HRY_PERMISSIVE: heads nested 64 deep instead of 8, and of private rules; members
 *       of a group that cannot be decoded; heads whose elements have no meaning here */
HRY_API hry_status hry_binder_new(hry_mode mode, hry_binder **out, hry_error *err);

/* NULL is allowed. */
HRY_API void hry_binder_free(hry_binder *binder);

/*
 * The next tensor.
 *
 * d      decoded or validated; not kept
 * at     where its descriptor starts: err->offset is counted from there. 0 will do; then
 *        it is the byte in the descriptor at fault, of `d` or of an earlier member
 * bound  may be NULL
 *
 * HRY_ERR_CORRUPT      breaks a rule; the message names the member by its number, from 0
 * HRY_ERR_UNSUPPORTED  strict: a member without elements where some are needed; an overlay
 *                      of bool that adds
 * HRY_ERR_NOMEM
 * After an error nothing can be added any more (HRY_ERR_ARG).
 */
HRY_API hry_status hry_binder_add(hry_binder *binder, const hry_descriptor *d, uint64_t at,
                                  hry_bound *bound, hry_error *err);

/* There are no more tensors: HRY_ERR_TRUNCATED when a head still lacks members (it is
 * torn). */
HRY_API hry_status hry_binder_end(const hry_binder *binder, hry_error *err);

/* ---- the tensors of a file as they were written ---- */

/* Rows of a file's index in the order of their descriptors, which is what binds members to
 * heads. Immutable; may outlive the file. */
typedef struct hry_order hry_order;

/* Linear for files in that order, else O(n log n). HRY_ERR_NOMEM. */
HRY_API hry_status hry_order_new(const hry_file *file, hry_order **out, hry_error *err);

/* NULL is allowed. */
HRY_API void hry_order_free(hry_order *order);

HRY_API uint64_t hry_order_count(const hry_order *order);

/* The tensor (row of the index) that was written `place`-th, below the count. */
HRY_API uint64_t hry_order_tensor(const hry_order *order, uint64_t place);

/* A tensor of a file, valid for the call only. Anything but HRY_OK ends the walk and
 * becomes its result. */
typedef hry_status (*hry_tensor_visit)(void *ctx, uint64_t tensor, const hry_descriptor *d,
                                       const hry_bound *bound, hry_error *err);

/*
 * Walk all tensors of a file in the order they were written and check all its composites.
 * visit may be NULL. In a file that was opened as permissive, a torn composite at the end
 * is no error. err->offset is a byte of the file.
 *
 * Errors of hry_file_descriptor() and hry_binder_add(); HRY_ERR_TRUNCATED: torn;
 * HRY_ERR_CORRUPT: two rows of the index share the descriptor of a head or a member.
 */
HRY_API hry_status hry_composites_check(hry_file *file, hry_tensor_visit visit, void *ctx,
                                        hry_error *err);

/* ---- an open head ---- */

typedef struct hry_head hry_head;

/*
 * Open the head that is tensor `i` of a file, and the heads inside it: reads and checks
 * the descriptors of all members, and keeps their boxes in an index; no data is read.
 *
 * file   must stay open until hry_head_close()
 * order  of that file, for programs that open many heads; NULL: it is made for this one
 *
 * In a file that was opened as permissive a torn composite opens too: it has fewer members
 * than it declares, which can be read by themselves but not as a whole.
 *
 * HRY_ERR_ARG  tensor `i` is no head
 * and errors as hry_composites_check()
 */
HRY_API hry_status hry_head_open(hry_file *file, uint64_t i, const hry_order *order,
                                 hry_head **out, hry_error *err);

/* Ends the heads inside it too. NULL is allowed. */
HRY_API void hry_head_close(hry_head *head);

typedef struct hry_head_info {
    uint64_t tensor;         /* row of the file's index                            */
    uint8_t rule;            /* HRY_PARTITION, HRY_OVERLAY, HRY_GROUP or private   */
    uint8_t combine;         /* overlays                                           */
    uint8_t type_tag;        /* of the elements that hry_head_read() gives         */
    bool is_torn;            /* it or a head inside it lacks members               */
    uint32_t member_count;   /* direct members that are there                      */
    uint32_t declared_count; /* what the descriptor says                           */
    uint32_t rank;
    const uint64_t *shape; /* borrowed until hry_head_close()                      */
    const hry_extension_type *extension; /* of a private type, else NULL; borrowed */
} hry_head_info;

HRY_API hry_head_info hry_head_get_info(const hry_head *head);

/* A direct member. */
typedef struct hry_member {
    uint64_t tensor;        /* row of the file's index                             */
    const char *name;       /* not NUL-terminated, borrowed from the file          */
    uint16_t name_length;   /* in BYTES                                            */
    const hry_head *inside; /* the member as a head, or NULL; borrowed             */
} hry_member;

/* Member `number` in write order: for an overlay 0 is the base. HRY_ERR_RANGE past the
 * last. */
HRY_API hry_status hry_head_member(const hry_head *head, uint32_t number, hry_member *out,
                                   hry_error *err);

/* Number of the direct member that is that row of the file's index, in O(log n).
 * HRY_ERR_NOTFOUND when none is. With hry_file_find() it finds members by name. */
HRY_API hry_status hry_head_member_of(const hry_head *head, uint64_t tensor,
                                      uint32_t *number, hry_error *err);

/* Where member `number` of a partition or overlay lies in its head: start[rank] and
 * size[rank]. HRY_ERR_UNSUPPORTED for other heads, HRY_ERR_RANGE past the last. */
HRY_API hry_status hry_head_box(const hry_head *head, uint32_t number, uint64_t *start,
                                uint64_t *size, hry_error *err);

/* ---- elements of partitions and overlays ---- */

/*
 * The plain tensor that holds the element at `index` of the head, and where it is in that
 * tensor: local[rank]. Goes through the heads inside. For an overlay it is the base, which
 * corrections may change: see hry_head_search(). Takes O(log n) time and reads nothing.
 *
 * HRY_ERR_RANGE        an index outside the shape
 * HRY_ERR_UNSUPPORTED  a group or a private rule: it has no elements
 * HRY_ERR_TRUNCATED    the composite is torn
 */
HRY_API hry_status hry_head_find(const hry_head *head, const uint64_t *index,
                                 uint64_t *tensor, uint64_t *local, hry_error *err);

/* The part of a box that lies in one plain tensor; arrays have the head's rank. */
typedef struct hry_part {
    uint64_t tensor;              /* row of the file's index                            */
    uint8_t rule;                 /* of the head whose direct member that is            */
    uint8_t combine;              /* HRY_COMBINE_NONE: the elements themselves; others:
                                     a correction to the parts that came before         */
    uint64_t at[HRY_MAX_RANK];    /* where it is in the asked box                       */
    uint64_t start[HRY_MAX_RANK]; /* where it is in the tensor                          */
    uint64_t count[HRY_MAX_RANK]; /* its size, > 0                                      */
} hry_part;

/* Anything but HRY_OK ends the search and becomes its result. */
typedef hry_status (*hry_part_visit)(void *ctx, const hry_part *part, hry_error *err);

/*
 * Visit the parts of the box of count[k] elements from start[k] on, through the heads
 * inside. Parts of an overlay come base first, then corrections in order; whoever takes
 * all parts as they come has the elements. Takes O(log n + hits) time and reads nothing.
 *
 * HRY_ERR_RANGE  the box leaves the shape
 * and errors as hry_head_find(), HRY_ERR_NOMEM
 */
HRY_API hry_status hry_head_search(const hry_head *head, const uint64_t *start,
                                   const uint64_t *count, hry_part_visit visit, void *ctx,
                                   hry_error *err);

/*
 * Read the box of count[k] elements from start[k] on into `dst`, row-major over the box,
 * as hry_region_read() would: elements of the head's type (info.type_tag), whole bytes
 * each. Members may be of any layout; quantized ones are dequantized to float32, and that
 * converted to the head's type. Corrections replace (a sparse one only where it stores an
 * entry) or are added one after another in the head's type, integers modulo 2^width.
 * `dst` is unspecified after an error.
 *
 * Parts are read from the map where the file was opened with `map`. Else only what is
 * needed of dense members is read, and whole buffers of sparse, quantized or packed ones.
 *
 * HRY_ERR_UNSUPPORTED  also: sums of bool, or of private types that have none here;
 *                      members of private layouts
 * HRY_ERR_CORRUPT      index buffers that break the format were met on the way
 * and errors as hry_head_search(), hry_file_read(), hry_dequantize()
 */
HRY_API hry_status hry_head_read(const hry_head *head, const uint64_t *start,
                                 const uint64_t *count, void *dst, hry_error *err);

/*
 * As hry_head_read() for a plain tensor by itself: a member of a group or of a torn
 * composite, or nobody's. Elements of its own type, or float32 when it is quantized.
 *
 * HRY_ERR_UNSUPPORTED  a head, a private layout, a block-paged tensor whose sequence
 *                      lengths are not known
 */
HRY_API hry_status hry_plain_read(hry_file *file, uint64_t i, const uint64_t *start,
                                  const uint64_t *count, void *dst, hry_error *err);

/*
 * Write the box of a partition from `src`, an array as hry_head_read() gives, in place into
 * its members' data. The file must be open over a medium that can be written:
 *
 *     hry_io_open(path, HRY_IO_WRITE, &io, &err);
 *     hry_file_open_io(io, NULL, &file, &err);
 *
 * Members may be of any layout. Those of sparse layouts keep their structure (see
 * hry_region_write()), and like packed ones are read and written as a whole. Descriptors,
 * statistics among them, are not changed. Not atomic: after an error, and beside other
 * readers or writers, any part of the box may be written. Threads may write at once where
 * members are dense, of 8 bits or more, and their boxes have no element in common.
 *
 * HRY_ERR_UNSUPPORTED  before anything is written: an overlay (which is sealed), quantized
 *                      or private members in the box. The medium cannot be written; values
 *                      that a sparse member has no place for
 * and errors as hry_head_search(), hry_io_write()
 */
HRY_API hry_status hry_head_write(const hry_head *head, const uint64_t *start,
                                  const uint64_t *count, const void *src, hry_error *err);

/* ---- new composites ---- */

/*
 * The descriptor of a head of a built-in type, without optional sections.
 *
 * composite  rule, combine and the number of direct members
 * shape      `rank` sizes; may be NULL when rank is 0
 *
 * Errors as hry_descriptor_dense() and hry_descriptor_validate().
 */
HRY_API hry_status hry_head_describe(const hry_composite *composite, uint8_t type_tag,
                                     uint32_t rank, const uint64_t *shape,
                                     hry_descriptor *out, hry_error *err);

/*
 * Writes heads and their members in the order the format wants, checked before a byte of
 * them is written: a head, then each of its members; after a member that is a head, that
 * one's members come first. After the last member the next tensor is nobody's.
 */
typedef struct hry_composer hry_composer;

/* The writer is borrowed, and may be used directly for other tensors between composites. */
HRY_API hry_status hry_composer_new(hry_writer *writer, hry_composer **out, hry_error *err);

/*
 * hry_writer_begin() of the next head or member; its bytes follow through
 * hry_writer_write(). `d` is given what the head around it asks for: shard section, and in
 * an overlay the role (the first member is the base).
 *
 * offset  of a member of a partition or overlay in its head: `rank` numbers, or NULL for
 *         all zeros; NULL for all others
 *
 * HRY_ERR_ARG, and errors as hry_binder_add() and hry_writer_begin(); err->offset is a byte
 * of the descriptor. After an error the composer and the writer can only be abandoned.
 */
HRY_API hry_status hry_composer_begin(hry_composer *composer, const char *name,
                                      const hry_descriptor *d, const uint64_t *offset,
                                      hry_error *err);

/* The same with whole buffers, as hry_writer_add(); NULL for a head. */
HRY_API hry_status hry_composer_add(hry_composer *composer, const char *name,
                                    const hry_descriptor *d, const uint64_t *offset,
                                    const void *const *buffers, hry_error *err);

/* HRY_ERR_TRUNCATED when a head lacks members. Frees the composer, on failure too; the
 * writer is finished by itself. */
HRY_API hry_status hry_composer_finish(hry_composer *composer, hry_error *err);

/* Give up. NULL is allowed. */
HRY_API void hry_composer_abandon(hry_composer *composer);

HRY_END

#endif
