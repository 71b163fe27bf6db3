/* SPDX-License-Identifier: Apache-2.0 */
/* space.h - what the bytes of a file are used for. */
#ifndef SPACE_H
#define SPACE_H

#include "input.h"

enum space_use {
    SPACE_FRAME, /* header and trailer */
    SPACE_DESCRIPTORS,
    SPACE_DATA,
    SPACE_KV,
    SPACE_INDEX,
    SPACE_PADDING, /* zeros before an aligned place */
    SPACE_DEAD,    /* named by nothing */
    SPACE_USES
};

/* BYTES of each; their sum is the size of the file. Bytes that two tensors share count
 * once. */
struct space {
    uint64_t of[SPACE_USES];
};

/* Errors are reported; returns an exit code. */
int space_of(const struct input *input, struct space *out);

const char *space_word(enum space_use use);

#endif
