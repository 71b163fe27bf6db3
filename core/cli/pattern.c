/* SPDX-License-Identifier: Apache-2.0 */
/* pattern.c - see pattern.h. */
#include "pattern.h"

#include <fnmatch.h>
#include <string.h>

bool pattern_has_wildcards(const char *pattern)
{
    return strpbrk(pattern, "*?[") != NULL;
}

bool pattern_matches(const char *pattern, const struct described *what)
{
    struct text name = {0};
    text_add_foreign(&name, what->entry.name, what->entry.name_length);
    const bool yes = strcmp(pattern, text_string(&name)) == 0 ||
                     fnmatch(pattern, text_string(&name), FNM_NOESCAPE) == 0;
    text_free(&name);
    return yes;
}
