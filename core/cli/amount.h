/* SPDX-License-Identifier: Apache-2.0 */
/* amount.h - numbers that options have. */
#ifndef AMOUNT_H
#define AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The number that option `name` of a command was given, at most `most`; `text` NULL: *out
 * is left alone. What is no number is reported; then false.
 */
bool amount_read(const char *command, const char *name, const char *text, uint32_t most,
                 uint32_t *out);

#endif
