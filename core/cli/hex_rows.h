/* SPDX-License-Identifier: Apache-2.0 */
/* hex_rows.h - fields with the bytes they are made of, as a hex viewer shows them. */
#ifndef HEX_ROWS_H
#define HEX_ROWS_H

#include "command.h"
#include "input.h"
#include "table.h"

/*
 * Print what descriptor_row() and the like have put into `t` (columns descriptor_columns):
 * of each row the bytes up to the next one's first, the last one's up to `end`. Many bytes
 * are cut short. `title` stands above; what precedes the first row from `begin` on is the
 * magic number. False when there was no memory for all rows. The rows are freed.
 */
bool hex_rows(const struct invocation *in, const struct input *input, const char *title,
              uint64_t begin, struct table *t, uint64_t end);

#endif
