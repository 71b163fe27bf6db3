/* SPDX-License-Identifier: Apache-2.0 */
/* A server and its clients over sockets: many at once, slow ones, rude ones; the end. */
#include "hry/hry.h"

#include "raw_peer.h"
#include "sample_store.h"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { BIG = 8 << 20, CLIENTS = 6, ROUNDS = 20 };

/* ---- a server that runs ---- */

static char folder[] = "/tmp/hurray_server_XXXXXX";
static memory_store store;

typedef struct running {
    hry_server *server;
    pthread_t thread;
    hry_status status;
} running;

static void *serve(void *arg)
{
    running *r = arg;
    r->status = hry_server_run(r->server, NULL);
    return NULL;
}

static void start(running *r, const char *address, const hry_server_options *options)
{
    hry_error err;
    assert_ok(hry_server_open(address, memory_store_of(&store), options, &r->server, &err),
              &err);
    assert_int_equal(pthread_create(&r->thread, NULL, serve, r), 0);
}

static hry_server_counts stop(running *r)
{
    hry_server_stop(r->server);
    assert_int_equal(pthread_join(r->thread, NULL), 0);
    assert_int_equal(r->status, HRY_OK);
    const hry_server_counts counts = hry_server_get_counts(r->server);
    assert_int_equal(counts.open, 0);
    assert_int_equal(store.open, 0);
    hry_server_close(r->server);
    return counts;
}

static const char *unix_address(const char *name)
{
    static char address[200];
    snprintf(address, sizeof address, "unix:%s/%s", folder, name);
    return address;
}

static void rest(long ms)
{
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

/* ---- clients ---- */

/* Fetch it and compare it with what the store has. */
static hry_status fetch(hry_remote *remote, const char *key, uint32_t flags, hry_error *err)
{
    const hry_request r = {.key = {key, (uint32_t)strlen(key)}, .flags = flags};
    const memory_item *want = memory_find(&store, key, strlen(key));
    hry_collector *c;
    hry_status status = hry_collector_new(&c, err);
    if (status == HRY_OK)
        status = hry_remote_fetch(remote, &r, hry_collector_add, c, err);
    bool is_same = status == HRY_OK && hry_collector_count(c) == want->count;
    for (uint32_t i = 0; is_same && i < want->count; i++) {
        const hry_tensor *t = hry_collector_tensor(c, i);
        const blob *data = &want->tensors[i].data;
        size_t at = 0;
        for (uint32_t b = 0; b < t->descriptor->buffer_count; b++) {
            is_same =
                is_same && t->buffers[b].size <= data->size - at &&
                (t->buffers[b].size == 0 ||
                 memcmp(t->buffers[b].bytes, data->data + at, t->buffers[b].size) == 0);
            at += t->buffers[b].size;
        }
        is_same =
            is_same && at == data->size && t->descriptor->flags == want->tensors[i].d.flags;
    }
    hry_collector_free(c);
    if (status == HRY_OK && !is_same) {
        *err = (hry_error){HRY_ERR_CORRUPT, HRY_NO_OFFSET, "other bytes came"};
        return HRY_ERR_CORRUPT;
    }
    return status;
}

typedef struct client {
    pthread_t thread;
    const char *address;
    unsigned number;
    hry_status status;
    hry_error err;
} client;

static void *use_server(void *arg)
{
    static const char *const keys[] = {"plain", "scalar", "empty",
                                       "bits",  "sparse", "group"};
    client *c = arg;
    hry_remote *remote = NULL;
    c->status = hry_remote_open(c->address, NULL, &remote, &c->err);
    for (unsigned i = 0; i < ROUNDS && c->status == HRY_OK; i++) {
        const uint32_t flags = i % 3 == 0 ? HRY_PARALLEL_OK : 0;
        c->status = fetch(remote, keys[(c->number + i) % 6], flags, &c->err);
        if (c->status == HRY_OK && i % 5 == 0)
            c->status = fetch(remote, "big", flags, &c->err);
        if (c->status == HRY_OK && i % 7 == 0)
            c->status = hry_remote_ping(remote, &c->err);
    }
    hry_remote_close(remote);
    return NULL;
}

static void serves_many_at(const char *where)
{
    const hry_server_options options = {.session = {.shards = 4}};
    running r;
    client clients[CLIENTS];
    start(&r, where, &options);
    for (unsigned i = 0; i < CLIENTS; i++) {
        clients[i] = (client){.address = hry_server_address(r.server), .number = i};
        assert_int_equal(pthread_create(&clients[i].thread, NULL, use_server, &clients[i]),
                         0);
    }
    for (unsigned i = 0; i < CLIENTS; i++)
        pthread_join(clients[i].thread, NULL);
    for (unsigned i = 0; i < CLIENTS; i++)
        if (clients[i].status != HRY_OK)
            fail_msg("client %u: %s", i, clients[i].err.message);
    const hry_server_counts counts = stop(&r);
    assert_int_equal(counts.accepted, CLIENTS);
    assert_true(counts.sent > (uint64_t)CLIENTS * ROUNDS / 5 * BIG);
}

static void many_clients_over_a_unix_socket(void **state)
{
    (void)state;
    serves_many_at(unix_address("many"));
}

static void many_clients_over_tcp(void **state)
{
    (void)state;
    serves_many_at("tcp:0");
}

static void refusals_are_told_and_the_connection_lives(void **state)
{
    (void)state;
    hry_error err;
    hry_remote *remote;
    running r;
    start(&r, unix_address("refusals"), NULL);
    assert_ok(hry_remote_open(hry_server_address(r.server), NULL, &remote, &err), &err);
    assert_int_equal(hry_remote_server(remote)->protocol, 1);
    assert_status(HRY_ERR_NOTFOUND, fetch(remote, "scalar\xC3\xA9", 0, &err), &err);
    assert_status(HRY_ERR_IO, fetch(remote, "torn", 0, &err), &err);
    assert_ok(fetch(remote, "scalar", 0, &err), &err);
    hry_remote_close(remote);
    stop(&r);
}

/* ---- puts ---- */

static void puts_arrive(void **state)
{
    (void)state;
    static const char *const keys[] = {"plain", "empty", "group", "big"};
    hry_error err;
    hry_remote *remote;
    memory_store to = {.fuse = -1};
    running r;
    assert_ok(
        hry_server_open(unix_address("puts"), memory_store_of(&to), NULL, &r.server, &err),
        &err);
    assert_int_equal(pthread_create(&r.thread, NULL, serve, &r), 0);
    assert_ok(hry_remote_open(hry_server_address(r.server), NULL, &remote, &err), &err);
    const hry_store from = memory_store_of(&store);
    for (size_t i = 0; i < 4; i++) {
        const hry_message_text key = {keys[i], (uint32_t)strlen(keys[i])};
        assert_ok(hry_remote_put(remote, key, from, key, &err), &err);
        assert_status(HRY_ERR_IO, hry_remote_put(remote, key, from, key, &err), &err);
        assert_string_equal(err.message, "refused: error: there is one already");
    }
    const hry_message_text none = {"none", 4}, torn = {"torn", 4};
    assert_status(HRY_ERR_NOTFOUND, hry_remote_put(remote, none, from, none, &err), &err);
    assert_status(HRY_ERR_TRUNCATED, hry_remote_put(remote, torn, from, torn, &err), &err);
    assert_ok(hry_remote_ping(remote, &err), &err);
    hry_remote_close(remote);
    stop(&r);
    assert_int_equal(to.open, 0);
    assert_int_equal(to.count, 4);
    for (size_t i = 0; i < 4; i++) {
        const memory_item *a = memory_find(&store, keys[i], strlen(keys[i])),
                          *b = to.items[i];
        assert_int_equal(a->count, b->count);
        for (size_t k = 0; k < a->count; k++) {
            assert_int_equal(a->tensors[k].data.size, b->tensors[k].data.size);
            assert_memory_equal(a->tensors[k].data.data, b->tensors[k].data.data,
                                a->tensors[k].data.size);
        }
    }
    memory_free(&to);
}

/* ---- visits that end early ---- */

static hry_status enough(void *ctx, const hry_event *event, hry_error *err)
{
    unsigned *left = ctx;
    (void)event;
    if (*left > 0) {
        --*left;
        return HRY_OK;
    }
    *err = (hry_error){HRY_ERR_RANGE, HRY_NO_OFFSET, "enough"};
    return HRY_ERR_RANGE;
}

static void a_visit_may_end_early(void **state)
{
    (void)state;
    const hry_server_options options = {.session = {.shards = 4}};
    hry_error err;
    hry_remote *remote;
    running r;
    start(&r, unix_address("early"), &options);
    assert_ok(hry_remote_open(hry_server_address(r.server), NULL, &remote, &err), &err);
    for (unsigned n = 0; n < 20; n++) {
        unsigned left = n;
        const hry_request big = {.key = {"big", 3}, .flags = n % 2 ? HRY_PARALLEL_OK : 0};
        assert_status(HRY_ERR_RANGE, hry_remote_fetch(remote, &big, enough, &left, &err),
                      &err);
        assert_ok(fetch(remote, "scalar", 0, &err), &err);
    }
    hry_remote_close(remote);
    stop(&r);
}

/* ---- rude clients ---- */

static struct sockaddr_un name_of(const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    assert_true(strlen(path) < sizeof name.sun_path);
    memcpy(name.sun_path, path, strlen(path));
    return name;
}

static int raw_connect(const char *address)
{
    const struct sockaddr_un name = name_of(address + 5);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&name, sizeof name), 0);
    return fd;
}

/* All that comes until the server hangs up; false when it does not within 5 s. */
static bool read_to_the_end(int fd, blob *b)
{
    for (;;) {
        uint8_t part[4096];
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, 5000) <= 0)
            return false;
        const ssize_t n = recv(fd, part, sizeof part, 0);
        if (n <= 0)
            return true;
        bytes_append(b, part, (size_t)n);
    }
}

static void rubbish_is_answered_and_left(void **state)
{
    (void)state;
    hry_error err;
    hry_message m;
    running r;
    blob b = {0};
    uint8_t rubbish[30000];
    memset(rubbish, 'x', sizeof rubbish);
    start(&r, unix_address("rubbish"), NULL);
    const int fd = raw_connect(hry_server_address(r.server));
    assert_true(send(fd, rubbish, sizeof rubbish, MSG_NOSIGNAL) > 0);
    shutdown(fd, SHUT_WR);
    assert_true(read_to_the_end(fd, &b));
    assert_ok(hry_message_decode(b.data, b.size, &m, &err), &err);
    assert_int_equal(m.type, HRY_ERROR);
    assert_int_equal(m.refusal.code, HRY_REFUSED_MESSAGE);
    close(fd);
    bytes_free(&b);
    stop(&r);
}

static void who_does_nothing_is_left(void **state)
{
    (void)state;
    const hry_server_options options = {.idle_ms = 150};
    running r;
    blob b = {0};
    start(&r, unix_address("idle"), &options);
    const int silent = raw_connect(hry_server_address(r.server));
    const int half = raw_connect(hry_server_address(r.server));
    assert_int_equal(send(half, "\1\0\0\0\1", 5, MSG_NOSIGNAL), 5);
    assert_true(read_to_the_end(silent, &b));
    assert_true(read_to_the_end(half, &b));
    assert_int_equal(b.size, 0);
    close(silent);
    close(half);
    bytes_free(&b);
    assert_int_equal(stop(&r).timed_out, 2);
}

static void nobody_stays_for_ever(void **state)
{
    (void)state;
    const hry_server_options options = {.life_ms = 300};
    running r;
    blob b = {0};
    start(&r, unix_address("old"), &options);
    const int fd = raw_connect(hry_server_address(r.server));
    for (int i = 0; i < 12; i++) { /* signs of life do not help */
        (void)!send(fd, "\1\0\0\0\1\0\0\0\0\1\0\0" + i, 1, MSG_NOSIGNAL);
        rest(40);
    }
    assert_true(read_to_the_end(fd, &b));
    close(fd);
    bytes_free(&b);
    assert_int_equal(stop(&r).timed_out, 1);
}

/* A client that goes away in the middle of an answer harms nobody. */
static void who_hangs_up_is_forgotten(void **state)
{
    (void)state;
    hry_error err;
    hry_remote *remote;
    running r;
    uint8_t bytes[300];
    size_t n, m;
    start(&r, unix_address("gone"), NULL);
    const hry_message hello = raw_hello(HRY_CLIENT_HELLO);
    const hry_message request = {.type = HRY_TENSOR_REQUEST,
                                 .stream = 2,
                                 .request = {.key = {"big", 3}, .min_alignment = 1}};
    assert_ok(hry_message_encode(&hello, bytes, sizeof bytes, &n, &err), &err);
    assert_ok(hry_message_encode(&request, bytes + n, sizeof bytes - n, &m, &err), &err);
    for (int i = 0; i < 10; i++) {
        uint8_t part[1000];
        const int fd = raw_connect(hry_server_address(r.server));
        assert_int_equal(send(fd, bytes, n + m, MSG_NOSIGNAL), n + m);
        assert_true(recv(fd, part, sizeof part, 0) > 0);
        close(fd);
    }
    assert_ok(hry_remote_open(hry_server_address(r.server), NULL, &remote, &err), &err);
    assert_ok(fetch(remote, "scalar", 0, &err), &err);
    hry_remote_close(remote);
    stop(&r);
}

static void only_so_many_at_once(void **state)
{
    (void)state;
    const hry_server_options options = {.connections = 2};
    const hry_remote_options hurry = {.idle_ms = 100};
    hry_error err;
    hry_remote *a, *b, *c;
    running r;
    start(&r, unix_address("few"), &options);
    assert_ok(hry_remote_open(hry_server_address(r.server), NULL, &a, &err), &err);
    assert_ok(hry_remote_open(hry_server_address(r.server), NULL, &b, &err), &err);
    assert_status(HRY_ERR_IO,
                  hry_remote_open(hry_server_address(r.server), &hurry, &c, &err), &err);
    hry_remote_close(a);
    assert_ok(hry_remote_open(hry_server_address(r.server), NULL, &c, &err), &err);
    assert_ok(fetch(b, "plain", 0, &err), &err);
    assert_ok(fetch(c, "plain", 0, &err), &err);
    hry_remote_close(b);
    hry_remote_close(c);
    stop(&r);
}

/* ---- servers that are none ---- */

static void nobody_there_is_an_error(void **state)
{
    (void)state;
    const hry_remote_options hurry = {.idle_ms = 100};
    static const char *const wrong[] = {
        "", "unix:", "host", "host:port", "tcp:1:65536", "tcp:x:-1", "12345678"};
    hry_error err;
    hry_remote *remote;
    hry_server *server;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_status(HRY_ERR_ARG, hry_remote_open(wrong[i], NULL, &remote, &err), &err);
        assert_status(
            HRY_ERR_ARG,
            hry_server_open(wrong[i], memory_store_of(&store), NULL, &server, &err), &err);
    }
    assert_status(HRY_ERR_IO, hry_remote_open(unix_address("nobody"), NULL, &remote, &err),
                  &err);
    assert_status(HRY_ERR_IO, hry_remote_open("127.0.0.1:1", NULL, &remote, &err), &err);
    /* Somebody who does not answer. */
    const struct sockaddr_un name = name_of(unix_address("mute") + 5);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&name, sizeof name), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_status(HRY_ERR_IO, hry_remote_open(unix_address("mute"), &hurry, &remote, &err),
                  &err);
    assert_non_null(strstr(err.message, "100 milliseconds"));
    close(fd);
    unlink(name.sun_path);
}

static void a_socket_left_behind_is_replaced(void **state)
{
    (void)state;
    hry_error err;
    hry_server *first, *second;
    struct stat st;
    const hry_store s = memory_store_of(&store);
    char path[200];
    snprintf(path, sizeof path, "%s/left", folder);
    assert_ok(hry_server_open(path, s, NULL, &first, &err), &err);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_status(HRY_ERR_IO, hry_server_open(path, s, NULL, &second, &err), &err);
    assert_int_equal(stat(path, &st), 0);
    hry_server_close(first);
    assert_int_equal(stat(path, &st), -1);

    const struct sockaddr_un name = name_of(path);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&name, sizeof name), 0);
    close(fd); /* dead */
    assert_ok(hry_server_open(path, s, NULL, &second, &err), &err);
    hry_server_close(second);

    FILE *f = fopen(path, "w"); /* what is no socket is nobody's to remove */
    assert_non_null(f);
    fclose(f);
    assert_status(HRY_ERR_IO, hry_server_open(path, s, NULL, &second, &err), &err);
    assert_int_equal(unlink(path), 0);
    hry_server_close(NULL);
}

typedef struct last_visit {
    hry_server *server;
    hry_collector *collector;
} last_visit;

static hry_status stop_and_collect(void *ctx, const hry_event *event, hry_error *err)
{
    const last_visit *v = ctx;
    hry_server_stop(v->server);
    return hry_collector_add(v->collector, event, err);
}

static void a_server_that_stops_completes_what_it_does(void **state)
{
    (void)state;
    const hry_server_options options = {.grace_ms = 60000};
    const hry_request big = {.key = {"big", 3}};
    hry_error err;
    hry_remote *busy, *idle, *late;
    running r;
    last_visit v;
    start(&r, unix_address("stop"), &options);
    assert_ok(hry_remote_open(hry_server_address(r.server), NULL, &busy, &err), &err);
    assert_ok(hry_remote_open(hry_server_address(r.server), NULL, &idle, &err), &err);
    v = (last_visit){.server = r.server};
    assert_ok(hry_collector_new(&v.collector, &err), &err);
    assert_ok(hry_remote_fetch(busy, &big, stop_and_collect, &v, &err), &err);
    const hry_tensor *t = hry_collector_tensor(v.collector, 0);
    assert_memory_equal(t->buffers[0].bytes,
                        memory_find(&store, "big", 3)->tensors[0].data.data, BIG);
    assert_status(HRY_ERR_IO, hry_remote_ping(idle, &err), &err);
    assert_status(HRY_ERR_ARG, hry_remote_ping(idle, &err), &err);
    assert_status(HRY_ERR_IO, hry_remote_open(unix_address("stop"), NULL, &late, &err),
                  &err);
    hry_collector_free(v.collector);
    hry_remote_close(busy);
    hry_remote_close(idle);
    stop(&r);
}

static int begin(void **state)
{
    (void)state;
    const hry_descriptor big = sample_dense(HRY_UINT8, 2, (uint64_t[]){BIG >> 10, 1 << 10});
    sample_store(&store);
    memory_item *item = memory_add(&store, "big");
    item->count = 1;
    item->tensors[0].d = big;
    item->tensors[0].data = (blob){.data = malloc(BIG), .size = BIG};
    for (size_t i = 0; i < BIG; i++)
        item->tensors[0].data.data[i] = (uint8_t)(i * 2654435761u >> 13);
    return mkdtemp(folder) == NULL;
}

static int end(void **state)
{
    (void)state;
    memory_free(&store);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_clients_over_a_unix_socket),
        cmocka_unit_test(many_clients_over_tcp),
        cmocka_unit_test(refusals_are_told_and_the_connection_lives),
        cmocka_unit_test(puts_arrive),
        cmocka_unit_test(a_visit_may_end_early),
        cmocka_unit_test(rubbish_is_answered_and_left),
        cmocka_unit_test(who_does_nothing_is_left),
        cmocka_unit_test(nobody_stays_for_ever),
        cmocka_unit_test(who_hangs_up_is_forgotten),
        cmocka_unit_test(only_so_many_at_once),
        cmocka_unit_test(nobody_there_is_an_error),
        cmocka_unit_test(a_socket_left_behind_is_replaced),
        cmocka_unit_test(a_server_that_stops_completes_what_it_does),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
