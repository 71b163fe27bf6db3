/* SPDX-License-Identifier: Apache-2.0 */
/* session_parts.h - what both sides of a conversation share. Private to core/src/stream. */
#ifndef HRY_SESSION_PARTS_H
#define HRY_SESSION_PARTS_H

#include "hry/session.h"
#include "stream/link.h"

/* What makes a side a side. Errors are local ones (memory): the peer's are told the peer.
 */
typedef struct hry_side {
    /* There may be messages to be understood. */
    hry_status (*advance)(hry_session *s, hry_error *err);
    /* Nothing is left to be sent: add to it, if there is anything to say. */
    hry_status (*produce)(hry_session *s, hry_error *err);
    /* The peer sends no more; what is busy after that still has something to send. */
    hry_status (*ended)(hry_session *s, hry_error *err);
    bool (*is_busy)(const hry_session *s);
    void (*free)(hry_session *s);
} hry_side;

struct hry_session {
    hry_link link;
    hry_session_options options; /* without zeros */
    const hry_side *side;
};

/* Fill a session of either side. */
void hry_session_init(hry_session *s, const hry_side *side,
                      const hry_session_options *options);

/* Payload bytes of the largest TENSOR_DATA to send. */
uint32_t hry_session_chunk(const hry_session *s);

#endif
