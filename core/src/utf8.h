/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.h - strict UTF-8 (RFC 3629). Private to core/src. */
#ifndef HRY_UTF8_H
#define HRY_UTF8_H

#include <stddef.h>

/*
 * Bytes from the start of `text` that are valid UTF-8: `size` when all of it is, else the
 * position of the first bad sequence. Overlong forms, surrogates and code points above
 * U+10FFFF are bad; NUL is a character like any other.
 */
size_t hry_utf8_valid_prefix(const void *text, size_t size);

#endif
