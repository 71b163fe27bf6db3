/* SPDX-License-Identifier: Apache-2.0 */
/* server_session.c - the server's side of a connection (format section 7). */
#include "cursor.h"
#include "stream/answer.h"
#include "stream/taking.h"

#include <stdio.h>

typedef struct server {
    hry_session base;
    bool has_greeted;
    bool takes_shards;   /* the client does */
    bool takes_standard; /* memory, the client does */
    hry_answer answer;
    hry_taking taking;
} server;

static const uint8_t layouts[] = {
    HRY_ROW_MAJOR, HRY_COLUMN_MAJOR, HRY_STRIDED,   HRY_TILED,
    HRY_MORTON,    HRY_COO,          HRY_CSR,       HRY_CSC,
    HRY_CSF,       HRY_BLOCK_PAGED,  HRY_COMPOSITE, HRY_HILBERT,
};
static const uint8_t cpu[] = {0}, standard[] = {0};

/* ---- hello ---- */

static hry_hello own_hello(const hry_session_options *o)
{
    return (hry_hello){
        .protocol = HRY_PROTOCOL_VERSION,
        .max_message = o->max_message,
        .capabilities = (o->no_transcode ? 0 : HRY_CAN_TRANSCODE) |
                        (o->shards > 1 ? HRY_CAN_PARALLEL : 0),
        .layouts = {layouts, sizeof layouts, sizeof layouts},
        .devices = {cpu, sizeof cpu},
        .memory_classes = {standard, sizeof standard},
    };
}

static bool takes_standard_memory(const hry_tag_list *classes)
{
    for (uint16_t i = 0; i < classes->count; i++)
        if (classes->tags[i] == 0)
            return true;
    return classes->count == 0;
}

static hry_status on_hello(server *v, const hry_message *m, hry_error *err)
{
    hry_link *l = &v->base.link;
    const hry_message answer = {.type = HRY_SERVER_HELLO,
                                .stream = m->stream,
                                .hello = own_hello(&v->base.options)};
    l->peer_limit = m->hello.max_message;
    if (m->hello.protocol < HRY_PROTOCOL_VERSION)
        return hry_link_break(l, m->stream, HRY_REFUSED_VERSION,
                              "this server speaks version 1", err);
    if (l->peer_limit < HRY_LEAST_MAX_MESSAGE)
        return hry_link_break(l, m->stream, HRY_REFUSED_SIZE,
                              "max_message_size must be 256 at least", err);
    v->has_greeted = true;
    v->takes_shards = (m->hello.capabilities & HRY_CAN_PARALLEL) != 0;
    v->takes_standard = takes_standard_memory(&m->hello.memory_classes);
    return hry_link_send(l, &answer, err);
}

/* ---- messages ---- */

static hry_status broken(server *v, const hry_message *m, const char *what, hry_error *err)
{
    char text[128];
    snprintf(text, sizeof text, "%s: %s", hry_message_name(m->type), what);
    return hry_link_break(&v->base.link, m->stream, HRY_REFUSED_MESSAGE, text, err);
}

static hry_status on_request(server *v, const hry_message *m, hry_error *err)
{
    const bool parallel = v->takes_shards && (m->request.flags & HRY_PARALLEL_OK) != 0;
    if (!v->takes_standard)
        return hry_link_refuse(&v->base.link, m->stream, HRY_REFUSED_DEVICE,
                               "this server has standard memory only", err);
    return hry_answer_begin(&v->answer, &v->base, m->stream, &m->request, parallel, err);
}

static hry_status on_ping(server *v, const hry_message *m, hry_error *err)
{
    const uint32_t most = v->base.link.peer_limit;
    hry_message pong = *m;
    pong.type = HRY_PONG;
    pong.echo.size = pong.echo.size < most ? pong.echo.size : most;
    return hry_link_send(&v->base.link, &pong, err);
}

static hry_status on_rest(server *v, const hry_message *m, hry_error *err)
{
    bool understood;
    if (m->type == HRY_ERROR && hry_answer_has(&v->answer, m->stream))
        return hry_answer_cancel(&v->answer, &v->base, m->stream, err);
    HRY_TRY(hry_taking_message(&v->taking, &v->base, m, &understood, err));
    /* An error on a stream that is over crossed its end on the way. */
    if (understood || m->type == HRY_ERROR)
        return HRY_OK;
    return broken(v, m, "not on this stream", err);
}

static hry_status on_message(server *v, const hry_message *m, hry_error *err)
{
    if (!v->has_greeted)
        return m->type == HRY_CLIENT_HELLO ? on_hello(v, m, err)
                                           : broken(v, m, "CLIENT_HELLO comes first", err);
    switch (m->type) {
    case HRY_TENSOR_REQUEST:
        return on_request(v, m, err);
    case HRY_PING:
        return on_ping(v, m, err);
    case HRY_PONG:
        return HRY_OK;
    case HRY_TENSOR_PUT:
    case HRY_TENSOR_DESCRIPTOR:
    case HRY_TENSOR_DATA:
    case HRY_TENSOR_DATA_END:
    case HRY_RDMA_REGISTER:
    case HRY_ERROR:
        return on_rest(v, m, err);
    default:
        return broken(v, m, "not from a client, or not now", err);
    }
}

/* ---- the side ---- */

/* Requests are answered one after the other: the next one waits where it is. */
static bool must_wait(const server *v, const hry_message *m)
{
    return v->answer.is_active && m->type == HRY_TENSOR_REQUEST;
}

static hry_status advance(hry_session *s, hry_error *err)
{
    server *v = (server *)s;
    hry_link *l = &s->link;
    while (!l->is_over && hry_link_pending(l) < HRY_LINK_HIGH) {
        hry_message m;
        hry_error why;
        bool found;
        const hry_status status = hry_link_look(l, &m, &found, &why);
        if (status != HRY_OK)
            return hry_link_break(l, m.stream, hry_link_code_of(status), why.message, err);
        if (!found || must_wait(v, &m))
            break;
        HRY_TRY(on_message(v, &m, err));
        hry_link_take(l);
    }
    return HRY_OK;
}

static hry_status produce(hry_session *s, hry_error *err)
{
    server *v = (server *)s;
    const size_t enough = HRY_LINK_HIGH / 4;
    while (v->answer.is_active && hry_link_pending(&s->link) < enough) {
        HRY_TRY(hry_answer_produce(&v->answer, s, err));
        if (!v->answer.is_active)
            HRY_TRY(advance(s, err));
    }
    return HRY_OK;
}

static hry_status ended(hry_session *s, hry_error *err)
{
    server *v = (server *)s;
    if (v->taking.is_active) {
        hry_taking_free(&v->taking);
        return HRY_FAIL(err, HRY_ERR_TRUNCATED, "the client left inside a put");
    }
    if (s->link.in.size > s->link.in_at && !v->answer.is_active)
        return HRY_FAIL(err, HRY_ERR_TRUNCATED, "the client left inside a message");
    return HRY_OK;
}

static bool is_busy(const hry_session *s)
{
    const server *v = (const server *)s;
    return v->answer.is_active || v->taking.is_active;
}

static void release(hry_session *s)
{
    server *v = (server *)s;
    hry_answer_free(&v->answer);
    hry_taking_free(&v->taking);
}

hry_status hry_session_serve(hry_store store, const hry_session_options *options,
                             hry_session **out, hry_error *err)
{
    static const hry_side side = {.advance = advance,
                                  .produce = produce,
                                  .ended = ended,
                                  .is_busy = is_busy,
                                  .free = release};
    if (store.ops == NULL || out == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "store.ops and out must not be NULL");
    server *v = calloc(1, sizeof *v);
    if (v == NULL)
        return HRY_NO_MEMORY(err, sizeof *v);
    hry_session_init(&v->base, &side, options);
    v->answer.store = v->taking.store = store;
    *out = &v->base;
    return HRY_OK;
}
