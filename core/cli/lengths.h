/* SPDX-License-Identifier: Apache-2.0 */
/* lengths.h - the tokens of each sequence of a block-paged tensor, as --lengths says. */
#ifndef LENGTHS_H
#define LENGTHS_H

#include "report.h"

#include "hry/descriptor.h"

/* What `list` says, to be freed; NULL without a list. Errors are reported; returns an exit
 * code. */
int lengths_take(const char *list, const struct place *where, const hry_descriptor *d,
                 uint64_t **out);

#endif
