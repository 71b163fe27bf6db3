/* SPDX-License-Identifier: Apache-2.0 */
/* Clients that break the protocol, and what the server says to it. */
#include "hry/hry.h"

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

/* It says ERROR on that stream, and no more. */
static void ends_with(hry_session *s, uint32_t stream, uint32_t code)
{
    assert_false(hry_session_is_over(s));
    hears(s, HRY_ERROR, stream, code);
    hears_nothing(s);
    assert_true(hry_session_is_over(s));
    say_request(s, 9, "scalar");
    hears_nothing(s);
    hry_session_free(s);
}

static void a_hello_comes_first_and_once(void **state)
{
    (void)state;
    hry_error err;
    hry_session *s;
    assert_ok(hry_session_serve(memory_store_of(&store), NULL, &s, &err), &err);
    say_request(s, 7, "scalar");
    ends_with(s, 7, HRY_REFUSED_MESSAGE);
    s = server_that_greeted();
    say(s, raw_hello(HRY_CLIENT_HELLO));
    ends_with(s, 1, HRY_REFUSED_MESSAGE);
}

static void hellos_are_weighed(void **state)
{
    (void)state;
    static const uint8_t unified[] = {2}, both[] = {2, 0};
    hry_error err;
    hry_session *s;
    hry_message hello = raw_hello(HRY_CLIENT_HELLO);
    assert_ok(hry_session_serve(memory_store_of(&store), NULL, &s, &err), &err);
    hello.hello.protocol = 0;
    say(s, hello);
    ends_with(s, 1, HRY_REFUSED_VERSION);

    assert_ok(hry_session_serve(memory_store_of(&store), NULL, &s, &err), &err);
    hello.hello.protocol = 7; /* the server answers with its own */
    say(s, hello);
    hears(s, HRY_SERVER_HELLO, 1, 0);
    hry_session_free(s);

    assert_ok(hry_session_serve(memory_store_of(&store), NULL, &s, &err), &err);
    hello = raw_hello(HRY_CLIENT_HELLO);
    hello.hello.max_message = 255;
    say(s, hello);
    ends_with(s, 1, HRY_REFUSED_SIZE);

    assert_ok(hry_session_serve(memory_store_of(&store), NULL, &s, &err), &err);
    hello = raw_hello(HRY_CLIENT_HELLO);
    hello.hello.memory_classes = (hry_tag_list){unified, 1};
    say(s, hello);
    hears(s, HRY_SERVER_HELLO, 1, 0);
    say_request(s, 2, "scalar");
    hears(s, HRY_ERROR, 2, HRY_REFUSED_DEVICE);
    hry_session_free(s);

    assert_ok(hry_session_serve(memory_store_of(&store), NULL, &s, &err), &err);
    hello.hello.memory_classes = (hry_tag_list){both, 2};
    say(s, hello);
    hears(s, HRY_SERVER_HELLO, 1, 0);
    say_request(s, 2, "scalar");
    hears(s, HRY_TENSOR_DESCRIPTOR, 2, 0);
    hry_session_free(s);
}

static void what_clients_do_not_say_ends_the_connection(void **state)
{
    (void)state;
    static const uint32_t types[] = {HRY_TENSOR_PUT_ACK, HRY_RDMA_READY,
                                     HRY_TENSOR_DATA_END};
    for (size_t i = 0; i < 3; i++) {
        hry_session *s = server_that_greeted();
        say_empty(s, types[i], 3);
        ends_with(s, 3, HRY_REFUSED_MESSAGE);
    }
    hry_session *s = server_that_greeted();
    say(s, raw_hello(HRY_SERVER_HELLO));
    ends_with(s, 1, HRY_REFUSED_MESSAGE);
    s = server_that_greeted();
    say_data(s, 4, 0, "x", 1);
    ends_with(s, 4, HRY_REFUSED_MESSAGE);
    s = server_that_greeted();
    say(s, (hry_message){.type = HRY_RDMA_REGISTER, .stream = 5});
    ends_with(s, 5, HRY_REFUSED_MESSAGE);
}

static void rubbish_ends_the_connection(void **state)
{
    (void)state;
    static const struct {
        uint8_t header[12];
        uint32_t stream, code;
    } cases[] = {
        {{0xF0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0}, 3, HRY_REFUSED_MESSAGE},
        {{99, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0}, 3, HRY_REFUSED_MESSAGE},
        {{10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 1, HRY_REFUSED_MESSAGE},
        {{10, 0, 0, 0, 3, 0, 0, 0, 1, 0, 16, 0}, 3, HRY_REFUSED_SIZE},
        {{10, 0, 0, 0, 3, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF}, 3, HRY_REFUSED_SIZE},
        {{8, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0}, 3, HRY_REFUSED_MESSAGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hry_session *s = server_that_greeted();
        say_bytes(s, cases[i].header, 12);
        if (i == 5) /* a payload where there must be none */
            say_bytes(s, "x", 1);
        ends_with(s, cases[i].stream, cases[i].code);
    }
}

static void harmless_messages_are_passed_over(void **state)
{
    (void)state;
    hry_session *s = server_that_greeted();
    say_empty(s, HRY_PONG, 9);
    say(s, (hry_message){.type = HRY_ERROR, .stream = 9});
    hears_nothing(s);
    say(s,
        (hry_message){.type = HRY_PING, .stream = 9, .echo = {(const uint8_t *)"hi", 2}});
    hears(s, HRY_PONG, 9, 0);
    say_request(s, 9, "scalar");
    hears(s, HRY_TENSOR_DESCRIPTOR, 9, 0);
    hears(s, HRY_TENSOR_DATA, 9, 0);
    hears(s, HRY_TENSOR_DATA_END, 9, 0);
    hry_session_free(s);
}

/* One that asks on and on and never listens gets no memory for it. */
static void who_does_not_listen_is_not_listened_to(void **state)
{
    (void)state;
    hry_session *s = server_that_greeted();
    hry_error err;
    const void *bytes;
    size_t size, said = 0;
    static const uint8_t echo[4000];
    while (
        said < 10000 &&
        say(s, (hry_message){.type = HRY_PING, .stream = 2, .echo = {echo, sizeof echo}}))
        said++;
    assert_true(said > 60 && said < 500);
    assert_ok(hry_session_output(s, &bytes, &size, &err), &err);
    assert_true(size < 300000);
    hry_session_free(s);

    s = server_that_greeted(); /* requests wait for the one before */
    said = 0;
    while (said < 100000 && say_request(s, 2, "plain"))
        said++;
    assert_true(said < 40000); /* 1 MiB of them */
    hry_session_free(s);
}

/* Requests that came together are answered in turn. */
static void requests_in_a_row_are_all_answered(void **state)
{
    (void)state;
    hry_session *s = server_that_greeted();
    for (uint32_t i = 0; i < 5; i++)
        say_request(s, 10 + i, i == 2 ? "nothing" : "scalar");
    hry_error err;
    assert_ok(hry_session_ended(s, &err), &err); /* though the client closed its half */
    for (uint32_t i = 0; i < 5; i++) {
        if (i == 2) {
            hears(s, HRY_ERROR, 12, HRY_REFUSED_TENSOR);
            continue;
        }
        assert_false(hry_session_is_over(s));
        hears(s, HRY_TENSOR_DESCRIPTOR, 10 + i, 0);
        hears(s, HRY_TENSOR_DATA, 10 + i, 0);
        hears(s, HRY_TENSOR_DATA_END, 10 + i, 0);
    }
    hears_nothing(s);
    assert_true(hry_session_is_over(s));
    hry_session_free(s);
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
        cmocka_unit_test(a_hello_comes_first_and_once),
        cmocka_unit_test(hellos_are_weighed),
        cmocka_unit_test(what_clients_do_not_say_ends_the_connection),
        cmocka_unit_test(rubbish_ends_the_connection),
        cmocka_unit_test(harmless_messages_are_passed_over),
        cmocka_unit_test(who_does_not_listen_is_not_listened_to),
        cmocka_unit_test(requests_in_a_row_are_all_answered),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
