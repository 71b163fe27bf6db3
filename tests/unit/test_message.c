/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the protocol as bytes: each kind byte by byte, cut, stretched and flipped. */
#include "hry/hry.h"

#include "bytes.h"
#include "cmocka_all.h"

#define TEXT(s)                                                                            \
    {                                                                                      \
        s, sizeof s - 1                                                                    \
    }
#define SIZED(array) (array), sizeof(array)
#define WIRE(...)                                                                          \
    .bytes = (const uint8_t[]){__VA_ARGS__}, .size = sizeof((const uint8_t[]){__VA_ARGS__})

/* The descriptor of the format's worked example. */
static const uint8_t descriptor[61] = {
    0x48, 0x52, 0x52, 0x59, 0x01, 0x00, 0x3D, 0, 0, 0, 0, 0, 0, 0,    0x03, 0x01,
    0x02, 0,    0,    0,    0x03, 0,    0,    0, 0, 0, 0, 0, 4, 0,    0,    0,
    0,    0,    0,    0,    0,    0,    0,    0, 0, 0, 0, 0, 1, 0xC0, 0,    0,
    0,    0,    0,    0,    0,    0x40, 0,    0, 0, 0, 0, 0, 0,
};

/* ---- one message of each kind, as structure and as bytes ---- */

typedef struct sample {
    hry_message message;
    const uint8_t *bytes; /* without a descriptor that stands at `hole` */
    size_t size, hole;
} sample;

static const uint8_t mixed_layouts[] = {0x01, 0xF3, 2, 0, 0xAA, 0xBB, 0x06};
static const uint8_t devices[] = {0, 1}, classes[] = {0, 2};

/* clang-format off */
static const sample samples[] = {
    {.message = {.type = HRY_CLIENT_HELLO, .stream = 1,
                 .hello = {1, 65536, 3, {SIZED(mixed_layouts), 3}, {SIZED(devices)},
                           {SIZED(classes)}}},
     WIRE(1, 0, 0, 0,  1, 0, 0, 0,  33, 0, 0, 0,          /* type, stream_id, length  */
          1, 0, 0, 0,  0, 0, 1, 0,                        /* version, largest message */
          3, 0, 0, 0, 0, 0, 0, 0,                         /* capabilities             */
          3, 0,  0x01,  0xF3, 2, 0, 0xAA, 0xBB,  0x06,    /* layouts                  */
          2, 0,  0, 1,                                    /* devices                  */
          2, 0,  0, 2)},                                  /* memory classes           */
    {.message = {.type = HRY_SERVER_HELLO, .stream = 0x04030201,
                 .hello = {1, 0xFFFFFFFF, 12}},
     WIRE(2, 0, 0, 0,  1, 2, 3, 4,  22, 0, 0, 0,
          1, 0, 0, 0,  0xFF, 0xFF, 0xFF, 0xFF,  12, 0, 0, 0, 0, 0, 0, 0,
          0, 0,  0, 0,  0, 0)},
    {.message = {.type = HRY_TENSOR_REQUEST, .stream = 5,
                 .request = {TEXT("a/\xC3\xA9"), {(const uint8_t *)"\x06\x01", 2, 2}, 0, 64,
                             3}},
     WIRE(3, 0, 0, 0,  5, 0, 0, 0,  21, 0, 0, 0,
          4, 0, 0, 0, 'a', '/', 0xC3, 0xA9,               /* tensor_key               */
          2, 0,  6,  1,                                   /* layouts                  */
          0,  64, 0, 0, 0,  3, 0, 0, 0)},                 /* device, alignment, flags */
    {.message = {.type = HRY_TENSOR_DESCRIPTOR, .stream = 5,
                 .tensor = {SIZED(descriptor), 192, 1, 3}},
     WIRE(4, 0, 0, 0,  5, 0, 0, 0,  77, 0, 0, 0,
          /* here the descriptor; then total_data_bytes, shard_index, total_shards */
          192, 0, 0, 0, 0, 0, 0, 0,  1, 0, 0, 0,  3, 0, 0, 0),
     .hole = 12},
    {.message = {.type = HRY_TENSOR_DATA, .stream = 5,
                 .part = {0x100000000, (const uint8_t *)"xyz", 3}},
     WIRE(5, 0, 0, 0,  5, 0, 0, 0,  11, 0, 0, 0,
          0, 0, 0, 0, 1, 0, 0, 0,  'x', 'y', 'z')},
    {.message = {.type = HRY_TENSOR_DATA_END, .stream = 5},
     WIRE(6, 0, 0, 0,  5, 0, 0, 0,  0, 0, 0, 0)},
    {.message = {.type = HRY_TENSOR_PUT, .stream = 6,
                 .put = {TEXT("k"), SIZED(descriptor), 192}},
     WIRE(7, 0, 0, 0,  6, 0, 0, 0,  78, 0, 0, 0,
          1, 0, 0, 0, 'k',
          61, 0, 0, 0, /* here the descriptor; then total_data_bytes */
          192, 0, 0, 0, 0, 0, 0, 0),
     .hole = 21},
    {.message = {.type = HRY_TENSOR_PUT_ACK, .stream = 6},
     WIRE(8, 0, 0, 0,  6, 0, 0, 0,  0, 0, 0, 0)},
    {.message = {.type = HRY_ERROR, .stream = 6,
                 .refusal = {HRY_REFUSED_TENSOR, TEXT("no")}},
     WIRE(9, 0, 0, 0,  6, 0, 0, 0,  10, 0, 0, 0,
          2, 0, 0, 0,  2, 0, 0, 0, 'n', 'o')},
    {.message = {.type = HRY_PING, .stream = 6, .echo = {(const uint8_t *)"?", 1}},
     WIRE(10, 0, 0, 0,  6, 0, 0, 0,  1, 0, 0, 0,  '?')},
    {.message = {.type = HRY_PONG, .stream = 6},
     WIRE(11, 0, 0, 0,  6, 0, 0, 0,  0, 0, 0, 0)},
    {.message = {.type = HRY_RDMA_REGISTER, .stream = 6,
                 .region = {1, 2, (const uint8_t *)"key", 3}},
     WIRE(12, 0, 0, 0,  6, 0, 0, 0,  23, 0, 0, 0,
          1, 0, 0, 0, 0, 0, 0, 0,  2, 0, 0, 0, 0, 0, 0, 0,  3, 0, 0, 0, 'k', 'e', 'y')},
    {.message = {.type = HRY_RDMA_READY, .stream = 6},
     WIRE(13, 0, 0, 0,  6, 0, 0, 0,  0, 0, 0, 0)},
};
/* clang-format on */
enum { SAMPLES = sizeof samples / sizeof *samples };

static blob bytes_of(const sample *s)
{
    blob b = bytes_copy(s->bytes, s->hole > 0 ? s->hole : s->size);
    if (s->hole > 0) {
        bytes_append(&b, descriptor, sizeof descriptor);
        bytes_append(&b, s->bytes + s->hole, s->size - s->hole);
    }
    return b;
}

static blob encoded(const hry_message *m)
{
    hry_error err;
    size_t length;
    blob b = {.data = malloc(hry_message_size(m)), .size = hry_message_size(m)};
    assert_non_null(b.data);
    assert_ok(hry_message_encode(m, b.data, b.size, &length, &err), &err);
    assert_int_equal(length, b.size);
    return b;
}

static void every_kind_has_its_bytes(void **state)
{
    (void)state;
    hry_error err;
    for (size_t i = 0; i < SAMPLES; i++) {
        hry_message m;
        size_t need;
        blob want = bytes_of(&samples[i]), got = encoded(&samples[i].message);
        assert_int_equal(got.size, want.size);
        assert_memory_equal(got.data, want.data, want.size);
        assert_ok(hry_message_measure(want.data, want.size, 1000, &need, &err), &err);
        assert_int_equal(need, want.size);
        assert_ok(hry_message_decode(want.data, want.size, &m, &err), &err);
        assert_int_equal(m.type, samples[i].message.type);
        blob again = encoded(&m);
        assert_int_equal(again.size, want.size);
        assert_memory_equal(again.data, want.data, want.size);
        bytes_free(&again);
        bytes_free(&got);
        bytes_free(&want);
    }
}

static void fields_come_back(void **state)
{
    (void)state;
    hry_error err;
    hry_message m;
    hry_layout_entry e;
    blob b = bytes_of(&samples[0]);
    assert_ok(hry_message_decode(b.data, b.size, &m, &err), &err);
    assert_int_equal(m.hello.max_message, 65536);
    assert_int_equal(m.hello.capabilities, HRY_CAN_TRANSCODE | HRY_CAN_PARALLEL);
    assert_true(hry_layout_list_next(&m.hello.layouts, &e));
    assert_int_equal(e.tag, HRY_ROW_MAJOR);
    assert_true(hry_layout_list_next(&m.hello.layouts, &e));
    assert_int_equal(e.tag, 0xF3);
    assert_int_equal(e.length, 2);
    assert_memory_equal(e.bytes, "\xAA\xBB", 2);
    assert_true(hry_layout_list_next(&m.hello.layouts, &e));
    assert_int_equal(e.tag, HRY_COO);
    assert_false(hry_layout_list_next(&m.hello.layouts, &e));
    assert_int_equal(m.hello.devices.count, 2);
    assert_int_equal(m.hello.memory_classes.tags[1], 2);
    bytes_free(&b);

    b = bytes_of(&samples[2]);
    assert_ok(hry_message_decode(b.data, b.size, &m, &err), &err);
    assert_int_equal(m.stream, 5);
    assert_memory_equal(m.request.key.bytes, "a/\xC3\xA9", m.request.key.length);
    assert_int_equal(m.request.min_alignment, 64);
    assert_int_equal(m.request.flags, HRY_ALLOW_TRANSCODE | HRY_PARALLEL_OK);
    bytes_free(&b);

    b = bytes_of(&samples[3]);
    assert_ok(hry_message_decode(b.data, b.size, &m, &err), &err);
    assert_int_equal(m.tensor.descriptor_length, 61);
    assert_int_equal(m.tensor.total, 192);
    assert_int_equal(m.tensor.shard, 1);
    assert_int_equal(m.tensor.shards, 3);
    bytes_free(&b);
}

/* ---- lengths ---- */

static void a_message_has_the_length_of_its_fields(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        const uint32_t type = samples[i].message.type;
        const bool any_length = type == HRY_PING || type == HRY_PONG;
        blob whole = bytes_of(&samples[i]);
        for (size_t n = 0; n < whole.size; n++) {
            hry_error err;
            hry_message m;
            size_t need;
            blob cut = bytes_copy(whole.data, n);
            assert_status(HRY_ERR_TRUNCATED, hry_message_decode(cut.data, n, &m, &err),
                          &err);
            assert_ok(hry_message_measure(cut.data, n, 1000, &need, &err), &err);
            assert_int_equal(need, n < HRY_MESSAGE_HEADER_SIZE ? HRY_MESSAGE_HEADER_SIZE
                                                               : whole.size);
            if (n >= HRY_MESSAGE_HEADER_SIZE) { /* the same, with a length that agrees */
                cut.data[8] = (uint8_t)(n - HRY_MESSAGE_HEADER_SIZE);
                const hry_status status = hry_message_decode(cut.data, n, &m, &err);
                const bool is_shorter_data =
                    type == HRY_TENSOR_DATA && n >= HRY_MESSAGE_HEADER_SIZE + 8;
                const bool has_no_classes =
                    type <= HRY_SERVER_HELLO &&
                    n == whole.size - 2 - samples[i].message.hello.memory_classes.count;
                assert_int_equal(status, any_length || is_shorter_data || has_no_classes
                                             ? HRY_OK
                                             : HRY_ERR_CORRUPT);
            }
            bytes_free(&cut);
        }
        bytes_free(&whole);
    }
}

static void nothing_may_follow_the_fields(void **state)
{
    (void)state;
    hry_error err;
    hry_message m;
    for (size_t i = 0; i < SAMPLES; i++) {
        const uint32_t type = samples[i].message.type;
        blob b = bytes_of(&samples[i]);
        bytes_append(&b, "", 1);
        assert_status(HRY_ERR_CORRUPT, hry_message_decode(b.data, b.size, &m, &err), &err);
        assert_int_equal(err.offset, 8);
        b.data[8]++;
        const bool any_length =
            type == HRY_PING || type == HRY_PONG || type == HRY_TENSOR_DATA;
        assert_status(any_length ? HRY_OK : HRY_ERR_CORRUPT,
                      hry_message_decode(b.data, b.size, &m, &err), &err);
        bytes_free(&b);
    }
}

static void headers_are_judged_at_once(void **state)
{
    (void)state;
    hry_error err;
    size_t need;
    uint8_t header[12] = {5, 0, 0, 0, 1, 0, 0, 0, 0xE9, 3, 0, 0};
    assert_status(HRY_ERR_RANGE, hry_message_measure(header, 12, 1000, &need, &err), &err);
    assert_int_equal(err.offset, 8);
    assert_ok(hry_message_measure(header, 12, 1001, &need, &err), &err);
    assert_int_equal(need, 12 + 1001);
    assert_ok(hry_message_measure(header, 11, 1000, &need, &err), &err);
    assert_int_equal(need, 12);
    header[4] = 0;
    assert_status(HRY_ERR_CORRUPT, hry_message_measure(header, 12, 1001, &need, &err),
                  &err);
    assert_int_equal(err.offset, 4);
    header[4] = 1;
    static const uint8_t unknown[] = {0, 14, 0xEF, 0xF0, 0xFE, 0xFF};
    for (size_t i = 0; i < sizeof unknown; i++) {
        header[0] = unknown[i];
        assert_status(HRY_ERR_UNSUPPORTED,
                      hry_message_measure(header, 12, 1001, &need, &err), &err);
        assert_int_equal(err.offset, 0);
    }
    header[0] = 5;
    header[3] = 1;
    assert_status(HRY_ERR_UNSUPPORTED, hry_message_measure(header, 12, 1001, &need, &err),
                  &err);
}

/* ---- rules ---- */

/* The sample with one byte changed is refused. */
static void refused(size_t i, size_t at, uint8_t byte, const char *what)
{
    hry_error err;
    hry_message m;
    blob b = bytes_of(&samples[i]);
    b.data[at] = byte;
    assert_status(HRY_ERR_CORRUPT, hry_message_decode(b.data, b.size, &m, &err), &err);
    if (strstr(err.message, what) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", err.message, what);
    bytes_free(&b);
}

static void rules_of_fields(void **state)
{
    (void)state;
    refused(0, 20, 0x10, "capability_flags");
    refused(0, 27, 0x80, "capability_flags");
    refused(0, 20, HRY_CAN_GPUDIRECT, "GPUDirect implies RDMA");
    refused(0, 28, 99, "the fields need"); /* more layouts than there are bytes */
    refused(0, 31, 0xFF, "the fields");    /* so that its neighbours are no entries */
    refused(2, 18, 0x41, "UTF-8");
    refused(2, 25, 0, "min_alignment");
    refused(2, 25, 3, "min_alignment");
    refused(2, 29, 4, "request_flags");
    refused(3, 12 + 6, 60, "descriptor");
    refused(3, 12 + 6, 62, "descriptor");
    refused(3, 12 + 61 + 8, 3, "shard_index");
    refused(3, 12 + 61 + 12, 0, "shard_index");
    refused(6, 17, 60, "");
    refused(8, 20, 0xC3, "UTF-8");
}

static void offsets_end_below_2_to_the_64th(void **state)
{
    (void)state;
    hry_error err;
    hry_message m = samples[4].message;
    uint8_t out[100];
    size_t length;
    m.part.offset = UINT64_MAX - 3;
    assert_ok(hry_message_encode(&m, out, sizeof out, &length, &err), &err);
    m.part.offset++;
    assert_status(HRY_ERR_ARG, hry_message_encode(&m, out, sizeof out, &length, &err),
                  &err);
}

static void newer_hellos_may_say_more(void **state)
{
    (void)state;
    hry_error err;
    hry_message m;
    blob b = bytes_of(&samples[0]);
    bytes_append(&b, "more", 4);
    b.data[8] += 4;
    assert_status(HRY_ERR_CORRUPT, hry_message_decode(b.data, b.size, &m, &err), &err);
    b.data[12] = 2;
    b.data[27] = 0x80;
    assert_ok(hry_message_decode(b.data, b.size, &m, &err), &err);
    assert_int_equal(m.hello.protocol, 2);
    assert_int_equal(m.hello.capabilities, 3);
    bytes_free(&b);
}

static void what_cannot_be_read_is_not_written(void **state)
{
    (void)state;
    static const uint8_t half[] = {0xF1, 9, 0, 1};
    hry_error err;
    uint8_t out[300];
    size_t length;
    hry_message m = {.type = HRY_PING};
    assert_status(HRY_ERR_ARG, hry_message_encode(&m, out, sizeof out, &length, &err),
                  &err);
    m.stream = 1;
    assert_status(HRY_ERR_RANGE, hry_message_encode(&m, out, 11, &length, &err), &err);
    assert_ok(hry_message_encode(&m, out, 12, &length, &err), &err);
    m.type = 0xF0;
    assert_status(HRY_ERR_ARG, hry_message_encode(&m, out, sizeof out, &length, &err),
                  &err);
    assert_int_equal(hry_message_size(&m), 0);
    m = (hry_message){.type = HRY_ERROR, .stream = 1, .refusal = {1, {"\xFF", 1}}};
    assert_status(HRY_ERR_ARG, hry_message_encode(&m, out, sizeof out, &length, &err),
                  &err);
    m = (hry_message){.type = HRY_TENSOR_REQUEST,
                      .stream = 1,
                      .request = {.layouts = {half, 4, 1}, .min_alignment = 1}};
    assert_status(HRY_ERR_ARG, hry_message_encode(&m, out, sizeof out, &length, &err),
                  &err);
    m = samples[3].message;
    m.tensor.descriptor_length = UINT32_MAX;
    assert_int_equal(hry_message_size(&m), 0);
    assert_status(HRY_ERR_ARG, hry_message_encode(&m, out, sizeof out, &length, &err),
                  &err);
}

/* Whatever a flipped bit makes of it: an error with words, or what encodes again. */
static void survives_flipped_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        blob b = bytes_of(&samples[i]);
        for (size_t bit = 0; bit < b.size * 8; bit++) {
            hry_error err = {.message = ""};
            hry_message m;
            b.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            if (hry_message_decode(b.data, b.size, &m, &err) == HRY_OK) {
                blob again = encoded(&m);
                if (m.type > HRY_SERVER_HELLO || m.hello.protocol == 1)
                    assert_true(again.size >= b.size);
                bytes_free(&again);
            } else {
                assert_true(err.message[0] != '\0');
            }
            b.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        bytes_free(&b);
    }
}

static void names_and_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++)
        assert_non_null(hry_message_name(samples[i].message.type));
    assert_string_equal(hry_message_name(HRY_TENSOR_DATA_END), "TENSOR_DATA_END");
    assert_null(hry_message_name(0));
    assert_null(hry_message_name(14));
    assert_string_equal(hry_refusal_word(HRY_REFUSED_SHARDS), "shard mismatch");
    assert_string_equal(hry_refusal_word(0), "error");
    assert_string_equal(hry_refusal_word(HRY_REFUSED_OTHER), "error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_its_bytes),
        cmocka_unit_test(fields_come_back),
        cmocka_unit_test(a_message_has_the_length_of_its_fields),
        cmocka_unit_test(nothing_may_follow_the_fields),
        cmocka_unit_test(headers_are_judged_at_once),
        cmocka_unit_test(rules_of_fields),
        cmocka_unit_test(offsets_end_below_2_to_the_64th),
        cmocka_unit_test(newer_hellos_may_say_more),
        cmocka_unit_test(what_cannot_be_read_is_not_written),
        cmocka_unit_test(survives_flipped_bits),
        cmocka_unit_test(names_and_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
