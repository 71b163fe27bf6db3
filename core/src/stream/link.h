/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link.h - one end of a connection without the connection: bytes that came become messages,
 * messages become bytes to be sent. Private to core/src/stream.
 */
#ifndef HRY_LINK_H
#define HRY_LINK_H

#include "builder.h"
#include "hry/message.h"

/* Above so many bytes to be sent, nothing more is read. */
enum { HRY_LINK_HIGH = 1 << 18 };

/* Invariant: in_at <= in.size, out_at <= out.size; a message taken is still in `in`. */
typedef struct hry_link {
    hry_builder in, out; /* owned */
    size_t in_at, out_at;
    size_t need;         /* bytes of the message at in_at, or more than there are */
    uint32_t limit;      /* largest payload taken                        */
    uint32_t peer_limit; /* largest payload the peer takes               */
    bool is_over;        /* nothing more is understood                   */
    bool has_ended;      /* the peer sends no more                       */
} hry_link;

void hry_link_init(hry_link *l, uint32_t limit);
void hry_link_free(hry_link *l);

static inline size_t hry_link_pending(const hry_link *l)
{
    return l->out.size - l->out_at;
}

/* As hry_session_room() and hry_session_received(). */
hry_status hry_link_room(hry_link *l, void **room, size_t *size, hry_error *err);
void hry_link_received(hry_link *l, size_t size);

/*
 * Look at the message that is next, if all of it is there; it borrows until
 * hry_link_room(). hry_link_take() goes on to the one behind it. An error is the peer's:
 * *m then has the type and stream that the header says.
 */
hry_status hry_link_look(hry_link *l, hry_message *m, bool *found, hry_error *err);
void hry_link_take(hry_link *l);

/* Add a message to what is to be sent. */
hry_status hry_link_send(hry_link *l, const hry_message *m, hry_error *err);

/* An ERROR; the text is cut to what is UTF-8 and fits. */
hry_status hry_link_refuse(hry_link *l, uint32_t stream, uint32_t code, const char *text,
                           hry_error *err);

/* The same, and nothing more is read. */
hry_status hry_link_break(hry_link *l, uint32_t stream, uint32_t code, const char *text,
                          hry_error *err);

/* A TENSOR_DATA whose `size` bytes the caller fills in at once, or NULL. To undo it, set
 * out.size back. */
uint8_t *hry_link_data(hry_link *l, uint32_t stream, uint64_t offset, uint32_t size);

/* The code of an ERROR that answers a message which was not understood. */
uint32_t hry_link_code_of(hry_status status);

#endif
