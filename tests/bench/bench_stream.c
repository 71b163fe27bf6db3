/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of tensors of 256 bytes to 64 MiB: written to and read from memory, beside a
 * memcpy of the same bytes; fetched from a server over a Unix socket, beside plain writes
 * and reads of the same bytes through a pair of sockets. GB/s, and how many times the
 * baseline it takes.
 */
#include "hry/hry.h"

#include "clock.h"

#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TOTAL = 64 << 20, PIECE = 256 << 10, REPEATS = 5, MOST = 20000 };

static hry_error err;
static uint8_t *data; /* TOTAL bytes */

typedef struct memory {
    uint8_t *bytes;
    size_t size, at;
} memory;

static hry_status put(void *ctx, const void *bytes, size_t size, hry_error *e)
{
    memory *m = ctx;
    (void)e;
    memcpy(m->bytes + m->at, bytes, size);
    m->at += size;
    return HRY_OK;
}

static hry_status get(void *ctx, void *dst, size_t size, size_t *got, hry_error *e)
{
    memory *m = ctx;
    (void)e;
    *got = m->size - m->at < size ? m->size - m->at : size;
    memcpy(dst, m->bytes + m->at, *got);
    m->at += *got;
    return HRY_OK;
}

/* ---- bare streams ---- */

static void write_stream(memory *m, uint64_t size, int count)
{
    const void *buffers[] = {data};
    hry_stream_writer *w;
    hry_descriptor d;
    or_die(hry_descriptor_dense(HRY_UINT8, 1, &size, &d, &err), &err);
    m->at = 0;
    or_die(hry_stream_writer_new(put, m, NULL, &w, &err), &err);
    for (int i = 0; i < count; i++)
        or_die(hry_stream_writer_add(w, &d, buffers, &err), &err);
    or_die(hry_stream_writer_finish(w, &err), &err);
    m->size = m->at;
}

static void read_stream(memory *m, uint64_t size)
{
    static hry_descriptor d;
    hry_stream_reader *r;
    size_t got;
    bool found = true;
    m->at = 0;
    or_die(hry_stream_reader_new((hry_source){.read = get, .ctx = m}, NULL, &r, &err),
           &err);
    while (found) {
        or_die(hry_stream_reader_next(r, &d, &found, &err), &err);
        if (found)
            or_die(hry_stream_reader_read(r, data, (size_t)size, &got, &err), &err);
    }
    hry_stream_reader_free(r);
}

static void copy(memory *m, uint64_t size, int count)
{
    m->at = 0;
    for (int i = 0; i < count; i++)
        put(m, data, (size_t)size, NULL);
}

/* ---- sockets ---- */

static void *write_plain(void *arg)
{
    const int fd = *(const int *)arg;
    for (size_t at = 0; at < TOTAL;) {
        const ssize_t n = write(fd, data + at, TOTAL - at < PIECE ? TOTAL - at : PIECE);
        if (n <= 0)
            exit(1);
        at += (size_t)n;
    }
    return NULL;
}

static void read_plain(uint8_t *into)
{
    int pair[2];
    pthread_t writer;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 ||
        pthread_create(&writer, NULL, write_plain, &pair[0]) != 0)
        exit(1);
    for (size_t at = 0; at < TOTAL;) {
        const ssize_t n = read(pair[1], into + at, TOTAL - at < PIECE ? TOTAL - at : PIECE);
        if (n <= 0)
            exit(1);
        at += (size_t)n;
    }
    pthread_join(writer, NULL);
    close(pair[0]);
    close(pair[1]);
}

static void *serve(void *server)
{
    hry_error e;
    or_die(hry_server_run(server, &e), &e);
    return NULL;
}

static hry_status take(void *ctx, const hry_event *event, hry_error *e)
{
    (void)e;
    if (event->kind == HRY_EVENT_DATA)
        memcpy((uint8_t *)ctx + event->offset, event->bytes, event->size);
    return HRY_OK;
}

static void fetch(hry_remote *remote, const char *key, int times, uint8_t *into)
{
    const hry_request request = {.key = {key, (uint32_t)strlen(key)}};
    for (int i = 0; i < times; i++)
        or_die(hry_remote_fetch(remote, &request, take, into, &err), &err);
}

/* ---- */

static void print(const char *what, double took, size_t bytes, double base, int count)
{
    printf("  %-34s %7.2f GB/s %9.2f us each   x%.2f\n", what, (double)bytes / took / 1e9,
           took / count * 1e6, took / base);
}

static void keep_least(double *best, double began)
{
    const double took = now() - began;
    *best = took < *best ? took : *best;
}

static void bench_bare(memory *m, uint64_t size)
{
    const int count = TOTAL / size < MOST ? (int)(TOTAL / size) : MOST;
    double copied = 1e9, written = 1e9, read = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        double began = now();
        copy(m, size, count);
        keep_least(&copied, began);
        began = now();
        write_stream(m, size, count);
        keep_least(&written, began);
        began = now();
        read_stream(m, size);
        keep_least(&read, began);
    }
    const size_t bytes = (size_t)size * (size_t)count;
    printf("%d tensors of %llu bytes\n", count, (unsigned long long)size);
    print("memcpy", copied, bytes, copied, count);
    print("bare stream written to memory", written, bytes, copied, count);
    print("bare stream read from memory", read, bytes, copied, count);
}

static hry_file *make_file(memory *m)
{
    const uint64_t large = TOTAL, small = 256;
    const void *buffers[] = {data};
    hry_writer *w;
    hry_descriptor d;
    hry_io io;
    hry_file *file;
    m->at = 0;
    or_die(hry_writer_new(put, m, NULL, &w, &err), &err);
    or_die(hry_descriptor_dense(HRY_UINT8, 1, &large, &d, &err), &err);
    or_die(hry_writer_add(w, "large", &d, buffers, &err), &err);
    or_die(hry_descriptor_dense(HRY_UINT8, 1, &small, &d, &err), &err);
    or_die(hry_writer_add(w, "small", &d, buffers, &err), &err);
    or_die(hry_writer_finish(w, &err), &err);
    or_die(hry_io_memory(m->bytes, m->at, &io, &err), &err);
    or_die(hry_file_open_io(io, NULL, &file, &err), &err);
    return file;
}

static void bench_socket(memory *m)
{
    enum { SMALL = 5000 };
    hry_file *file = make_file(m);
    hry_store store;
    hry_server *server;
    hry_remote *remote;
    pthread_t thread;
    char address[64];
    double plain = 1e9, large = 1e9, small = 1e9;
    uint8_t *into = room(TOTAL);
    memset(into, 1, TOTAL);
    snprintf(address, sizeof address, "unix:/tmp/bench_stream.%ld", (long)getpid());
    or_die(hry_file_store_open(file, &store, &err), &err);
    or_die(hry_server_open(address, store, NULL, &server, &err), &err);
    if (pthread_create(&thread, NULL, serve, server) != 0)
        exit(1);
    or_die(hry_remote_open(address, NULL, &remote, &err), &err);
    for (int i = 0; i < REPEATS; i++) {
        double began = now();
        read_plain(into);
        keep_least(&plain, began);
        began = now();
        fetch(remote, "large", 1, into);
        keep_least(&large, began);
        began = now();
        fetch(remote, "small", SMALL, into);
        keep_least(&small, began);
    }
    hry_remote_close(remote);
    hry_server_stop(server);
    pthread_join(thread, NULL);
    hry_server_close(server);
    hry_file_store_close(&store);
    hry_file_close(file);
    free(into);
    printf("one tensor of %d bytes between two threads\n", TOTAL);
    print("plain socket", plain, TOTAL, plain, 1);
    print("server and client", large, TOTAL, plain, 1);
    printf("  requests of 256 bytes, one after another: %.1f us each\n",
           small / SMALL * 1e6);
}

int main(void)
{
    memory m = {.bytes = room(TOTAL + (8 << 20))};
    data = room(TOTAL);
    memset(data, 7, TOTAL);
    memset(m.bytes, 1, TOTAL + (8 << 20));
    for (uint64_t size = 256; size <= TOTAL; size *= 64)
        bench_bare(&m, size);
    bench_socket(&m);
    free(m.bytes);
    free(data);
    return 0;
}
