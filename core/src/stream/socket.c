/* SPDX-License-Identifier: Apache-2.0 */
/* socket.c - sockets that do not block. */
#include "stream/socket.h"

#include "fail.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { BACKLOG = 128 };

uint64_t hry_socket_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static hry_status refused(const char *what, hry_error *err)
{
    return HRY_FAIL(err, HRY_ERR_IO, "%s: %s", what, strerror(errno));
}

hry_status hry_socket_prepare(int fd, hry_error *err)
{
    const int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 ||
        fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
        return refused("fcntl", err);
    return HRY_OK;
}

/* Small messages go at once. It matters to TCP only, and not to who it fails for. */
static void do_not_wait_for_more(int fd)
{
    const int on = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static struct sockaddr_un unix_name(const hry_address *a)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    memcpy(name.sun_path, a->path,
           sizeof name.sun_path < sizeof a->path ? sizeof name.sun_path : sizeof a->path);
    return name;
}

static hry_status resolve(const hry_address *a, int flags, struct addrinfo **list,
                          hry_error *err)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = flags | AI_NUMERICSERV};
    const int failed = getaddrinfo(a->host, a->port, &hints, list);
    if (failed != 0)
        return HRY_FAIL(err, HRY_ERR_IO, "%.100s: %s", a->host, gai_strerror(failed));
    return HRY_OK;
}

/* ---- listening ---- */

/* A socket at whose other end nobody is any more. */
static bool is_dead(const struct sockaddr_un *name)
{
    struct stat st;
    if (lstat(name->sun_path, &st) != 0 || !S_ISSOCK(st.st_mode))
        return false;
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0)
        return false;
    const int failed = connect(fd, (const struct sockaddr *)name, sizeof *name);
    const bool is_refused = failed != 0 && errno == ECONNREFUSED;
    close(fd);
    return is_refused;
}

static int bind_unix(int fd, const struct sockaddr_un *name)
{
    if (bind(fd, (const struct sockaddr *)name, sizeof *name) == 0)
        return 0;
    if (errno != EADDRINUSE)
        return -1;
    if (!is_dead(name)) {
        errno = EADDRINUSE;
        return -1;
    }
    unlink(name->sun_path);
    return bind(fd, (const struct sockaddr *)name, sizeof *name);
}

static hry_status listen_unix(const hry_address *a, int *out, hry_error *err)
{
    const struct sockaddr_un name = unix_name(a);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0)
        return refused("socket", err);
    (void)fchmod(fd, S_IRUSR | S_IWUSR); /* what bind() makes is the owner's only */
    if (bind_unix(fd, &name) != 0 || listen(fd, BACKLOG) != 0) {
        const hry_status status = refused(a->path, err);
        close(fd);
        return status;
    }
    *out = fd;
    return HRY_OK;
}

/* The first of the host's addresses that will do; -1 with errno when none does. */
static int listen_any(const struct addrinfo *list)
{
    const int on = 1;
    for (const struct addrinfo *i = list; i != NULL; i = i->ai_next) {
        const int fd = socket(i->ai_family, i->ai_socktype, i->ai_protocol);
        if (fd < 0)
            continue;
        (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (bind(fd, i->ai_addr, i->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
            return fd;
        const int cause = errno;
        close(fd);
        errno = cause;
    }
    return -1;
}

static hry_status listen_tcp(const hry_address *a, int *out, hry_error *err)
{
    struct addrinfo *list;
    HRY_TRY(resolve(a, AI_PASSIVE, &list, err));
    const int fd = listen_any(list);
    const int cause = errno;
    freeaddrinfo(list);
    errno = cause;
    if (fd < 0)
        return refused(a->host, err);
    *out = fd;
    return HRY_OK;
}

static void tell_name(const hry_address *a, int fd, char name[300])
{
    struct sockaddr_storage own;
    socklen_t size = sizeof own;
    char host[200], port[16];
    if (a->is_unix)
        snprintf(name, 300, "unix:%s", a->path);
    else if (getsockname(fd, (struct sockaddr *)&own, &size) == 0 &&
             getnameinfo((struct sockaddr *)&own, size, host, sizeof host, port,
                         sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) == 0)
        snprintf(name, 300, own.ss_family == AF_INET6 ? "tcp:[%s]:%s" : "tcp:%s:%s", host,
                 port);
    else
        snprintf(name, 300, "tcp:%.200s:%s", a->host, a->port);
}

hry_status hry_socket_listen(const hry_address *a, int *fd, char name[300], hry_error *err)
{
    HRY_TRY(a->is_unix ? listen_unix(a, fd, err) : listen_tcp(a, fd, err));
    const hry_status status = hry_socket_prepare(*fd, err);
    if (status != HRY_OK) {
        close(*fd);
        return status;
    }
    tell_name(a, *fd, name);
    return HRY_OK;
}

hry_status hry_socket_accept(int listener, int *fd, bool *is_full, hry_error *err)
{
    *is_full = false;
    do
        *fd = accept(listener, NULL, NULL);
    while (*fd < 0 && errno == EINTR);
    if (*fd < 0) {
        *is_full =
            errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
        const bool is_nothing = errno == EAGAIN || errno == EWOULDBLOCK ||
                                errno == ECONNABORTED || errno == EPROTO || errno == EPERM;
        return *is_full || is_nothing ? HRY_OK : refused("accept", err);
    }
    const hry_status status = hry_socket_prepare(*fd, err);
    if (status != HRY_OK)
        close(*fd);
    else
        do_not_wait_for_more(*fd);
    return status;
}

/* ---- connecting ---- */

static int wait_connected(int fd, uint32_t timeout_ms)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    int cause = 0, ready;
    socklen_t size = sizeof cause;
    const uint64_t end = hry_socket_now() + timeout_ms;
    do {
        const uint64_t now = hry_socket_now();
        ready = poll(&p, 1, now < end ? (int)(end - now) : 0);
    } while (ready < 0 && errno == EINTR);
    if (ready == 0)
        cause = ETIMEDOUT;
    else if (ready < 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &cause, &size) != 0)
        cause = errno;
    errno = cause;
    return cause == 0 ? 0 : -1;
}

/* A connected socket, or -1 with errno. */
static int connect_one(int family, const struct sockaddr *name, socklen_t size,
                       uint32_t timeout_ms)
{
    const int fd = socket(family, SOCK_STREAM, 0);
    if (fd < 0)
        return -1;
    int failed = hry_socket_prepare(fd, NULL) != HRY_OK ? -1 : connect(fd, name, size);
    if (failed != 0 && (errno == EINPROGRESS || errno == EINTR))
        failed = wait_connected(fd, timeout_ms);
    if (failed == 0)
        return fd;
    const int cause = errno;
    close(fd);
    errno = cause;
    return -1;
}

static hry_status connect_tcp(const hry_address *a, uint32_t timeout_ms, int *fd,
                              hry_error *err)
{
    struct addrinfo *list;
    int cause = 0;
    HRY_TRY(resolve(a, 0, &list, err));
    *fd = -1;
    for (const struct addrinfo *i = list; i != NULL && *fd < 0; i = i->ai_next) {
        *fd = connect_one(i->ai_family, i->ai_addr, i->ai_addrlen, timeout_ms);
        cause = errno;
    }
    freeaddrinfo(list);
    if (*fd < 0)
        return HRY_FAIL(err, HRY_ERR_IO, "%.100s:%s: %s", a->host, a->port,
                        strerror(cause));
    do_not_wait_for_more(*fd);
    return HRY_OK;
}

hry_status hry_socket_connect(const hry_address *a, uint32_t timeout_ms, int *fd,
                              hry_error *err)
{
    if (!a->is_unix)
        return connect_tcp(a, timeout_ms, fd, err);
    const struct sockaddr_un name = unix_name(a);
    *fd = connect_one(AF_UNIX, (const struct sockaddr *)&name, sizeof name, timeout_ms);
    return *fd < 0 ? refused(a->path, err) : HRY_OK;
}

/* ---- bytes ---- */

static bool is_for_later(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

hry_status hry_socket_receive(int fd, void *to, size_t size, size_t *got, bool *ended,
                              hry_error *err)
{
    const ssize_t n = recv(fd, to, size, 0);
    *got = n > 0 ? (size_t)n : 0;
    *ended = n == 0;
    return n < 0 && !is_for_later() ? refused("recv", err) : HRY_OK;
}

hry_status hry_socket_send(int fd, const void *from, size_t size, size_t *sent,
                           hry_error *err)
{
    const ssize_t n = send(fd, from, size, MSG_NOSIGNAL);
    *sent = n > 0 ? (size_t)n : 0;
    return n < 0 && !is_for_later() ? refused("send", err) : HRY_OK;
}
