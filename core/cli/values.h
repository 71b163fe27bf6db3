/* SPDX-License-Identifier: Apache-2.0 */
/* values.h - the elements of a tensor as numbers, read box by box. */
#ifndef VALUES_H
#define VALUES_H

#include "boxes.h"
#include "decimal.h"
#include "slice.h"

#include "hry/composite.h"
#include "hry/tensor.h"

enum value_kind {
    VALUE_REAL,     /* exactly doubles                        */
    VALUE_COMPLEX,  /* pairs of doubles                       */
    VALUE_SIGNED,   /* 64-bit integers                        */
    VALUE_UNSIGNED, /* 64-bit integers without a sign         */
    VALUE_BOOL,     /* 0 or 1                                 */
    VALUE_WIDE      /* float128: more than a double can hold  */
};

enum { VALUES_PIECE = 1 << 14 }; /* elements in memory at once, at most */

/* Where numbers come from, and those read last. Ended by values_close(). */
struct values {
    enum value_kind kind;
    hry_type type; /* of the numbers: the tensor's, or float32 when dequantized */
    uint32_t rank; /* of the part that is read */
    const uint64_t *shape;
    const struct slice *slice; /* borrowed, and one of these */
    const hry_tensor *tensor;
    const hry_head *head;
    bool is_dequantized;
    size_t element; /* BYTES of one in `read` */
    void *read;     /* as the library gives them */
    void *numbers;  /* doubles or 64-bit integers */
    void *scratch;
};

/*
 * The part `slice` of a tensor, which must have been checked. Quantized ones are
 * dequantized, unless `raw`.
 *
 * HRY_ERR_UNSUPPORTED  private layout; a private type that has no numbers here
 * HRY_ERR_NOMEM
 */
hry_status values_open(const hry_tensor *tensor, bool raw, const struct slice *slice,
                       struct values *out, hry_error *err);

/* The same of a composite: HRY_ERR_UNSUPPORTED also for a group, which has no elements.
 * `d` is its descriptor. */
hry_status values_open_head(const hry_head *head, const hry_descriptor *d,
                            const struct slice *slice, struct values *out, hry_error *err);
void values_close(struct values *v);

/* Read a box of at most VALUES_PIECE elements of the part into v->read, as they are. */
hry_status values_fetch(struct values *v, const struct box *box, hry_error *err);

/* Make the first `count` of v->read numbers. */
hry_status values_numbers(struct values *v, size_t count, hry_error *err);

/* Both. */
hry_status values_read(struct values *v, const struct box *box, hry_error *err);

enum { VALUE_TEXT = 2 * DECIMAL_TEXT + 8 };

/* The i-th element of the box read last, as JSON: a number, a word in quotes for what is
 * not finite, [re, im] for complex ones. */
void value_json(const struct values *v, size_t i, char out[VALUE_TEXT]);

/* The i-th element's digits: for kinds real and wide; for complex ones of a part, 0 or 1.
 */
struct decimal value_decimal(const struct values *v, size_t i, int part);

/* Of integers and bool, as people read them. */
void value_integer(const struct values *v, size_t i, char out[VALUE_TEXT]);

#endif
