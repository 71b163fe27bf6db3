/* SPDX-License-Identifier: Apache-2.0 */
/* answer_layout.c - the layout that a server answers in (format section 7). */
#include "checked.h"
#include "stream/answer.h"
#include "stream/like.h"
#include "stream/tensor_size.h"

/* A tensor of the store, in memory. Ended by unload(). */
typedef struct loaded {
    bool is_there;
    hry_buffer buffers[HRY_MAX_BUFFERS];
    hry_tensor tensor;
    uint8_t *bytes; /* owned: all buffers, one after another */
} loaded;

static bool load(const hry_answer *a, uint64_t limit, loaded *l)
{
    uint64_t size, at = 0;
    if (l->is_there)
        return true;
    if (hry_tensor_size(&a->d, limit, &size, NULL) != HRY_OK || size >= SIZE_MAX ||
        (l->bytes = malloc((size_t)size + 1)) == NULL)
        return false;
    if (hry_answer_read(a, 0, l->bytes, (size_t)size, NULL) != HRY_OK) {
        free(l->bytes);
        l->bytes = NULL;
        return false;
    }
    for (uint32_t b = 0; b < a->d.buffer_count; b++) {
        const uint64_t n = a->d.buffers[b].byte_size;
        l->buffers[b] = (hry_buffer){.bytes = l->bytes + at, .size = n};
        at += n;
    }
    l->tensor = (hry_tensor){.descriptor = &a->d, .buffers = l->buffers};
    l->is_there = true;
    return true;
}

/* Whatever stands against it, the next layout is tried, at last the stored one. */
static hry_transcoded *transcode(const hry_answer *a, uint8_t tag, uint64_t limit,
                                 loaded *l)
{
    hry_descriptor like;
    hry_transcoded *made = NULL;
    if (!hry_like(&a->d, tag, &like) || hry_like_bound(&a->d, tag) > limit ||
        !load(a, limit, l))
        return NULL;
    if (hry_transcode(&l->tensor, &like, limit, &made, NULL) != HRY_OK)
        return NULL;
    return made;
}

void hry_answer_choose_layout(hry_answer *a, const hry_session_options *options,
                              const hry_request *request)
{
    const bool may = (request->flags & HRY_ALLOW_TRANSCODE) != 0 &&
                     !options->no_transcode && a->d.layout_tag != HRY_COMPOSITE;
    hry_layout_list rest = request->layouts;
    hry_layout_entry entry;
    bool tried[256] = {false};
    loaded l = {.is_there = false};
    while (a->transcoded == NULL && hry_layout_list_next(&rest, &entry)) {
        if (entry.tag == a->d.layout_tag)
            break;
        if (may && !tried[entry.tag])
            a->transcoded = transcode(a, entry.tag, options->transcode_limit, &l);
        tried[entry.tag] = true;
    }
    free(l.bytes);
    if (a->transcoded != NULL)
        a->d = *hry_transcoded_tensor(a->transcoded)->descriptor;
}
