/* SPDX-License-Identifier: Apache-2.0 */
/* window.c - bytes of a source, looked at before they are taken. */
#include "io/window.h"

enum { STEP = 65536 };

static hry_status pull(hry_window *w, uint8_t *to, size_t size, size_t *got, hry_error *err)
{
    *got = 0;
    if (w->ended)
        return HRY_OK;
    HRY_TRY(w->source.read(w->source.ctx, to, size, got, err));
    if (*got > size)
        return HRY_FAIL(err, HRY_ERR_ARG, "the source gave %zu bytes of %zu", *got, size);
    w->ended = *got == 0;
    return HRY_OK;
}

static hry_status ends(const hry_window *w, size_t left, const char *what, size_t size,
                       hry_error *err)
{
    return HRY_FAIL_AT(err, HRY_ERR_TRUNCATED, w->at + left,
                       "%s: the input ends %zu bytes too early", what, size - left);
}

hry_status hry_window_fill(hry_window *w, size_t size, hry_error *err)
{
    if (w->pos == w->bytes.size)
        w->pos = w->bytes.size = 0;
    while (hry_window_left(w) < size && !w->ended) {
        const size_t wanted = size - hry_window_left(w);
        const size_t step = wanted < STEP ? wanted : STEP;
        uint8_t *to = bld_take(&w->bytes, step);
        if (to == NULL)
            return bld_ok(&w->bytes, "input", err);
        size_t got;
        const hry_status status = pull(w, to, step, &got, err);
        w->bytes.size -= step - (status == HRY_OK ? got : 0);
        HRY_TRY(status);
    }
    return HRY_OK;
}

hry_status hry_window_need(hry_window *w, size_t size, const char *what, hry_error *err)
{
    HRY_TRY(hry_window_fill(w, size, err));
    return hry_window_left(w) >= size ? HRY_OK
                                      : ends(w, hry_window_left(w), what, size, err);
}

void hry_window_drop(hry_window *w, size_t size)
{
    w->pos += size;
    w->at += size;
}

hry_status hry_window_read(hry_window *w, uint8_t *to, size_t size, hry_error *err)
{
    const size_t seen = size < hry_window_left(w) ? size : hry_window_left(w);
    if (seen > 0)
        memcpy(to, hry_window_data(w), seen);
    hry_window_drop(w, seen);
    for (size_t done = seen; done < size;) {
        size_t got;
        HRY_TRY(pull(w, to + done, size - done, &got, err));
        if (got == 0)
            return ends(w, 0, "data", size - done, err);
        done += got;
        w->at += got;
    }
    return HRY_OK;
}

/* Without a skip of its own a source is read to nowhere. */
static hry_status skip_by_reading(hry_window *w, uint64_t size, hry_error *err)
{
    uint8_t nowhere[4096];
    while (size > 0) {
        const size_t n = size < sizeof nowhere ? (size_t)size : sizeof nowhere;
        HRY_TRY(hry_window_read(w, nowhere, n, err));
        size -= n;
    }
    return HRY_OK;
}

hry_status hry_window_go(hry_window *w, uint64_t at, hry_error *err)
{
    if (at < w->at)
        return HRY_FAIL_AT(err, HRY_ERR_UNSUPPORTED, at,
                           "the input has gone past this byte, to %llu",
                           (unsigned long long)w->at);
    uint64_t size = at - w->at;
    const size_t seen = size < hry_window_left(w) ? (size_t)size : hry_window_left(w);
    hry_window_drop(w, seen);
    size -= seen;
    if (size == 0)
        return HRY_OK;
    if (w->source.skip == NULL)
        return skip_by_reading(w, size, err);
    HRY_TRY(w->source.skip(w->source.ctx, size, err));
    w->at += size;
    return HRY_OK;
}
