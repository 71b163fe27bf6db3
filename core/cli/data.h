/* SPDX-License-Identifier: Apache-2.0 */
/* data.h - the data of a tensor in a file, as the library wants it; nothing is copied. */
#ifndef DATA_H
#define DATA_H

#include "input.h"

#include "hry/tensor.h"

/* Borrows from the input and the descriptor; a plain value that is not to be copied. */
struct data {
    hry_tensor tensor;
    hry_buffer buffers[HRY_MAX_BUFFERS];
    uint64_t offsets[HRY_MAX_BUFFERS]; /* of the buffers in the file, in BYTES */
};

/* The tensor must not be opaque. */
hry_status data_load(const struct input *input, const struct described *what,
                     struct data *out, hry_error *err);

/* Whether loaded data keep the rules of the format that only they can show: index buffers,
 * quantization parameters, unused bits. err->offset is a byte of the file. */
hry_status data_check(const struct data *data, hry_mode mode, hry_error *err);

#endif
