/* SPDX-License-Identifier: Apache-2.0 */
/* remote.c - a client of a server of tensors, over a socket (format section 7). */
#include "hry/remote.h"

#include "fail.h"
#include "stream/socket.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 18 };

struct hry_remote {
    int fd; /* owned */
    hry_session *session;
    uint32_t idle_ms;
    bool is_broken;
};

/* ---- bytes ---- */

static hry_status wait_for(hry_remote *r, short events, hry_error *err)
{
    struct pollfd p = {.fd = r->fd, .events = events};
    const uint64_t end = hry_socket_now() + r->idle_ms;
    int ready;
    do {
        const uint64_t now = hry_socket_now();
        ready = poll(&p, 1, now < end ? (int)(end - now) : 0);
    } while (ready < 0 && errno == EINTR);
    if (ready < 0)
        return HRY_FAIL(err, HRY_ERR_IO, "poll: %s", strerror(errno));
    if (ready == 0)
        return HRY_FAIL(err, HRY_ERR_IO, "nothing moves for %u milliseconds",
                        (unsigned)r->idle_ms);
    return HRY_OK;
}

static hry_status send_some(hry_remote *r, hry_error *err)
{
    const void *bytes;
    size_t size, sent = 0;
    HRY_TRY(hry_session_output(r->session, &bytes, &size, err));
    if (size > 0)
        HRY_TRY(hry_socket_send(r->fd, bytes, size, &sent, err));
    return hry_session_sent(r->session, sent, err);
}

static hry_status receive_some(hry_remote *r, size_t *got, hry_error *err)
{
    void *room;
    size_t size;
    bool ended;
    *got = 0;
    HRY_TRY(hry_session_room(r->session, &room, &size, err));
    if (size == 0)
        return HRY_OK;
    HRY_TRY(hry_socket_receive(r->fd, room, size, got, &ended, err));
    if (!ended)
        return hry_session_received(r->session, *got, err);
    HRY_TRY(hry_session_ended(r->session, err));
    return HRY_FAIL(err, HRY_ERR_IO, "the server closed the connection");
}

/* Let bytes pass, waiting for some if none can at once. A server that does not listen any
 * more may have said why. */
static hry_status exchange(hry_remote *r, hry_error *err)
{
    const void *bytes;
    size_t size, got;
    const hry_status status = send_some(r, err);
    if (status != HRY_OK)
        return receive_some(r, &got, NULL) == HRY_OK && got > 0 ? HRY_OK : status;
    HRY_TRY(hry_session_output(r->session, &bytes, &size, err));
    HRY_TRY(wait_for(r, (short)(size > 0 ? POLLIN | POLLOUT : POLLIN), err));
    return receive_some(r, &got, err);
}

/* ---- events ---- */

static hry_status refusal(const hry_event *e, hry_error *err)
{
    const int length = e->text.length < 160 ? (int)e->text.length : 160;
    const char *word = hry_refusal_word(e->code);
    switch (e->code) {
    case HRY_REFUSED_TENSOR:
        return HRY_FAIL(err, HRY_ERR_NOTFOUND, "refused: %s: %.*s", word, length,
                        e->text.bytes);
    case HRY_REFUSED_VERSION:
    case HRY_REFUSED_LAYOUT:
    case HRY_REFUSED_TRANSCODE:
    case HRY_REFUSED_DEVICE:
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED, "refused: %s: %.*s", word, length,
                        e->text.bytes);
    default:
        return HRY_FAIL(err, HRY_ERR_IO, "refused: %s: %.*s", word, length, e->text.bytes);
    }
}

/* The next event but HRY_EVENT_NONE; a refusal is an error, with *refused. */
static hry_status next_event(hry_remote *r, hry_event *e, bool *refused, hry_error *err)
{
    *refused = false;
    for (;;) {
        HRY_TRY(hry_client_next(r->session, e, err));
        *refused = e->kind == HRY_EVENT_REFUSED;
        if (*refused)
            return refusal(e, err);
        if (e->kind != HRY_EVENT_NONE)
            return HRY_OK;
        if (hry_session_is_over(r->session))
            return HRY_FAIL(err, HRY_ERR_IO, "the connection is over");
        HRY_TRY(exchange(r, err));
    }
}

static hry_status check_usable(const hry_remote *r, hry_error *err)
{
    if (r->is_broken)
        return HRY_FAIL(err, HRY_ERR_ARG, "an earlier error ended the connection");
    return HRY_OK;
}

/* After a refusal the connection lives, unless it was about the connection. */
static void settle(hry_remote *r, hry_status status, bool can_go_on)
{
    if (status != HRY_OK && (!can_go_on || hry_session_is_over(r->session)))
        r->is_broken = true;
}

/* What is said last is sent as far as it goes at once. */
static void say_why(hry_remote *r)
{
    send_some(r, NULL);
}

/* ---- life ---- */

static hry_status greet(hry_remote *r, hry_error *err)
{
    hry_event e;
    bool refused;
    HRY_TRY(next_event(r, &e, &refused, err));
    if (e.kind != HRY_EVENT_READY)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "no hello");
    return HRY_OK;
}

hry_status hry_remote_open(const char *address, const hry_remote_options *options,
                           hry_remote **out, hry_error *err)
{
    const hry_remote_options o =
        options != NULL ? *options : (hry_remote_options){.idle_ms = 0};
    hry_address a;
    if (out == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "out must not be NULL");
    HRY_TRY(hry_address_parse(address, &a, err));
    hry_remote *r = calloc(1, sizeof *r);
    if (r == NULL)
        return HRY_NO_MEMORY(err, sizeof *r);
    r->fd = -1;
    r->idle_ms = o.idle_ms != 0 ? o.idle_ms : 30 * 1000;
    hry_status status = hry_session_ask(&o.session, &r->session, err);
    if (status == HRY_OK)
        status = hry_socket_connect(&a, r->idle_ms, &r->fd, err);
    if (status == HRY_OK)
        status = greet(r, err);
    if (status != HRY_OK) {
        hry_remote_close(r);
        return status;
    }
    *out = r;
    return HRY_OK;
}

void hry_remote_close(hry_remote *remote)
{
    if (remote == NULL)
        return;
    hry_session_free(remote->session);
    if (remote->fd >= 0)
        close(remote->fd);
    free(remote);
}

const hry_hello *hry_remote_server(const hry_remote *remote)
{
    return hry_client_server(remote->session);
}

/* ---- fetching ---- */

static hry_status fetch(hry_remote *r, hry_event_visit visit, void *ctx, bool *can_go_on,
                        hry_error *err)
{
    hry_event e;
    for (;;) {
        HRY_TRY(next_event(r, &e, can_go_on, err));
        if (e.kind == HRY_EVENT_DONE)
            return HRY_OK;
        const bool is_ours = e.kind == HRY_EVENT_TENSOR || e.kind == HRY_EVENT_DATA ||
                             e.kind == HRY_EVENT_END;
        const hry_status status = is_ours ? visit(ctx, &e, err) : HRY_OK;
        if (status == HRY_OK)
            continue;
        *can_go_on = hry_client_cancel(r->session, NULL) == HRY_OK;
        return status;
    }
}

hry_status hry_remote_fetch(hry_remote *remote, const hry_request *request,
                            hry_event_visit visit, void *ctx, hry_error *err)
{
    bool can_go_on = false;
    if (remote == NULL || request == NULL || visit == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "remote, request and visit must not be NULL");
    HRY_TRY(check_usable(remote, err));
    HRY_TRY(hry_client_request(remote->session, request, err));
    const hry_status status = fetch(remote, visit, ctx, &can_go_on, err);
    if (status != HRY_OK)
        say_why(remote);
    settle(remote, status, can_go_on);
    return status;
}

/* ---- putting ---- */

/* A refusal may come at any time. */
static hry_status look_for_refusal(hry_remote *r, bool *refused, hry_error *err)
{
    hry_event e;
    HRY_TRY(hry_client_next(r->session, &e, err));
    *refused = e.kind == HRY_EVENT_REFUSED;
    return *refused ? refusal(&e, err) : HRY_OK;
}

static hry_status put_bytes(hry_remote *r, const uint8_t *bytes, size_t size, bool *refused,
                            hry_error *err)
{
    while (size > 0) {
        size_t taken;
        HRY_TRY(look_for_refusal(r, refused, err));
        HRY_TRY(hry_client_send(r->session, bytes, size, &taken, err));
        bytes += taken;
        size -= taken;
        if (size > 0)
            HRY_TRY(exchange(r, err));
    }
    return HRY_OK;
}

/* What is being put, and where it comes from. */
typedef struct putting {
    hry_store from;
    void *item;
    uint8_t *piece; /* PIECE bytes */
    bool can_go_on; /* after an error */
} putting;

static hry_status put_tensor(hry_remote *r, putting *p, uint64_t k, const hry_descriptor *d,
                             hry_error *err)
{
    uint64_t size = 0;
    for (uint32_t b = 0; b < d->buffer_count; b++)
        size += d->buffers[b].byte_size;
    for (uint64_t at = 0; at < size;) {
        const size_t n = size - at < PIECE ? (size_t)(size - at) : PIECE;
        const hry_status status = p->from.ops->read(p->item, k, at, p->piece, n, err);
        if (status != HRY_OK) {
            p->can_go_on = hry_client_cancel(r->session, NULL) == HRY_OK;
            return status;
        }
        HRY_TRY(put_bytes(r, p->piece, n, &p->can_go_on, err));
        at += n;
    }
    return HRY_OK;
}

static hry_status put_all(hry_remote *r, hry_message_text key, putting *p, hry_error *err)
{
    hry_descriptor d;
    hry_event e = {.kind = HRY_EVENT_NONE};
    for (uint64_t k = 0; k == 0 || hry_client_lacks_member(r->session); k++) {
        hry_status status = p->from.ops->describe(p->item, k, &d, err);
        if (status == HRY_OK)
            status = k == 0 ? hry_client_put(r->session, key, &d, err)
                            : hry_client_put_next(r->session, &d, err);
        if (status != HRY_OK) {
            p->can_go_on = hry_client_cancel(r->session, NULL) == HRY_OK;
            return status;
        }
        HRY_TRY(put_tensor(r, p, k, &d, err));
    }
    while (e.kind != HRY_EVENT_STORED)
        HRY_TRY(next_event(r, &e, &p->can_go_on, err));
    return HRY_OK;
}

hry_status hry_remote_put(hry_remote *remote, hry_message_text key, hry_store from,
                          hry_message_text from_key, hry_error *err)
{
    putting p = {.from = from};
    if (remote == NULL || from.ops == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "remote and from.ops must not be NULL");
    HRY_TRY(check_usable(remote, err));
    HRY_TRY(from.ops->open(from.ctx, from_key, &p.item, err));
    p.piece = malloc(PIECE);
    hry_status status =
        p.piece != NULL ? put_all(remote, key, &p, err) : HRY_NO_MEMORY(err, PIECE);
    if (status != HRY_OK)
        say_why(remote);
    settle(remote, status, p.can_go_on || p.piece == NULL);
    free(p.piece);
    from.ops->close(p.item);
    return status;
}

hry_status hry_remote_ping(hry_remote *remote, hry_error *err)
{
    hry_event e = {.kind = HRY_EVENT_NONE};
    hry_status status = check_usable(remote, err);
    bool refused;
    if (status == HRY_OK)
        status = hry_client_ping(remote->session, err);
    while (status == HRY_OK && e.kind != HRY_EVENT_PONG)
        status = next_event(remote, &e, &refused, err);
    settle(remote, status, false);
    return status;
}
