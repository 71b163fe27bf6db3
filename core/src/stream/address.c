/* SPDX-License-Identifier: Apache-2.0 */
/* address.c - addresses of servers as text. */
#include "stream/address.h"

#include "fail.h"

#include <stdio.h>
#include <string.h>

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static hry_status parse_unix(const char *path, hry_address *out, hry_error *err)
{
    const size_t length = strlen(path);
    if (length == 0 || length >= sizeof out->path)
        return HRY_FAIL(err, HRY_ERR_ARG,
                        "address: a path of %zu bytes, 1 to %zu are "
                        "possible",
                        length, sizeof out->path - 1);
    out->is_unix = true;
    memcpy(out->path, path, length + 1);
    return HRY_OK;
}

static bool is_port(const char *text)
{
    unsigned value = 0;
    size_t digits = 0;
    for (; text[digits] >= '0' && text[digits] <= '9' && digits < 6; digits++)
        value = value * 10 + (unsigned)(text[digits] - '0');
    return digits > 0 && text[digits] == '\0' && value <= 65535;
}

/* The host, if any, is what stands before the last colon. */
static hry_status parse_tcp(const char *text, hry_address *out, hry_error *err)
{
    const char *colon = strrchr(text, ':');
    const char *port = colon != NULL ? colon + 1 : text;
    const char *host = text;
    size_t length = colon != NULL ? (size_t)(colon - text) : 0;
    if (length >= 2 && host[0] == '[' && host[length - 1] == ']') {
        host++;
        length -= 2;
    }
    if (!is_port(port) || length >= sizeof out->host)
        return HRY_FAIL(err, HRY_ERR_ARG,
                        "address: \"%.100s\" is neither unix:PATH nor HOST:PORT", text);
    if (length == 0)
        snprintf(out->host, sizeof out->host, "127.0.0.1");
    else
        snprintf(out->host, sizeof out->host, "%.*s", (int)length, host);
    snprintf(out->port, sizeof out->port, "%s", port);
    return HRY_OK;
}

hry_status hry_address_parse(const char *text, hry_address *out, hry_error *err)
{
    if (text == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "address must not be NULL");
    memset(out, 0, sizeof *out);
    if (starts_with(text, "unix:"))
        return parse_unix(text + 5, out, err);
    if (starts_with(text, "tcp:"))
        return parse_tcp(text + 4, out, err);
    return strchr(text, '/') != NULL ? parse_unix(text, out, err)
                                     : parse_tcp(text, out, err);
}
