/* SPDX-License-Identifier: Apache-2.0 */
/* socket.h - sockets that do not block. Private to core/src/stream. */
#ifndef HRY_SOCKET_H
#define HRY_SOCKET_H

#include "stream/address.h"

#include <stddef.h>

/* A socket that listens. *name, of 300 bytes, is its address with the port it got. */
hry_status hry_socket_listen(const hry_address *a, int *fd, char name[300], hry_error *err);

/* The next one who wants in; *fd is -1 when there is none. *is_full: the system has no more
 * descriptors or memory for now. */
hry_status hry_socket_accept(int listener, int *fd, bool *is_full, hry_error *err);

/* Connect within that time. */
hry_status hry_socket_connect(const hry_address *a, uint32_t timeout_ms, int *fd,
                              hry_error *err);

/* What comes or goes at once, perhaps nothing. *ended: the peer sends no more. A broken
 * connection is HRY_ERR_IO. */
hry_status hry_socket_receive(int fd, void *to, size_t size, size_t *got, bool *ended,
                              hry_error *err);
hry_status hry_socket_send(int fd, const void *from, size_t size, size_t *sent,
                           hry_error *err);

/* Neither blocks, nor lives on in other programs. */
hry_status hry_socket_prepare(int fd, hry_error *err);

/* Milliseconds that never go back. */
uint64_t hry_socket_now(void);

#endif
