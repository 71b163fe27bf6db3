/* SPDX-License-Identifier: Apache-2.0 */
/* head.h - what an open head holds. Private to core/src/composite. */
#ifndef HRY_HEAD_H
#define HRY_HEAD_H

#include "hry/composite.h"

/* A member that is a head. */
typedef struct hry_inside {
    uint32_t number;
    hry_head *head; /* owned */
} hry_inside;

/* Nothing changes after opening. */
struct hry_head {
    hry_file *file; /* borrowed */
    hry_head_info info;
    hry_extension_type extension;
    uint64_t shape[HRY_MAX_RANK];
    uint64_t *members; /* owned: rows of the file's index, info.member_count of them */
    uint32_t room;
    hry_inside *inside; /* owned, ascending numbers */
    uint32_t inside_count, inside_room;
    hry_box_index *index; /* owned; of partitions and overlays that are not torn */
};

struct hry_order {
    uint64_t count;
    uint64_t *tensors; /* owned */
};

/* Bytes of an array element of the head's type; 0 when its width is not known. */
uint32_t hry_head_element(const hry_head *head);

/* The array of a box must be one that memory can have: parts are counted in it without
 * further checks. */
hry_status hry_head_check_size(const hry_head *head, const uint64_t *count, hry_error *err);

/* The member as a head, or NULL. */
const hry_head *hry_head_inside(const hry_head *head, uint32_t number);

#endif
