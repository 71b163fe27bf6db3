/* SPDX-License-Identifier: Apache-2.0 */
/* raw_peer.h - a peer that says whatever a test wants to a session, and hears the answers
 * message by message. For tests. */
#ifndef RAW_PEER_H
#define RAW_PEER_H

#include "hry/session.h"

#include "bytes.h"
#include "cmocka_all.h"

/* Say one message; false when the session does not listen any more. */
static inline bool say_bytes(hry_session *s, const void *bytes, size_t size)
{
    hry_error err;
    size_t taken;
    assert_ok(hry_session_feed(s, bytes, size, &taken, &err), &err);
    return taken == size;
}

static inline bool say(hry_session *s, hry_message m)
{
    hry_error err;
    uint8_t bytes[4096];
    size_t size;
    assert_ok(hry_message_encode(&m, bytes, sizeof bytes, &size, &err), &err);
    return say_bytes(s, bytes, size);
}

/* The next message of the session into *m, which borrows from `keep`; false when it is
 * silent. */
static inline bool hear(hry_session *s, hry_message *m, blob *keep)
{
    hry_error err;
    const void *bytes;
    size_t size, need;
    assert_ok(hry_session_output(s, &bytes, &size, &err), &err);
    if (size == 0)
        return false;
    assert_ok(hry_message_measure(bytes, size, UINT32_MAX, &need, &err), &err);
    assert_true(need <= size);
    bytes_free(keep);
    *keep = bytes_copy(bytes, need);
    assert_ok(hry_message_decode(keep->data, keep->size, m, &err), &err);
    assert_ok(hry_session_sent(s, need, &err), &err);
    return true;
}

/* The next message is of that type on that stream; of an ERROR also the code. */
static inline void hears(hry_session *s, uint32_t type, uint32_t stream, uint32_t code)
{
    hry_message m;
    blob keep = {0};
    if (!hear(s, &m, &keep))
        fail_msg("silence, want a %s", hry_message_name(type));
    if (m.type != type || m.stream != stream ||
        (type == HRY_ERROR && m.refusal.code != code))
        fail_msg("%s on %u, code %u %.*s; want %s on %u, code %u", hry_message_name(m.type),
                 (unsigned)m.stream, m.type == HRY_ERROR ? (unsigned)m.refusal.code : 0u,
                 m.type == HRY_ERROR ? (int)m.refusal.text.length : 0,
                 m.type == HRY_ERROR ? m.refusal.text.bytes : "", hry_message_name(type),
                 (unsigned)stream, (unsigned)code);
    bytes_free(&keep);
}

static inline void hears_nothing(hry_session *s)
{
    hry_error err;
    const void *bytes;
    size_t size;
    assert_ok(hry_session_output(s, &bytes, &size, &err), &err);
    assert_int_equal(size, 0);
}

static inline hry_message raw_hello(uint32_t type)
{
    return (hry_message){.type = type,
                         .stream = 1,
                         .hello = {.protocol = 1,
                                   .max_message = 4096,
                                   .capabilities = HRY_CAN_PARALLEL | HRY_CAN_TRANSCODE}};
}

/* A descriptor, encoded into `out` of 1024 bytes. */
static inline uint32_t raw_descriptor(const hry_descriptor *d, uint8_t out[1024])
{
    hry_error err;
    size_t length;
    assert_ok(hry_descriptor_encode(d, out, 1024, &length, &err), &err);
    return (uint32_t)length;
}

static inline bool say_tensor(hry_session *s, uint32_t stream, const hry_descriptor *d,
                              uint64_t total, uint32_t shard, uint32_t shards)
{
    uint8_t bytes[1024];
    const uint32_t length = raw_descriptor(d, bytes);
    return say(s, (hry_message){.type = HRY_TENSOR_DESCRIPTOR,
                                .stream = stream,
                                .tensor = {bytes, length, total, shard, shards}});
}

static inline bool say_put(hry_session *s, uint32_t stream, const char *key,
                           const hry_descriptor *d, uint64_t total)
{
    uint8_t bytes[1024];
    const uint32_t length = raw_descriptor(d, bytes);
    return say(s,
               (hry_message){.type = HRY_TENSOR_PUT,
                             .stream = stream,
                             .put = {{key, (uint32_t)strlen(key)}, bytes, length, total}});
}

static inline bool say_data(hry_session *s, uint32_t stream, uint64_t offset,
                            const char *bytes, uint32_t size)
{
    return say(s, (hry_message){.type = HRY_TENSOR_DATA,
                                .stream = stream,
                                .part = {offset, (const uint8_t *)bytes, size}});
}

static inline bool say_empty(hry_session *s, uint32_t type, uint32_t stream)
{
    return say(s, (hry_message){.type = type, .stream = stream});
}

static inline bool say_request(hry_session *s, uint32_t stream, const char *key)
{
    return say(s, (hry_message){.type = HRY_TENSOR_REQUEST,
                                .stream = stream,
                                .request = {.key = {key, (uint32_t)strlen(key)},
                                            .min_alignment = 1}});
}

#endif
