/* SPDX-License-Identifier: Apache-2.0 */
/* Conversations cut off anywhere, with flipped bits, or at random. */
#include "hry/hry.h"

#include "conversation.h"
#include "random.h"
#include "raw_peer.h"
#include "sample_store.h"

static memory_store store;

static hry_session *server_that_greeted(void)
{
    hry_error err;
    hry_session *s;
    assert_ok(hry_session_serve(memory_store_of(&store), NULL, &s, &err), &err);
    say(s, raw_hello(HRY_CLIENT_HELLO));
    hears(s, HRY_SERVER_HELLO, 1, 0);
    return s;
}

static conversation sample_conversation(void)
{
    conversation c = {.step = 4096};
    conversation_begin(&c, memory_store_of(&store), NULL, NULL);
    ask(&c, "scalar", NULL);
    ask(&c, "nothing", NULL);
    ask(&c, "group", NULL);
    assert_int_equal(c.came.done, 2);
    return c;
}

/* A client that hears `size` bytes whatever it says, and does what it did. */
static hry_status hear_recorded(const uint8_t *bytes, size_t size, came *c)
{
    static const char *const keys[] = {"scalar", "nothing", "group"};
    size_t asked = 0, at = 0;
    hry_error err;
    hry_session *s;
    assert_ok(hry_session_ask(NULL, &s, &err), &err);
    while (at < size && c->status == HRY_OK) {
        size_t taken;
        const size_t n = size - at < 7 ? size - at : 7;
        assert_ok(hry_session_feed(s, bytes + at, n, &taken, &err), &err);
        at += taken;
        came_drain(s, c);
        if (c->ready > 0 && asked < 3 && !hry_session_is_busy(s) && taken > 0 &&
            !hry_session_is_over(s)) {
            const hry_request r = {.key = text_of(keys[asked++])};
            hry_client_request(s, &r, &err);
        }
        if (taken == 0)
            break;
    }
    hry_status status = c->status;
    if (status == HRY_OK && !hry_session_is_over(s))
        status = hry_session_ended(s, &c->err);
    hry_session_free(s);
    return status;
}

static void a_client_notices_every_cut(void **state)
{
    (void)state;
    conversation c = sample_conversation();
    unsigned whole = 0;
    for (size_t n = 0; n <= c.from_server.size; n++) {
        came got = {.count = 0};
        const hry_status status = hear_recorded(c.from_server.data, n, &got);
        whole += status == HRY_OK;
        assert_true(status == HRY_OK || status == HRY_ERR_TRUNCATED);
        /* Between an answer and the next request nothing is missing. */
        assert_true(status != HRY_OK || got.done + got.refused == 3 ||
                    n == c.from_server.size);
        came_free(&got);
    }
    assert_int_equal(whole, 1);
    conversation_end(&c);
}

static void a_client_survives_flipped_bits(void **state)
{
    (void)state;
    conversation c = sample_conversation();
    unsigned noticed = 0;
    for (size_t bit = 0; bit < c.from_server.size * 8; bit++) {
        came got = {.count = 0};
        c.from_server.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        noticed += hear_recorded(c.from_server.data, c.from_server.size, &got) != HRY_OK;
        c.from_server.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        came_free(&got);
    }
    assert_true(noticed > c.from_server.size * 4);
    conversation_end(&c);
}

/* A server that hears these bytes; what it says goes nowhere. */
static void tell_recorded(const uint8_t *bytes, size_t size, size_t step)
{
    hry_error err;
    hry_session *s;
    size_t at = 0;
    const int before = store.open;
    assert_ok(hry_session_serve(memory_store_of(&store), NULL, &s, &err), &err);
    for (bool more = true; more;) {
        const void *out;
        size_t taken = 0, said;
        const size_t n = size - at < step ? size - at : step;
        if (n > 0)
            assert_ok(hry_session_feed(s, bytes + at, n, &taken, &err), &err);
        at += taken;
        assert_ok(hry_session_output(s, &out, &said, &err), &err);
        assert_ok(hry_session_sent(s, said, &err), &err);
        more = taken > 0 || said > 0;
    }
    if (!hry_session_is_over(s))
        hry_session_ended(s, &err);
    hry_session_free(s);
    assert_int_equal(store.open, before);
}

static void a_server_survives_cuts_and_flips(void **state)
{
    (void)state;
    hry_error err;
    size_t taken;
    conversation c = sample_conversation();
    const hry_descriptor two = sample_dense(HRY_INT8, 1, (uint64_t[]){2});
    assert_ok(hry_client_put(c.client, text_of("two"), &two, &err), &err);
    assert_ok(hry_client_send(c.client, "ab", 2, &taken, &err), &err);
    talk(&c);
    assert_int_equal(c.came.stored, 1);
    const blob *said = &c.from_client;
    for (size_t n = 0; n <= said->size; n++) {
        blob cut = bytes_copy(said->data, n);
        tell_recorded(cut.data, n, 1 + n % 50);
        bytes_free(&cut);
    }
    for (size_t bit = 0; bit < said->size * 8; bit++) {
        said->data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        tell_recorded(said->data, said->size, 1000);
        said->data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        while (store.count > 8) /* what was put under a flipped name */
            memory_free_item(store.items[--store.count]);
    }
    conversation_end(&c);
}

/* Messages in any order, with any streams: no crash, no leak. */
static void random_messages_do_no_harm(void **state)
{
    (void)state;
    random_state r = {5};
    const hry_descriptor two = sample_dense(HRY_INT8, 1, (uint64_t[]){2});
    const hry_descriptor head = sample_composite(HRY_GROUP, HRY_INT8, 4, 1);
    uint8_t bytes[1024], head_bytes[1024];
    const uint32_t length = raw_descriptor(&two, bytes);
    const uint32_t head_length = raw_descriptor(&head, head_bytes);
    for (unsigned round = 0; round < 3000; round++) {
        hry_session *s = server_that_greeted();
        for (unsigned i = 0; i < 12 && !hry_session_is_over(s); i++) {
            hry_message m = {.type = (uint32_t)random_in(&r, 3, 13),
                             .stream = (uint32_t)random_in(&r, 1, 3)};
            const bool is_head = random_in(&r, 0, 1) == 0;
            const hry_message_text key = {"new", 3}, known = {"scalar", 6};
            if (m.type == HRY_TENSOR_REQUEST)
                m.request = (hry_request){.key = known, .min_alignment = 1};
            if (m.type == HRY_TENSOR_PUT)
                m.put = (hry_put_request){key, is_head ? head_bytes : bytes,
                                          is_head ? head_length : length, is_head ? 0 : 2};
            if (m.type == HRY_TENSOR_DESCRIPTOR)
                m.tensor = (hry_announcement){bytes, length, 2, 0, 1};
            if (m.type == HRY_TENSOR_DATA)
                m.part = (hry_data_part){0, bytes, (uint32_t)random_in(&r, 0, 2)};
            if (m.type == HRY_RDMA_REGISTER)
                m.region.length = 2;
            say(s, m);
            hry_message answer;
            blob keep = {0};
            while (random_in(&r, 0, 2) > 0 && hear(s, &answer, &keep))
                continue;
            bytes_free(&keep);
        }
        hry_session_free(s);
        assert_int_equal(store.open, 0);
        memory_item *item = memory_find(&store, "new", 3);
        if (item != NULL) {
            memory_free_item(item);
            store.count--;
        }
    }
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
        cmocka_unit_test(a_client_notices_every_cut),
        cmocka_unit_test(a_client_survives_flipped_bits),
        cmocka_unit_test(a_server_survives_cuts_and_flips),
        cmocka_unit_test(random_messages_do_no_harm),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
