/* SPDX-License-Identifier: Apache-2.0 */
/* space.c - see space.h. */
#include "space.h"

#include <stdlib.h>

/* A run of bytes in use. */
struct extent {
    uint64_t begin, end;
    enum space_use use;
};

struct extents {
    struct extent *list;
    size_t count, capacity;
    bool failed;
};

static void add(struct extents *e, uint64_t begin, uint64_t size, enum space_use use)
{
    if (e->failed || size == 0)
        return;
    if (e->count == e->capacity) {
        const size_t capacity = e->capacity > 0 ? 2 * e->capacity : 64;
        struct extent *list = realloc(e->list, capacity * sizeof *list);
        if (list == NULL) {
            e->failed = true;
            return;
        }
        e->list = list;
        e->capacity = capacity;
    }
    e->list[e->count++] = (struct extent){begin, begin + size, use};
}

static void add_tensor(struct extents *e, const struct input *input,
                       const struct described *what)
{
    add(e, what->entry.descriptor_offset, what->entry.descriptor_length, SPACE_DESCRIPTORS);
    if (what->d.opaque) {
        add(e, what->entry.data_offset, what->entry.data_length, SPACE_DATA);
        return;
    }
    for (uint32_t b = 0; b < what->d.buffer_count; b++) {
        uint64_t at;
        if (hry_file_buffer(input->file, what->position, &what->d, b, &at, NULL) == HRY_OK)
            add(e, at, what->d.buffers[b].byte_size, SPACE_DATA);
    }
}

static int gather(const struct input *input, struct extents *e)
{
    const hry_file_info *info = hry_file_get_info(input->file);
    struct described what;
    int code = EXIT_OK;
    add(e, 0, HRY_FILE_HEADER_SIZE, SPACE_FRAME);
    add(e, info->size - HRY_FILE_TRAILER_SIZE, HRY_FILE_TRAILER_SIZE, SPACE_FRAME);
    add(e, info->index_offset, info->index_length, SPACE_INDEX);
    if (info->kv_offset != 0)
        add(e, info->kv_offset, info->kv_length, SPACE_KV);
    for (uint64_t i = 0; i < input_count(input); i++) {
        const int one = input_describe(input, i, &what);
        if (one == EXIT_OK)
            add_tensor(e, input, &what);
        code = exit_worst(code, one);
    }
    return code;
}

static int compare(const void *first, const void *second)
{
    const struct extent *a = first, *b = second;
    return a->begin != b->begin ? (a->begin < b->begin ? -1 : 1) : 0;
}

/* Zeros of less than an alignment are padding. */
static enum space_use use_of_gap(const struct input *input, uint64_t begin, uint64_t end)
{
    if (end - begin >= hry_file_get_info(input->file)->alignment)
        return SPACE_DEAD;
    for (uint64_t i = begin; i < end; i++)
        if (input->bytes[i] != 0)
            return SPACE_DEAD;
    return SPACE_PADDING;
}

static void measure(const struct input *input, const struct extents *e, struct space *out)
{
    uint64_t at = 0; /* all before is accounted for */
    for (size_t i = 0; i < e->count; i++) {
        const struct extent *x = &e->list[i];
        if (x->begin > at) {
            out->of[use_of_gap(input, at, x->begin)] += x->begin - at;
            at = x->begin;
        }
        if (x->end > at) {
            out->of[x->use] += x->end - at;
            at = x->end;
        }
    }
}

int space_of(const struct input *input, struct space *out)
{
    const struct place where = {.file = input->path};
    struct extents e = {.list = NULL};
    *out = (struct space){{0}};
    int code = gather(input, &e);
    if (e.failed) {
        code = report_refusal(&where, "no memory for its parts");
    } else {
        qsort(e.list, e.count, sizeof *e.list, compare);
        measure(input, &e, out);
    }
    free(e.list);
    return code;
}

const char *space_word(enum space_use use)
{
    static const char *const words[] = {
        [SPACE_FRAME] = "header_and_trailer",
        [SPACE_DESCRIPTORS] = "descriptors",
        [SPACE_DATA] = "data",
        [SPACE_KV] = "key_values",
        [SPACE_INDEX] = "index",
        [SPACE_PADDING] = "padding",
        [SPACE_DEAD] = "dead",
    };
    return words[use];
}
