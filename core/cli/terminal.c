/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.c - see terminal.h. */
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool terminal_has_colour(FILE *out)
{
    const char *refused = getenv("NO_COLOR"), *kind = getenv("TERM");
    return (refused == NULL || *refused == '\0') && isatty(fileno(out)) != 0 &&
           kind != NULL && *kind != '\0' && strcmp(kind, "dumb") != 0;
}

bool terminal_has_lines(FILE *out)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL;
    for (size_t i = 0; i < 3 && (locale == NULL || *locale == '\0'); i++)
        locale = getenv(names[i]);
    return isatty(fileno(out)) != 0 && locale != NULL &&
           (strstr(locale, "UTF-8") != NULL || strstr(locale, "utf8") != NULL);
}

const char *terminal_on(bool bold)
{
    return bold ? "\033[1m" : "";
}

const char *terminal_off(bool bold)
{
    return bold ? "\033[0m" : "";
}
