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

HRY_END

#endif
