/* SPDX-License-Identifier: Apache-2.0 */
/* Servers that break the protocol, and what the client says to it. */
#include "hry/hry.h"

#include "conversation.h"
#include "raw_peer.h"
#include "sample_store.h"

typedef struct guest {
    hry_session *client;
    came came;
} guest;

static guest guest_that_asked(uint32_t flags)
{
    hry_error err;
    guest g = {.client = NULL};
    const hry_request r = {.key = {"x", 1}, .flags = flags};
    assert_ok(hry_session_ask(&(hry_session_options){.data_limit = 1000}, &g.client, &err),
              &err);
    hears(g.client, HRY_CLIENT_HELLO, 1, 0);
    say(g.client, raw_hello(HRY_SERVER_HELLO));
    came_drain(g.client, &g.came);
    assert_int_equal(g.came.ready, 1);
    assert_ok(hry_client_request(g.client, &r, &err), &err);
    hears(g.client, HRY_TENSOR_REQUEST, 2, 0);
    return g;
}

/* The client tells its caller and the server, and is over. */
static void gives_up(guest *g, hry_status status, uint32_t stream, uint32_t code)
{
    came_drain(g->client, &g->came);
    assert_int_equal(g->came.status, status);
    assert_int_equal(g->came.err.code, status);
    assert_true(g->came.err.message[0] != '\0');
    hears(g->client, HRY_ERROR, stream, code);
    assert_true(hry_session_is_over(g->client));
    hry_session_free(g->client);
    came_free(&g->came);
}

static void servers_must_greet(void **state)
{
    (void)state;
    hry_error err;
    hry_message hello = raw_hello(HRY_SERVER_HELLO);
    guest g = {.client = NULL};
    assert_ok(hry_session_ask(NULL, &g.client, &err), &err);
    hears(g.client, HRY_CLIENT_HELLO, 1, 0);
    say_empty(g.client, HRY_TENSOR_DATA_END, 2);
    gives_up(&g, HRY_ERR_CORRUPT, 2, HRY_REFUSED_MESSAGE);

    assert_ok(hry_session_ask(NULL, &g.client, &err), &err);
    hears(g.client, HRY_CLIENT_HELLO, 1, 0);
    hello.hello.protocol = 2;
    say(g.client, hello);
    gives_up(&g, HRY_ERR_UNSUPPORTED, 1, HRY_REFUSED_VERSION);

    assert_ok(hry_session_ask(NULL, &g.client, &err), &err);
    hears(g.client, HRY_CLIENT_HELLO, 1, 0);
    hello = raw_hello(HRY_SERVER_HELLO);
    hello.hello.max_message = 10;
    say(g.client, hello);
    gives_up(&g, HRY_ERR_UNSUPPORTED, 1, HRY_REFUSED_SIZE);

    assert_ok(hry_session_ask(NULL, &g.client, &err), &err); /* or say why not */
    say(g.client, (hry_message){.type = HRY_ERROR,
                                .stream = 1,
                                .refusal = {HRY_REFUSED_VERSION, {"old", 3}}});
    came_drain(g.client, &g.came);
    assert_int_equal(g.came.refused, 1);
    assert_int_equal(g.came.code, HRY_REFUSED_VERSION);
    hry_session_free(g.client);
    came_free(&g.came);
}

static void servers_send_what_they_announced(void **state)
{
    (void)state;
    const hry_descriptor four = sample_dense(HRY_INT8, 1, (uint64_t[]){4});
    const hry_descriptor big = sample_dense(HRY_INT8, 1, (uint64_t[]){1001});
    hry_descriptor elsewhere = four;
    guest g = guest_that_asked(0);
    say_tensor(g.client, 2, &four, 5, 0, 1); /* another total */
    gives_up(&g, HRY_ERR_CORRUPT, 2, HRY_REFUSED_MESSAGE);

    g = guest_that_asked(0);
    say_tensor(g.client, 2, &big, 1001, 0, 1); /* more than is wanted */
    gives_up(&g, HRY_ERR_RANGE, 2, HRY_REFUSED_OTHER);

    g = guest_that_asked(0);
    say_tensor(g.client, 3, &four, 4, 0, 1); /* on another stream */
    gives_up(&g, HRY_ERR_CORRUPT, 3, HRY_REFUSED_MESSAGE);

    g = guest_that_asked(0);
    say_tensor(g.client, 2, &four, 4, 0, 2); /* shards nobody asked for */
    gives_up(&g, HRY_ERR_CORRUPT, 2, HRY_REFUSED_MESSAGE);

    g = guest_that_asked(0);
    elsewhere.buffers[0].device = 1;
    say_tensor(g.client, 2, &elsewhere, 4, 0, 1);
    gives_up(&g, HRY_ERR_UNSUPPORTED, 2, HRY_REFUSED_DEVICE);
}

static void data_come_in_order_and_whole(void **state)
{
    (void)state;
    const hry_descriptor four = sample_dense(HRY_INT8, 1, (uint64_t[]){4});
    guest g = guest_that_asked(0);
    say_data(g.client, 2, 0, "x", 1); /* of nothing */
    gives_up(&g, HRY_ERR_CORRUPT, 2, HRY_REFUSED_MESSAGE);

    g = guest_that_asked(0);
    say_tensor(g.client, 2, &four, 4, 0, 1);
    say_data(g.client, 2, 1, "x", 1); /* with a gap */
    gives_up(&g, HRY_ERR_CORRUPT, 2, HRY_REFUSED_MESSAGE);

    g = guest_that_asked(0);
    say_tensor(g.client, 2, &four, 4, 0, 1);
    say_data(g.client, 2, 0, "abcde", 5); /* too much */
    gives_up(&g, HRY_ERR_CORRUPT, 2, HRY_REFUSED_MESSAGE);

    g = guest_that_asked(0);
    say_tensor(g.client, 2, &four, 4, 0, 1);
    say_empty(g.client, HRY_TENSOR_DATA_END, 2); /* too little */
    gives_up(&g, HRY_ERR_CORRUPT, 2, HRY_REFUSED_MESSAGE);

    g = guest_that_asked(0);
    say_tensor(g.client, 2, &four, 4, 0, 1);
    say_tensor(g.client, 2, &four, 4, 0, 1); /* one inside the other */
    gives_up(&g, HRY_ERR_CORRUPT, 2, HRY_REFUSED_MESSAGE);

    g = guest_that_asked(0);
    say_empty(g.client, HRY_TENSOR_PUT_ACK, 2); /* of nothing */
    gives_up(&g, HRY_ERR_CORRUPT, 2, HRY_REFUSED_MESSAGE);
}

static void members_keep_to_the_limit_together(void **state)
{
    (void)state;
    const hry_descriptor head = sample_composite(HRY_GROUP, HRY_INT8, 4, 2);
    const hry_descriptor four = sample_dense(HRY_INT8, 1, (uint64_t[]){4});
    guest g = guest_that_asked(0);
    say_tensor(g.client, 2, &head, 0, 0, 1);
    say_empty(g.client, HRY_TENSOR_DATA_END, 2);
    const hry_descriptor most = sample_dense(HRY_INT8, 1, (uint64_t[]){998});
    say_tensor(g.client, 2, &four, 4, 0, 1);
    say_data(g.client, 2, 0, "abcd", 4);
    say_empty(g.client, HRY_TENSOR_DATA_END, 2);
    say_tensor(g.client, 2, &most, 998, 0, 1);
    gives_up(&g, HRY_ERR_RANGE, 2, HRY_REFUSED_OTHER);
}

static void composites_are_held_to_the_format(void **state)
{
    (void)state;
    const hry_descriptor head = sample_composite(HRY_PARTITION, HRY_INT8, 4, 2);
    const hry_descriptor half = sample_shard(HRY_INT8, 4, 0, 2);
    const hry_descriptor loose = sample_dense(HRY_INT8, 1, (uint64_t[]){2});
    guest g = guest_that_asked(0);
    say_tensor(g.client, 2, &head, 0, 0, 1);
    say_empty(g.client, HRY_TENSOR_DATA_END, 2);
    say_tensor(g.client, 2, &loose, 2, 0, 1);
    gives_up(&g, HRY_ERR_CORRUPT, 2, HRY_REFUSED_MESSAGE);

    g = guest_that_asked(0);
    say_tensor(g.client, 2, &head, 0, 0, 1);
    say_empty(g.client, HRY_TENSOR_DATA_END, 2);
    for (int i = 0; i < 2; i++) {
        say_tensor(g.client, 2, &half, 2, 0, 1);
        say_data(g.client, 2, 0, "ab", 2);
        say_empty(g.client, HRY_TENSOR_DATA_END, 2);
    }
    gives_up(&g, HRY_ERR_CORRUPT, 2, HRY_REFUSED_MESSAGE);
}

static void shards_must_fit_together(void **state)
{
    (void)state;
    const hry_descriptor a = sample_shard(HRY_INT8, 4, 0, 2);
    const hry_descriptor b = sample_shard(HRY_INT8, 4, 2, 2);
    hry_descriptor wrong[5] = {b, b, b, b, sample_dense(HRY_INT8, 1, (uint64_t[]){2})};
    wrong[0].type_tag = HRY_UINT8;
    wrong[1].layout_tag = HRY_COLUMN_MAJOR;
    wrong[2].shard.parent_shape[0] = 5;
    wrong[3].shard.offset[0] = 1; /* they overlap, and element 3 is missing */
    for (size_t i = 0; i < 5; i++) {
        guest g = guest_that_asked(HRY_PARALLEL_OK);
        say_tensor(g.client, 2, &a, 2, 0, 2);
        say_tensor(g.client, 3, &wrong[i], 2, 1, 2);
        gives_up(&g, HRY_ERR_CORRUPT, 3, HRY_REFUSED_SHARDS);
    }
    guest g = guest_that_asked(HRY_PARALLEL_OK); /* the same one twice */
    say_tensor(g.client, 2, &a, 2, 0, 2);
    say_tensor(g.client, 3, &b, 2, 0, 2);
    gives_up(&g, HRY_ERR_CORRUPT, 3, HRY_REFUSED_MESSAGE);

    g = guest_that_asked(HRY_PARALLEL_OK); /* two on one stream */
    say_tensor(g.client, 2, &a, 2, 0, 2);
    say_tensor(g.client, 2, &b, 2, 1, 2);
    gives_up(&g, HRY_ERR_CORRUPT, 2, HRY_REFUSED_MESSAGE);

    g = guest_that_asked(HRY_PARALLEL_OK); /* of another number */
    say_tensor(g.client, 2, &a, 2, 0, 2);
    say_tensor(g.client, 3, &b, 2, 1, 3);
    gives_up(&g, HRY_ERR_CORRUPT, 3, HRY_REFUSED_MESSAGE);

    g = guest_that_asked(HRY_PARALLEL_OK); /* too many */
    say_tensor(g.client, 2, &a, 2, 0, 257);
    gives_up(&g, HRY_ERR_CORRUPT, 2, HRY_REFUSED_MESSAGE);
}

/* They may come on any streams and in any order. */
static void shards_of_other_servers_are_taken(void **state)
{
    (void)state;
    const hry_descriptor a = sample_shard(HRY_INT8, 4, 0, 2);
    const hry_descriptor b = sample_shard(HRY_INT8, 4, 2, 2);
    guest g = guest_that_asked(HRY_PARALLEL_OK);
    say_tensor(g.client, 700, &b, 2, 1, 2);
    say_data(g.client, 700, 0, "c", 1);
    say_tensor(g.client, 40, &a, 2, 0, 2);
    say_data(g.client, 40, 0, "ab", 2);
    say_data(g.client, 700, 1, "d", 1);
    say_empty(g.client, HRY_TENSOR_DATA_END, 700);
    say_empty(g.client, HRY_TENSOR_DATA_END, 40);
    came_drain(g.client, &g.came);
    assert_ok(g.came.status, &g.came.err);
    assert_int_equal(g.came.done, 1);
    assert_int_equal(g.came.tensors[0].shard, 1);
    assert_memory_equal(g.came.tensors[0].data.data, "cd", 2);
    assert_memory_equal(g.came.tensors[1].data.data, "ab", 2);
    hry_session_free(g.client);
    came_free(&g.came);
}

static void without_rdma_the_bytes_are_asked_for(void **state)
{
    (void)state;
    const hry_descriptor two = sample_dense(HRY_INT8, 1, (uint64_t[]){2});
    hry_message region = {.type = HRY_RDMA_REGISTER,
                          .stream = 2,
                          .region = {0x1000, 2, (const uint8_t *)"key", 3}};
    guest g = guest_that_asked(0);
    say_tensor(g.client, 2, &two, 2, 0, 1);
    say(g.client, region);
    came_drain(g.client, &g.came);
    hears(g.client, HRY_ERROR, 2, HRY_REFUSED_DEVICE);
    say_data(g.client, 2, 0, "ok", 2);
    say_empty(g.client, HRY_TENSOR_DATA_END, 2);
    came_drain(g.client, &g.came);
    assert_int_equal(g.came.done, 1);
    assert_memory_equal(g.came.tensors[0].data.data, "ok", 2);
    hry_session_free(g.client);
    came_free(&g.came);

    g = guest_that_asked(0);
    say_tensor(g.client, 2, &two, 2, 0, 1);
    region.region.length = 3;
    say(g.client, region);
    gives_up(&g, HRY_ERR_CORRUPT, 2, HRY_REFUSED_MESSAGE);
    g = guest_that_asked(0);
    say_empty(g.client, HRY_RDMA_READY, 2);
    gives_up(&g, HRY_ERR_CORRUPT, 2, HRY_REFUSED_MESSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(servers_must_greet),
        cmocka_unit_test(servers_send_what_they_announced),
        cmocka_unit_test(data_come_in_order_and_whole),
        cmocka_unit_test(members_keep_to_the_limit_together),
        cmocka_unit_test(composites_are_held_to_the_format),
        cmocka_unit_test(shards_must_fit_together),
        cmocka_unit_test(shards_of_other_servers_are_taken),
        cmocka_unit_test(without_rdma_the_bytes_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
