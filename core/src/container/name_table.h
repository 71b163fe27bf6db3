/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_table.h - rows found fast by their names, built once. Private to core/src.
 *
 * Rows lie sorted by hash in buckets of about one. A name is found at once as a rule and
 * never in more than O(log n) comparisons, also when hostile names share a hash.
 */
#ifndef HRY_NAME_TABLE_H
#define HRY_NAME_TABLE_H

#include "hry/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct hry_name {
    const char *text; /* borrowed */
    uint16_t length;
} hry_name;

/* The name of row `position`. */
typedef hry_name hry_name_of(const void *rows, uint32_t position);

typedef struct hry_name_slot {
    uint32_t hash; /* the upper half */
    uint32_t position;
} hry_name_slot;

/* Invariant once built: bucket b is slots[starts[b]] .. slots[starts[b + 1] - 1]. */
typedef struct hry_name_table {
    hry_name_slot *slots; /* owned */
    uint32_t *starts;     /* owned */
    uint32_t count;
    unsigned shift;   /* a hash's bucket is hash >> shift */
    const void *rows; /* borrowed */
    hry_name_of *name_of;
} hry_name_table;

uint64_t hry_name_hash(const char *text, size_t length);

/* Room for `count` names, each to be put once. */
hry_status hry_name_table_new(uint32_t count, hry_name_table *out, hry_error *err);
void hry_name_table_put(hry_name_table *table, uint32_t position, const char *text,
                        uint16_t length);

/*
 * After the last put: make the names findable. `rows` must outlive the table. *twice is the
 * position of a name that another row has before it, or UINT32_MAX when all are different.
 */
hry_status hry_name_table_build(hry_name_table *table, const void *rows,
                                hry_name_of *name_of, uint32_t *twice, hry_error *err);

/* Position of the name, or UINT32_MAX. */
uint32_t hry_name_table_find(const hry_name_table *table, const char *text, size_t length);
void hry_name_table_free(hry_name_table *table);

#endif
