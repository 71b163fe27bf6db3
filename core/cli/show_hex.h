/* SPDX-License-Identifier: Apache-2.0 */
/* show_hex.h - hurray show --hex: every field of a file, a descriptor or a bare stream,
 * with its bytes. */
#ifndef SHOW_HEX_H
#define SHOW_HEX_H

#include "command.h"
#include "input.h"

/* All of the input. Errors are reported; returns an exit code. */
int show_hex(const struct invocation *in, const struct input *input);

/* One tensor of a file. */
int show_hex_tensor(const struct invocation *in, const struct input *input,
                    const struct described *what);

#endif
