/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blob.h - interned byte strings: encoded datatypes and property lists, each kept once
 * however many objects use it, with room for what the h5 layer decoded from it.
 */
#ifndef HVOL_BLOB_H
#define HVOL_BLOB_H

#include "hry/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct hvol_blob {
    uint64_t hash;
    size_t size;    /* in BYTES */
    uint32_t index; /* position in the table: its number in a catalog */
    int64_t handle; /* 0, or a decoded form; freed by hvol_blobs.release */
    struct hvol_blob *next;
    struct hvol_blobs *table; /* it is in */
    unsigned char data[];
} hvol_blob;

/* Blobs live as long as the table. */
typedef struct hvol_blobs {
    hvol_blob **by_hash, **by_index;
    uint32_t count, capacity;        /* capacity: buckets and slots, a power of two */
    void (*release)(int64_t handle); /* NULL: handles own nothing */
    void *owner;                     /* for who decodes: the file they are of */
} hvol_blobs;

/* The blob of these bytes, made if there is none. HRY_ERR_NOMEM. */
hry_status hvol_blobs_intern(hvol_blobs *blobs, const void *bytes, size_t size,
                             hvol_blob **out, hry_error *err);

void hvol_blobs_free(hvol_blobs *blobs);

#endif
