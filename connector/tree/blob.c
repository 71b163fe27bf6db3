/* SPDX-License-Identifier: Apache-2.0 */
/* blob.c - see blob.h. */
#include "blob.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a, eight bytes a step. */
static uint64_t hash_bytes(const unsigned char *p, size_t size)
{
    uint64_t h = 0xCBF29CE484222325u ^ size;
    for (; size >= 8; p += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = (h ^ word) * 0x100000001B3u;
        h ^= h >> 29;
    }
    for (; size > 0; p++, size--)
        h = (h ^ *p) * 0x100000001B3u;
    return h ^ h >> 32;
}

static hry_status grow(hvol_blobs *blobs, hry_error *err)
{
    const uint32_t capacity = blobs->capacity == 0 ? 64 : blobs->capacity * 2;
    hvol_blob **by_hash = calloc(capacity, sizeof(hvol_blob *));
    hvol_blob **by_index = realloc(blobs->by_index, capacity * sizeof(hvol_blob *));
    if (by_index != NULL)
        blobs->by_index = by_index;
    if (by_hash == NULL || by_index == NULL) {
        free(by_hash);
        return HRY_NO_MEMORY(err, capacity * sizeof(hvol_blob *));
    }
    free(blobs->by_hash);
    blobs->by_hash = by_hash;
    blobs->capacity = capacity;
    for (uint32_t i = 0; i < blobs->count; i++) {
        hvol_blob *b = blobs->by_index[i];
        hvol_blob **bucket = &by_hash[b->hash & (capacity - 1)];
        b->next = *bucket;
        *bucket = b;
    }
    return HRY_OK;
}

hry_status hvol_blobs_intern(hvol_blobs *blobs, const void *bytes, size_t size,
                             hvol_blob **out, hry_error *err)
{
    const uint64_t hash = hash_bytes(bytes, size);
    if (blobs->capacity > 0)
        for (hvol_blob *b = blobs->by_hash[hash & (blobs->capacity - 1)]; b; b = b->next)
            if (b->hash == hash && b->size == size && memcmp(b->data, bytes, size) == 0) {
                *out = b;
                return HRY_OK;
            }
    if (blobs->count == blobs->capacity)
        HRY_TRY(grow(blobs, err));
    hvol_blob *b = malloc(sizeof *b + size);
    if (b == NULL)
        return HRY_NO_MEMORY(err, sizeof *b + size);
    hvol_blob **bucket = &blobs->by_hash[hash & (blobs->capacity - 1)];
    *b = (hvol_blob){
        .hash = hash, .size = size, .index = blobs->count, .next = *bucket, .table = blobs};
    memcpy(b->data, bytes, size);
    *bucket = b;
    blobs->by_index[blobs->count++] = b;
    *out = b;
    return HRY_OK;
}

void hvol_blobs_free(hvol_blobs *blobs)
{
    for (uint32_t i = 0; i < blobs->count; i++) {
        if (blobs->by_index[i]->handle != 0 && blobs->release != NULL)
            blobs->release(blobs->by_index[i]->handle);
        free(blobs->by_index[i]);
    }
    free(blobs->by_hash);
    free(blobs->by_index);
    *blobs = (hvol_blobs){.release = blobs->release};
}
