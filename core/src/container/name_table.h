/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_table.h - names found fast, built once. Private to core/src.
 *
 * Names lie sorted by hash in buckets of about one. A name is found at once as a rule and
 * never in more than O(log n) comparisons, also when hostile names share a hash.
 */
#ifndef HRY_NAME_TABLE_H
#define HRY_NAME_TABLE_H

#include "hry/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct hry_name {
    uint64_t hash;
    const char *text; /* borrowed */
    uint32_t position;
    uint16_t length;
} hry_name;

/* Invariant once built: bucket b is names[starts[b]] .. names[starts[b + 1] - 1]. */
typedef struct hry_name_table {
    hry_name *names;  /* owned */
    uint32_t *starts; /* owned */
    uint32_t count;
    unsigned shift; /* a hash's bucket is hash >> shift */
} hry_name_table;

uint64_t hry_name_hash(const char *text, size_t length);

/* Room for `count` names, each to be put once. */
hry_status hry_name_table_new(uint32_t count, hry_name_table *out, hry_error *err);
void hry_name_table_put(hry_name_table *table, uint32_t position, const char *text,
                        uint16_t length);

/*
 * After the last put: make the names findable. *twice is the position of a name that
 * another has before it, or UINT32_MAX when all are different.
 */
hry_status hry_name_table_build(hry_name_table *table, uint32_t *twice, hry_error *err);

/* Position of the name, or UINT32_MAX. */
uint32_t hry_name_table_find(const hry_name_table *table, const char *text, size_t length);
void hry_name_table_free(hry_name_table *table);

#endif
