/* SPDX-License-Identifier: Apache-2.0 */
/* conversation.h - a client and a server that talk in memory, in pieces of any size, and
 * what came of it. For tests. */
#ifndef CONVERSATION_H
#define CONVERSATION_H

#include "hry/session.h"

#include "bytes.h"
#include "cmocka_all.h"
#include "memory_store.h"

enum { CAME_MAX = 300 };

/* A tensor, member or shard that came. */
typedef struct came_tensor {
    hry_descriptor d;
    blob data;
    uint32_t depth, shard, shards;
    bool has_ended;
} came_tensor;

typedef struct came {
    came_tensor *tensors; /* owned */
    size_t count;
    int ready, done, stored, refused, pongs;
    uint32_t code;
    char text[300];
    hry_status status; /* of hry_client_next() */
    hry_error err;
} came;

static inline void came_free(came *c)
{
    for (size_t i = 0; i < c->count; i++)
        bytes_free(&c->tensors[i].data);
    free(c->tensors);
    *c = (came){.count = 0};
}

static inline void came_tensor_begins(came *c, const hry_event *e)
{
    assert_true(c->count < CAME_MAX);
    if (c->tensors == NULL)
        c->tensors = calloc(CAME_MAX, sizeof *c->tensors);
    assert_non_null(c->tensors);
    came_tensor *t = &c->tensors[c->count++];
    *t = (came_tensor){.d = *e->descriptor,
                       .depth = e->depth,
                       .shard = e->shard,
                       .shards = e->shards,
                       .data = bytes_copy("", 0)};
}

static inline came_tensor *came_current(const came *c, const hry_event *e)
{
    for (size_t i = c->count; i-- > 0;)
        if (!c->tensors[i].has_ended && c->tensors[i].shard == e->shard)
            return &c->tensors[i];
    fail_msg("data of no tensor");
    return NULL;
}

static inline void came_event(came *c, const hry_event *e)
{
    switch (e->kind) {
    case HRY_EVENT_READY:
        c->ready++;
        break;
    case HRY_EVENT_TENSOR:
        came_tensor_begins(c, e);
        break;
    case HRY_EVENT_DATA: {
        came_tensor *t = came_current(c, e);
        assert_int_equal(e->offset, t->data.size);
        bytes_append(&t->data, e->bytes, e->size);
        break;
    }
    case HRY_EVENT_END:
        came_current(c, e)->has_ended = true;
        break;
    case HRY_EVENT_DONE:
        c->done++;
        break;
    case HRY_EVENT_STORED:
        c->stored++;
        break;
    case HRY_EVENT_REFUSED:
        c->refused++;
        c->code = e->code;
        snprintf(c->text, sizeof c->text, "%.*s", (int)e->text.length, e->text.bytes);
        break;
    case HRY_EVENT_PONG:
        c->pongs++;
        break;
    case HRY_EVENT_NONE:
        break;
    }
}

/* All events that there are. */
static inline void came_drain(hry_session *client, came *c)
{
    hry_event e = {.kind = HRY_EVENT_PONG};
    while (c->status == HRY_OK && e.kind != HRY_EVENT_NONE) {
        c->status = hry_client_next(client, &e, &c->err);
        if (c->status == HRY_OK)
            came_event(c, &e);
    }
}

/* At most `step` bytes from one to the other, and into `log`, if there is one. */
static inline bool talk_once(hry_session *from, hry_session *to, size_t step, blob *log)
{
    hry_error err;
    const void *bytes;
    size_t size, taken;
    assert_ok(hry_session_output(from, &bytes, &size, &err), &err);
    size = size < step ? size : step;
    if (size == 0)
        return false;
    assert_ok(hry_session_feed(to, bytes, size, &taken, &err), &err);
    if (log != NULL)
        bytes_append(log, bytes, taken);
    assert_ok(hry_session_sent(from, taken, &err), &err);
    return taken > 0;
}

typedef struct conversation {
    hry_session *client, *server;
    size_t step;
    blob from_client, from_server; /* all that was said */
    came came;
} conversation;

/* Until both are silent. */
static inline void talk(conversation *c)
{
    for (bool more = true; more;) {
        more = talk_once(c->client, c->server, c->step, &c->from_client);
        came_drain(c->client, &c->came);
        more |= talk_once(c->server, c->client, c->step, &c->from_server);
        came_drain(c->client, &c->came);
    }
}

/* With hellos exchanged. Options may be NULL. */
static inline void conversation_begin(conversation *c, hry_store store,
                                      const hry_session_options *of_server,
                                      const hry_session_options *of_client)
{
    hry_error err;
    const size_t step = c->step;
    *c = (conversation){.step = step > 0 ? step : 4096};
    assert_ok(hry_session_serve(store, of_server, &c->server, &err), &err);
    assert_ok(hry_session_ask(of_client, &c->client, &err), &err);
    talk(c);
    assert_int_equal(c->came.ready, 1);
}

static inline void conversation_end(conversation *c)
{
    hry_session_free(c->client);
    hry_session_free(c->server);
    bytes_free(&c->from_client);
    bytes_free(&c->from_server);
    came_free(&c->came);
}

static inline hry_message_text text_of(const char *text)
{
    return (hry_message_text){text, (uint32_t)strlen(text)};
}

/* Ask and talk until there is an answer. */
static inline void ask(conversation *c, const char *key, const hry_request *how)
{
    hry_error err;
    hry_request r = how != NULL ? *how : (hry_request){.flags = 0};
    r.key = text_of(key);
    assert_ok(hry_client_request(c->client, &r, &err), &err);
    talk(c);
}

/* What came is what the item has. */
static inline void came_is(const came *c, size_t first, const memory_item *item)
{
    assert_int_equal(c->count - first, item->count);
    for (size_t i = 0; i < item->count; i++) {
        const came_tensor *t = &c->tensors[first + i];
        const memory_tensor *want = &item->tensors[i];
        uint8_t a[2000], b[2000];
        size_t n, m;
        hry_error err;
        assert_true(t->has_ended);
        assert_ok(hry_descriptor_encode(&t->d, a, sizeof a, &n, &err), &err);
        assert_ok(hry_descriptor_encode(&want->d, b, sizeof b, &m, &err), &err);
        assert_int_equal(n, m);
        assert_memory_equal(a, b, n);
        assert_int_equal(t->data.size, want->data.size);
        assert_memory_equal(t->data.data, want->data.data, t->data.size);
    }
}

#endif
