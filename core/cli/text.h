/* SPDX-License-Identifier: Apache-2.0 */
/* text.h - a growing line of text, and numbers and names as people read them. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TEXT_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define TEXT_PRINTF(f, a)
#endif

/* Starts as {0}. Once memory is refused, `failed` stays set and nothing more is added. */
struct text {
    char *bytes; /* NUL-terminated, or NULL when nothing was added */
    size_t size, capacity;
    bool failed;
};

void text_add(struct text *t, const char *format, ...) TEXT_PRINTF(2, 3);

/*
 * Bytes that come from a file: control characters and what is not UTF-8 are written as
 * \n, \t or \xNN, so that a name cannot move the cursor or colour the screen.
 */
void text_add_foreign(struct text *t, const void *bytes, size_t size);

/* "1.5 KiB"; exact below 1 KiB. */
void text_add_size(struct text *t, uint64_t size);

/* "[3, 4]"; a dynamic dimension is "?". */
void text_add_shape(struct text *t, const uint64_t *shape, uint32_t rank);

/* The text so far; never NULL. */
const char *text_string(const struct text *t);

/* Empty, with its memory kept. */
void text_clear(struct text *t);
void text_free(struct text *t);

/* Columns that the NUL-terminated UTF-8 string takes on a terminal. */
size_t text_width(const char *string);

/* Length of the UTF-8 character that starts at `bytes`, or 0 if none does. size > 0. */
size_t text_utf8_length(const uint8_t *bytes, size_t size);

#endif
