/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_set.h - which names a builder holds already, growing with it. Private to core/src.
 *
 * For names of the program's own: hostile ones belong in a name_table.
 */
#ifndef HRY_NAME_SET_H
#define HRY_NAME_SET_H

#include "builder.h"

/* One name: where in the builder its u16 length and its bytes are. */
typedef struct hry_set_slot {
    uint64_t hash;
    size_t at_plus_1; /* 0: the slot is free */
} hry_set_slot;

/* Open addressing; never more than half full, so that a search ends. */
typedef struct hry_name_set {
    hry_set_slot *slots; /* owned */
    size_t capacity;     /* 0 or a power of two */
    size_t count;
} hry_name_set;

bool hry_name_set_has(const hry_name_set *set, const hry_builder *names, const char *text,
                      size_t length);

/* Room for one more name: after HRY_OK the next hry_name_set_add() cannot fail. */
hry_status hry_name_set_reserve(hry_name_set *set, hry_error *err);

/* The name at `at` in the builder, which the set does not have yet. */
void hry_name_set_add(hry_name_set *set, const char *text, size_t length, size_t at);
void hry_name_set_free(hry_name_set *set);

#endif
