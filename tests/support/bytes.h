/* SPDX-License-Identifier: Apache-2.0 */
/* bytes.h - whole files and growing blocks, for tests. Blocks are as large as what is in
 * them, so that a sanitizer sees every read beyond. */
#ifndef BYTES_H
#define BYTES_H

#include "hry/error.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct blob {
    uint8_t *data; /* owned */
    size_t size;
} blob;

static inline void bytes_free(blob *b)
{
    free(b->data);
    *b = (blob){0};
}

static inline blob bytes_copy(const void *from, size_t size)
{
    blob b = {.data = malloc(size > 0 ? size : 1), .size = size};
    if (b.data == NULL)
        abort();
    if (size > 0)
        memcpy(b.data, from, size);
    return b;
}

static inline void bytes_append(blob *b, const void *from, size_t size)
{
    if (size == 0)
        return;
    uint8_t *grown = realloc(b->data, b->size + size);
    if (grown == NULL)
        abort();
    memcpy(grown + b->size, from, size);
    b->data = grown;
    b->size += size;
}

/* A hry_sink whose context is a `blob`. */
static inline hry_status bytes_sink(void *ctx, const void *from, size_t size,
                                    hry_error *err)
{
    (void)err;
    bytes_append(ctx, from, size);
    return HRY_OK;
}

/* The file at folder/name; data is NULL when it cannot be read. */
static inline blob bytes_of_file(const char *folder, const char *name)
{
    char path[4096];
    uint8_t part[65536];
    blob b = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return b;
    b = bytes_copy("", 0);
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        bytes_append(&b, part, n);
    fclose(f);
    return b;
}

#endif
