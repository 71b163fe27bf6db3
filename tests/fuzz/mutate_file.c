/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mutate_file.c - how libFuzzer changes files: as it likes, and then the index's checksum
 * is made right again, so that what lies behind it is reached. Some stay wrong.
 */
#include "hry/crc32c.h"

#include <string.h>

enum { HEADER = 64, TRAILER = 40, AT_FLAGS = 12, HAS_CRC = 4, AT_LENGTH = 8, AT_CRC = 28 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static uint64_t load64(const uint8_t *at)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

static void repair(uint8_t *data, size_t size)
{
    if (size < HEADER + TRAILER)
        return;
    const size_t end = size - TRAILER;
    uint8_t *trailer = data + end;
    memcpy(data, "HRRYFILE", 8);
    memcpy(trailer + TRAILER - 4, "HRRY", 4);
    const uint64_t at = load64(trailer), length = load64(trailer + AT_LENGTH);
    if (at > end || length > end - at)
        return;
    const uint32_t crc =
        (data[AT_FLAGS] & HAS_CRC) == 0 ? 0 : hry_crc32c(0, data + at, (size_t)length);
    for (int i = 0; i < 4; i++)
        trailer[AT_CRC + i] = (uint8_t)(crc >> (8 * i));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    const size_t changed = LLVMFuzzerMutate(data, size, most);
    if (seed % 16 != 0)
        repair(data, changed);
    return changed;
}
