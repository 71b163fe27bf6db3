/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h - the bytes of an open container: where the next extent goes, reading, writing,
 * and publishing a new end of file. Knows nothing of objects.
 */
#ifndef HVOL_STORE_H
#define HVOL_STORE_H

#include "holes.h"

#include "hry/file.h"

#include <stdbool.h>

#define HVOL_PAGE 4096u        /* alignment of data in the file, in BYTES */
#define HVOL_SMALL_LIMIT 2048u /* data up to this many BYTES share pages */

/* Where a dataset's data lies. */
typedef enum hvol_place {
    HVOL_UNWRITTEN = 0, /* nowhere: every element has the fill value */
    HVOL_IN_MEMORY,     /* small and new: `bytes`, until the next commit */
    HVOL_IN_FILE,       /* at `offset` */
    HVOL_UNRESOLVED     /* loaded; row `entry` of the store's file says where */
} hvol_place;

typedef struct hvol_storage {
    hvol_place place;
    uint64_t offset;            /* of the first element in the file */
    uint64_t base, base_size;   /* the buffer it lies in: an aligned page or extent */
    uint64_t descriptor_offset; /* 0: not in the file yet */
    uint32_t descriptor_length;
    bool descriptor_written; /* what lies there is this dataset's */
    uint64_t entry;          /* row of the loaded index, UINT64_MAX: none */
    uint8_t *bytes;          /* HVOL_IN_MEMORY: owned */
    uint8_t layout_tag;      /* HRY_ROW_MAJOR, or what a loaded file has */
} hvol_storage;

/* A piece to be written when a commit is published. */
typedef struct hvol_piece {
    uint64_t offset;
    const void *bytes;
    size_t size;
} hvol_piece;

typedef struct hvol_store hvol_store;

/*
 * How several processes that share the file act as one. NULL members: this process alone.
 */
typedef struct hvol_group_ops {
    /* Write pieces in order, the trailer last, and cut the file at `size`: done once for
     * all processes, with the same result on each. `mine` is this one's outcome so far. */
    hry_status (*publish)(void *ctx, const hry_io *io, const hvol_piece *pieces,
                          size_t count, uint64_t size, hry_status mine, hry_error *err);
    /* Nobody goes on before everybody is here; the gravest outcome becomes everyone's. */
    hry_status (*meet)(void *ctx, const hry_io *io, hry_status mine, hry_error *err);
    /* Is it true on any of them? */
    bool (*any)(void *ctx, const hry_io *io, bool mine);
} hvol_group_ops;

#define HVOL_TRAILER 40 /* BYTES: HRY_FILE_TRAILER_SIZE */

struct hvol_store {
    hry_io io; /* owned */
    bool writable;
    const hvol_group_ops *group; /* several processes write it, changing it alike */
    void *group_ctx;
    uint32_t rank, ranks; /* this process, and how many; 0 of 1 alone */
    uint64_t end;         /* first byte that nothing uses */
    uint64_t committed;   /* size that the file has once it is closed as it was committed */
    uint64_t guard_end;   /* size while it is written, see guard.c; 0: not written yet */
    uint8_t trailer[HVOL_TRAILER]; /* of the last commit */
    bool empty;                    /* there was none: a file without tensors */
    hvol_holes holes;
    hvol_hole catalog, footer; /* of the last commit: free after the next one */
    hry_file *file;            /* what was loaded, or NULL for a new container; owned */
    bool signature;            /* write .hdf5/signature */
    bool in_order; /* tensors lie in the file as a sequential reader wants them */
    hvol_storage signature_storage;
    uint8_t *header; /* what a new file begins with; owned */
    size_t header_size;
    bool header_written;
    uint32_t flags;     /* of the file: HRY_FILE_... */
    uint32_t alignment; /* of data buffers, in BYTES */
};

/* A store for a new container over `io`, owned from then on, on failure too. */
hry_status hvol_store_new(hry_io io, bool signature, hvol_store **out, hry_error *err);

/* A store over an existing container; `io` is owned from then on, on failure too. */
hry_status hvol_store_open(hry_io io, bool writable, hvol_store **out, hry_error *err);

void hvol_store_free(hvol_store *store);

/* ---- a file that can be opened at every moment (guard.c) ---- */

/* Write the header of a new file, which is one without tensors from then on. Collective
 * where the file is. */
hry_status hvol_guard_begin(hvol_store *store, hry_error *err);
/* Before anything is written up to store->end: see that the copy is behind it. */
hry_status hvol_guard_keep(hvol_store *store, hry_error *err);
/* The write that makes a commit the current one, whose trailer is given. */
void hvol_guard_commit(hvol_store *store, const void *trailer, hvol_piece *piece);

/* Reserve `size` bytes aligned to `alignment`. HRY_ERR_RANGE when the file would pass 2^63.
 */
hry_status hvol_store_allocate(hvol_store *store, uint64_t size, uint64_t alignment,
                               uint64_t *offset, hry_error *err);

hry_status hvol_store_read(const hvol_store *store, uint64_t offset, void *dst, size_t size,
                           hry_error *err);
hry_status hvol_store_write(hvol_store *store, uint64_t offset, const void *src,
                            size_t size, hry_error *err);

/* Reserve an extent for `size` bytes of data with room for a descriptor before it. */
hry_status hvol_store_extent(hvol_store *store, uint32_t descriptor_length, uint64_t size,
                             hvol_storage *out, hry_error *err);

/* See hvol_group_ops.meet; returns `mine` when this process is alone. */
hry_status hvol_store_meet(hvol_store *store, hry_status mine, hry_error *err);

/* See hvol_group_ops.any; returns `mine` when this process is alone. */
bool hvol_store_any(const hvol_store *store, bool mine);

/* Publish a commit: see hvol_group_ops.publish. */
hry_status hvol_store_publish(hvol_store *store, const hvol_piece *pieces, size_t count,
                              uint64_t size, hry_error *err);

/* Nothing needs this space from the next commit on. */
void hvol_store_release(hvol_store *store, uint64_t offset, uint64_t size);

/* Cut the file behind its last commit. Collective where the file is. */
hry_status hvol_store_end(hvol_store *store, hry_error *err);

#endif
