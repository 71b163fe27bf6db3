/* SPDX-License-Identifier: Apache-2.0 */
/* message.c - messages as bytes and as structures (format section 7). */
#include "hry/message.h"

#include "stream/message_parts.h"

enum { AT_TYPE = 0, AT_STREAM = 4, AT_LENGTH = 8 };

#define HRY_CODEC_ROW(name)                                                                \
    .decode = hry_msg_##name##_decode, .check = hry_msg_##name##_check,                    \
    .encode = hry_msg_##name##_encode, .size = hry_msg_##name##_size

static const hry_message_kind kinds[] = {
    [HRY_CLIENT_HELLO] = {"CLIENT_HELLO", HRY_CODEC_ROW(hello)},
    [HRY_SERVER_HELLO] = {"SERVER_HELLO", HRY_CODEC_ROW(hello)},
    [HRY_TENSOR_REQUEST] = {"TENSOR_REQUEST", HRY_CODEC_ROW(request)},
    [HRY_TENSOR_DESCRIPTOR] = {"TENSOR_DESCRIPTOR", HRY_CODEC_ROW(announcement)},
    [HRY_TENSOR_DATA] = {"TENSOR_DATA", HRY_CODEC_ROW(part)},
    [HRY_TENSOR_DATA_END] = {.name = "TENSOR_DATA_END"},
    [HRY_TENSOR_PUT] = {"TENSOR_PUT", HRY_CODEC_ROW(put)},
    [HRY_TENSOR_PUT_ACK] = {.name = "TENSOR_PUT_ACK"},
    [HRY_ERROR] = {"ERROR", HRY_CODEC_ROW(refusal)},
    [HRY_PING] = {"PING", HRY_CODEC_ROW(echo)},
    [HRY_PONG] = {"PONG", HRY_CODEC_ROW(echo)},
    [HRY_RDMA_REGISTER] = {"RDMA_REGISTER", HRY_CODEC_ROW(region)},
    [HRY_RDMA_READY] = {.name = "RDMA_READY"},
};

const hry_message_kind *hry_message_kind_of(uint32_t type)
{
    const bool is_known = type < sizeof kinds / sizeof *kinds && kinds[type].name != NULL;
    return is_known ? &kinds[type] : NULL;
}

const char *hry_message_name(uint32_t type)
{
    const hry_message_kind *kind = hry_message_kind_of(type);
    return kind != NULL ? kind->name : NULL;
}

const char *hry_refusal_word(uint32_t code)
{
    static const char *const words[] = {
        [HRY_REFUSED_VERSION] = "protocol version mismatch",
        [HRY_REFUSED_TENSOR] = "unknown tensor",
        [HRY_REFUSED_LAYOUT] = "layout unavailable",
        [HRY_REFUSED_TRANSCODE] = "transcode limit exceeded",
        [HRY_REFUSED_DEVICE] = "device unavailable",
        [HRY_REFUSED_MESSAGE] = "invalid message",
        [HRY_REFUSED_SIZE] = "message too large",
        [HRY_REFUSED_SHARDS] = "shard mismatch",
    };
    const bool has_word = code < sizeof words / sizeof *words && words[code] != NULL;
    return has_word ? words[code] : "error";
}

/* ---- reading ---- */

static hry_status take_header(hry_cursor *c, hry_message *m, uint32_t *length,
                              hry_error *err)
{
    m->type = cur_u32(c);
    m->stream = cur_u32(c);
    *length = cur_u32(c);
    HRY_TRY(cur_ok(c, "message header", err));
    if (hry_message_kind_of(m->type) == NULL)
        return HRY_FAIL_AT(err, HRY_ERR_UNSUPPORTED, AT_TYPE,
                           "message_type 0x%08x is unknown", (unsigned)m->type);
    if (m->stream == 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, AT_STREAM,
                           "stream_id of a %s is 0, which is reserved",
                           hry_message_name(m->type));
    return HRY_OK;
}

hry_status hry_message_measure(const void *bytes, size_t size, uint32_t limit, size_t *need,
                               hry_error *err)
{
    hry_cursor c = cur_over(bytes, size);
    hry_message m;
    uint32_t length;
    *need = HRY_MESSAGE_HEADER_SIZE;
    if (size < HRY_MESSAGE_HEADER_SIZE)
        return HRY_OK;
    HRY_TRY(take_header(&c, &m, &length, err));
    if (length > limit)
        return HRY_FAIL_AT(err, HRY_ERR_RANGE, AT_LENGTH,
                           "payload_length of a %s is %u, at most %u are taken",
                           hry_message_name(m.type), (unsigned)length, (unsigned)limit);
    *need += length;
    return HRY_OK;
}

static hry_status take_payload(hry_cursor *c, hry_message *m, hry_error *err)
{
    const hry_message_kind *kind = hry_message_kind_of(m->type);
    if (kind->decode != NULL)
        HRY_TRY(kind->decode(c, m, err));
    if (c->short_by != 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, c->pos,
                           "%s: payload_length is %zu, the fields need %zu more",
                           kind->name, c->size - HRY_MESSAGE_HEADER_SIZE, c->short_by);
    if (cur_left(c) > 0)
        return HRY_FAIL_AT(err, HRY_ERR_CORRUPT, c->pos,
                           "%s: payload_length is %zu, %zu more than the fields take",
                           kind->name, c->size - HRY_MESSAGE_HEADER_SIZE, cur_left(c));
    return kind->check != NULL ? kind->check(m, err) : HRY_OK;
}

hry_status hry_message_decode(const void *bytes, size_t size, hry_message *out,
                              hry_error *err)
{
    hry_cursor c = cur_over(bytes, size);
    hry_message m;
    uint32_t length;
    HRY_TRY(take_header(&c, &m, &length, err));
    if (length != cur_left(&c))
        return HRY_FAIL_AT(err, length > cur_left(&c) ? HRY_ERR_TRUNCATED : HRY_ERR_CORRUPT,
                           AT_LENGTH, "payload_length is %u, %zu bytes are there",
                           (unsigned)length, cur_left(&c));
    HRY_TRY(take_payload(&c, &m, err));
    *out = m;
    return HRY_OK;
}

/* ---- writing ---- */

static uint64_t payload_size(const hry_message *m)
{
    const hry_message_kind *kind = hry_message_kind_of(m->type);
    if (kind == NULL)
        return UINT64_MAX;
    return kind->size != NULL ? kind->size(m) : 0;
}

size_t hry_message_size(const hry_message *m)
{
    const uint64_t size = payload_size(m);
    return size <= UINT32_MAX ? HRY_MESSAGE_HEADER_SIZE + (size_t)size : 0;
}

/* What a decoder would refuse is the caller's mistake here. */
static hry_status check(const hry_message *m, hry_error *err)
{
    const hry_message_kind *kind = hry_message_kind_of(m->type);
    hry_error why;
    if (kind == NULL || m->stream == 0)
        return HRY_FAIL(err, HRY_ERR_ARG, "message of type 0x%x on stream %u",
                        (unsigned)m->type, (unsigned)m->stream);
    if (payload_size(m) > UINT32_MAX)
        return HRY_FAIL(err, HRY_ERR_ARG, "%s: a payload of more than 2^32 - 1 bytes",
                        kind->name);
    if (kind->check != NULL && kind->check(m, &why) != HRY_OK)
        return HRY_FAIL(err, HRY_ERR_ARG, "%s", why.message);
    return HRY_OK;
}

static void write_message(hry_builder *b, const hry_message *m)
{
    const hry_message_kind *kind = hry_message_kind_of(m->type);
    bld_u32(b, m->type);
    bld_u32(b, m->stream);
    bld_u32(b, (uint32_t)payload_size(m));
    if (kind->encode != NULL)
        kind->encode(m, b);
}

hry_status hry_message_encode(const hry_message *m, void *out, size_t size, size_t *length,
                              hry_error *err)
{
    HRY_TRY(check(m, err));
    const size_t need = hry_message_size(m);
    if (size < need)
        return HRY_FAIL(err, HRY_ERR_RANGE, "%zu bytes for a %s of %zu", size,
                        hry_message_name(m->type), need);
    hry_builder b = {.data = out, .capacity = need};
    write_message(&b, m);
    *length = b.size;
    return HRY_OK;
}

hry_status hry_message_append(hry_builder *b, const hry_message *m, hry_error *err)
{
    HRY_TRY(check(m, err));
    write_message(b, m);
    return bld_ok(b, "message", err);
}
