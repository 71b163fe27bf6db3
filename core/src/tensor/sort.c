/* SPDX-License-Identifier: Apache-2.0 */
/* sort.c - merging sort of the numbers of entries. */
#include "sort.h"

#include "checked.h"
#include "fail.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int hry_entry_compare(const hry_entry_list *list, uint64_t a, uint64_t b)
{
    const uint64_t *x = list->index + a * list->rank;
    const uint64_t *y = list->index + b * list->rank;
    for (uint32_t i = 0; i < list->rank; i++) {
        const uint32_t k = list->modes != NULL ? list->modes[i] : i;
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    }
    return 0;
}

/* from[low, middle) and from[middle, high), both in order, to to[low, high). */
static void merge(const hry_entry_list *list, const uint64_t *from, uint64_t *to,
                  uint64_t low, uint64_t middle, uint64_t high)
{
    uint64_t a = low;
    uint64_t b = middle;
    if (middle < high && hry_entry_compare(list, from[middle - 1], from[middle]) <= 0) {
        memcpy(to + low, from + low, (size_t)(high - low) * sizeof *to);
        return;
    }
    for (uint64_t i = low; i < high; i++) {
        const bool take_b =
            a == middle || (b < high && hry_entry_compare(list, from[b], from[a]) < 0);
        to[i] = take_b ? from[b++] : from[a++];
    }
}

static bool is_ascending(const hry_entry_list *list)
{
    for (uint64_t e = 1; e < list->count; e++)
        if (hry_entry_compare(list, e - 1, e) > 0)
            return false;
    return true;
}

hry_status hry_entry_sort(const hry_entry_list *list, uint64_t **order, hry_error *err)
{
    const uint64_t n = list->count;
    size_t size;
    uint64_t *from = checked_array(n + 1, sizeof *from, &size) ? malloc(size) : NULL;
    uint64_t *to = from != NULL ? malloc(size) : NULL;
    if (to == NULL) {
        free(from);
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory to sort %llu entries",
                        (unsigned long long)n);
    }
    for (uint64_t e = 0; e < n; e++)
        from[e] = e;
    for (uint64_t width = is_ascending(list) ? n : 1; width < n; width *= 2) {
        for (uint64_t low = 0; low < n; low += 2 * width) {
            const uint64_t middle = n - low < width ? n : low + width;
            const uint64_t high = n - middle < width ? n : middle + width;
            merge(list, from, to, low, middle, high);
        }
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    free(to);
    *order = from;
    return HRY_OK;
}
