/* SPDX-License-Identifier: Apache-2.0 */
/* lengths.c - see lengths.h. */
#include "lengths.h"

#include <errno.h>
#include <stdlib.h>

static size_t count_numbers(const char *list)
{
    size_t count = 1;
    for (; *list != '\0'; list++)
        count += *list == ',';
    return count;
}

/* Numbers with commas between them into `out`; false when they are something else. */
static bool parse_numbers(const char *list, uint64_t *out)
{
    for (;; list++) {
        char *end;
        errno = 0;
        *out++ = strtoull(list, &end, 10);
        if (*list < '0' || *list > '9' || errno != 0 || (*end != ',' && *end != '\0'))
            return false;
        list = end;
        if (*end == '\0')
            return true;
    }
}

int lengths_take(const char *list, const struct place *where, const hry_descriptor *d,
                 uint64_t **out)
{
    *out = NULL;
    if (list == NULL)
        return EXIT_OK;
    if (d->layout_tag != HRY_BLOCK_PAGED)
        return report_refusal(where, "--lengths is for block-paged tensors");
    const size_t count = *list == '\0' ? 0 : count_numbers(list);
    if (count != d->fields.paged.num_seqs)
        return report_refusal(where, "--lengths has %zu numbers for %lu sequences", count,
                              (unsigned long)d->fields.paged.num_seqs);
    *out = calloc(count + 1, sizeof **out);
    if (*out == NULL)
        return report_refusal(where, "no memory for %zu lengths", count);
    if (count > 0 && !parse_numbers(list, *out))
        return report_refusal(where, "--lengths: '%s' is no list like 6,3", list);
    return EXIT_OK;
}
