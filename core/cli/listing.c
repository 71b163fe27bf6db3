/* SPDX-License-Identifier: Apache-2.0 */
/* listing.c - see listing.h. */
#include "listing.h"

#include "notes.h"

#include "hry/composite.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- order: part by part, numbers in them by value ---- */

size_t listing_part(const struct leaf *leaf, size_t from)
{
    const char *end = memchr(leaf->path + from, '/', leaf->length - from);
    return end != NULL ? (size_t)(end - leaf->path) - from : leaf->length - from;
}

static size_t digits(const char *at, size_t left)
{
    size_t n = 0;
    while (n < left && isdigit((unsigned char)at[n]))
        n++;
    return n;
}

/* Numbers without signs, by value. */
static int compare_numbers(const char *a, size_t a_size, const char *b, size_t b_size)
{
    while (a_size > 0 && *a == '0')
        a++, a_size--;
    while (b_size > 0 && *b == '0')
        b++, b_size--;
    if (a_size != b_size)
        return a_size < b_size ? -1 : 1;
    return memcmp(a, b, a_size);
}

static int compare_parts(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t i = 0, j = 0;
    while (i < a_size && j < b_size) {
        const size_t m = digits(a + i, a_size - i), n = digits(b + j, b_size - j);
        int order = (unsigned char)a[i] - (unsigned char)b[j];
        if (m > 0 && n > 0)
            order = compare_numbers(a + i, m, b + j, n);
        if (order != 0)
            return order;
        i += m > 0 ? m : 1;
        j += n > 0 ? n : 1;
    }
    if (a_size - i != b_size - j)
        return i == a_size ? -1 : 1;
    const size_t least = a_size < b_size ? a_size : b_size; /* 01 and 1 */
    const int order = memcmp(a, b, least);
    return order != 0 ? order : a_size < b_size ? -1 : a_size > b_size;
}

static int compare(const void *first, const void *second)
{
    const struct leaf *a = first, *b = second;
    size_t i = 0, j = 0;
    for (;;) {
        const size_t m = listing_part(a, i), n = listing_part(b, j);
        const int order = compare_parts(a->path + i, m, b->path + j, n);
        if (order != 0)
            return order;
        i += m + 1;
        j += n + 1;
        if (i > a->length || j > b->length)
            return a->length < b->length ? -1 : a->length > b->length;
    }
}

uint64_t listing_below(const struct listing *l, uint64_t i, uint64_t end, size_t length)
{
    const char *path = l->leaves[i].path;
    while (i < end) {
        const struct leaf *leaf = &l->leaves[i];
        if (leaf->length < length || memcmp(leaf->path, path, length) != 0 ||
            (leaf->length > length && leaf->path[length] != '/'))
            break;
        i++;
    }
    return i;
}

/* ---- members ---- */

/* The head that each tensor is a member of, by position; its own position for none. */
struct parents {
    uint64_t *of;
    uint64_t open[HRY_MAX_RANK + 1]; /* heads around the tensor that comes */
};

static hry_status note_parent(void *ctx, uint64_t tensor, const hry_descriptor *d,
                              const hry_bound *bound, hry_error *err)
{
    struct parents *p = ctx;
    (void)d;
    (void)err;
    if (bound->depth > 0 && bound->depth <= HRY_MAX_RANK)
        p->of[tensor] = p->open[bound->depth - 1];
    if (bound->is_head && bound->depth < HRY_MAX_RANK)
        p->open[bound->depth] = tensor;
    return HRY_OK;
}

/* Of a file whose composites are wrong, those up to the first wrong one. */
static uint64_t *find_parents(const struct input *input)
{
    struct parents p = {.of = calloc(input_count(input) + 1, sizeof *p.of)};
    for (uint64_t i = 0; p.of != NULL && i < input_count(input); i++)
        p.of[i] = i;
    if (p.of != NULL)
        hry_composites_check(input->file, note_parent, &p, NULL);
    return p.of;
}

/* ---- paths ---- */

/* A member's is its head's and behind it the own name, or what that has more. As many
 * calls deep as heads are around it. */
static void add_path(struct text *t, const struct input *input, const uint64_t *parents,
                     uint64_t i)
{
    hry_entry own, head;
    if (hry_file_entry(input->file, i, &own, NULL) != HRY_OK)
        return;
    const char *name = own.name;
    size_t length = own.name_length;
    if (parents != NULL && parents[i] != i &&
        hry_file_entry(input->file, parents[i], &head, NULL) == HRY_OK) {
        const size_t common = head.name_length;
        add_path(t, input, parents, parents[i]);
        text_add(t, "/");
        if (length > common + 1 && memcmp(name, head.name, common) == 0 &&
            (name[common] == '/' || name[common] == '.')) {
            name += common + 1;
            length -= common + 1;
        }
    }
    text_add_foreign(t, name, length);
}

static void set_path(struct text *t, const struct input *input, const uint64_t *parents,
                     struct leaf *leaf)
{
    const size_t begin = t->size;
    add_path(t, input, parents, leaf->position);
    leaf->length = t->size - begin;
    leaf->is_member = parents != NULL && parents[leaf->position] != leaf->position;
}

static int set_paths(const struct input *input, bool has_heads, struct listing *l)
{
    const struct place where = {.file = input->path};
    uint64_t *parents = has_heads ? find_parents(input) : NULL;
    struct text text = {0};
    for (uint64_t i = 0; i < l->count; i++)
        set_path(&text, input, parents, &l->leaves[i]);
    free(parents);
    l->text = text.bytes;
    if (text.failed)
        return report_refusal(&where, "no memory for its names");
    const char *at = text.bytes;
    for (uint64_t i = 0; i < l->count; i++) {
        l->leaves[i].path = at;
        at += l->leaves[i].length;
    }
    qsort(l->leaves, l->count, sizeof *l->leaves, compare);
    return EXIT_OK;
}

/* Names that begin with a dot are a program's own, as the HDF5 connector's .hdf5/... */
static bool is_hidden(const struct described *what)
{
    return what->entry.name_length > 0 && what->entry.name[0] == '.';
}

int listing_of(const struct input *input, bool all, struct listing *out)
{
    const struct place where = {.file = input->path};
    struct described what;
    bool has_heads = false;
    int code = EXIT_OK;
    *out = (struct listing){.leaves = calloc(input_count(input) + 1, sizeof *out->leaves)};
    if (out->leaves == NULL)
        return report_refusal(&where, "no memory for its list");
    for (uint64_t i = 0; i < input_count(input); i++) {
        const int one = input_describe(input, i, &what);
        code = exit_worst(code, one);
        if (one != EXIT_OK || (is_hidden(&what) && !all))
            continue;
        has_heads = has_heads || what.d.layout_tag == HRY_COMPOSITE;
        out->leaves[out->count++] =
            (struct leaf){.position = i, .size = notes_total_size(&what.d)};
    }
    return exit_worst(code, set_paths(input, has_heads, out));
}

void listing_free(struct listing *l)
{
    free(l->leaves);
    free(l->text);
    *l = (struct listing){0};
}
