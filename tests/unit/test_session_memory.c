/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of streams and sessions refused in turn: told, and nothing leaked. */
#include "hry/hry.h"

#include "byte_source.h"
#include "refusing.h"
#include "sample_store.h"

/* ---- a client and a server, without any memory but theirs ---- */

typedef struct pair {
    hry_session *client, *server;
    bool is_refused, is_done;
} pair;

static hry_status pass(hry_session *from, hry_session *to, bool *more, hry_error *err)
{
    const void *bytes;
    size_t size, taken;
    hry_status status = hry_session_output(from, &bytes, &size, err);
    if (status == HRY_OK && size > 0)
        status = hry_session_feed(to, bytes, size, &taken, err);
    if (status == HRY_OK && size > 0)
        status = hry_session_sent(from, taken, err);
    *more |= size > 0;
    return status;
}

static hry_status hear_events(pair *p, hry_error *err)
{
    hry_event e = {.kind = HRY_EVENT_PONG};
    hry_status status = HRY_OK;
    while (status == HRY_OK && e.kind != HRY_EVENT_NONE) {
        status = hry_client_next(p->client, &e, err);
        p->is_refused |= e.kind == HRY_EVENT_REFUSED;
        p->is_done |= e.kind == HRY_EVENT_DONE || e.kind == HRY_EVENT_STORED;
    }
    return status;
}

static hry_status talk(pair *p, hry_error *err)
{
    hry_status status = HRY_OK;
    for (bool more = true; more && status == HRY_OK;) {
        more = false;
        status = pass(p->client, p->server, &more, err);
        if (status == HRY_OK)
            status = pass(p->server, p->client, &more, err);
        if (status == HRY_OK)
            status = hear_events(p, err);
    }
    return status;
}

static memory_store store;

/* One request, or put, from the first allocation on. */
static hry_status converse(pair *p, const hry_request *request, hry_error *err)
{
    static const hry_session_options options = {.shards = 3, .shard_bytes = 1};
    *p = (pair){.client = NULL};
    hry_status status =
        hry_session_serve(memory_store_of(&store), &options, &p->server, err);
    if (status == HRY_OK)
        status = hry_session_ask(NULL, &p->client, err);
    if (status == HRY_OK)
        status = talk(p, err);
    if (status == HRY_OK)
        status = hry_client_request(p->client, request, err);
    if (status == HRY_OK)
        status = talk(p, err);
    hry_session_free(p->client);
    hry_session_free(p->server);
    return status;
}

static void survives(hry_request request)
{
    long n = 0;
    for (bool is_done = false; !is_done; n++) {
        hry_error err = {.code = HRY_OK};
        pair p;
        refuse_after = n;
        const hry_status status = converse(&p, &request, &err);
        refuse_after = -1;
        is_done = status == HRY_OK && p.is_done;
        assert_true(is_done || p.is_refused || status == HRY_ERR_NOMEM);
        assert_true(status == HRY_OK || err.code == HRY_ERR_NOMEM);
        assert_int_equal(store.open, 0);
    }
    assert_true(n > 5);
}

static void requests_survive_refused_memory(void **state)
{
    (void)state;
    survives((hry_request){.key = {"plain", 5}});
    survives((hry_request){.key = {"group", 5}});
    survives((hry_request){.key = {"plain", 5}, .flags = HRY_PARALLEL_OK});
}

/* Where there is no memory for another layout the stored one comes. */
static void transcoding_survives_refused_memory(void **state)
{
    (void)state;
    static const uint8_t layouts[] = {HRY_COO, HRY_COLUMN_MAJOR};
    survives((hry_request){
        .key = {"plain", 5}, .layouts = {layouts, 2, 2}, .flags = HRY_ALLOW_TRANSCODE});
}

/* ---- bare streams ---- */

static uint8_t stream_bytes[2000];
static size_t stream_size;

static hry_status to_buffer(void *ctx, const void *bytes, size_t size, hry_error *err)
{
    (void)ctx;
    (void)err;
    memcpy(stream_bytes + stream_size, bytes, size);
    stream_size += size;
    return HRY_OK;
}

static hry_status write_stream(void *ctx, hry_error *err)
{
    (void)ctx;
    hry_stream_writer *w;
    const memory_item *group = memory_find(&store, "group", 5);
    stream_size = 0;
    hry_status status = hry_stream_writer_new(to_buffer, NULL, NULL, &w, err);
    if (status != HRY_OK)
        return status;
    for (size_t i = 0; i < group->count && status == HRY_OK; i++) {
        const void *data[] = {group->tensors[i].data.data};
        status = hry_stream_writer_add(w, &group->tensors[i].d, data, err);
    }
    if (status == HRY_OK)
        return hry_stream_writer_finish(w, err);
    hry_stream_writer_abandon(w);
    return status;
}

static hry_status read_stream(void *ctx, hry_error *err)
{
    (void)ctx;
    byte_source s = byte_source_over(stream_bytes, stream_size, 100);
    hry_stream_reader *r;
    hry_descriptor d;
    bool found = true;
    hry_status status = hry_stream_reader_new(byte_source_of(&s), NULL, &r, err);
    if (status != HRY_OK)
        return status;
    while (status == HRY_OK && found)
        status = hry_stream_reader_next(r, &d, &found, err);
    hry_stream_reader_free(r);
    return status;
}

static void streams_survive_refused_memory(void **state)
{
    (void)state;
    assert_true(refuse_each(write_stream, NULL) > 4);
    assert_true(refuse_each(read_stream, NULL) > 4);
}

static int begin(void **state)
{
    (void)state;
    sample_store(&store);
    return 0;
}

static int end(void **state)
{
    (void)state;
    memory_free(&store);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_survive_refused_memory),
        cmocka_unit_test(transcoding_survives_refused_memory),
        cmocka_unit_test(streams_survive_refused_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
