/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a bare stream, as messages, as what a client says and as what a server says:
 * no crash, no leak, and whatever the pieces they come in, the same tensors.
 */
#include "hry/hry.h"

#include "must.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Counts and mixes what comes, so that two runs can be compared. */
typedef struct digest {
    uint64_t tensors, bytes, sum;
    hry_status status;
} digest;

static void mix(digest *d, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    for (size_t i = 0; i < size; i++)
        d->sum = (d->sum ^ from[i]) * UINT64_C(0x100000001B3);
    d->bytes += size;
}

static void must_match(const digest *a, const digest *b)
{
    must(a->tensors == b->tensors && a->bytes == b->bytes && a->sum == b->sum &&
         a->status == b->status);
}

/* ---- a bare stream ---- */

typedef struct input {
    const uint8_t *data;
    size_t size, at, step;
} input;

static hry_status next_bytes(void *ctx, void *dst, size_t size, size_t *got, hry_error *err)
{
    input *in = ctx;
    (void)err;
    size_t n = in->size - in->at < size ? in->size - in->at : size;
    n = n < in->step ? n : in->step;
    if (n > 0)
        memcpy(dst, in->data + in->at, n);
    in->at += n;
    *got = n;
    return HRY_OK;
}

static digest read_stream(const uint8_t *data, size_t size, size_t step, hry_mode mode)
{
    static hry_descriptor d;
    const hry_stream_options options = {.mode = mode};
    input in = {.data = data, .size = size, .step = step};
    digest sum = {0};
    hry_stream_reader *r;
    hry_error err = {.message = ""};
    uint8_t part[300];
    bool found = true;
    must(hry_stream_reader_new((hry_source){.read = next_bytes, .ctx = &in}, &options, &r,
                               NULL) == HRY_OK);
    while (sum.status == HRY_OK && found) {
        sum.status = hry_stream_reader_next(r, &d, &found, &err);
        if (sum.status != HRY_OK || !found)
            break;
        must(!d.opaque && hry_stream_reader_depth(r) < 64);
        sum.tensors++;
        for (size_t got = sizeof part; sum.status == HRY_OK && got == sizeof part;) {
            sum.status = hry_stream_reader_read(r, part, sizeof part, &got, &err);
            if (sum.status == HRY_OK)
                mix(&sum, part, got);
        }
    }
    must(sum.status == HRY_OK || err.message[0] != '\0');
    hry_stream_reader_free(r);
    return sum;
}

static void try_stream(const uint8_t *data, size_t size)
{
    const digest whole = read_stream(data, size, size + 1, HRY_STRICT);
    const digest pieces = read_stream(data, size, 3, HRY_STRICT);
    const digest permissive = read_stream(data, size, 100, HRY_PERMISSIVE);
    must_match(&whole, &pieces);
    must(whole.status != HRY_OK || permissive.status == HRY_OK);
}

/* ---- messages ---- */

/* What decodes encodes to the same bytes, but for hellos that say less or more. */
static void try_message(const uint8_t *data, size_t size)
{
    hry_message m;
    size_t length;
    if (hry_message_decode(data, size, &m, NULL) != HRY_OK)
        return;
    const size_t need = hry_message_size(&m);
    uint8_t *again = malloc(need > 0 ? need : 1);
    must(again != NULL && need > 0);
    must(hry_message_encode(&m, again, need, &length, NULL) == HRY_OK && length == need);
    if (m.type > HRY_SERVER_HELLO)
        must(length == size && memcmp(again, data, size) == 0);
    free(again);
}

static void try_messages(const uint8_t *data, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t need;
        if (hry_message_measure(data + at, size - at, 1 << 20, &need, NULL) != HRY_OK)
            return;
        must(need >= HRY_MESSAGE_HEADER_SIZE);
        if (need > size - at)
            return;
        try_message(data + at, need);
        at += need;
    }
}

/* ---- a server ---- */

static const uint8_t element[40] = {1, 2, 3};

static hry_status open_item(void *ctx, hry_message_text key, void **item, hry_error *err)
{
    (void)ctx;
    if (key.length > 0 && key.bytes[0] != 'n') {
        *item = (void *)(uintptr_t)(key.bytes[0] == 'g' ? 2 : 1);
        return HRY_OK;
    }
    *err = (hry_error){HRY_ERR_NOTFOUND, HRY_NO_OFFSET, "none"};
    return HRY_ERR_NOTFOUND;
}

/* What begins with g is a group of two tensors, with n nothing, else a tensor. */
static hry_status describe(void *item, uint64_t k, hry_descriptor *d, hry_error *err)
{
    const bool is_group = (uintptr_t)item == 2;
    const uint64_t shape[] = {5, 8};
    hry_status status = hry_descriptor_dense(HRY_UINT8, 2, shape, d, err);
    if (is_group && k == 0) {
        d->layout_tag = HRY_COMPOSITE;
        d->buffer_count = 0;
        d->fields.composite = (hry_composite){.rule = HRY_GROUP, .member_count = 2};
    }
    return status;
}

static hry_status read_item(void *item, uint64_t k, uint64_t offset, void *dst, size_t size,
                            hry_error *err)
{
    (void)item;
    (void)k;
    (void)err;
    must(offset <= sizeof element && size <= sizeof element - offset);
    memcpy(dst, element + offset, size);
    return HRY_OK;
}

static int items; /* that are open */

static void close_item(void *item)
{
    (void)item;
}

static hry_status create(void *ctx, hry_message_text key, void **item, hry_error *err)
{
    (void)ctx;
    (void)key;
    (void)err;
    *item = &items;
    items++;
    return HRY_OK;
}

static hry_status begin(void *item, const hry_descriptor *d, hry_error *err)
{
    (void)item;
    must(hry_descriptor_validate(d, err) == HRY_OK);
    return HRY_OK;
}

static hry_status write_item(void *item, const void *bytes, size_t size, hry_error *err)
{
    (void)item;
    (void)bytes;
    (void)err;
    must(size > 0);
    return HRY_OK;
}

static hry_status commit(void *item, hry_error *err)
{
    (void)item;
    (void)err;
    items--;
    return HRY_OK;
}

static void abandon(void *item)
{
    (void)item;
    items--;
}

static const hry_store_ops ops = {.open = open_item,
                                  .describe = describe,
                                  .read = read_item,
                                  .close = close_item,
                                  .create = create,
                                  .begin = begin,
                                  .write = write_item,
                                  .commit = commit,
                                  .abandon = abandon};

/* All it has to say, which must be messages; *d mixes it. */
static bool drain(hry_session *s, digest *d)
{
    const void *bytes;
    size_t size;
    must(hry_session_output(s, &bytes, &size, NULL) == HRY_OK);
    mix(d, bytes, size);
    must(hry_session_sent(s, size, NULL) == HRY_OK);
    return size > 0;
}

static void tell_server(const uint8_t *data, size_t size, size_t step)
{
    const hry_session_options options = {
        .max_message = 4096, .shards = 2, .shard_bytes = 1, .data_limit = 1 << 20};
    digest said = {0};
    hry_session *s;
    size_t at = 0;
    must(hry_session_serve((hry_store){.ops = &ops}, &options, &s, NULL) == HRY_OK);
    for (bool more = true; more;) {
        const size_t n = size - at < step ? size - at : step;
        size_t taken = 0;
        if (n > 0)
            must(hry_session_feed(s, data + at, n, &taken, NULL) == HRY_OK);
        at += taken;
        more = drain(s, &said) || taken > 0;
    }
    if (!hry_session_is_over(s))
        hry_session_ended(s, NULL);
    must(!drain(s, &said));
    hry_session_free(s);
    must(items == 0);
}

/* Bytes that begin with no hello get one in front, so that more lies behind it. */
static void try_server(const uint8_t *data, size_t size)
{
    static const uint8_t hello[34] = {1, 0, 0, 0, 1, 0, 0, 0, 22, 0, 0, 0, 1, 0, 0, 0, 0,
                                      1, 0, 0, 2, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0};
    const size_t before = size > 0 && data[0] != HRY_CLIENT_HELLO ? sizeof hello : 0;
    uint8_t *bytes = malloc(size + sizeof hello);
    must(bytes != NULL);
    memcpy(bytes, hello, before);
    if (size > 0)
        memcpy(bytes + before, data, size);
    tell_server(bytes, before + size, before + size + 1);
    tell_server(bytes, before + size, 5);
    free(bytes);
}

/* ---- a client ---- */

static digest hear_server(const uint8_t *data, size_t size, size_t step)
{
    const hry_session_options options = {.max_message = 4096, .data_limit = 1 << 16};
    const hry_request request = {.key = {"x", 1}, .flags = HRY_PARALLEL_OK};
    digest heard = {0}, said = {0};
    hry_session *s;
    hry_collector *c;
    must(hry_session_ask(&options, &s, NULL) == HRY_OK);
    must(hry_collector_new(&c, NULL) == HRY_OK);
    hry_status collected = HRY_OK;
    for (size_t at = 0, taken = 1; taken > 0;) {
        hry_event e = {.kind = HRY_EVENT_PONG};
        const size_t n = size - at < step ? size - at : step;
        must(hry_session_feed(s, data + at, n, &taken, NULL) == HRY_OK);
        at += taken;
        while (heard.status == HRY_OK && e.kind != HRY_EVENT_NONE) {
            heard.status = hry_client_next(s, &e, NULL);
            if (heard.status != HRY_OK)
                break;
            heard.tensors += e.kind == HRY_EVENT_TENSOR;
            if (e.kind == HRY_EVENT_DATA)
                mix(&heard, e.bytes, e.size);
            if (collected == HRY_OK)
                collected = hry_collector_add(c, &e, NULL);
            if (e.kind == HRY_EVENT_READY || e.kind == HRY_EVENT_DONE)
                must(hry_client_request(s, &request, NULL) == HRY_OK);
        }
        drain(s, &said);
    }
    if (heard.status == HRY_OK && !hry_session_is_over(s))
        hry_session_ended(s, NULL);
    hry_collector_free(c);
    hry_session_free(s);
    return heard;
}

static void try_client(const uint8_t *data, size_t size)
{
    static const uint8_t hello[34] = {2, 0, 0, 0, 1, 0, 0, 0, 22, 0, 0, 0, 1, 0, 0, 0, 0,
                                      1, 0, 0, 2, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0};
    const size_t before = size > 0 && data[0] != HRY_SERVER_HELLO ? sizeof hello : 0;
    uint8_t *bytes = malloc(size + sizeof hello);
    must(bytes != NULL);
    memcpy(bytes, hello, before);
    if (size > 0)
        memcpy(bytes + before, data, size);
    const digest whole = hear_server(bytes, before + size, before + size + 1);
    const digest pieces = hear_server(bytes, before + size, 7);
    must_match(&whole, &pieces);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_stream(data, size);
    try_messages(data, size);
    try_server(data, size);
    try_client(data, size);
    return 0;
}
