/* SPDX-License-Identifier: Apache-2.0 */
/* file_trailer.c - the last 40 bytes of a file (format section 6). */
#include "container/container.h"

#include "checked.h"

static const uint8_t magic[4] = {'H', 'R', 'R', 'Y'};

enum { RESERVED = 4 };

/* A section: a multiple of 8, between header and trailer. */
static hry_status check_section(const char *name, uint64_t offset, uint64_t length,
                                uint64_t at_offset, uint64_t at_length, uint64_t limit,
                                hry_error *err)
{
    if (offset < HRY_FILE_HEADER_SIZE || offset > limit || offset % 8 != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at_offset,
                           "%s_offset: %llu is no multiple of 8 in %d..%llu", name,
                           (unsigned long long)offset, HRY_FILE_HEADER_SIZE,
                           (unsigned long long)limit);
    if (length > limit - offset)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at_length,
                           "%s_length: %llu, only %llu bytes up to the trailer", name,
                           (unsigned long long)length,
                           (unsigned long long)(limit - offset));
    return HRY_OK;
}

static hry_status check_index(const hry_file_info *info, uint64_t at, hry_error *err)
{
    HRY_TRY(check_section("index", info->index_offset, info->index_length,
                          at + HRY_AT_INDEX_OFFSET, at + HRY_AT_INDEX_LENGTH, at, err));
    if (info->index_length < HRY_INDEX_MIN)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + HRY_AT_INDEX_LENGTH,
                           "index_length: %llu, an index has %d bytes or more",
                           (unsigned long long)info->index_length, HRY_INDEX_MIN);
    if ((info->flags & HRY_FILE_HAS_INDEX_CRC) == 0 && info->index_crc != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + HRY_AT_INDEX_CRC,
                           "index_crc32c: %08x, must be 0 without HAS_INDEX_CRC32C",
                           (unsigned)info->index_crc);
    return HRY_OK;
}

/* Present when offset and length are; the header's flag is only a hint, which strict
 * readers hold to what it promises. */
static hry_status check_kv(hry_mode mode, uint64_t at, hry_file_info *info, hry_error *err)
{
    if (info->kv_offset == 0 && info->kv_length != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, at + HRY_AT_KV_OFFSET,
                           "kv_offset: 0 with a kv_length of %lu",
                           (unsigned long)info->kv_length);
    if (info->kv_length == 0)
        info->kv_offset = 0;
    if (info->kv_offset != 0)
        return check_section("kv", info->kv_offset, info->kv_length, at + HRY_AT_KV_OFFSET,
                             at + HRY_AT_KV_LENGTH, at, err);
    if (mode == HRY_STRICT && (info->flags & HRY_FILE_HAS_KV) != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, HRY_AT_FILE_FLAGS,
                           "file_flags: HAS_KV_METADATA, the trailer tells of none");
    return HRY_OK;
}

hry_status hry_trailer_decode(const uint8_t bytes[HRY_FILE_TRAILER_SIZE], hry_mode mode,
                              hry_file_info *info, hry_error *err)
{
    const uint64_t at = hry_trailer_at(info);
    hry_cursor c = cur_over(bytes, HRY_FILE_TRAILER_SIZE);
    info->index_offset = cur_u64(&c);
    info->index_length = cur_u64(&c);
    info->kv_offset = cur_u64(&c);
    info->kv_length = cur_u32(&c);
    info->index_crc = cur_u32(&c);
    const uint8_t *reserved = cur_take(&c, RESERVED);
    if (memcmp(cur_take(&c, sizeof magic), magic, sizeof magic) != 0)
        return HRY_FAIL_AT(err, HRY_ERR_TRUNCATED, info->size,
                           "trailer: no HRRY in the last 4 bytes, the file is cut off");
    HRY_TRY(
        hry_check_reserved(reserved, RESERVED, at + HRY_AT_INDEX_CRC + 4, "trailer", err));
    HRY_TRY(check_index(info, at, err));
    return check_kv(mode, at, info, err);
}

void hry_trailer_encode(hry_builder *out, const hry_file_info *info)
{
    bld_u64(out, info->index_offset);
    bld_u64(out, info->index_length);
    bld_u64(out, info->kv_offset);
    bld_u32(out, info->kv_length);
    bld_u32(out, info->index_crc);
    bld_zeros(out, RESERVED);
    bld_bytes(out, magic, sizeof magic);
}
