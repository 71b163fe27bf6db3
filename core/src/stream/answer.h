/* SPDX-License-Identifier: Apache-2.0 */
/* answer.h - what a server sends to a request: tensors of its store, perhaps in another
 * layout, perhaps in shards. Private to core/src/stream. */
#ifndef HRY_ANSWER_H
#define HRY_ANSWER_H

#include "hry/transcode.h"
#include "stream/binding.h"
#include "stream/session_parts.h"

/* A stream with one tensor or one shard of it. */
typedef struct hry_lane {
    uint32_t stream;
    uint64_t base;        /* of its first byte in the tensor's buffers */
    uint64_t total, sent; /* in BYTES */
    bool has_ended;
} hry_lane;

/*
 * Invariant while is_active: `d` is the tensor `k` of the item as it is sent, lanes[0] has
 * the request's stream; lanes that have not ended have been announced.
 */
typedef struct hry_answer {
    bool is_active;
    uint32_t stream, min_alignment;
    hry_store store;
    void *item; /* owned */
    uint64_t k;
    hry_binding binding;
    hry_descriptor d;
    hry_transcoded *transcoded; /* owned; NULL: bytes come from the item */
    hry_lane *lanes;            /* owned */
    uint32_t lane_count, turn;
    hry_builder scratch;
} hry_answer;

/*
 * Begin to answer; nothing is to be sent yet but an ERROR where it cannot be: then it is
 * not active. The request's bytes are borrowed for the call.
 */
hry_status hry_answer_begin(hry_answer *a, hry_session *s, uint32_t stream,
                            const hry_request *request, bool parallel, hry_error *err);

/* Send the next piece. */
hry_status hry_answer_produce(hry_answer *a, hry_session *s, hry_error *err);

/* Is a lane of it on that stream? */
bool hry_answer_has(const hry_answer *a, uint32_t stream);

/* The client does not want it: the streams but that one are told. */
hry_status hry_answer_cancel(hry_answer *a, hry_session *s, uint32_t stream,
                             hry_error *err);

void hry_answer_free(hry_answer *a);

/*
 * Put the tensor, of which a->d is what the store has, into the first of the request's
 * layouts that it has or can have (format section 7).
 */
void hry_answer_choose_layout(hry_answer *a, const hry_session_options *options,
                              const hry_request *request);

/* `size` bytes at `offset` of the buffers of the current tensor, one after another. */
hry_status hry_answer_read(const hry_answer *a, uint64_t offset, uint8_t *to, size_t size,
                           hry_error *err);

#endif
