/* SPDX-License-Identifier: Apache-2.0 */
/* taking.h - what a server does with a tensor that is put. Private to core/src/stream. */
#ifndef HRY_TAKING_H
#define HRY_TAKING_H

#include "stream/binding.h"
#include "stream/session_parts.h"

enum { HRY_LATE_STREAMS = 16 };

/*
 * Invariant while is_active: `came` of `total` bytes of the current tensor came, or, with
 * awaits_descriptor, the next member is to be described.
 *
 * late: streams on which a put was refused, whose messages may still be on their way.
 */
typedef struct hry_taking {
    bool is_active, awaits_descriptor;
    uint32_t stream;
    hry_store store;
    void *item; /* owned */
    hry_binding binding;
    uint64_t total, came;
    uint64_t all; /* bytes of this and earlier members */
    uint32_t late[HRY_LATE_STREAMS];
    uint32_t late_count; /* ever: the oldest are forgotten */
} hry_taking;

/* A message that belongs to a put: TENSOR_PUT, _DESCRIPTOR, _DATA, _DATA_END, ERROR or
 * RDMA_REGISTER. *understood: false when no put is on its stream, or ever was. */
hry_status hry_taking_message(hry_taking *t, hry_session *s, const hry_message *m,
                              bool *understood, hry_error *err);

void hry_taking_free(hry_taking *t);

#endif
