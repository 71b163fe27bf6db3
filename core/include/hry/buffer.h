/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/buffer.h - memory that several owners share: allocated here, or foreign memory
 * that is given back through a callback. What a buffer table's handle promises about
 * size and alignment (format section 1) is what a buffer keeps.
 */
#ifndef HRY_BUFFER_H
#define HRY_BUFFER_H

#include "hry/tensor.h"

HRY_BEGIN

#define HRY_BUFFER_ALIGNMENT 64 /* the least the format allows, in BYTES */

/*
 * A run of CPU bytes and a count of its owners. Size, address and alignment never change.
 * Sharing and freeing are safe from any thread; access to the bytes is the owners' matter.
 */
typedef struct hry_shared_buffer hry_shared_buffer;

/* Gives wrapped memory back. Called exactly once, by the last hry_buffer_free(), from
 * whatever thread that is. */
typedef void (*hry_release)(void *ctx, void *data);

/*
 * Allocate `size` bytes, not initialised; size 0 is a buffer without bytes.
 *
 * alignment  in BYTES, a power of two >= 64; 0 means 64
 *
 * HRY_ERR_ARG    the alignment is none
 * HRY_ERR_NOMEM  the allocation was refused
 */
HRY_API hry_status hry_buffer_new(uint64_t size, uint32_t alignment,
                                  hry_shared_buffer **out, hry_error *err);

/* How foreign memory is wrapped. */
typedef struct hry_wrap {
    uint32_t alignment;  /* what the address is proven to have, in BYTES; 0 means 64   */
    bool read_only;      /* hry_buffer_edit() will give NULL                           */
    hry_release release; /* may be NULL: the memory outlives the buffer                */
    void *ctx;           /* passed to release                                          */
} hry_wrap;

/*
 * Wrap `size` bytes at `data` without copying. On failure nothing is released: the memory
 * stays the caller's.
 *
 * HRY_ERR_ARG    the alignment is no power of two >= 64, or data is NULL with bytes in it
 * HRY_ERR_RANGE  the address does not have that alignment
 */
HRY_API hry_status hry_buffer_wrap(void *data, uint64_t size, const hry_wrap *how,
                                   hry_shared_buffer **out, hry_error *err);

/* One more owner; gives `buffer` back. Each share needs a hry_buffer_free(). */
HRY_API hry_shared_buffer *hry_buffer_share(hry_shared_buffer *buffer);

/* One owner less; the last one frees or releases the memory. NULL is allowed. */
HRY_API void hry_buffer_free(hry_shared_buffer *buffer);

/* Borrowed until the caller's own reference is freed. NULL when there are no bytes. */
HRY_API const void *hry_buffer_data(const hry_shared_buffer *buffer);
/* The same for writing; NULL when the buffer is read-only. */
HRY_API void *hry_buffer_edit(hry_shared_buffer *buffer);
HRY_API uint64_t hry_buffer_size(const hry_shared_buffer *buffer);      /* in BYTES */
HRY_API uint32_t hry_buffer_alignment(const hry_shared_buffer *buffer); /* in BYTES */

/* The same memory as a tensor sees it; borrowed as hry_buffer_data() is. */
HRY_API hry_buffer hry_buffer_view(const hry_shared_buffer *buffer);

/* The handle of this buffer for a descriptor's buffer table. */
HRY_API hry_buffer_info hry_buffer_describe(const hry_shared_buffer *buffer);

HRY_END

#endif
