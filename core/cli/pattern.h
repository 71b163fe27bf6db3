/* SPDX-License-Identifier: Apache-2.0 */
/* pattern.h - names with * ? and [...] in them, as a shell's, where * matches slashes too.
 */
#ifndef PATTERN_H
#define PATTERN_H

#include "input.h"

/* Has it any of these characters? */
bool pattern_has_wildcards(const char *pattern);

/* Does the tensor's name, as `hurray ls` shows it, match? */
bool pattern_matches(const char *pattern, const struct described *what);

#endif
