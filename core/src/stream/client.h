/* SPDX-License-Identifier: Apache-2.0 */
/* client.h - what a client's side of a connection remembers. Private to core/src/stream. */
#ifndef HRY_CLIENT_PARTS_H
#define HRY_CLIENT_PARTS_H

#include "builder.h"
#include "stream/binding.h"
#include "stream/session_parts.h"
#include "stream/shards.h"

/* A stream on which a tensor or a shard comes. */
typedef struct hry_inlet {
    uint32_t stream;
    uint32_t shard;
    uint64_t total, came; /* in BYTES */
    bool is_open;         /* described and not ended */
} hry_inlet;

/*
 * What is being received. Invariant: until the first descriptor shards is 0; then there are
 * `count` inlets, one for each shard that was described.
 */
typedef struct hry_receiving {
    bool is_active, parallel_ok;
    uint32_t stream; /* of the request */
    uint32_t shards, count;
    uint32_t ended;
    hry_inlet *inlets; /* owned */
    hry_shard_set set;
    hry_binding binding;
    uint64_t all; /* bytes of all tensors so far */
} hry_receiving;

/* What is being put. Invariant: `left` bytes of the current tensor are still to be sent. */
typedef struct hry_putting {
    bool is_active;
    bool awaits_member, awaits_ack;
    uint32_t stream;
    uint64_t sent, left;
    hry_binding binding;
    hry_builder scratch;
} hry_putting;

typedef struct hry_client_side {
    hry_session base;
    bool is_ready;
    uint32_t next_stream;
    uint32_t stale; /* messages on streams below are of what was given up */
    hry_hello server;
    hry_builder hello;  /* owned: what its lists borrow */
    hry_descriptor d;   /* of the last HRY_EVENT_TENSOR */
    hry_builder bytes;  /* owned: what `d` borrows */
    bool holds_message; /* the event before borrows from the message that is to be taken */
    bool owes_done;     /* after an HRY_EVENT_END, an HRY_EVENT_DONE */
    hry_receiving receiving;
    hry_putting putting;
} hry_client_side;

/*
 * TENSOR_DESCRIPTOR, _DATA or _DATA_END of what was asked for: an event. What it finds
 * wrong is an error, with the code to tell the server in *code.
 */
hry_status hry_receiving_message(hry_client_side *c, const hry_message *m, hry_event *event,
                                 uint32_t *code, hry_error *err);

/* After an HRY_EVENT_END: is all that was asked for there? */
bool hry_receiving_is_done(const hry_receiving *r);
bool hry_receiving_has(const hry_receiving *r, uint32_t stream);
void hry_receiving_end(hry_receiving *r);

void hry_putting_end(hry_putting *p);

#endif
