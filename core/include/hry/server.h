/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/server.h - a server of tensors over Unix and TCP sockets (format section 7). One
 * thread serves all connections: hry/session.h has the conversations.
 *
 * Addresses:
 *   unix:PATH, or anything with a slash  a socket in the file system, of its owner only
 *   tcp:HOST:PORT, HOST:PORT             HOST by name or number, [...] around IPv6
 *   tcp:PORT, :PORT, PORT                this machine only (127.0.0.1)
 * Port 0 is any free one: hry_server_address() tells which. There is no encryption and no
 * proof of who is who: a server that strangers can reach needs a tunnel in front.
 */
#ifndef HRY_SERVER_H
#define HRY_SERVER_H

#include "hry/file.h"
#include "hry/session.h"

HRY_BEGIN

typedef struct hry_server hry_server;

/* Zeros stand for the values in brackets. */
typedef struct hry_server_options {
    hry_session_options session;
    uint32_t connections; /* at once; more must wait [64]                             */
    uint32_t idle_ms;     /* one on which nothing moves so long is closed [1 minute]  */
    uint32_t life_ms;     /* one as old as this is closed [1 day]                    */
    uint32_t grace_ms;    /* after hry_server_stop(), for answers under way [5 s]     */
} hry_server_options;

/*
 * Listen at `address`; options may be NULL. The store's ctx must outlive the server. A
 * Unix socket that a dead server left behind is replaced.
 *
 * HRY_ERR_ARG  no address
 * HRY_ERR_IO   the system refused: address in use, no right, ...
 */
HRY_API hry_status hry_server_open(const char *address, hry_store store,
                                   const hry_server_options *options, hry_server **out,
                                   hry_error *err);

/* Where it listens, such as "tcp:127.0.0.1:40123"; borrowed until hry_server_close(). */
HRY_API const char *hry_server_address(const hry_server *server);

/*
 * Serve until hry_server_stop(): then nobody new is let in, answers under way are
 * completed, and all connections are closed. What goes wrong with one client is that
 * client's matter; HRY_ERR_IO when the system fails the server, HRY_ERR_NOMEM.
 */
HRY_API hry_status hry_server_run(hry_server *server, hry_error *err);

/* From any thread or signal handler. */
HRY_API void hry_server_stop(hry_server *server);

typedef struct hry_server_counts {
    uint64_t accepted;       /* connections ever                                    */
    uint32_t open;           /* now                                                 */
    uint64_t timed_out;      /* closed for being idle or old                        */
    uint64_t sent, received; /* in BYTES                                          */
} hry_server_counts;

/* From the thread that runs it, or after hry_server_run(). */
HRY_API hry_server_counts hry_server_get_counts(const hry_server *server);

/* Not while hry_server_run() runs. Removes a Unix socket. NULL is allowed. */
HRY_API void hry_server_close(hry_server *server);

/* ---- a file as a store ---- */

/*
 * The tensors of a file by name, composites with their members; nothing can be put. The
 * file must stay open until hry_file_store_close(), and many stores may share it.
 * HRY_ERR_NOMEM
 */
HRY_API hry_status hry_file_store_open(hry_file *file, hry_store *out, hry_error *err);

/* NULL and an empty store are allowed. */
HRY_API void hry_file_store_close(hry_store *store);

HRY_END

#endif
