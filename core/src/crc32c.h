/* SPDX-License-Identifier: Apache-2.0 */
/* crc32c.h - the way without special instructions, for tests. Private to core/src. */
#ifndef HRY_CRC32C_PRIVATE_H
#define HRY_CRC32C_PRIVATE_H

#include "hry/crc32c.h"

uint32_t hry_crc32c_portable(uint32_t previous, const void *bytes, size_t size);

#endif
