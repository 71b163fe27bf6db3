/* SPDX-License-Identifier: Apache-2.0 */
/* message_parts.h - payloads of messages, a row each (format section 7). Private to
 * core/src/stream. */
#ifndef HRY_MESSAGE_PARTS_H
#define HRY_MESSAGE_PARTS_H

#include "builder.h"
#include "cursor.h"
#include "hry/message.h"

/*
 * How one kind of message is read and written. All NULL: an empty payload.
 *
 * decode  from a cursor over the whole message that stands behind the header; what it
 *         leaves is an error. Short reads need not be looked at: the caller does.
 * check   the rules of the fields; err->offset is that of the payload's byte, if one
 * size    of the payload, UINT64_MAX when it fits no message
 */
typedef struct hry_message_kind {
    const char *name; /* NULL: unknown */
    hry_status (*decode)(hry_cursor *c, hry_message *m, hry_error *err);
    hry_status (*check)(const hry_message *m, hry_error *err);
    void (*encode)(const hry_message *m, hry_builder *b);
    uint64_t (*size)(const hry_message *m);
} hry_message_kind;

/* NULL when unknown. */
const hry_message_kind *hry_message_kind_of(uint32_t type);

#define HRY_MESSAGE_CODEC(name)                                                            \
    hry_status hry_msg_##name##_decode(hry_cursor *c, hry_message *m, hry_error *err);     \
    hry_status hry_msg_##name##_check(const hry_message *m, hry_error *err);               \
    void hry_msg_##name##_encode(const hry_message *m, hry_builder *b);                    \
    uint64_t hry_msg_##name##_size(const hry_message *m)
HRY_MESSAGE_CODEC(hello);
HRY_MESSAGE_CODEC(request);
HRY_MESSAGE_CODEC(announcement);
HRY_MESSAGE_CODEC(part);
HRY_MESSAGE_CODEC(put);
HRY_MESSAGE_CODEC(refusal);
HRY_MESSAGE_CODEC(region);
HRY_MESSAGE_CODEC(echo);
#undef HRY_MESSAGE_CODEC

/* A u16 count and that many layout entries. */
void hry_msg_layout_list_decode(hry_cursor *c, hry_layout_list *list);
void hry_msg_layout_list_encode(const hry_layout_list *list, hry_builder *b);
hry_status hry_msg_layout_list_check(const hry_layout_list *list, hry_error *err);

/* A u32 length and that many bytes. */
const uint8_t *hry_msg_bytes_decode(hry_cursor *c, uint32_t *length);
void hry_msg_bytes_encode(const void *bytes, uint32_t length, hry_builder *b);
hry_status hry_msg_text_check(const hry_message_text *text, const char *what,
                              hry_error *err);

/* `length` is what the descriptor at `bytes` says of itself. */
hry_status hry_msg_carried_check(const uint8_t *bytes, uint32_t length, hry_error *err);

/* Encode after what is in `b`. */
hry_status hry_message_append(hry_builder *b, const hry_message *m, hry_error *err);

#endif
