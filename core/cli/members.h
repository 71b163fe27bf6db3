/* SPDX-License-Identifier: Apache-2.0 */
/* members.h - the data under a composite head. */
#ifndef MEMBERS_H
#define MEMBERS_H

#include "input.h"

#include "hry/composite.h"

/* Check the data of all members, through the heads inside; see data_check(). Errors are
 * reported; returns an exit code. */
int members_check(const struct input *input, const hry_head *head);

#endif
