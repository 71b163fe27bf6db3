/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - see names.h. */
#include "names.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

#define NAMED_BY(member, node)                                                             \
    ((hvol_named *)(void *)((char *)(uintptr_t)(node)-offsetof(hvol_named, member)))

static int compare_names(const hvol_ord *a, const hvol_ord *b)
{
    const hvol_named *x = NAMED_BY(by_name, a), *y = NAMED_BY(by_name, b);
    const size_t n = x->name_length < y->name_length ? x->name_length : y->name_length;
    const int order = memcmp(x->name, y->name, n);
    if (order != 0)
        return order;
    return (x->name_length > y->name_length) - (x->name_length < y->name_length);
}

static int compare_order(const hvol_ord *a, const hvol_ord *b)
{
    const hvol_named *x = NAMED_BY(by_order, a), *y = NAMED_BY(by_order, b);
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return compare_names(&x->by_name, &y->by_name); /* in a damaged file only */
}

void hvol_names_init(hvol_names *set)
{
    *set = (hvol_names){.names.compare = compare_names, .order.compare = compare_order};
}

hvol_named *hvol_names_find(const hvol_names *set, const char *name, size_t length)
{
    const hvol_named key = {.name = (char *)(uintptr_t)name, .name_length = length};
    hvol_ord *found = hvol_ordset_find(&set->names, &key.by_name);
    return found == NULL ? NULL : NAMED_BY(by_name, found);
}

hry_status hvol_named_set(hvol_named *item, const char *name, size_t length, hry_error *err)
{
    char *copy = malloc(length + 1);
    if (copy == NULL)
        return HRY_NO_MEMORY(err, length + 1);
    memcpy(copy, name, length);
    copy[length] = '\0';
    free(item->name);
    item->name = copy;
    item->name_length = length;
    return HRY_OK;
}

void hvol_names_restore(hvol_names *set, hvol_named *item)
{
    hvol_ordset_insert(&set->names, &item->by_name);
    if (set->ordered)
        hvol_ordset_insert(&set->order, &item->by_order);
    if (item->order >= set->next_order)
        set->next_order = item->order + 1;
}

void hvol_names_insert(hvol_names *set, hvol_named *item)
{
    item->order = set->next_order;
    hvol_names_restore(set, item);
}

void hvol_names_remove(hvol_names *set, hvol_named *item)
{
    hvol_ordset_remove(&set->names, &item->by_name);
    if (set->ordered)
        hvol_ordset_remove(&set->order, &item->by_order);
    if (hvol_names_count(set) == 0)
        set->next_order = 0; /* as HDF5 does */
}

static void build_order(hvol_names *set)
{
    const uint64_t n = hvol_names_count(set);
    for (uint64_t i = 0; i < n; i++) {
        hvol_named *item = NAMED_BY(by_name, hvol_ordset_at(&set->names, i));
        hvol_ordset_insert(&set->order, &item->by_order);
    }
    set->ordered = true;
}

hvol_named *hvol_names_at(hvol_names *set, bool by_order, bool backwards, uint64_t n)
{
    const uint64_t count = hvol_names_count(set);
    if (n >= count)
        return NULL;
    if (backwards)
        n = count - 1 - n;
    if (!by_order)
        return NAMED_BY(by_name, hvol_ordset_at(&set->names, n));
    if (!set->ordered)
        build_order(set);
    return NAMED_BY(by_order, hvol_ordset_at(&set->order, n));
}
