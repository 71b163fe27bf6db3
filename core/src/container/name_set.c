/* SPDX-License-Identifier: Apache-2.0 */
/* name_set.c - a hash set of names that lie in a builder, each after its u16 length. */
#include "container/name_set.h"

#include "container/name_table.h"
#include "cursor.h"

static bool same(const hry_builder *names, const hry_set_slot *slot, const char *text,
                 size_t length)
{
    const size_t at = slot->at_plus_1 - 1;
    hry_cursor c = cur_over(names->data + at, names->size - at);
    return cur_u16(&c) == length && memcmp(cur_take(&c, length), text, length) == 0;
}

bool hry_name_set_has(const hry_name_set *set, const hry_builder *names, const char *text,
                      size_t length)
{
    if (set->capacity == 0)
        return false;
    const uint64_t hash = hry_name_hash(text, length);
    const size_t mask = set->capacity - 1;
    for (size_t i = (size_t)(hash >> 32) & mask; set->slots[i].at_plus_1 != 0;
         i = (i + 1) & mask)
        if (set->slots[i].hash == hash && same(names, &set->slots[i], text, length))
            return true;
    return false;
}

static void put(hry_set_slot *slots, size_t capacity, hry_set_slot slot)
{
    size_t i = (size_t)(slot.hash >> 32) & (capacity - 1);
    while (slots[i].at_plus_1 != 0)
        i = (i + 1) & (capacity - 1);
    slots[i] = slot;
}

hry_status hry_name_set_reserve(hry_name_set *set, hry_error *err)
{
    if (set->count < set->capacity / 2)
        return HRY_OK;
    const size_t capacity = set->capacity == 0 ? 64 : set->capacity * 2;
    hry_set_slot *slots = calloc(capacity, sizeof *slots);
    if (slots == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for more than %zu names",
                        set->count);
    for (size_t i = 0; i < set->capacity; i++)
        if (set->slots[i].at_plus_1 != 0)
            put(slots, capacity, set->slots[i]);
    free(set->slots);
    set->slots = slots;
    set->capacity = capacity;
    return HRY_OK;
}

void hry_name_set_add(hry_name_set *set, const char *text, size_t length, size_t at)
{
    put(set->slots, set->capacity,
        (hry_set_slot){.hash = hry_name_hash(text, length), .at_plus_1 = at + 1});
    set->count++;
}

void hry_name_set_free(hry_name_set *set)
{
    free(set->slots);
    *set = (hry_name_set){0};
}
