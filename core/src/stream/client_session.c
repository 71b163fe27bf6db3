/* SPDX-License-Identifier: Apache-2.0 */
/* client_session.c - the client's side of a connection (format section 7). */
#include "stream/client.h"
#include "stream/message_parts.h"

enum { SHARDS = 256, HELLO_STREAM = 1 };

static const uint8_t layouts[] = {
    HRY_ROW_MAJOR, HRY_COLUMN_MAJOR, HRY_STRIDED,   HRY_TILED,
    HRY_MORTON,    HRY_COO,          HRY_CSR,       HRY_CSC,
    HRY_CSF,       HRY_BLOCK_PAGED,  HRY_COMPOSITE, HRY_HILBERT,
};
static const uint8_t cpu[] = {0}, standard[] = {0};

/* ---- asking ---- */

hry_status hry_client_request(hry_session *s, const hry_request *request, hry_error *err)
{
    hry_client_side *c = (hry_client_side *)s;
    hry_receiving *r = &c->receiving;
    hry_message m = {
        .type = HRY_TENSOR_REQUEST, .stream = c->next_stream, .request = *request};
    if (!c->is_ready || s->link.is_over || r->is_active || c->putting.is_active)
        return HRY_FAIL(err, HRY_ERR_ARG,
                        "not ready: no hello yet, over, or busy with something else");
    if (m.request.min_alignment == 0)
        m.request.min_alignment = 1;
    const size_t size = hry_message_size(&m);
    if (size == 0 || size - HRY_MESSAGE_HEADER_SIZE > s->link.peer_limit)
        return HRY_FAIL(err, HRY_ERR_ARG,
                        "a request larger than the %u bytes the server takes",
                        (unsigned)s->link.peer_limit);
    HRY_TRY(hry_link_send(&s->link, &m, err));
    *r = (hry_receiving){.is_active = true,
                         .parallel_ok = (request->flags & HRY_PARALLEL_OK) != 0,
                         .stream = c->next_stream};
    /* Shards have streams of their own, behind this one as a rule. */
    c->next_stream += 1 + (r->parallel_ok ? s->options.shards : 0);
    return HRY_OK;
}

hry_status hry_client_cancel(hry_session *s, hry_error *err)
{
    hry_client_side *c = (hry_client_side *)s;
    const bool puts = c->putting.is_active;
    if (!puts && !c->receiving.is_active)
        return HRY_OK;
    HRY_TRY(hry_link_refuse(&s->link, puts ? c->putting.stream : c->receiving.stream,
                            HRY_REFUSED_OTHER, "cancelled", err));
    hry_receiving_end(&c->receiving);
    hry_putting_end(&c->putting);
    c->owes_done = false;
    c->stale = c->next_stream;
    return HRY_OK;
}

hry_status hry_client_ping(hry_session *s, hry_error *err)
{
    const hry_message m = {.type = HRY_PING, .stream = HELLO_STREAM};
    return hry_link_send(&s->link, &m, err);
}

const hry_hello *hry_client_server(const hry_session *s)
{
    const hry_client_side *c = (const hry_client_side *)s;
    return c->is_ready ? &c->server : NULL;
}

/* ---- messages ---- */

/* Its lists are kept, the message is not. */
static hry_status on_hello(hry_client_side *c, const hry_message *m, hry_event *event,
                           uint32_t *code, hry_error *err)
{
    hry_hello *server = &c->server;
    *code = HRY_REFUSED_VERSION;
    if (m->hello.protocol != HRY_PROTOCOL_VERSION)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "the server speaks version %u of the protocol, this client %d",
                        (unsigned)m->hello.protocol, HRY_PROTOCOL_VERSION);
    *code = HRY_REFUSED_SIZE;
    if (m->hello.max_message < HRY_LEAST_MAX_MESSAGE)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "the server takes messages of %u bytes, %d are needed",
                        (unsigned)m->hello.max_message, HRY_LEAST_MAX_MESSAGE);
    *server = m->hello;
    bld_bytes(&c->hello, server->layouts.bytes, server->layouts.size);
    bld_bytes(&c->hello, server->devices.tags, server->devices.count);
    bld_bytes(&c->hello, server->memory_classes.tags, server->memory_classes.count);
    HRY_TRY(bld_ok(&c->hello, "hello", err));
    server->layouts.bytes = c->hello.data;
    server->devices.tags = c->hello.data + server->layouts.size;
    server->memory_classes.tags = server->devices.tags + server->devices.count;
    c->base.link.peer_limit = server->max_message;
    c->is_ready = true;
    event->kind = HRY_EVENT_READY;
    return HRY_OK;
}

static bool is_of_tensor(const hry_message *m)
{
    return m->type == HRY_TENSOR_DESCRIPTOR || m->type == HRY_TENSOR_DATA ||
           m->type == HRY_TENSOR_DATA_END;
}

/* Of something that was given up or refused, while it was on its way. */
static bool is_stale(const hry_client_side *c, const hry_message *m)
{
    return c->is_ready && m->stream < c->stale && m->stream != HELLO_STREAM;
}

static hry_status on_error(hry_client_side *c, const hry_message *m, hry_event *event)
{
    const bool is_ours = hry_receiving_has(&c->receiving, m->stream) ||
                         (c->putting.is_active && c->putting.stream == m->stream);
    if (!is_ours && is_stale(c, m))
        return HRY_OK;
    /* What is not about a stream of ours is about the connection. */
    if (!is_ours)
        c->base.link.is_over = true;
    hry_receiving_end(&c->receiving);
    hry_putting_end(&c->putting);
    c->stale = c->next_stream;
    *event = (hry_event){
        .kind = HRY_EVENT_REFUSED, .code = m->refusal.code, .text = m->refusal.text};
    return HRY_OK;
}

/* There is none: the ERROR tells the server to send the bytes (format section 7). */
static hry_status on_rdma(hry_client_side *c, const hry_message *m, hry_error *err)
{
    const hry_receiving *r = &c->receiving;
    for (uint32_t i = 0; i < r->count; i++) {
        const hry_inlet *inlet = &r->inlets[i];
        if (inlet->stream == m->stream && inlet->is_open && inlet->came == 0 &&
            inlet->total == m->region.length)
            return hry_link_refuse(&c->base.link, m->stream, HRY_REFUSED_DEVICE,
                                   "no RDMA here: send TENSOR_DATA", err);
    }
    return HRY_FAIL(err, HRY_ERR_CORRUPT, "RDMA_REGISTER: not of a tensor that is next");
}

static hry_status on_ack(hry_client_side *c, const hry_message *m, hry_event *event,
                         hry_error *err)
{
    if (!c->putting.awaits_ack || c->putting.stream != m->stream)
        return HRY_FAIL(err, HRY_ERR_CORRUPT,
                        "TENSOR_PUT_ACK on stream %u: nothing was put there completely",
                        (unsigned)m->stream);
    hry_putting_end(&c->putting);
    event->kind = HRY_EVENT_STORED;
    return HRY_OK;
}

static hry_status on_ping(hry_client_side *c, const hry_message *m, hry_error *err)
{
    const uint32_t most = c->base.link.peer_limit;
    hry_message pong = *m;
    pong.type = HRY_PONG;
    pong.echo.size = pong.echo.size < most ? pong.echo.size : most;
    return hry_link_send(&c->base.link, &pong, err);
}

/* No event, where event->kind stays NONE. */
static hry_status on_message(hry_client_side *c, const hry_message *m, hry_event *event,
                             uint32_t *code, hry_error *err)
{
    *code = HRY_REFUSED_MESSAGE;
    if (m->type == HRY_ERROR)
        return on_error(c, m, event);
    if (!c->is_ready && m->type == HRY_SERVER_HELLO)
        return on_hello(c, m, event, code, err);
    if (c->is_ready && is_of_tensor(m) && hry_receiving_has(&c->receiving, m->stream))
        return hry_receiving_message(c, m, event, code, err);
    if (is_stale(c, m))
        return HRY_OK;
    if (c->is_ready && is_of_tensor(m) && c->receiving.parallel_ok)
        return hry_receiving_message(c, m, event, code, err);
    if (c->is_ready && m->type == HRY_RDMA_REGISTER)
        return on_rdma(c, m, err);
    if (c->is_ready && m->type == HRY_TENSOR_PUT_ACK)
        return on_ack(c, m, event, err);
    if (c->is_ready && m->type == HRY_PING)
        return on_ping(c, m, err);
    if (c->is_ready && m->type == HRY_PONG) {
        event->kind = HRY_EVENT_PONG;
        return HRY_OK;
    }
    return HRY_FAIL(err, HRY_ERR_CORRUPT, "%s on stream %u: not from a server, or not now",
                    hry_message_name(m->type), (unsigned)m->stream);
}

/* ---- events ---- */

/* The server is told what is wrong, and that was the last thing said. */
static hry_status give_up(hry_client_side *c, uint32_t stream, uint32_t code,
                          hry_status status, const hry_error *why, hry_error *err)
{
    hry_receiving_end(&c->receiving);
    hry_putting_end(&c->putting);
    if (status != HRY_ERR_NOMEM)
        hry_link_break(&c->base.link, stream, code, why->message, NULL);
    c->base.link.is_over = true;
    if (err != NULL)
        *err = *why;
    return status;
}

static void settle(hry_client_side *c)
{
    if (c->holds_message)
        hry_link_take(&c->base.link);
    c->holds_message = false;
}

static bool pay_done(hry_client_side *c, hry_event *event)
{
    if (!c->owes_done)
        return false;
    c->owes_done = false;
    hry_receiving_end(&c->receiving);
    event->kind = HRY_EVENT_DONE;
    return true;
}

hry_status hry_client_next(hry_session *s, hry_event *event, hry_error *err)
{
    hry_client_side *c = (hry_client_side *)s;
    hry_link *l = &s->link;
    *event = (hry_event){.kind = HRY_EVENT_NONE};
    settle(c);
    if (pay_done(c, event))
        return HRY_OK;
    while (event->kind == HRY_EVENT_NONE && !l->is_over) {
        hry_message m;
        hry_error why = {.message = ""};
        bool found;
        uint32_t code;
        hry_status status = hry_link_look(l, &m, &found, &why);
        if (status != HRY_OK)
            return give_up(c, m.stream, hry_link_code_of(status), status, &why, err);
        if (!found)
            return HRY_OK;
        status = on_message(c, &m, event, &code, &why);
        if (status != HRY_OK)
            return give_up(c, m.stream, code, status, &why, err);
        c->holds_message = event->kind != HRY_EVENT_NONE;
        if (!c->holds_message)
            hry_link_take(l);
    }
    c->owes_done = event->kind == HRY_EVENT_END && hry_receiving_is_done(&c->receiving);
    return HRY_OK;
}

/* ---- the side ---- */

/* Messages wait for hry_client_next(). */
static hry_status advance(hry_session *s, hry_error *err)
{
    (void)s;
    (void)err;
    return HRY_OK;
}

static bool is_busy(const hry_session *s)
{
    const hry_client_side *c = (const hry_client_side *)s;
    return c->receiving.is_active || c->putting.is_active;
}

static hry_status ended(hry_session *s, hry_error *err)
{
    const hry_client_side *c = (const hry_client_side *)s;
    if (!c->is_ready)
        return HRY_FAIL(err, HRY_ERR_TRUNCATED, "the server left before its hello");
    if (is_busy(s))
        return HRY_FAIL(err, HRY_ERR_TRUNCATED, "the server left before it was done");
    return HRY_OK;
}

static void release(hry_session *s)
{
    hry_client_side *c = (hry_client_side *)s;
    hry_receiving_end(&c->receiving);
    hry_putting_end(&c->putting);
    bld_free(&c->hello);
    bld_free(&c->bytes);
}

static hry_status say_hello(hry_client_side *c, hry_error *err)
{
    const hry_message m = {.type = HRY_CLIENT_HELLO,
                           .stream = HELLO_STREAM,
                           .hello = {.protocol = HRY_PROTOCOL_VERSION,
                                     .max_message = c->base.options.max_message,
                                     .capabilities = HRY_CAN_PARALLEL,
                                     .layouts = {layouts, sizeof layouts, sizeof layouts},
                                     .devices = {cpu, sizeof cpu},
                                     .memory_classes = {standard, sizeof standard}}};
    return hry_link_send(&c->base.link, &m, err);
}

hry_status hry_session_ask(const hry_session_options *options, hry_session **out,
                           hry_error *err)
{
    static const hry_side side = {.advance = advance,
                                  .produce = advance,
                                  .ended = ended,
                                  .is_busy = is_busy,
                                  .free = release};
    if (out == NULL)
        return HRY_FAIL(err, HRY_ERR_ARG, "out must not be NULL");
    hry_client_side *c = calloc(1, sizeof *c);
    if (c == NULL)
        return HRY_NO_MEMORY(err, sizeof *c);
    hry_session_init(&c->base, &side, options);
    if (c->base.options.shards == 0)
        c->base.options.shards = SHARDS;
    c->next_stream = HELLO_STREAM + 1;
    const hry_status status = say_hello(c, err);
    if (status != HRY_OK) {
        hry_session_free(&c->base);
        return status;
    }
    *out = &c->base;
    return HRY_OK;
}
