/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/remote.h - a client of a server of tensors, over a Unix or TCP socket (format section
 * 7). Calls wait until they are done. Addresses as in hry/server.h.
 */
#ifndef HRY_REMOTE_H
#define HRY_REMOTE_H

#include "hry/session.h"
#include "hry/tensor.h"

HRY_BEGIN

typedef struct hry_remote hry_remote;

/* Zeros stand for the values in brackets. */
typedef struct hry_remote_options {
    hry_session_options session;
    uint32_t idle_ms; /* a server on which nothing moves so long is given up [30 s] */
} hry_remote_options;

/*
 * Connect and exchange hellos; options may be NULL.
 *
 * HRY_ERR_ARG          no address
 * HRY_ERR_IO           nobody there, or nothing moves
 * HRY_ERR_UNSUPPORTED  the server speaks another version
 * and the errors of hry_client_next()
 */
HRY_API hry_status hry_remote_open(const char *address, const hry_remote_options *options,
                                   hry_remote **out, hry_error *err);

/* NULL is allowed. */
HRY_API void hry_remote_close(hry_remote *remote);

/* What the server said of itself; borrowed. */
HRY_API const hry_hello *hry_remote_server(const hry_remote *remote);

/* HRY_EVENT_TENSOR, _DATA or _END. Anything but HRY_OK cancels the request and becomes its
 * result. */
typedef hry_status (*hry_event_visit)(void *ctx, const hry_event *event, hry_error *err);

/*
 * Ask, and visit what comes. After a refusal, and after an error of `visit`, the connection
 * can be used again; after other errors only hry_remote_close() is left.
 *
 * HRY_ERR_NOTFOUND     the server knows no such tensor
 * HRY_ERR_UNSUPPORTED  the server cannot give it
 * HRY_ERR_IO           the connection broke, or the server failed
 * and the errors of hry_client_request() and hry_client_next()
 */
HRY_API hry_status hry_remote_fetch(hry_remote *remote, const hry_request *request,
                                    hry_event_visit visit, void *ctx, hry_error *err);

/* Put what `from` has under `from_key` as `key`. Errors as hry_remote_fetch(), those of
 * `from`, and HRY_ERR_IO when the server does not take it. */
HRY_API hry_status hry_remote_put(hry_remote *remote, hry_message_text key, hry_store from,
                                  hry_message_text from_key, hry_error *err);

/* Wait for an answer to a ping. */
HRY_API hry_status hry_remote_ping(hry_remote *remote, hry_error *err);

/* ---- what came, in memory ---- */

/* Collects the events of requests that succeed: tensors in the order they came, shards
 * joined to the tensor that they make up. */
typedef struct hry_collector hry_collector;

HRY_API hry_status hry_collector_new(hry_collector **out, hry_error *err);

/* NULL is allowed. */
HRY_API void hry_collector_free(hry_collector *collector);

/*
 * A hry_event_visit: `collector` is one. Memory grows with what comes.
 * HRY_ERR_UNSUPPORTED  shards of a tensor quantized otherwise than as a whole, or of a
 *                      layout that hry_region_read() does not read
 */
HRY_API hry_status hry_collector_add(void *collector, const hry_event *event,
                                     hry_error *err);

HRY_API uint32_t hry_collector_count(const hry_collector *collector);

/* The i-th tensor, below the count; borrowed until hry_collector_free(). Of a head there is
 * a descriptor only. */
HRY_API const hry_tensor *hry_collector_tensor(const hry_collector *collector, uint32_t i);

/* In how many composites it is. */
HRY_API uint32_t hry_collector_depth(const hry_collector *collector, uint32_t i);

HRY_END

#endif
