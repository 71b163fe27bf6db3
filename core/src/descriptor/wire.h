/* SPDX-License-Identifier: Apache-2.0 */
/* wire.h - two kinds of field that carry a rule of their own. Private to core/src. */
#ifndef HRY_WIRE_H
#define HRY_WIRE_H

#include "cursor.h"
#include "hry/descriptor.h"

/* `size` reserved bytes, which must be 0. */
static inline hry_status wire_zeros(hry_cursor *c, size_t size, const char *what,
                                    hry_error *err)
{
    const size_t at = c->pos;
    const uint8_t *bytes = cur_take(c, size);
    if (bytes == NULL)
        return cur_ok(c, what, err);
    uint8_t any = 0;
    for (size_t i = 0; i < size; i++)
        any |= bytes[i];
    if (any != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at, "%s: reserved bytes must be 0", what);
    return HRY_OK;
}

/* One byte, 0 or 1; permissive readers take any other value as 1. */
static inline hry_status wire_bool(hry_cursor *c, hry_mode mode, const char *what,
                                   bool *out, hry_error *err)
{
    const size_t at = c->pos;
    const uint8_t byte = cur_u8(c);
    if (byte > 1 && mode == HRY_STRICT)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at, "%s is %u, must be 0 or 1", what,
                           byte);
    *out = byte != 0;
    return cur_ok(c, what, err);
}

#endif
