/* SPDX-License-Identifier: Apache-2.0 */
/* gather.c - see gather.h. */
#include "gather.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 1 << 20,     /* BYTES read at once where runs are small and close */
    LARGE_RUN = 64 * 1024 /* BYTES: such runs go straight to where they belong */
};

/* Copies of small fixed sizes are one load and one store. */
static void copy(void *dst, const void *src, size_t size)
{
    switch (size) {
    case 1:
        memcpy(dst, src, 1);
        return;
    case 2:
        memcpy(dst, src, 2);
        return;
    case 4:
        memcpy(dst, src, 4);
        return;
    case 8:
        memcpy(dst, src, 8);
        return;
    default:
        memcpy(dst, src, size);
    }
}

/* How much of `n` the current run has. HDF5 miscounts some selections: one may end early.
 */
static hry_status next_part(const hvol_runs *runs, uint64_t n, uint64_t *part,
                            hry_error *err)
{
    *part = n < runs->length ? n : runs->length;
    return *part > 0
               ? HRY_OK
               : HRY_FAIL(err, HRY_ERR_ARG,
                          "selection ends before the number of elements HDF5 counts in it");
}

hry_status hvol_mem_gather(hvol_runs *runs, const void *base, uint64_t n, size_t size,
                           void *dst, hry_error *err)
{
    const uint8_t *from = base;
    uint8_t *to = dst;
    while (n > 0) {
        uint64_t part;
        HRY_TRY(next_part(runs, n, &part, err));
        copy(to, from + runs->offset * size, (size_t)part * size);
        to += part * size;
        n -= part;
        HRY_TRY(hvol_runs_use(runs, part, err));
    }
    return HRY_OK;
}

hry_status hvol_mem_scatter(hvol_runs *runs, void *base, uint64_t n, size_t size,
                            const void *src, hry_error *err)
{
    uint8_t *to = base;
    const uint8_t *from = src;
    while (n > 0) {
        uint64_t part;
        HRY_TRY(next_part(runs, n, &part, err));
        copy(to + runs->offset * size, from, (size_t)part * size);
        from += part * size;
        n -= part;
        HRY_TRY(hvol_runs_use(runs, part, err));
    }
    return HRY_OK;
}

static hry_status flush_window(hvol_file_side *s, hry_error *err)
{
    if (!s->window_dirty)
        return HRY_OK;
    s->window_dirty = false;
    return hvol_data_write(s->tree, s->node, s->window_at, s->window, s->window_size, err);
}

/* Is [at, at + size) in the window? */
static bool in_window(const hvol_file_side *s, uint64_t at, size_t size)
{
    return at >= s->window_at && at - s->window_at < s->window_size &&
           size <= s->window_size - (size_t)(at - s->window_at);
}

/* Worth a window: small runs with more of them close behind. */
static bool wants_window(const hvol_runs *runs, size_t bytes, size_t size)
{
    return bytes < LARGE_RUN && runs->cluster_end > runs->offset + runs->length &&
           (runs->cluster_end - runs->offset) * size > bytes;
}

/* Read the cluster from the current run on, or as much of it as a window holds. */
static hry_status open_window(hvol_file_side *s, const hvol_runs *runs, size_t size,
                              hry_error *err)
{
    const uint64_t bytes = (runs->cluster_end - runs->offset) * size;
    HRY_TRY(flush_window(s, err));
    if (s->window == NULL && (s->window = malloc(WINDOW)) == NULL)
        return HRY_NO_MEMORY(err, WINDOW);
    s->window_size = 0;
    const size_t n = bytes < WINDOW ? (size_t)bytes : WINDOW;
    s->window_at = runs->offset * size;
    HRY_TRY(hvol_data_read(s->tree, s->node, s->window_at, s->window, n, err));
    s->window_size = n;
    return HRY_OK;
}

hry_status hvol_file_gather(hvol_file_side *s, hvol_runs *runs, uint64_t n, size_t size,
                            void *dst, hry_error *err)
{
    uint8_t *to = dst;
    while (n > 0) {
        uint64_t part;
        HRY_TRY(next_part(runs, n, &part, err));
        const uint64_t at = runs->offset * size;
        const size_t bytes = (size_t)part * size;
        if (!in_window(s, at, bytes) && wants_window(runs, bytes, size))
            HRY_TRY(open_window(s, runs, size, err));
        if (in_window(s, at, bytes))
            copy(to, s->window + (at - s->window_at), bytes);
        else
            HRY_TRY(hvol_data_read(s->tree, s->node, at, to, bytes, err));
        to += bytes;
        n -= part;
        HRY_TRY(hvol_runs_use(runs, part, err));
    }
    return HRY_OK;
}

hry_status hvol_file_scatter(hvol_file_side *s, hvol_runs *runs, uint64_t n, size_t size,
                             const void *src, hry_error *err)
{
    /* Other processes write their parts of the same data: reading a window and writing it
     * back would undo what they did. */
    const bool alone = s->tree->store->ranks == 1;
    const uint8_t *from = src;
    while (n > 0) {
        uint64_t part;
        HRY_TRY(next_part(runs, n, &part, err));
        const uint64_t at = runs->offset * size;
        const size_t bytes = (size_t)part * size;
        if (alone && !in_window(s, at, bytes) && wants_window(runs, bytes, size))
            HRY_TRY(open_window(s, runs, size, err));
        if (in_window(s, at, bytes)) {
            copy(s->window + (at - s->window_at), from, bytes);
            s->window_dirty = true;
        } else {
            HRY_TRY(flush_window(s, err)); /* points may come back to where it was */
            s->window_size = 0;
            HRY_TRY(hvol_data_write(s->tree, s->node, at, from, bytes, err));
        }
        from += bytes;
        n -= part;
        HRY_TRY(hvol_runs_use(runs, part, err));
    }
    return HRY_OK;
}

hry_status hvol_file_side_end(hvol_file_side *s, hry_status status, hry_error *err)
{
    if (status == HRY_OK)
        status = flush_window(s, err);
    free(s->window);
    s->window = NULL;
    return status;
}
