/* SPDX-License-Identifier: Apache-2.0 */
/* hry/crc32c.h - the checksum of the format: CRC-32C (Castagnoli). */
#ifndef HRY_CRC32C_H
#define HRY_CRC32C_H

#include "hry/api.h"

#include <stddef.h>
#include <stdint.h>

HRY_BEGIN

/*
 * CRC-32C of `size` bytes that continue those whose checksum is `previous`; 0 at the
 * start. "123456789" gives 0xE3069283. Reentrant.
 */
HRY_API uint32_t hry_crc32c(uint32_t previous, const void *bytes, size_t size);

HRY_END

#endif
