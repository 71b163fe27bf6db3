/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stored.h - a plain tensor of a file, and boxes of its elements. Private to
 * core/src/composite.
 *
 * Where the file is mapped, buffers are views of the map. Else dense tensors of whole bytes
 * stay in the file and are read run by run, ahead where they follow each other; of others,
 * whole buffers are read when the tensor is opened.
 */
#ifndef HRY_STORED_H
#define HRY_STORED_H

#include "ahead.h"

#include "hry/convert.h"
#include "hry/file.h"
#include "hry/region.h"

typedef struct hry_stored {
    hry_file *file; /* borrowed */
    bool by_runs;   /* buffer 0 is in the file only */
    bool owned;     /* buffers are memory of their own */
    uint64_t data;  /* where buffer 0 is in the file */
    hry_ahead ahead;
    hry_tensor t; /* of the two below */
    hry_descriptor d;
    hry_buffer buffers[HRY_MAX_BUFFERS];
} hry_stored;

/*
 * *s is to be closed, also after an error. writable: what is not written run by run is
 * memory of its own also where the file is mapped.
 * HRY_ERR_UNSUPPORTED: of a type, layout or scheme that is not known.
 */
hry_status hry_stored_open(hry_file *file, uint64_t tensor, bool writable, hry_stored *s,
                           hry_error *err);
void hry_stored_close(hry_stored *s);

/* Can hry_stored_read_into() read it? Dense layouts, not quantized. */
bool hry_stored_is_direct(const hry_stored *s);

/* The box into a larger row-major array, whose elements are step[k] apart on axis k; `dst`
 * is where its first element goes. */
hry_status hry_stored_read_into(hry_stored *s, const uint64_t *start, const uint64_t *count,
                                void *dst, const int64_t *step, hry_error *err);

/*
 * The box as elements of type `as`, row-major: the tensor's own type, or for a quantized
 * tensor any that float32 converts to.
 */
hry_status hry_stored_read(hry_stored *s, const uint64_t *start, const uint64_t *count,
                           hry_type as, void *dst, hry_error *err);

/* What of both goes run by run; step may be NULL. */
hry_status hry_stored_read_runs(hry_stored *s, const uint64_t *start, const uint64_t *count,
                                void *dst, const int64_t *step, hry_error *err);

/* Write the box from an array of the tensor's own type. It is writable and not quantized.
 */
hry_status hry_stored_write(hry_stored *s, const uint64_t *start, const uint64_t *count,
                            const void *src, hry_error *err);

#endif
