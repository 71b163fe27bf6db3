/* SPDX-License-Identifier: Apache-2.0 */
/* message_rest.c - errors, signs of life, RDMA regions (format section 7). */
#include "stream/message_parts.h"
#include "utf8.h"

/* ---- text and bytes with their length ---- */

const uint8_t *hry_msg_bytes_decode(hry_cursor *c, uint32_t *length)
{
    *length = cur_u32(c);
    return cur_take(c, *length);
}

void hry_msg_bytes_encode(const void *bytes, uint32_t length, hry_builder *b)
{
    bld_u32(b, length);
    bld_bytes(b, bytes, length);
}

hry_status hry_msg_text_check(const hry_message_text *text, const char *what,
                              hry_error *err)
{
    if (hry_utf8_valid_prefix(text->bytes, text->length) == text->length)
        return HRY_OK;
    return HRY_FAIL(err, HRY_ERR_CORRUPT, "%s of %u bytes is not UTF-8", what,
                    (unsigned)text->length);
}

/* ---- ERROR ---- */

hry_status hry_msg_refusal_decode(hry_cursor *c, hry_message *m, hry_error *err)
{
    (void)err;
    m->refusal.code = cur_u32(c);
    m->refusal.text.bytes = (const char *)hry_msg_bytes_decode(c, &m->refusal.text.length);
    return HRY_OK;
}

hry_status hry_msg_refusal_check(const hry_message *m, hry_error *err)
{
    return hry_msg_text_check(&m->refusal.text, "message", err);
}

void hry_msg_refusal_encode(const hry_message *m, hry_builder *b)
{
    bld_u32(b, m->refusal.code);
    hry_msg_bytes_encode(m->refusal.text.bytes, m->refusal.text.length, b);
}

uint64_t hry_msg_refusal_size(const hry_message *m)
{
    return 8 + (uint64_t)m->refusal.text.length;
}

/* ---- RDMA_REGISTER ---- */

hry_status hry_msg_region_decode(hry_cursor *c, hry_message *m, hry_error *err)
{
    (void)err;
    m->region.address = cur_u64(c);
    m->region.length = cur_u64(c);
    m->region.key = hry_msg_bytes_decode(c, &m->region.key_length);
    return HRY_OK;
}

hry_status hry_msg_region_check(const hry_message *m, hry_error *err)
{
    (void)m;
    (void)err;
    return HRY_OK;
}

void hry_msg_region_encode(const hry_message *m, hry_builder *b)
{
    bld_u64(b, m->region.address);
    bld_u64(b, m->region.length);
    hry_msg_bytes_encode(m->region.key, m->region.key_length, b);
}

uint64_t hry_msg_region_size(const hry_message *m)
{
    return 20 + (uint64_t)m->region.key_length;
}

/* ---- PING, PONG ---- */

hry_status hry_msg_echo_decode(hry_cursor *c, hry_message *m, hry_error *err)
{
    (void)err;
    m->echo.size = (uint32_t)cur_left(c);
    m->echo.bytes = cur_take(c, cur_left(c));
    return HRY_OK;
}

hry_status hry_msg_echo_check(const hry_message *m, hry_error *err)
{
    (void)m;
    (void)err;
    return HRY_OK;
}

void hry_msg_echo_encode(const hry_message *m, hry_builder *b)
{
    bld_bytes(b, m->echo.bytes, m->echo.size);
}

uint64_t hry_msg_echo_size(const hry_message *m)
{
    return m->echo.size;
}
