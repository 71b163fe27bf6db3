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

const char *terminal_on(bool bold)
{
    return bold ? "\033[1m" : "";
}

const char *terminal_off(bool bold)
{
    return bold ? "\033[0m" : "";
}
