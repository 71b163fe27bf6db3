/* SPDX-License-Identifier: Apache-2.0 */
/* file_header.c - the first 64 bytes of a file (format section 6). */
#include "container/container.h"

#include "checked.h"
#include "hry/writer.h"

static const uint8_t magic[8] = {'H', 'R', 'R', 'Y', 'F', 'I', 'L', 'E'};

enum {
    ALL_FLAGS = HRY_FILE_HAS_KV | HRY_FILE_SORTED_INDEX | HRY_FILE_HAS_INDEX_CRC,
    ALIGNMENT_MIN = 4096,
    ALIGNMENT_MAX = 2097152,
    RESERVED = 28,
    AT_VERSION_MAJOR = 8,
    AT_ALIGNMENT = 16,
    AT_FIRST = 20
};

hry_status hry_check_reserved(const uint8_t *bytes, size_t size, uint64_t at,
                              const char *where, hry_error *err)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + i,
                               "%s: reserved byte is 0x%02X, must be 0", where, bytes[i]);
    return HRY_OK;
}

hry_status hry_header_check(const hry_file_info *info, hry_status bad, hry_error *err)
{
    if ((info->flags & ~(uint32_t)ALL_FLAGS) != 0)
        return HRY_FAIL_AT(err, bad, HRY_AT_FILE_FLAGS,
                           "file_flags: 0x%08X has bits other than 0x%X",
                           (unsigned)info->flags, (unsigned)ALL_FLAGS);
    if (!is_power_of_two(info->alignment) || info->alignment < ALIGNMENT_MIN ||
        info->alignment > ALIGNMENT_MAX)
        return HRY_FAIL_AT(err, bad, AT_ALIGNMENT,
                           "data_buffer_alignment: %lu is no power of two in %d..%d",
                           (unsigned long)info->alignment, ALIGNMENT_MIN, ALIGNMENT_MAX);
    if (info->first_descriptor_offset < HRY_FILE_HEADER_SIZE ||
        info->first_descriptor_offset % 8 != 0)
        return HRY_FAIL_AT(err, bad, AT_FIRST,
                           "first_descriptor_offset: %llu is no multiple of 8 from %d on",
                           (unsigned long long)info->first_descriptor_offset,
                           HRY_FILE_HEADER_SIZE);
    return HRY_OK;
}

static hry_status check_magic(const uint8_t *found, hry_error *err)
{
    for (size_t i = 0; i < sizeof magic; i++)
        if (found[i] != magic[i])
            return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, i,
                               "magic: byte %zu is 0x%02X, HRRYFILE has 0x%02X", i,
                               found[i], magic[i]);
    return HRY_OK;
}

static hry_status check_version(uint8_t major, hry_error *err)
{
    if (major == 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, AT_VERSION_MAJOR,
                           "container_version_major: 0, must be 1");
    if (major > 1)
        return HRY_FAIL_AT(err, HRY_ERR_UNSUPPORTED, AT_VERSION_MAJOR,
                           "container_version_major: %d, this library reads 1", major);
    return HRY_OK;
}

hry_status hry_header_decode(const uint8_t bytes[HRY_FILE_HEADER_SIZE], hry_file_info *out,
                             hry_error *err)
{
    hry_cursor c = cur_over(bytes, HRY_FILE_HEADER_SIZE);
    HRY_TRY(check_magic(cur_take(&c, sizeof magic), err));
    out->version_major = cur_u8(&c);
    out->version_minor = cur_u8(&c);
    HRY_TRY(check_version(out->version_major, err));
    const uint8_t *reserved = cur_take(&c, 2);
    HRY_TRY(hry_check_reserved(reserved, 2, c.pos - 2, "header", err));
    out->flags = cur_u32(&c);
    out->alignment = cur_u32(&c);
    out->first_descriptor_offset = cur_u64(&c);
    out->tensor_count_hint = cur_u64(&c);
    HRY_TRY(hry_header_check(out, HRY_ERR_CORRUPT, err));
    reserved = cur_take(&c, RESERVED);
    return hry_check_reserved(reserved, RESERVED, c.pos - RESERVED, "header", err);
}

hry_status hry_file_header_encode(uint32_t flags, uint32_t alignment, uint64_t first,
                                  uint64_t hint, uint8_t out[HRY_FILE_HEADER_SIZE],
                                  hry_error *err)
{
    if (out == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "out must not be NULL");
    const hry_file_info info = {
        .flags = flags, .alignment = alignment, .first_descriptor_offset = first};
    HRY_TRY(hry_header_check(&info, HRY_ERR_ARG, err));

    hry_builder b = {.data = out, .capacity = HRY_FILE_HEADER_SIZE};
    bld_bytes(&b, magic, sizeof magic);
    bld_u8(&b, 1);
    bld_u8(&b, 0);
    bld_zeros(&b, 2);
    bld_u32(&b, flags);
    bld_u32(&b, alignment);
    bld_u64(&b, first);
    bld_u64(&b, hint);
    bld_zeros(&b, RESERVED);
    return HRY_OK;
}
