/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - named things in two orders: by name (bytes) and by creation. The links of a
 * group and the attributes of an object are such things.
 */
#ifndef HVOL_NAMES_H
#define HVOL_NAMES_H

#include "hry/error.h"
#include "ordset.h"

#include <stdbool.h>
#include <stddef.h>

/* First member of a link or an attribute. */
typedef struct hvol_named {
    hvol_ord by_name, by_order;
    char *name; /* owned, NUL-terminated */
    size_t name_length;
    uint64_t order; /* creation order within the set; starts again when empty */
    uint8_t cset;   /* character set: 0 ASCII, 1 UTF-8 */
} hvol_named;

/* The order index is built at its first use: most groups are never asked. */
typedef struct hvol_names {
    hvol_ordset names, order;
    bool ordered;
    uint64_t next_order;
} hvol_names;

void hvol_names_init(hvol_names *set);

static inline uint64_t hvol_names_count(const hvol_names *set)
{
    return hvol_ordset_count(&set->names);
}

/* By name, `length` bytes; NULL when there is none. */
hvol_named *hvol_names_find(const hvol_names *set, const char *name, size_t length);

/* Give `item` a copy of the name. HRY_ERR_NOMEM. */
hry_status hvol_named_set(hvol_named *item, const char *name, size_t length,
                          hry_error *err);

/* `item` must have a name that is not in the set; it gets the next creation order. */
void hvol_names_insert(hvol_names *set, hvol_named *item);
/* The same, keeping item->order, which must be free. */
void hvol_names_restore(hvol_names *set, hvol_named *item);
void hvol_names_remove(hvol_names *set, hvol_named *item);

/* The n-th by name or by creation order, from the front or the back; NULL past the end. */
hvol_named *hvol_names_at(hvol_names *set, bool by_order, bool backwards, uint64_t n);

#endif
