/* SPDX-License-Identifier: Apache-2.0 */
/* window.h - looking ahead into a source, no further than asked. Private to core/src. */
#ifndef HRY_WINDOW_H
#define HRY_WINDOW_H

#include "builder.h"
#include "hry/io.h"

/* Invariant: bytes.data[pos] is byte `at` of the input, and the next to be taken. */
typedef struct hry_window {
    hry_source source;
    hry_builder bytes; /* owned */
    size_t pos;
    uint64_t at;
    bool ended;
} hry_window;

static inline size_t hry_window_left(const hry_window *w)
{
    return w->bytes.size - w->pos;
}

/* The bytes looked at, until the window is filled or moved. */
static inline const uint8_t *hry_window_data(const hry_window *w)
{
    return w->bytes.data + w->pos;
}

/* Look `size` bytes ahead, less only at the end. Memory grows with what has come. */
hry_status hry_window_fill(hry_window *w, size_t size, hry_error *err);

/* The same, but the end inside them is an error that names `what`. */
hry_status hry_window_need(hry_window *w, size_t size, const char *what, hry_error *err);

/* Take `size` bytes that have been looked at. */
void hry_window_drop(hry_window *w, size_t size);

/* Take exactly `size` bytes into `to`. */
hry_status hry_window_read(hry_window *w, uint8_t *to, size_t size, hry_error *err);

/* Go forward to byte `at`; backward is an error. */
hry_status hry_window_go(hry_window *w, uint64_t at, hry_error *err);

#endif
