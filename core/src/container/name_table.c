/* SPDX-License-Identifier: Apache-2.0 */
/* name_table.c - one counting pass into buckets by hash, then each bucket is sorted. */
#include "container/name_table.h"

#include "checked.h"
#include "fail.h"

#include <stdlib.h>
#include <string.h>

/* Multiply and fold, eight bytes at a time; the top bits are the best mixed. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

uint64_t hry_name_hash(const char *text, size_t length)
{
    uint64_t hash = length, word = 0;
    for (; length >= sizeof word; text += sizeof word, length -= sizeof word) {
        memcpy(&word, text, sizeof word);
        hash = mix(hash, word);
    }
    word = 0;
    if (length > 0)
        memcpy(&word, text, length);
    return mix(mix(hash, word), 0);
}

hry_status hry_name_table_new(uint32_t count, hry_name_table *out, hry_error *err)
{
    size_t size;
    if (!checked_array(count, sizeof(hry_name), &size) ||
        (out->names = malloc(size + 1)) == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %lu names",
                        (unsigned long)count);
    out->starts = NULL;
    out->count = count;
    out->shift = 63;
    return HRY_OK;
}

void hry_name_table_put(hry_name_table *table, uint32_t position, const char *text,
                        uint16_t length)
{
    table->names[position] = (hry_name){.hash = hry_name_hash(text, length),
                                        .text = text,
                                        .position = position,
                                        .length = length};
}

/* Same name: 0. The order itself means nothing to anybody else. */
static int compare_names(const hry_name *a, const hry_name *b)
{
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return memcmp(a->text, b->text, a->length);
}

static int compare(const void *left, const void *right)
{
    const hry_name *a = left, *b = right;
    const int order = compare_names(a, b);
    return order != 0 ? order : a->position < b->position ? -1 : 1;
}

static uint32_t sort_bucket(hry_name *names, size_t count)
{
    if (count < 2)
        return UINT32_MAX;
    qsort(names, count, sizeof *names, compare);
    for (size_t i = 1; i < count; i++)
        if (compare_names(&names[i - 1], &names[i]) == 0)
            return names[i].position;
    return UINT32_MAX;
}

/* A counting sort: starts[b + 1] counts bucket b, then says where it ends. */
static void distribute(const hry_name *from, const hry_name_table *table)
{
    uint32_t *next = table->starts;
    const size_t buckets = (size_t)1 << (64 - table->shift);
    for (uint32_t i = 0; i < table->count; i++)
        next[(from[i].hash >> table->shift) + 1]++;
    for (size_t b = 0; b < buckets; b++)
        next[b + 1] += next[b];
    /* Going backwards, each start moves down to the place of the name it takes. */
    for (uint32_t i = table->count; i-- > 0;)
        table->names[--next[(from[i].hash >> table->shift) + 1]] = from[i];
    memmove(next, next + 1, buckets * sizeof *next);
    next[buckets] = table->count;
}

hry_status hry_name_table_build(hry_name_table *table, uint32_t *twice, hry_error *err)
{
    while (table->shift > 33 && (uint64_t)1 << (64 - table->shift) < table->count)
        table->shift--;
    const size_t buckets = (size_t)1 << (64 - table->shift);
    hry_name *from = table->names;
    table->names = malloc((size_t)table->count * sizeof *table->names + 1);
    table->starts = calloc(buckets + 1, sizeof *table->starts);
    if (table->names == NULL || table->starts == NULL) {
        free(from);
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory to sort %lu names",
                        (unsigned long)table->count);
    }
    distribute(from, table);
    free(from);

    *twice = UINT32_MAX;
    for (size_t b = 0; b < buckets && *twice == UINT32_MAX; b++)
        *twice = sort_bucket(table->names + table->starts[b],
                             table->starts[b + 1] - table->starts[b]);
    return HRY_OK;
}

uint32_t hry_name_table_find(const hry_name_table *table, const char *text, size_t length)
{
    if (table->starts == NULL || length > UINT16_MAX)
        return UINT32_MAX;
    const hry_name wanted = {
        .hash = hry_name_hash(text, length), .text = text, .length = (uint16_t)length};
    const uint64_t bucket = wanted.hash >> table->shift;
    uint32_t low = table->starts[bucket], high = table->starts[bucket + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = compare_names(&wanted, &table->names[middle]);
        if (order == 0)
            return table->names[middle].position;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return UINT32_MAX;
}

void hry_name_table_free(hry_name_table *table)
{
    free(table->names);
    free(table->starts);
    *table = (hry_name_table){0};
}
