/* SPDX-License-Identifier: Apache-2.0 */
/* message_tensor.c - messages that ask for tensors and carry them (format section 7). */
#include "checked.h"
#include "descriptor/places.h"
#include "stream/message_parts.h"

enum { REQUEST_FLAGS = HRY_ALLOW_TRANSCODE | HRY_PARALLEL_OK, TRAILER = 16 };

hry_status hry_msg_carried_check(const uint8_t *bytes, uint32_t length, hry_error *err)
{
    hry_cursor c = cur_over(bytes, length);
    cur_take(&c, HRY_AT_LENGTH);
    const uint32_t own = cur_u32(&c);
    if (c.short_by == 0 && own == length && length >= HRY_AT_SHAPE)
        return HRY_OK;
    return HRY_FAIL(err, HRY_ERR_CORRUPT,
                    "descriptor: its own length is %u, the message has %u bytes",
                    (unsigned)own, (unsigned)length);
}

/* ---- TENSOR_REQUEST ---- */

hry_status hry_msg_request_decode(hry_cursor *c, hry_message *m, hry_error *err)
{
    hry_request *request = &m->request;
    (void)err;
    request->key.bytes = (const char *)hry_msg_bytes_decode(c, &request->key.length);
    hry_msg_layout_list_decode(c, &request->layouts);
    request->device = cur_u8(c);
    request->min_alignment = cur_u32(c);
    request->flags = cur_u32(c);
    return HRY_OK;
}

hry_status hry_msg_request_check(const hry_message *m, hry_error *err)
{
    const hry_request *request = &m->request;
    HRY_TRY(hry_msg_text_check(&request->key, "tensor_key", err));
    HRY_TRY(hry_msg_layout_list_check(&request->layouts, err));
    if (!is_power_of_two(request->min_alignment))
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "min_alignment is %u, must be a power of two",
                        (unsigned)request->min_alignment);
    if ((request->flags & ~(uint32_t)REQUEST_FLAGS) != 0)
        return HRY_FAIL(err, HRY_ERR_CORRUPT,
                        "request_flags are 0x%x, reserved bits must be 0",
                        (unsigned)request->flags);
    return HRY_OK;
}

void hry_msg_request_encode(const hry_message *m, hry_builder *b)
{
    const hry_request *request = &m->request;
    hry_msg_bytes_encode(request->key.bytes, request->key.length, b);
    hry_msg_layout_list_encode(&request->layouts, b);
    bld_u8(b, request->device);
    bld_u32(b, request->min_alignment);
    bld_u32(b, request->flags);
}

uint64_t hry_msg_request_size(const hry_message *m)
{
    return 4 + (uint64_t)m->request.key.length + 2 + m->request.layouts.size + 9;
}

/* ---- TENSOR_DESCRIPTOR ---- */

hry_status hry_msg_announcement_decode(hry_cursor *c, hry_message *m, hry_error *err)
{
    hry_announcement *tensor = &m->tensor;
    (void)err;
    const size_t left = cur_left(c);
    tensor->descriptor_length = (uint32_t)(left > TRAILER ? left - TRAILER : 0);
    tensor->descriptor = cur_take(c, tensor->descriptor_length);
    tensor->total = cur_u64(c);
    tensor->shard = cur_u32(c);
    tensor->shards = cur_u32(c);
    return HRY_OK;
}

hry_status hry_msg_announcement_check(const hry_message *m, hry_error *err)
{
    const hry_announcement *tensor = &m->tensor;
    HRY_TRY(hry_msg_carried_check(tensor->descriptor, tensor->descriptor_length, err));
    if (tensor->shard >= tensor->shards)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "shard_index is %u of %u shards",
                        (unsigned)tensor->shard, (unsigned)tensor->shards);
    return HRY_OK;
}

void hry_msg_announcement_encode(const hry_message *m, hry_builder *b)
{
    const hry_announcement *tensor = &m->tensor;
    bld_bytes(b, tensor->descriptor, tensor->descriptor_length);
    bld_u64(b, tensor->total);
    bld_u32(b, tensor->shard);
    bld_u32(b, tensor->shards);
}

uint64_t hry_msg_announcement_size(const hry_message *m)
{
    return (uint64_t)m->tensor.descriptor_length + TRAILER;
}

/* ---- TENSOR_DATA ---- */

hry_status hry_msg_part_decode(hry_cursor *c, hry_message *m, hry_error *err)
{
    (void)err;
    m->part.offset = cur_u64(c);
    m->part.size = (uint32_t)cur_left(c);
    m->part.bytes = cur_take(c, cur_left(c));
    return HRY_OK;
}

hry_status hry_msg_part_check(const hry_message *m, hry_error *err)
{
    if (!range_inside(m->part.offset, m->part.size, UINT64_MAX))
        return HRY_FAIL(err, HRY_ERR_CORRUPT,
                        "byte_offset is %llu: %u bytes end beyond 2^64",
                        (unsigned long long)m->part.offset, (unsigned)m->part.size);
    return HRY_OK;
}

void hry_msg_part_encode(const hry_message *m, hry_builder *b)
{
    bld_u64(b, m->part.offset);
    bld_bytes(b, m->part.bytes, m->part.size);
}

uint64_t hry_msg_part_size(const hry_message *m)
{
    return 8 + (uint64_t)m->part.size;
}

/* ---- TENSOR_PUT ---- */

hry_status hry_msg_put_decode(hry_cursor *c, hry_message *m, hry_error *err)
{
    hry_put_request *put = &m->put;
    (void)err;
    put->key.bytes = (const char *)hry_msg_bytes_decode(c, &put->key.length);
    put->descriptor = hry_msg_bytes_decode(c, &put->descriptor_length);
    put->total = cur_u64(c);
    return HRY_OK;
}

hry_status hry_msg_put_check(const hry_message *m, hry_error *err)
{
    HRY_TRY(hry_msg_text_check(&m->put.key, "tensor_key", err));
    return hry_msg_carried_check(m->put.descriptor, m->put.descriptor_length, err);
}

void hry_msg_put_encode(const hry_message *m, hry_builder *b)
{
    hry_msg_bytes_encode(m->put.key.bytes, m->put.key.length, b);
    hry_msg_bytes_encode(m->put.descriptor, m->put.descriptor_length, b);
    bld_u64(b, m->put.total);
}

uint64_t hry_msg_put_size(const hry_message *m)
{
    return 4 + (uint64_t)m->put.key.length + 4 + m->put.descriptor_length + 8;
}
