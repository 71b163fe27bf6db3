/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/pack.h - elements narrower than a byte (format section 2): between packed storage
 * and one byte for each element, which holds the element's code in its low bits.
 */
#ifndef HRY_PACK_H
#define HRY_PACK_H

#include "hry/error.h"

#include <stddef.h>

HRY_BEGIN

/*
 * codes[i] = element first + i of the packed elements that start at `packed`, i < count.
 *
 * bits   1, 2, 4 or 6
 * first  in ELEMENTS; need not start a byte
 *
 * HRY_ERR_ARG  any other width
 */
HRY_API hry_status hry_unpack(uint32_t bits, const void *packed, uint64_t first,
                              uint8_t *codes, size_t count, hry_error *err);

/*
 * The reverse. Only the low bits of each code are used. Bits of `packed` that belong to
 * other elements, or to none, stay as they are: zero fresh memory first.
 */
HRY_API hry_status hry_pack(uint32_t bits, const uint8_t *codes, size_t count, void *packed,
                            uint64_t first, hry_error *err);

HRY_END

#endif
