/* SPDX-License-Identifier: Apache-2.0 */
/* server.c - one thread that serves all connections (format section 7). */
#include "hry/server.h"

#include "checked.h"
#include "fail.h"
#include "stream/socket.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* What is polled besides connections; how long a full system is given, and a client to
 * hear why it is being left. */
enum { STOP, LISTENER, FIXED, BREATH_MS = 100, LEAVE_MS = 1000 };

typedef struct connection {
    int fd; /* owned */
    hry_session *session;
    uint64_t born, moved; /* when */
    bool has_ended;       /* the client sends no more */
    bool is_leaving;      /* all is said; what still comes is thrown away */
} connection;

struct hry_server {
    hry_store store;
    hry_server_options options; /* without zeros */
    char name[300];
    char *path;            /* owned: of a Unix socket, to be removed; or NULL */
    int listener, stop[2]; /* owned; stop[0] is readable when it is time */
    bool is_stopping;
    uint64_t stop_at, listen_at; /* when; 0: now */
    hry_server_counts counts;
    connection *connections; /* owned: counts.open of options.connections */
    struct pollfd *polled;   /* owned: FIXED + options.connections        */
};

/* ---- life ---- */

static uint32_t or_else(uint32_t value, uint32_t otherwise)
{
    return value != 0 ? value : otherwise;
}

static hry_status allocate(hry_server *s, hry_error *err)
{
    const uint32_t most = s->options.connections;
    size_t of_connections, of_polled;
    if (!checked_array(most, sizeof *s->connections, &of_connections) ||
        !checked_array((uint64_t)most + FIXED, sizeof *s->polled, &of_polled))
        return HRY_FAIL(err, HRY_ERR_RANGE, "%u connections", (unsigned)most);
    s->connections = calloc(1, of_connections);
    s->polled = calloc(1, of_polled);
    if (s->connections == NULL || s->polled == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %u connections", (unsigned)most);
    return HRY_OK;
}

static hry_status open_stop(hry_server *s, hry_error *err)
{
    if (pipe(s->stop) != 0) {
        s->stop[0] = s->stop[1] = -1;
        return HRY_FAIL(err, HRY_ERR_IO, "pipe: %s", strerror(errno));
    }
    HRY_TRY(hry_socket_prepare(s->stop[0], err));
    return hry_socket_prepare(s->stop[1], err);
}

static hry_status start(hry_server *s, const char *address, hry_error *err)
{
    hry_address a;
    HRY_TRY(hry_address_parse(address, &a, err));
    HRY_TRY(allocate(s, err));
    HRY_TRY(open_stop(s, err));
    HRY_TRY(hry_socket_listen(&a, &s->listener, s->name, err));
    if (a.is_unix && (s->path = strdup(a.path)) == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for a path");
    return HRY_OK;
}

hry_status hry_server_open(const char *address, hry_store store,
                           const hry_server_options *options, hry_server **out,
                           hry_error *err)
{
    if (store.ops == NULL || out == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "store.ops and out must not be NULL");
    hry_server *s = calloc(1, sizeof *s);
    if (s == NULL)
        return HRY_NO_MEMORY(err, sizeof *s);
    if (options != NULL)
        s->options = *options;
    s->options.connections = or_else(s->options.connections, 64);
    s->options.idle_ms = or_else(s->options.idle_ms, 60 * 1000);
    s->options.life_ms = or_else(s->options.life_ms, 24 * 60 * 60 * 1000);
    s->options.grace_ms = or_else(s->options.grace_ms, 5000);
    s->store = store;
    s->listener = s->stop[0] = s->stop[1] = -1;
    const hry_status status = start(s, address, err);
    if (status != HRY_OK) {
        hry_server_close(s);
        return status;
    }
    *out = s;
    return HRY_OK;
}

static void close_fd(int fd)
{
    if (fd >= 0)
        close(fd);
}

static void close_listener(hry_server *s)
{
    close_fd(s->listener);
    s->listener = -1;
    if (s->path != NULL)
        unlink(s->path);
    free(s->path);
    s->path = NULL;
}

static void hang_up(hry_server *s, uint32_t i)
{
    connection *c = &s->connections[i];
    hry_session_free(c->session);
    close(c->fd);
    *c = s->connections[--s->counts.open];
}

void hry_server_close(hry_server *server)
{
    if (server == NULL)
        return;
    while (server->counts.open > 0)
        hang_up(server, server->counts.open - 1);
    close_listener(server);
    close_fd(server->stop[0]);
    close_fd(server->stop[1]);
    free(server->connections);
    free(server->polled);
    free(server);
}

const char *hry_server_address(const hry_server *server)
{
    return server->name;
}

hry_server_counts hry_server_get_counts(const hry_server *server)
{
    return server->counts;
}

void hry_server_stop(hry_server *server)
{
    const int before = errno;
    const ssize_t written = write(server->stop[1], "", 1); /* full: it is told already */
    (void)written;
    errno = before;
}

/* ---- one connection; an error ends it ---- */

static hry_status hear(hry_server *s, connection *c, hry_error *err)
{
    void *room;
    size_t size, got;
    HRY_TRY(hry_session_room(c->session, &room, &size, err));
    if (size == 0 || c->has_ended)
        return HRY_OK;
    HRY_TRY(hry_socket_receive(c->fd, room, size, &got, &c->has_ended, err));
    if (c->has_ended)
        return hry_session_ended(c->session, err);
    if (got > 0)
        c->moved = hry_socket_now();
    s->counts.received += got;
    return hry_session_received(c->session, got, err);
}

static hry_status speak(hry_server *s, connection *c, hry_error *err)
{
    const void *bytes;
    size_t size, sent = 0;
    HRY_TRY(hry_session_output(c->session, &bytes, &size, err));
    if (size > 0)
        HRY_TRY(hry_socket_send(c->fd, bytes, size, &sent, err));
    if (sent > 0)
        c->moved = hry_socket_now();
    s->counts.sent += sent;
    return hry_session_sent(c->session, sent, err);
}

static bool has_output(const connection *c)
{
    const void *bytes;
    size_t size;
    return hry_session_output(c->session, &bytes, &size, NULL) == HRY_OK && size > 0;
}

static bool is_too_late(hry_server *s, const connection *c, uint64_t now)
{
    const bool is_late =
        now - c->moved >= s->options.idle_ms || now - c->born >= s->options.life_ms;
    s->counts.timed_out += is_late;
    return is_late;
}

/* Closing a socket on which bytes wait to be read may take back what was said last. */
static bool leave(connection *c)
{
    if (c->has_ended || shutdown(c->fd, SHUT_WR) != 0)
        return false;
    c->is_leaving = true;
    c->moved = hry_socket_now();
    return true;
}

static bool is_gone(connection *c)
{
    uint8_t nowhere[4096];
    size_t got = 1;
    bool ended = false;
    while (got > 0 && !ended)
        if (hry_socket_receive(c->fd, nowhere, sizeof nowhere, &got, &ended, NULL) !=
            HRY_OK)
            return true;
    return ended || hry_socket_now() - c->moved >= LEAVE_MS;
}

/* False when it is over. */
static bool attend(hry_server *s, connection *c, short happened)
{
    if (c->is_leaving)
        return !is_gone(c);
    if ((happened & (POLLIN | POLLHUP | POLLERR)) != 0 && hear(s, c, NULL) != HRY_OK)
        return false;
    if (speak(s, c, NULL) != HRY_OK)
        return false;
    if (hry_session_is_over(c->session))
        return leave(c);
    if (s->is_stopping && !hry_session_is_busy(c->session) && !has_output(c))
        return false;
    return !is_too_late(s, c, hry_socket_now());
}

/* What to wait for. */
static short interest(const connection *c)
{
    void *room;
    size_t size;
    short events = 0;
    if (c->is_leaving)
        return POLLIN;
    if (!c->has_ended && hry_session_room(c->session, &room, &size, NULL) == HRY_OK &&
        size > 0)
        events |= POLLIN;
    if (has_output(c))
        events |= POLLOUT;
    return events;
}

/* ---- all of them ---- */

static hry_status let_in(hry_server *s, hry_error *err)
{
    int fd;
    bool is_full;
    HRY_TRY(hry_socket_accept(s->listener, &fd, &is_full, err));
    if (is_full)
        s->listen_at = hry_socket_now() + BREATH_MS;
    if (fd < 0)
        return HRY_OK;
    connection c = {.fd = fd, .born = hry_socket_now(), .moved = hry_socket_now()};
    if (hry_session_serve(s->store, &s->options.session, &c.session, NULL) != HRY_OK) {
        close(fd); /* that client's bad luck */
        return HRY_OK;
    }
    s->counts.accepted++;
    s->connections[s->counts.open++] = c;
    return HRY_OK;
}

static bool may_let_in(const hry_server *s, uint64_t now)
{
    return s->listener >= 0 && s->counts.open < s->options.connections &&
           now >= s->listen_at;
}

/* Milliseconds until something must be looked at though nothing happens. */
static int patience(const hry_server *s, uint64_t now)
{
    uint64_t until = now + s->options.idle_ms;
    for (uint32_t i = 0; i < s->counts.open; i++) {
        const connection *c = &s->connections[i];
        const uint64_t idle = c->moved + (c->is_leaving ? LEAVE_MS : s->options.idle_ms);
        const uint64_t old = c->born + s->options.life_ms;
        until = idle < until ? idle : until;
        until = old < until ? old : until;
    }
    if (s->listen_at > now && s->listen_at < until)
        until = s->listen_at;
    if (s->is_stopping && s->stop_at < until)
        until = s->stop_at;
    return until <= now ? 0 : until - now > 60000 ? 60000 : (int)(until - now);
}

static hry_status wait_for_events(hry_server *s, hry_error *err)
{
    const uint64_t now = hry_socket_now();
    struct pollfd *p = s->polled;
    p[STOP] = (struct pollfd){.fd = s->is_stopping ? -1 : s->stop[0], .events = POLLIN};
    p[LISTENER] =
        (struct pollfd){.fd = may_let_in(s, now) ? s->listener : -1, .events = POLLIN};
    for (uint32_t i = 0; i < s->counts.open; i++) {
        const connection *c = &s->connections[i];
        p[FIXED + i] = (struct pollfd){.fd = c->fd, .events = interest(c)};
        if (p[FIXED + i].events == 0 && c->has_ended)
            p[FIXED + i].fd = -1; /* a hang-up is no news */
    }
    const int ready = poll(p, FIXED + s->counts.open, patience(s, now));
    if (ready < 0 && errno != EINTR)
        return HRY_FAIL(err, HRY_ERR_IO, "poll: %s", strerror(errno));
    for (uint32_t i = 0; ready < 0 && i < FIXED + s->counts.open; i++)
        p[i].revents = 0;
    return HRY_OK;
}

static void begin_to_stop(hry_server *s)
{
    s->is_stopping = true;
    s->stop_at = hry_socket_now() + s->options.grace_ms;
    close_listener(s);
}

/* Backwards, since one that hangs up is replaced by the last. */
static void attend_all(hry_server *s)
{
    for (uint32_t i = s->counts.open; i-- > 0;)
        if (!attend(s, &s->connections[i], s->polled[FIXED + i].revents))
            hang_up(s, i);
}

static hry_status turn(hry_server *s, hry_error *err)
{
    HRY_TRY(wait_for_events(s, err));
    attend_all(s);
    if (s->polled[STOP].revents != 0 && !s->is_stopping) {
        begin_to_stop(s);
        attend_all(s);
    } else if (s->polled[LISTENER].revents != 0 && !s->is_stopping) {
        HRY_TRY(let_in(s, err));
    }
    return HRY_OK;
}

hry_status hry_server_run(hry_server *server, hry_error *err)
{
    hry_status status = HRY_OK;
    bool goes_on = true;
    while (status == HRY_OK && goes_on) {
        status = turn(server, err);
        goes_on = !server->is_stopping ||
                  (server->counts.open > 0 && hry_socket_now() < server->stop_at);
    }
    while (server->counts.open > 0)
        hang_up(server, server->counts.open - 1);
    return status;
}
