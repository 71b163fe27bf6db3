/* SPDX-License-Identifier: Apache-2.0 */
/* address.h - addresses of servers as text. Private to core/src/stream. */
#ifndef HRY_ADDRESS_H
#define HRY_ADDRESS_H

#include "hry/error.h"

#include <stdbool.h>

typedef struct hry_address {
    bool is_unix;
    char path[108]; /* as long as the system allows, NUL included */
    char host[256];
    char port[8];
} hry_address;

/* See hry/server.h. HRY_ERR_ARG */
hry_status hry_address_parse(const char *text, hry_address *out, hry_error *err);

#endif
