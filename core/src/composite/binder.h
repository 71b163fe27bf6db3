/* SPDX-License-Identifier: Apache-2.0 */
/*
 * binder.h - the heads that lack members, innermost last, as tensors come in write order.
 * Private to core/src/composite.
 */
#ifndef HRY_BINDER_H
#define HRY_BINDER_H

#include "hry/composite.h"

/* Heads inside one another, at most; permissive readers take the second. */
enum { HRY_COMPOSITE_DEPTH = 8, HRY_COMPOSITE_DEPTH_PERMISSIVE = 64 };

/* Where a member's descriptor starts, for errors, and its shard section in it. */
typedef struct hry_member_place {
    uint64_t at;
    uint32_t shard;
} hry_member_place;

/* A head, and what came of its members. */
typedef struct hry_frame {
    uint8_t rule, combine;
    bool has_extension;
    uint8_t type_tag;
    hry_extension_type extension;
    uint32_t declared, count; /* members: told and come              */
    uint64_t at_count;        /* where the number of members is told */
    uint32_t rank;
    uint64_t shape[HRY_MAX_RANK];
    uint64_t volume; /* of a partition; of its members so far, unless they overlap */
    uint64_t covered;
    /* Partitions and overlays; owned, grown as members come. */
    uint32_t room;
    uint64_t *start, *size;  /* rank numbers each                      */
    hry_member_place *place; /* of each                                */
    /* Made when the last member has come; the binder's until it is taken (set to NULL). */
    hry_box_index *index;
} hry_frame;

/*
 * Frames below `open` lack members. Those that the last descriptor completed lie above,
 * as many as it said, and stay as they are until the next one comes.
 */
struct hry_binder {
    hry_mode mode;
    bool broken;
    uint32_t open;
    hry_frame *frames[HRY_COMPOSITE_DEPTH_PERMISSIVE]; /* owned; NULL: never needed */
};

/* Do the members of such a head have boxes in it? */
static inline bool hry_rule_has_boxes(uint8_t rule)
{
    return rule == HRY_PARTITION || rule == HRY_OVERLAY;
}

/* ---- the rules; `at` is where the descriptor starts, for errors ---- */

/* Of a head by itself and inside the head around it (NULL: none). */
hry_status hry_head_check(const hry_descriptor *d, const hry_frame *around, hry_mode mode,
                          uint64_t at, hry_error *err);

/* Of the next member of `head`. */
hry_status hry_member_of_check(const hry_descriptor *d, const hry_frame *head, uint64_t at,
                               hry_error *err);

/* Of all members together; fills index. */
hry_status hry_frame_close(hry_frame *f, hry_error *err);

#endif
