/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nesting.h - which composites are open as tensors go by (format section 4), and whether
 * each tensor may be the member that it is. Private to core/src/stream.
 */
#ifndef HRY_NESTING_H
#define HRY_NESTING_H

#include "builder.h"
#include "hry/descriptor.h"

enum { HRY_NESTING_STRICT = 8, HRY_NESTING_PERMISSIVE = 64 };

/* What of a head its members are held to. */
typedef struct hry_nest {
    uint8_t type_tag;
    uint32_t rank;
    hry_composite composite;
    hry_extension_type extension_type;
    uint64_t shape[HRY_MAX_RANK];
    uint32_t came;           /* members, so far                                       */
    hry_builder start, size; /* of a partition's members: `rank` u64 each             */
} hry_nest;

/* Invariant: level[0..depth) are owned; each but the last has a member not yet complete. */
typedef struct hry_nesting {
    hry_nest *level[HRY_NESTING_PERMISSIVE];
    uint32_t depth;
} hry_nesting;

/*
 * The next tensor is `d`: check it as a member of the innermost open composite, and open
 * its own if it is a head. err->offset is a byte of the descriptor.
 */
hry_status hry_nesting_add(hry_nesting *n, const hry_descriptor *d, hry_mode mode,
                           hry_error *err);

/* Its data are complete: check and close the composites that this completes. */
hry_status hry_nesting_close(hry_nesting *n, hry_error *err);

/* HRY_ERR_TRUNCATED when a composite is open: nothing follows. */
hry_status hry_nesting_end(const hry_nesting *n, hry_error *err);

/* Forget all that is open. */
void hry_nesting_free(hry_nesting *n);

/* Whether `d` may be the member number head->came of `head` (format section 4). */
hry_status hry_member_allowed(const hry_nest *head, const hry_descriptor *d,
                              hry_error *err);

#endif
