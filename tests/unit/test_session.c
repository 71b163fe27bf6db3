/* SPDX-License-Identifier: Apache-2.0 */
/* Conversations of a client and a server: tensors asked for, in layouts and shards. */
#include "hry/hry.h"

#include "conversation.h"
#include "sample_store.h"

static const char *const names[] = {"plain", "scalar", "empty", "bits", "sparse", "group"};
enum { NAMES = sizeof names / sizeof *names };

/* ---- whole tensors ---- */

static void every_tensor_comes_as_it_is(void **state)
{
    (void)state;
    memory_store m;
    sample_store(&m);
    conversation c = {.step = 4096};
    conversation_begin(&c, memory_store_of(&m), NULL, NULL);
    for (size_t i = 0; i < NAMES; i++) {
        const size_t before = c.came.count;
        ask(&c, names[i], NULL);
        assert_int_equal(c.came.done, i + 1);
        came_is(&c.came, before, memory_find(&m, names[i], strlen(names[i])));
    }
    assert_int_equal(c.came.refused, 0);
    assert_int_equal(m.open, 0);
    conversation_end(&c);
    memory_free(&m);
}

static void members_say_how_deep_they_are(void **state)
{
    (void)state;
    static const uint32_t depths[] = {0, 1, 2, 2, 1, 1};
    memory_store m;
    sample_store(&m);
    conversation c = {.step = 4096};
    conversation_begin(&c, memory_store_of(&m), NULL, NULL);
    ask(&c, "group", NULL);
    assert_int_equal(c.came.count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(c.came.tensors[i].depth, depths[i]);
    conversation_end(&c);
    memory_free(&m);
}

/* Bytes go one way and the other in pieces of any size, in the smallest messages. */
static void any_split_of_the_bytes_will_do(void **state)
{
    (void)state;
    const hry_session_options small = {.max_message = HRY_LEAST_MAX_MESSAGE};
    memory_store m;
    sample_store(&m);
    for (size_t step = 1; step < 300; step += step < 20 ? 1 : 13) {
        conversation c = {.step = step};
        conversation_begin(&c, memory_store_of(&m), step % 2 ? &small : NULL, &small);
        ask(&c, "plain", NULL);
        came_is(&c.came, 0, memory_find(&m, "plain", 5));
        ask(&c, "group", NULL);
        came_is(&c.came, 1, memory_find(&m, "group", 5));
        assert_int_equal(c.came.done, 2);
        conversation_end(&c);
    }
    memory_free(&m);
}

static void what_is_unknown_is_refused_and_nothing_else_suffers(void **state)
{
    (void)state;
    memory_store m;
    sample_store(&m);
    conversation c = {.step = 4096};
    conversation_begin(&c, memory_store_of(&m), NULL, NULL);
    ask(&c, "nothing", NULL);
    assert_int_equal(c.came.refused, 1);
    assert_int_equal(c.came.code, HRY_REFUSED_TENSOR);
    assert_string_equal(c.came.text, "no such tensor");
    ask(&c, "plain", &(hry_request){.device = 1});
    assert_int_equal(c.came.refused, 2);
    assert_int_equal(c.came.code, HRY_REFUSED_DEVICE);
    ask(&c, "scalar", NULL);
    assert_int_equal(c.came.done, 1);
    came_is(&c.came, 0, memory_find(&m, "scalar", 6));
    conversation_end(&c);
    memory_free(&m);
}

static void a_torn_composite_is_refused_in_the_middle(void **state)
{
    (void)state;
    memory_store m;
    sample_store(&m);
    conversation c = {.step = 50};
    conversation_begin(&c, memory_store_of(&m), NULL, NULL);
    ask(&c, "torn", NULL);
    assert_int_equal(c.came.refused, 1);
    assert_int_equal(c.came.done, 0);
    assert_string_equal(c.came.text, "the composite is torn");
    ask(&c, "scalar", NULL);
    assert_int_equal(c.came.done, 1);
    assert_int_equal(m.open, 0);
    conversation_end(&c);
    memory_free(&m);
}

/* Wherever the store fails, the client is told, and the next request is served. */
static void the_nth_failure_of_the_store_is_told(void **state)
{
    (void)state;
    const hry_session_options small = {.max_message = 300};
    memory_store m;
    sample_store(&m);
    long n = 0;
    for (int done = 0; done == 0; n++) {
        conversation c = {.step = 4096};
        conversation_begin(&c, memory_store_of(&m), &small, NULL);
        m.fuse = n;
        ask(&c, "plain", NULL);
        done = c.came.done;
        assert_int_equal(c.came.refused, !done);
        if (!done)
            assert_string_equal(c.came.text, "the store failed");
        m.fuse = -1;
        ask(&c, "scalar", NULL);
        assert_int_equal(c.came.done, done + 1);
        assert_int_equal(m.open, 0);
        conversation_end(&c);
    }
    assert_true(n > 10);
    memory_free(&m);
}

static void a_descriptor_that_the_client_cannot_take_is_refused(void **state)
{
    (void)state;
    const hry_session_options small = {.max_message = HRY_LEAST_MAX_MESSAGE};
    memory_store m;
    sample_store(&m);
    uint64_t shape[30];
    for (size_t k = 0; k < 30; k++)
        shape[k] = 1;
    const hry_descriptor d = sample_dense(HRY_INT8, 30, shape);
    memory_add_tensor(memory_add(&m, "long"), &d, 0);
    conversation c = {.step = 4096};
    conversation_begin(&c, memory_store_of(&m), NULL, &small);
    ask(&c, "long", NULL);
    assert_int_equal(c.came.code, HRY_REFUSED_OTHER);
    assert_non_null(strstr(c.came.text, "messages of 256"));
    ask(&c, "scalar", NULL);
    assert_int_equal(c.came.done, 1);
    conversation_end(&c);
    memory_free(&m);
}

/* ---- layouts ---- */

static uint8_t layout_for(conversation *c, const char *key, const char *tags,
                          uint32_t flags)
{
    const uint16_t n = (uint16_t)strlen(tags);
    const hry_request how = {.layouts = {(const uint8_t *)tags, n, n}, .flags = flags};
    const size_t before = c->came.count;
    ask(c, key, &how);
    assert_int_equal(c->came.count, before + 1);
    return c->came.tensors[before].d.layout_tag;
}

static void the_first_layout_that_can_be_had_is_sent(void **state)
{
    (void)state;
    memory_store m;
    sample_store(&m);
    conversation c = {.step = 4096};
    conversation_begin(&c, memory_store_of(&m), NULL, NULL);
    assert_int_equal(layout_for(&c, "plain", "\x02\x01", 0), HRY_ROW_MAJOR);
    assert_int_equal(layout_for(&c, "plain", "\x02", 0), HRY_ROW_MAJOR);
    assert_int_equal(layout_for(&c, "plain", "", HRY_ALLOW_TRANSCODE), HRY_ROW_MAJOR);
    assert_int_equal(layout_for(&c, "plain", "\x02\x01", HRY_ALLOW_TRANSCODE),
                     HRY_COLUMN_MAJOR);
    assert_int_equal(layout_for(&c, "plain", "\x01\x02", HRY_ALLOW_TRANSCODE),
                     HRY_ROW_MAJOR);
    /* CSF needs rank 3, Hilbert a square, 0x0C and 0x99 are nothing. */
    assert_int_equal(layout_for(&c, "plain", "\x09\x40\x0C\x99\x06", HRY_ALLOW_TRANSCODE),
                     HRY_COO);
    assert_int_equal(layout_for(&c, "plain", "\x09\x0A\x0B", HRY_ALLOW_TRANSCODE),
                     HRY_ROW_MAJOR);
    assert_int_equal(layout_for(&c, "scalar", "\x02\x06\x03", HRY_ALLOW_TRANSCODE),
                     HRY_ROW_MAJOR);
    conversation_end(&c);
    memory_free(&m);
}

static void private_layouts_of_the_list_are_passed_over(void **state)
{
    (void)state;
    static const uint8_t list[] = {0xF0, 3, 0, 1, 2, 3, 0xFE, 0, 0, 0x02};
    const hry_request how = {.layouts = {list, sizeof list, 3},
                             .flags = HRY_ALLOW_TRANSCODE};
    memory_store m;
    sample_store(&m);
    conversation c = {.step = 4096};
    conversation_begin(&c, memory_store_of(&m), NULL, NULL);
    ask(&c, "plain", &how);
    assert_int_equal(c.came.tensors[0].d.layout_tag, HRY_COLUMN_MAJOR);
    conversation_end(&c);
    memory_free(&m);
}

/* In every layout that can be had, the elements are the same. */
static void transcoded_tensors_have_the_same_elements(void **state)
{
    (void)state;
    static const char *const keys[] = {"plain", "bits", "sparse"};
    static const uint64_t origin[2];
    memory_store m;
    sample_store(&m);
    conversation c = {.step = 4096};
    unsigned changed = 0;
    conversation_begin(&c, memory_store_of(&m), NULL, NULL);
    for (size_t i = 0; i < 3; i++) {
        const memory_tensor *t = &memory_find(&m, keys[i], strlen(keys[i]))->tensors[0];
        for (char tag = 1; tag <= 0x08; tag++) {
            const char tags[] = {tag, 0};
            hry_error err;
            uint8_t want[4000], got[4000];
            assert_int_equal(layout_for(&c, keys[i], tags, HRY_ALLOW_TRANSCODE), tag);
            const came_tensor *g = &c.came.tensors[c.came.count - 1];
            hry_buffer of_t[3], of_g[3];
            size_t at = 0;
            for (uint32_t b = 0; b < t->d.buffer_count; b++) {
                of_t[b] = (hry_buffer){.bytes = t->data.data + at,
                                       .size = t->d.buffers[b].byte_size};
                at += of_t[b].size;
            }
            at = 0;
            for (uint32_t b = 0; b < g->d.buffer_count; b++) {
                of_g[b] = (hry_buffer){.bytes = g->data.data + at,
                                       .size = g->d.buffers[b].byte_size};
                at += of_g[b].size;
            }
            const hry_tensor a = {.descriptor = &t->d, .buffers = of_t};
            const hry_tensor b = {.descriptor = &g->d, .buffers = of_g};
            uint64_t size;
            assert_ok(hry_tensor_check(&b, HRY_STRICT, &err), &err);
            assert_ok(hry_region_size(&t->d, t->d.shape, &size, &err), &err);
            assert_ok(hry_region_read(&a, origin, t->d.shape, want, &err), &err);
            assert_ok(hry_region_read(&b, origin, t->d.shape, got, &err), &err);
            assert_memory_equal(want, got, size);
            changed += g->d.layout_tag != t->d.layout_tag;
        }
    }
    assert_int_equal(changed, 3 * 7);
    conversation_end(&c);
    memory_free(&m);
}

static void a_server_transcodes_only_within_its_limit(void **state)
{
    (void)state;
    static const struct {
        hry_session_options options;
        uint8_t layout;
    } cases[] = {
        {{.transcode_limit = 4000}, HRY_COLUMN_MAJOR},
        {{.transcode_limit = 3999}, HRY_ROW_MAJOR},
        {{.no_transcode = true}, HRY_ROW_MAJOR},
    };
    memory_store m;
    sample_store(&m);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        conversation c = {.step = 4096};
        conversation_begin(&c, memory_store_of(&m), &cases[i].options, NULL);
        const hry_hello *server = hry_client_server(c.client);
        assert_int_equal((server->capabilities & HRY_CAN_TRANSCODE) != 0,
                         !cases[i].options.no_transcode);
        /* The sparse form could be much larger; where it is not had, the next is. */
        assert_int_equal(layout_for(&c, "plain", "\x06\x02", HRY_ALLOW_TRANSCODE),
                         cases[i].layout);
        conversation_end(&c);
    }
    memory_free(&m);
}

static void buffers_are_as_aligned_as_asked(void **state)
{
    (void)state;
    memory_store m;
    sample_store(&m);
    conversation c = {.step = 4096};
    conversation_begin(&c, memory_store_of(&m), NULL, NULL);
    ask(&c, "sparse", &(hry_request){.min_alignment = 4096});
    for (uint32_t b = 0; b < 3; b++)
        assert_int_equal(c.came.tensors[0].d.buffers[b].alignment, 4096);
    ask(&c, "sparse", &(hry_request){.min_alignment = 16});
    assert_int_equal(c.came.tensors[1].d.buffers[2].alignment, 64);
    conversation_end(&c);
    memory_free(&m);
}

/* What the store has elsewhere comes through memory. */
static void devices_of_the_store_become_the_cpu(void **state)
{
    (void)state;
    memory_store m;
    sample_store(&m);
    hry_buffer_info *info = &memory_find(&m, "scalar", 6)->tensors[0].d.buffers[0];
    info->device = 1;
    info->memory_class = 2;
    info->sync_mode = 1;
    conversation c = {.step = 4096};
    conversation_begin(&c, memory_store_of(&m), NULL, NULL);
    ask(&c, "scalar", NULL);
    assert_int_equal(c.came.done, 1);
    assert_int_equal(c.came.tensors[0].d.buffers[0].device, 0);
    assert_int_equal(c.came.tensors[0].d.buffers[0].memory_class, 0);
    assert_int_equal(c.came.tensors[0].d.buffers[0].sync_mode, 0);
    conversation_end(&c);
    memory_free(&m);
}

/* ---- shards ---- */

static const hry_request parallel = {.flags = HRY_PARALLEL_OK};

/* The shards of a tensor cut along its first dimension, put together again. */
static void shards_make_up(const came *c, const memory_tensor *want, uint32_t count)
{
    const uint64_t row = want->data.size / want->d.shape[0];
    uint64_t rows = 0;
    assert_int_equal(c->count, count);
    for (size_t i = 0; i < c->count; i++) {
        const came_tensor *t = &c->tensors[i];
        assert_int_equal(t->shards, count);
        assert_true(t->d.flags & HRY_HAS_SHARD);
        assert_int_equal(t->d.shard.parent_shape[0], want->d.shape[0]);
        assert_int_equal(t->data.size, t->d.shape[0] * row);
        assert_memory_equal(t->data.data, want->data.data + t->d.shard.offset[0] * row,
                            t->data.size);
        rows += t->d.shape[0];
    }
    assert_int_equal(rows, want->d.shape[0]);
}

static void a_tensor_comes_in_shards(void **state)
{
    (void)state;
    memory_store m;
    sample_store(&m);
    for (uint32_t n = 2; n <= 50; n++) {
        const hry_session_options options = {
            .shards = n, .shard_bytes = 100, .max_message = 300};
        conversation c = {.step = 1 + n * 7};
        conversation_begin(&c, memory_store_of(&m), &options, NULL);
        assert_true(hry_client_server(c.client)->capabilities & HRY_CAN_PARALLEL);
        ask(&c, "plain", &parallel);
        assert_int_equal(c.came.done, 1);
        shards_make_up(&c.came, &memory_find(&m, "plain", 5)->tensors[0], n < 40 ? n : 40);
        ask(&c, "scalar", NULL); /* on a stream of its own */
        assert_int_equal(c.came.done, 2);
        conversation_end(&c);
    }
    memory_free(&m);
}

static void shards_come_only_when_everybody_wants_them(void **state)
{
    (void)state;
    const hry_session_options four = {.shards = 4, .shard_bytes = 1};
    const hry_session_options large = {.shards = 4, .shard_bytes = 2001};
    memory_store m;
    sample_store(&m);
    conversation c = {.step = 4096};
    conversation_begin(&c, memory_store_of(&m), &four, NULL);
    ask(&c, "plain", NULL);
    assert_int_equal(c.came.count, 1);
    /* Rows of 7 bits, sparse, scalars and composites are not cut. */
    static const char *const whole[] = {"bits", "sparse", "scalar", "empty"};
    for (size_t i = 0; i < 4; i++) {
        ask(&c, whole[i], &parallel);
        assert_int_equal(c.came.tensors[c.came.count - 1].shards, 1);
    }
    ask(&c, "group", &parallel);
    assert_int_equal(c.came.count, 5 + 6);
    conversation_end(&c);
    conversation_begin(&c, memory_store_of(&m), &large, NULL);
    ask(&c, "plain", &parallel);
    assert_int_equal(c.came.count, 1);
    conversation_end(&c);
    conversation_begin(&c, memory_store_of(&m), NULL, NULL);
    assert_false(hry_client_server(c.client)->capabilities & HRY_CAN_PARALLEL);
    ask(&c, "plain", &parallel);
    assert_int_equal(c.came.count, 1);
    conversation_end(&c);
    memory_free(&m);
}

static void a_failure_ends_all_shards(void **state)
{
    (void)state;
    const hry_session_options four = {.shards = 4, .shard_bytes = 1, .max_message = 300};
    memory_store m;
    sample_store(&m);
    for (long n = 2; n < 14; n++) {
        conversation c = {.step = 100};
        conversation_begin(&c, memory_store_of(&m), &four, NULL);
        m.fuse = n;
        ask(&c, "plain", &parallel);
        assert_int_equal(c.came.refused, 1);
        assert_int_equal(c.came.done, 0);
        m.fuse = -1;
        ask(&c, "scalar", NULL);
        assert_int_equal(c.came.done, 1);
        conversation_end(&c);
    }
    memory_free(&m);
}

/* ---- giving up ---- */

static void a_cancelled_request_is_forgotten(void **state)
{
    (void)state;
    const hry_session_options four = {.shards = 4, .shard_bytes = 1, .max_message = 300};
    memory_store m;
    sample_store(&m);
    for (unsigned said = 0; said < 40; said++) {
        hry_error err;
        hry_request r = parallel;
        conversation c = {.step = 120};
        conversation_begin(&c, memory_store_of(&m), &four, NULL);
        r.key = text_of("plain");
        assert_ok(hry_client_request(c.client, &r, &err), &err);
        assert_true(hry_session_is_busy(c.client));
        for (unsigned i = 0; i < said; i++) {
            talk_once(c.client, c.server, 120, NULL);
            talk_once(c.server, c.client, 120, NULL);
            came_drain(c.client, &c.came);
        }
        const int done = c.came.done;
        assert_ok(hry_client_cancel(c.client, &err), &err);
        assert_false(hry_session_is_busy(c.client));
        ask(&c, "scalar", NULL); /* while the rest is still on its way */
        assert_int_equal(c.came.done, done + 1);
        assert_int_equal(c.came.refused, 0);
        assert_ok(c.came.status, &c.came.err);
        assert_int_equal(m.open, 0);
        conversation_end(&c);
    }
    memory_free(&m);
}

static void only_one_thing_at_a_time(void **state)
{
    (void)state;
    hry_error err;
    hry_session *s;
    memory_store m;
    sample_store(&m);
    const hry_request r = {.key = {"plain", 5}};
    const hry_descriptor d = sample_dense(HRY_INT8, 0, NULL);
    assert_ok(hry_session_ask(NULL, &s, &err), &err);
    assert_null(hry_client_server(s));
    assert_status(HRY_ERR_ARG, hry_client_request(s, &r, &err), &err);
    hry_session_free(s);
    conversation c = {.step = 4096};
    conversation_begin(&c, memory_store_of(&m), NULL, NULL);
    assert_ok(hry_client_request(c.client, &r, &err), &err);
    assert_status(HRY_ERR_ARG, hry_client_request(c.client, &r, &err), &err);
    assert_status(HRY_ERR_ARG, hry_client_put(c.client, text_of("x"), &d, &err), &err);
    talk(&c);
    assert_int_equal(c.came.done, 1);
    conversation_end(&c);
    hry_session_free(NULL);
    memory_free(&m);
}

static void pings_are_answered_both_ways(void **state)
{
    (void)state;
    hry_error err;
    memory_store m;
    sample_store(&m);
    conversation c = {.step = 3};
    conversation_begin(&c, memory_store_of(&m), NULL, NULL);
    assert_ok(hry_client_ping(c.client, &err), &err);
    talk(&c);
    assert_int_equal(c.came.pongs, 1);
    static const uint8_t ping[] = {10, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 'h', 'i'};
    const void *bytes;
    size_t size, taken;
    assert_ok(hry_session_feed(c.client, ping, sizeof ping, &taken, &err), &err);
    came_drain(c.client, &c.came);
    assert_ok(hry_session_output(c.client, &bytes, &size, &err), &err);
    assert_int_equal(size, sizeof ping);
    assert_int_equal(((const uint8_t *)bytes)[0], HRY_PONG);
    assert_memory_equal((const uint8_t *)bytes + 1, ping + 1, sizeof ping - 1);
    conversation_end(&c);
    memory_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tensor_comes_as_it_is),
        cmocka_unit_test(members_say_how_deep_they_are),
        cmocka_unit_test(any_split_of_the_bytes_will_do),
        cmocka_unit_test(what_is_unknown_is_refused_and_nothing_else_suffers),
        cmocka_unit_test(a_torn_composite_is_refused_in_the_middle),
        cmocka_unit_test(the_nth_failure_of_the_store_is_told),
        cmocka_unit_test(a_descriptor_that_the_client_cannot_take_is_refused),
        cmocka_unit_test(the_first_layout_that_can_be_had_is_sent),
        cmocka_unit_test(private_layouts_of_the_list_are_passed_over),
        cmocka_unit_test(transcoded_tensors_have_the_same_elements),
        cmocka_unit_test(a_server_transcodes_only_within_its_limit),
        cmocka_unit_test(buffers_are_as_aligned_as_asked),
        cmocka_unit_test(devices_of_the_store_become_the_cpu),
        cmocka_unit_test(a_tensor_comes_in_shards),
        cmocka_unit_test(shards_come_only_when_everybody_wants_them),
        cmocka_unit_test(a_failure_ends_all_shards),
        cmocka_unit_test(a_cancelled_request_is_forgotten),
        cmocka_unit_test(only_one_thing_at_a_time),
        cmocka_unit_test(pings_are_answered_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
