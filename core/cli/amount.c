/* SPDX-License-Identifier: Apache-2.0 */
/* amount.c - see amount.h. */
#include "amount.h"

#include "report.h"

#include <errno.h>
#include <stdlib.h>

bool amount_read(const char *command, const char *name, const char *text, uint32_t most,
                 uint32_t *out)
{
    char *end;
    if (text == NULL)
        return true;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || value > most)
        return report_usage(command, "--%s: '%s' is no number from 0 to %lu", name, text,
                            (unsigned long)most);
    *out = (uint32_t)value;
    return true;
}
