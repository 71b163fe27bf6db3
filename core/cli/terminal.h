/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.h - whether to colour, and how. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* Colours are for a terminal that can, unless NO_COLOR is set and not empty. */
bool terminal_has_colour(FILE *out);

/* Lines of trees are drawn on a terminal whose locale is UTF-8. */
bool terminal_has_lines(FILE *out);

/* What turns bold type on and off; empty strings when `bold` is false. */
const char *terminal_on(bool bold);
const char *terminal_off(bool bold);

#endif
