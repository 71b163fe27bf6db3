/* SPDX-License-Identifier: Apache-2.0 */
/* array_text.h - an array for people, as NumPy prints it: aligned, in brackets, and of
 * large ones only the corners. */
#ifndef ARRAY_TEXT_H
#define ARRAY_TEXT_H

#include "values.h"

#include <stdio.h>

/*
 * Print the title and the array, and nothing on an error. Only what is shown is read.
 * Errors as values_read(), and HRY_ERR_NOMEM.
 */
hry_status array_text(struct values *v, const char *title, FILE *out, hry_error *err);

#endif
