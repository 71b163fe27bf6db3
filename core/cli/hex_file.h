/* SPDX-License-Identifier: Apache-2.0 */
/* hex_file.h - the parts of a file that are no tensors, field by field with their bytes. */
#ifndef HEX_FILE_H
#define HEX_FILE_H

#include "command.h"
#include "input.h"

/* All give false when memory was refused. */
bool hex_file_header(const struct invocation *in, const struct input *input);
bool hex_file_kv(const struct invocation *in, const struct input *input);
bool hex_file_index(const struct invocation *in, const struct input *input);
bool hex_file_trailer(const struct invocation *in, const struct input *input);

#endif
