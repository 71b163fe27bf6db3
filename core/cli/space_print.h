/* SPDX-License-Identifier: Apache-2.0 */
/* space_print.h - the space a file takes, in all and by tensor. */
#ifndef SPACE_PRINT_H
#define SPACE_PRINT_H

#include "command.h"
#include "input.h"

/* Errors are reported; both return an exit code. */
int space_text(const struct invocation *in, const struct input *input);
int space_json(const struct invocation *in, const struct input *input);

#endif
