/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - where everything lies in a file that many ranks write: pure arithmetic, the
 * same on every rank that makes the same calls. Private to mpi/; needs no MPI.
 */
#ifndef HRY_PLAN_H
#define HRY_PLAN_H

#include "hry/boxes.h"
#include "hry/descriptor.h"

/* One stored tensor: a whole one, or a member of a partition. */
typedef struct hry_plan_part {
    uint64_t descriptor_offset, data_offset, data_length; /* in the file, in BYTES */
    const uint64_t *start, *size; /* its box of the whole tensor, in ELEMENTS      */
    uint32_t box;                 /* number of that box among those given          */
} hry_plan_part;

/*
 * One added tensor. Invariant: parts are in file order and in that of their boxes; their
 * boxes are not empty (but for an empty tensor's only part) and tile the shape.
 */
typedef struct hry_plan_tensor {
    char *name;
    size_t name_length; /* in BYTES */
    uint32_t rank;
    uint32_t bits;         /* of one element                                  */
    const uint64_t *shape; /* in ELEMENTS                                     */
    uint64_t head_offset;  /* of the partition head, when there is one        */
    uint32_t head_length;  /* in BYTES; 0: no head, parts[0] is the tensor    */
    uint32_t part_length;  /* of every part's descriptor, in BYTES            */
    uint32_t part_count;
    hry_plan_part *parts;
    uint64_t *numbers;   /* what shape and the parts' boxes point into       */
    uint8_t *descriptor; /* as given, encoded                                */
    size_t descriptor_length;
} hry_plan_tensor;

typedef struct hry_plan {
    uint32_t alignment; /* of data, in BYTES                                         */
    uint64_t end;       /* first offset past all tensors: a multiple of 8            */
    uint64_t hash;      /* of everything added: equal plans have equal hashes        */
    size_t count, capacity;
    hry_plan_tensor *tensors;
} hry_plan;

/* Whether boxes become a partition; the values are those of hry_mpi_shards. */
enum { HRY_PLAN_AUTO, HRY_PLAN_ALWAYS, HRY_PLAN_NEVER };

/* An empty plan. HRY_ERR_ARG: no power of two in 4096..2097152. */
hry_status hry_plan_begin(uint32_t alignment, hry_plan *out, hry_error *err);

void hry_plan_end(hry_plan *plan);

/*
 * Place one more tensor, as hry_mpi_writer_add() says; its position in `tensors` is the
 * count before. On failure the plan is as it was.
 */
hry_status hry_plan_add(hry_plan *plan, const char *name, const hry_descriptor *d,
                        const hry_mpi_boxes *boxes, int shards, hry_error *err);

/* The descriptor of the head, or of the i-th part. */
hry_status hry_plan_head(const hry_plan_tensor *t, hry_descriptor *out, hry_error *err);
hry_status hry_plan_part_descriptor(const hry_plan *plan, const hry_plan_tensor *t,
                                    uint32_t i, hry_descriptor *out, hry_error *err);

/* The part whose box has number `box`, or NULL. */
const hry_plan_part *hry_plan_find(const hry_plan_tensor *t, uint32_t box);

#endif
