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

static uint32_t short_hash(const char *text, size_t length)
{
    return (uint32_t)(hry_name_hash(text, length) >> 32);
}

hry_status hry_name_table_new(uint32_t count, hry_name_table *out, hry_error *err)
{
    size_t size;
    *out = (hry_name_table){.count = count, .shift = 31};
    if (!checked_array(count, sizeof *out->slots, &size) ||
        (out->slots = malloc(size + 1)) == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %lu names",
                        (unsigned long)count);
    return HRY_OK;
}

void hry_name_table_put(hry_name_table *table, uint32_t position, const char *text,
                        uint16_t length)
{
    table->slots[position] =
        (hry_name_slot){.hash = short_hash(text, length), .position = position};
}

/* ---- order inside a bucket: by hash, length, bytes ---- */

static int compare_names(const hry_name *a, const hry_name *b)
{
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return memcmp(a->text, b->text, a->length);
}

/* Same name: 0. Text is looked at only where hashes are the same. */
static int compare(const hry_name_table *table, hry_name_slot a, hry_name_slot b)
{
    if (a.hash != b.hash)
        return a.hash < b.hash ? -1 : 1;
    const hry_name name_a = table->name_of(table->rows, a.position);
    const hry_name name_b = table->name_of(table->rows, b.position);
    return compare_names(&name_a, &name_b);
}

static bool before(const hry_name_table *table, hry_name_slot a, hry_name_slot b)
{
    const int order = compare(table, a, b);
    return order != 0 ? order < 0 : a.position < b.position;
}

/* Most buckets have a few names. */
static void sort_few(const hry_name_table *table, hry_name_slot *slots, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const hry_name_slot moved = slots[i];
        size_t to = i;
        for (; to > 0 && before(table, moved, slots[to - 1]); to--)
            slots[to] = slots[to - 1];
        slots[to] = moved;
    }
}

/* Let slots[at] sink to where no child comes after it. */
static void sink(const hry_name_table *table, hry_name_slot *slots, size_t at, size_t count)
{
    const hry_name_slot moved = slots[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && before(table, slots[child], slots[child + 1]))
            child++;
        if (!before(table, moved, slots[child]))
            break;
        slots[at] = slots[child];
    }
    slots[at] = moved;
}

/* Only hostile names fill a bucket: by heap, which no order of theirs makes slow. */
static void sort_many(const hry_name_table *table, hry_name_slot *slots, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sink(table, slots, i, count);
    for (size_t end = count; end-- > 1;) {
        const hry_name_slot last = slots[0];
        slots[0] = slots[end];
        slots[end] = last;
        sink(table, slots, 0, end);
    }
}

static uint32_t sort_bucket(const hry_name_table *table, hry_name_slot *slots, size_t count)
{
    enum { FEW = 16 };
    (count <= FEW ? sort_few : sort_many)(table, slots, count);
    for (size_t i = 1; i < count; i++)
        if (compare(table, slots[i - 1], slots[i]) == 0)
            return slots[i].position;
    return UINT32_MAX;
}

/* ---- buckets ---- */

/* A counting sort: starts[b + 1] counts bucket b, then says where it ends. */
static void distribute(const hry_name_slot *from, const hry_name_table *table,
                       size_t buckets)
{
    uint32_t *next = table->starts;
    for (uint32_t i = 0; i < table->count; i++)
        next[(from[i].hash >> table->shift) + 1]++;
    for (size_t b = 0; b < buckets; b++)
        next[b + 1] += next[b];
    /* Going backwards, each end moves down to the place of the name it takes. */
    for (uint32_t i = table->count; i-- > 0;)
        table->slots[--next[(from[i].hash >> table->shift) + 1]] = from[i];
    memmove(next, next + 1, buckets * sizeof *next);
    next[buckets] = table->count;
}

hry_status hry_name_table_build(hry_name_table *table, const void *rows,
                                hry_name_of *name_of, uint32_t *twice, hry_error *err)
{
    while (table->shift > 1 && (uint64_t)1 << (32 - table->shift) < table->count)
        table->shift--;
    const size_t buckets = (size_t)1 << (32 - table->shift);
    hry_name_slot *from = table->slots;
    table->slots = malloc((size_t)table->count * sizeof *table->slots + 1);
    table->starts = calloc(buckets + 1, sizeof *table->starts);
    if (table->slots == NULL || table->starts == NULL) {
        free(from);
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory to sort %lu names",
                        (unsigned long)table->count);
    }
    table->rows = rows;
    table->name_of = name_of;
    distribute(from, table, buckets);
    free(from);

    *twice = UINT32_MAX;
    for (size_t b = 0; b < buckets && *twice == UINT32_MAX; b++)
        *twice = sort_bucket(table, table->slots + table->starts[b],
                             table->starts[b + 1] - table->starts[b]);
    return HRY_OK;
}

uint32_t hry_name_table_find(const hry_name_table *table, const char *text, size_t length)
{
    if (table->starts == NULL || length > UINT16_MAX)
        return UINT32_MAX;
    const hry_name wanted = {.text = text, .length = (uint16_t)length};
    const uint32_t hash = short_hash(text, length);
    uint32_t low = table->starts[hash >> table->shift];
    uint32_t high = table->starts[(hash >> table->shift) + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const hry_name_slot slot = table->slots[middle];
        int order = hash < slot.hash ? -1 : hash > slot.hash;
        if (order == 0) {
            const hry_name name = table->name_of(table->rows, slot.position);
            order = compare_names(&wanted, &name);
        }
        if (order == 0)
            return slot.position;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return UINT32_MAX;
}

void hry_name_table_free(hry_name_table *table)
{
    free(table->slots);
    free(table->starts);
    *table = (hry_name_table){0};
}
