/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors that clients put: kept when complete, refused for what is wrong with them. */
#include "hry/hry.h"

#include "conversation.h"
#include "raw_peer.h"
#include "sample_store.h"

/* ---- by our own client ---- */

/* All bytes of a tensor, as they find room. */
static void send_all(conversation *c, const memory_tensor *t)
{
    hry_error err;
    for (size_t done = 0; done < t->data.size;) {
        size_t taken;
        assert_ok(hry_client_send(c->client, t->data.data + done, t->data.size - done,
                                  &taken, &err),
                  &err);
        done += taken;
        if (taken == 0)
            talk_once(c->client, c->server, c->step, NULL);
    }
}

static void put_item(conversation *c, const char *key, const memory_item *item)
{
    hry_error err;
    for (size_t i = 0; i < item->count; i++) {
        const memory_tensor *t = &item->tensors[i];
        if (i == 0)
            assert_ok(hry_client_put(c->client, text_of(key), &t->d, &err), &err);
        else
            assert_ok(hry_client_put_next(c->client, &t->d, &err), &err);
        send_all(c, t);
    }
    talk(c);
}

static void item_is(const memory_item *got, const memory_item *want)
{
    assert_non_null(got);
    assert_int_equal(got->count, want->count);
    for (size_t i = 0; i < got->count; i++) {
        assert_int_equal(got->tensors[i].d.layout_tag, want->tensors[i].d.layout_tag);
        assert_int_equal(got->tensors[i].data.size, want->tensors[i].data.size);
        assert_memory_equal(got->tensors[i].data.data, want->tensors[i].data.data,
                            got->tensors[i].data.size);
    }
}

static void what_is_put_is_kept(void **state)
{
    (void)state;
    static const char *const keys[] = {"plain", "empty", "sparse", "group"};
    memory_store from, to = {.fuse = -1};
    sample_store(&from);
    for (size_t step = 1; step < 5000; step = step * 3 + 1) {
        const hry_session_options small = {.max_message = 300};
        conversation c = {.step = step};
        conversation_begin(&c, memory_store_of(&to), step % 2 ? &small : NULL, NULL);
        for (size_t i = 0; i < 4; i++) {
            put_item(&c, keys[i], memory_find(&from, keys[i], strlen(keys[i])));
            assert_int_equal(c.came.stored, i + 1);
            item_is(memory_find(&to, keys[i], strlen(keys[i])),
                    memory_find(&from, keys[i], strlen(keys[i])));
        }
        assert_int_equal(to.open, 0);
        memory_free(&to);
        conversation_end(&c);
    }
    memory_free(&from);
}

static void a_store_that_takes_nothing_says_so(void **state)
{
    (void)state;
    memory_store m;
    sample_store(&m);
    conversation c = {.step = 4096};
    conversation_begin(&c, memory_store_read_only(&m), NULL, NULL);
    put_item(&c, "new", memory_find(&m, "plain", 5));
    assert_int_equal(c.came.refused, 1);
    assert_string_equal(c.came.text, "nothing can be put here");
    ask(&c, "scalar", NULL); /* the bytes on their way did no harm */
    assert_int_equal(c.came.done, 1);
    conversation_end(&c);
    memory_free(&m);
}

static void the_nth_failure_of_the_store_refuses_the_put(void **state)
{
    (void)state;
    const hry_session_options small = {.max_message = 1000};
    memory_store from, to = {.fuse = -1};
    sample_store(&from);
    long n = 0;
    for (int stored = 0; stored == 0; n++) {
        conversation c = {.step = 4096};
        conversation_begin(&c, memory_store_of(&to), &small, NULL);
        to.fuse = n;
        put_item(&c, "new", memory_find(&from, "plain", 5));
        stored = c.came.stored;
        assert_int_equal(c.came.refused, !stored);
        to.fuse = -1;
        assert_int_equal(to.open, 0);
        put_item(&c, "other", memory_find(&from, "scalar", 6));
        assert_int_equal(c.came.stored, stored + 1);
        memory_free(&to);
        conversation_end(&c);
    }
    assert_int_equal(n, 9); /* create, begin, five pieces, commit; and all went well */
    memory_free(&from);
}

static void clients_put_only_what_is_whole(void **state)
{
    (void)state;
    hry_error err;
    size_t taken;
    memory_store m = {.fuse = -1};
    const hry_descriptor d = sample_dense(HRY_INT8, 1, (uint64_t[]){4});
    const hry_descriptor head = sample_composite(HRY_PARTITION, HRY_INT8, 4, 1);
    const hry_descriptor half = sample_shard(HRY_INT8, 4, 0, 2);
    conversation c = {.step = 4096};
    conversation_begin(&c, memory_store_of(&m), NULL, NULL);
    assert_status(HRY_ERR_ARG, hry_client_send(c.client, "ab", 2, &taken, &err), &err);
    assert_status(HRY_ERR_ARG, hry_client_put_next(c.client, &d, &err), &err);
    assert_ok(hry_client_put(c.client, text_of("x"), &d, &err), &err);
    assert_status(HRY_ERR_RANGE, hry_client_send(c.client, "abcde", 5, &taken, &err), &err);
    assert_ok(hry_client_send(c.client, "abc", 3, &taken, &err), &err);
    assert_int_equal(taken, 3);
    assert_status(HRY_ERR_ARG, hry_client_put_next(c.client, &d, &err), &err);
    talk(&c);
    assert_ok(hry_client_cancel(c.client, &err), &err);
    assert_ok(hry_client_put(c.client, text_of("x"), &head, &err), &err);
    assert_status(HRY_ERR_CORRUPT, hry_client_put_next(c.client, &d, &err), &err);
    assert_ok(hry_client_cancel(c.client, &err), &err);
    assert_ok(hry_client_put(c.client, text_of("x"), &head, &err), &err);
    assert_status(HRY_ERR_CORRUPT, hry_client_put_next(c.client, &half, &err), &err);
    assert_ok(hry_client_cancel(c.client, &err), &err);
    talk(&c);
    assert_int_equal(m.open, 0);
    assert_int_equal(m.count, 0);
    conversation_end(&c);
    memory_free(&m);
}

/* ---- by anybody ---- */

typedef struct host {
    memory_store m;
    hry_session *server;
} host;

static void host_begin(host *h, const hry_session_options *options)
{
    hry_error err;
    h->m = (memory_store){.fuse = -1};
    assert_ok(hry_session_serve(memory_store_of(&h->m), options, &h->server, &err), &err);
    say(h->server, raw_hello(HRY_CLIENT_HELLO));
    hears(h->server, HRY_SERVER_HELLO, 1, 0);
}

/* It refused `stream`, keeps nothing, and works. */
static void host_refused(host *h, uint32_t stream, uint32_t code)
{
    hears(h->server, HRY_ERROR, stream, code);
    hears_nothing(h->server);
    assert_int_equal(h->m.open, 0);
    assert_int_equal(h->m.count, 0);
    assert_false(hry_session_is_over(h->server));
    /* What was on its way is passed over. */
    say_data(h->server, stream, 0, "late", 4);
    say_empty(h->server, HRY_TENSOR_DATA_END, stream);
    hears_nothing(h->server);
    const hry_descriptor d = sample_dense(HRY_INT8, 0, NULL);
    say_put(h->server, stream, "good", &d, 1);
    say_data(h->server, stream, 0, "g", 1);
    say_empty(h->server, HRY_TENSOR_DATA_END, stream);
    hears(h->server, HRY_TENSOR_PUT_ACK, stream, 0);
    assert_int_equal(h->m.count, 1);
    hry_session_free(h->server);
    memory_free(&h->m);
}

static void puts_that_break_the_format_are_refused(void **state)
{
    (void)state;
    const hry_descriptor four = sample_dense(HRY_INT8, 1, (uint64_t[]){4});
    hry_descriptor elsewhere = four;
    uint8_t bytes[1024];
    host h;
    elsewhere.buffers[0].device = 2;

    host_begin(&h, NULL); /* another total than the buffers have */
    say_put(h.server, 5, "x", &four, 5);
    host_refused(&h, 5, HRY_REFUSED_MESSAGE);

    host_begin(&h, NULL); /* a descriptor that breaks a rule */
    const uint32_t length = raw_descriptor(&four, bytes);
    bytes[10] = 0x80;
    say(h.server, (hry_message){.type = HRY_TENSOR_PUT,
                                .stream = 5,
                                .put = {{"x", 1}, bytes, length, 4}});
    host_refused(&h, 5, HRY_REFUSED_MESSAGE);

    host_begin(&h, NULL); /* an unknown layout */
    bytes[10] = 0;
    bytes[15] = 0x20;
    say(h.server, (hry_message){.type = HRY_TENSOR_PUT,
                                .stream = 5,
                                .put = {{"x", 1}, bytes, length, 4}});
    host_refused(&h, 5, HRY_REFUSED_LAYOUT);

    host_begin(&h, NULL); /* a device that is not there */
    say_put(h.server, 5, "x", &elsewhere, 4);
    host_refused(&h, 5, HRY_REFUSED_DEVICE);

    host_begin(&h, NULL); /* events do not cross machines */
    elsewhere.buffers[0].sync_mode = 1;
    say_put(h.server, 5, "x", &elsewhere, 4);
    host_refused(&h, 5, HRY_REFUSED_MESSAGE);

    host_begin(&h, NULL); /* no name */
    say_put(h.server, 5, "", &four, 4);
    host_refused(&h, 5, HRY_REFUSED_OTHER);

    host_begin(&h, &(hry_session_options){.data_limit = 3});
    say_put(h.server, 5, "x", &four, 4);
    host_refused(&h, 5, HRY_REFUSED_OTHER);
}

static void composites_that_are_put_are_held_to_the_format(void **state)
{
    (void)state;
    const hry_descriptor four = sample_dense(HRY_INT8, 1, (uint64_t[]){4});
    const hry_descriptor head = sample_composite(HRY_PARTITION, HRY_INT8, 4, 2);
    const hry_descriptor half = sample_shard(HRY_INT8, 4, 0, 2);
    host h;

    host_begin(&h, &(hry_session_options){.data_limit = 3}); /* all members together */
    say_put(h.server, 5, "x", &head, 0);
    say_empty(h.server, HRY_TENSOR_DATA_END, 5);
    say_tensor(h.server, 5, &half, 2, 0, 1);
    say_data(h.server, 5, 0, "ab", 2);
    say_empty(h.server, HRY_TENSOR_DATA_END, 5);
    say_tensor(h.server, 5, &half, 2, 0, 1);
    host_refused(&h, 5, HRY_REFUSED_OTHER);

    host_begin(&h, NULL); /* the members overlap */
    say_put(h.server, 5, "x", &head, 0);
    say_empty(h.server, HRY_TENSOR_DATA_END, 5);
    for (int i = 0; i < 2; i++) {
        say_tensor(h.server, 5, &half, 2, 0, 1);
        say_data(h.server, 5, 0, "ab", 2);
        say_empty(h.server, HRY_TENSOR_DATA_END, 5);
    }
    host_refused(&h, 5, HRY_REFUSED_MESSAGE);

    host_begin(&h, NULL); /* no member at all */
    say_put(h.server, 5, "x", &head, 0);
    say_empty(h.server, HRY_TENSOR_DATA_END, 5);
    say_tensor(h.server, 5, &four, 4, 0, 1);
    host_refused(&h, 5, HRY_REFUSED_MESSAGE);
}

static void data_out_of_order_are_refused(void **state)
{
    (void)state;
    const hry_descriptor four = sample_dense(HRY_INT8, 1, (uint64_t[]){4});
    const hry_descriptor head = sample_composite(HRY_GROUP, HRY_INT8, 4, 1);
    static const struct {
        uint64_t offset;
        uint32_t size;
    } wrong[] = {{1, 1}, {3, 1}, {2, 3}, {UINT64_MAX - 2, 1}};
    host h;
    for (size_t i = 0; i < 4; i++) {
        host_begin(&h, NULL);
        say_put(h.server, 5, "x", &four, 4);
        say_data(h.server, 5, 0, "ab", 2);
        say_data(h.server, 5, 2, "", 0); /* nothing is allowed */
        say_data(h.server, 5, wrong[i].offset, "xyz", wrong[i].size);
        host_refused(&h, 5, HRY_REFUSED_MESSAGE);
    }
    host_begin(&h, NULL); /* too little */
    say_put(h.server, 5, "x", &four, 4);
    say_data(h.server, 5, 0, "abc", 3);
    say_empty(h.server, HRY_TENSOR_DATA_END, 5);
    host_refused(&h, 5, HRY_REFUSED_MESSAGE);

    host_begin(&h, NULL); /* data of a member that was not described */
    say_put(h.server, 5, "x", &head, 0);
    say_empty(h.server, HRY_TENSOR_DATA_END, 5);
    say_data(h.server, 5, 0, "ab", 2);
    host_refused(&h, 5, HRY_REFUSED_MESSAGE);

    host_begin(&h, NULL); /* a member of what is none */
    say_put(h.server, 5, "x", &four, 4);
    say_tensor(h.server, 5, &four, 4, 0, 1);
    host_refused(&h, 5, HRY_REFUSED_MESSAGE);

    host_begin(&h, NULL); /* again before it is whole */
    say_put(h.server, 5, "x", &four, 4);
    say_put(h.server, 5, "x", &four, 4);
    host_refused(&h, 5, HRY_REFUSED_MESSAGE);
}

static void a_second_put_is_refused_and_the_first_goes_on(void **state)
{
    (void)state;
    const hry_descriptor two = sample_dense(HRY_INT8, 1, (uint64_t[]){2});
    host h;
    host_begin(&h, NULL);
    say_put(h.server, 5, "x", &two, 2);
    say_put(h.server, 6, "y", &two, 2);
    hears(h.server, HRY_ERROR, 6, HRY_REFUSED_OTHER);
    say_data(h.server, 6, 0, "no", 2);
    say_data(h.server, 5, 0, "ok", 2);
    say_empty(h.server, HRY_TENSOR_DATA_END, 6);
    say_empty(h.server, HRY_TENSOR_DATA_END, 5);
    hears(h.server, HRY_TENSOR_PUT_ACK, 5, 0);
    hears_nothing(h.server);
    assert_int_equal(h.m.count, 1);
    assert_memory_equal(h.m.items[0]->tensors[0].data.data, "ok", 2);
    hry_session_free(h.server);
    memory_free(&h.m);
}

static void without_rdma_the_bytes_are_asked_for(void **state)
{
    (void)state;
    const hry_descriptor two = sample_dense(HRY_INT8, 1, (uint64_t[]){2});
    hry_message region = {.type = HRY_RDMA_REGISTER,
                          .stream = 5,
                          .region = {0x1000, 2, (const uint8_t *)"key", 3}};
    host h;
    host_begin(&h, NULL);
    say_put(h.server, 5, "x", &two, 2);
    say(h.server, region);
    hears(h.server, HRY_ERROR, 5, HRY_REFUSED_DEVICE);
    say_data(h.server, 5, 0, "ok", 2);
    say_empty(h.server, HRY_TENSOR_DATA_END, 5);
    hears(h.server, HRY_TENSOR_PUT_ACK, 5, 0);
    hry_session_free(h.server);
    memory_free(&h.m);

    host_begin(&h, NULL); /* a region that is not the tensor's */
    say_put(h.server, 5, "x", &two, 2);
    region.region.length = 3;
    say(h.server, region);
    host_refused(&h, 5, HRY_REFUSED_MESSAGE);
}

static void clients_that_leave_leave_nothing(void **state)
{
    (void)state;
    const hry_descriptor two = sample_dense(HRY_INT8, 1, (uint64_t[]){2});
    hry_error err;
    host h;
    host_begin(&h, NULL);
    say_put(h.server, 5, "x", &two, 2);
    say_data(h.server, 5, 0, "o", 1);
    assert_int_equal(h.m.open, 1);
    assert_true(hry_session_is_busy(h.server));
    assert_status(HRY_ERR_TRUNCATED, hry_session_ended(h.server, &err), &err);
    assert_true(hry_session_is_over(h.server));
    assert_int_equal(h.m.open, 0);
    hry_session_free(h.server);

    host_begin(&h, NULL); /* or is cut off */
    say_put(h.server, 5, "x", &two, 2);
    hry_session_free(h.server);
    assert_int_equal(h.m.open, 0);

    host_begin(&h, NULL); /* or changes its mind */
    say_put(h.server, 5, "x", &two, 2);
    say(h.server, (hry_message){.type = HRY_ERROR, .stream = 5});
    assert_int_equal(h.m.open, 0);
    assert_ok(hry_session_ended(h.server, &err), &err);
    hry_session_free(h.server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_is_kept),
        cmocka_unit_test(a_store_that_takes_nothing_says_so),
        cmocka_unit_test(the_nth_failure_of_the_store_refuses_the_put),
        cmocka_unit_test(clients_put_only_what_is_whole),
        cmocka_unit_test(puts_that_break_the_format_are_refused),
        cmocka_unit_test(composites_that_are_put_are_held_to_the_format),
        cmocka_unit_test(data_out_of_order_are_refused),
        cmocka_unit_test(a_second_put_is_refused_and_the_first_goes_on),
        cmocka_unit_test(without_rdma_the_bytes_are_asked_for),
        cmocka_unit_test(clients_that_leave_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
