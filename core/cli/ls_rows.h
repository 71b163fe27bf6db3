/* SPDX-License-Identifier: Apache-2.0 */
/* ls_rows.h - the table of `hurray ls`. */
#ifndef LS_ROWS_H
#define LS_ROWS_H

#include "input.h"
#include "table.h"

/* details: bytes, buffers, offsets and full notes as well. */
struct table ls_table(bool details);

/* A tensor, whose name the caller has begun the row with. below: BYTES of the members of a
 * composite. */
void ls_add_tensor(struct table *t, const struct described *what, uint64_t below,
                   bool details);

/* A group of so many tensors. */
void ls_add_group(struct table *t, uint64_t count, uint64_t size, bool details);

#endif
