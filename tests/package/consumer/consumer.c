/* SPDX-License-Identifier: Apache-2.0 */
/* consumer.c - the smallest user of an installed libhry_core. */
#include <hry/hry.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "version") == 0)
        return puts(HRY_VERSION) < 0;
    return strcmp(hry_status_name(HRY_OK), "HRY_OK") != 0;
}
