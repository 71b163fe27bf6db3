/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/message.h - the messages of Hurray's protocol (format section 7) as bytes and as
 * structures. Nothing is allocated, sent or remembered here; hry/session.h holds whole
 * conversations.
 */
#ifndef HRY_MESSAGE_H
#define HRY_MESSAGE_H

#include "hry/error.h"

#include <stdbool.h>
#include <stddef.h>

HRY_BEGIN

#define HRY_PROTOCOL_VERSION 1
#define HRY_MESSAGE_HEADER_SIZE 12

/* Wire values of the messages. 0xF0..0xFE are private, the rest is unknown. */
enum {
    HRY_CLIENT_HELLO = 1,
    HRY_SERVER_HELLO = 2,
    HRY_TENSOR_REQUEST = 3,
    HRY_TENSOR_DESCRIPTOR = 4,
    HRY_TENSOR_DATA = 5,
    HRY_TENSOR_DATA_END = 6,
    HRY_TENSOR_PUT = 7,
    HRY_TENSOR_PUT_ACK = 8,
    HRY_ERROR = 9,
    HRY_PING = 10,
    HRY_PONG = 11,
    HRY_RDMA_REGISTER = 12,
    HRY_RDMA_READY = 13
};

/* Capabilities in a hello. */
enum {
    HRY_CAN_TRANSCODE = 1 << 0,
    HRY_CAN_PARALLEL = 1 << 1,
    HRY_CAN_RDMA = 1 << 2,
    HRY_CAN_GPUDIRECT = 1 << 3 /* implies HRY_CAN_RDMA */
};

/* Flags of a request. */
enum { HRY_ALLOW_TRANSCODE = 1 << 0, HRY_PARALLEL_OK = 1 << 1 };

/* Codes of an ERROR message. 0xF0..0xFE are private; ours is HRY_REFUSED_OTHER. */
enum {
    HRY_REFUSED_VERSION = 1,
    HRY_REFUSED_TENSOR = 2, /* unknown */
    HRY_REFUSED_LAYOUT = 3,
    HRY_REFUSED_TRANSCODE = 4, /* beyond the limit */
    HRY_REFUSED_DEVICE = 5,
    HRY_REFUSED_MESSAGE = 6, /* invalid */
    HRY_REFUSED_SIZE = 7,
    HRY_REFUSED_SHARDS = 8,
    HRY_REFUSED_OTHER = 0xF0 /* busy, or an error of the server's own */
};

/* UTF-8, not NUL-terminated. Everything in a decoded message is borrowed from its bytes. */
typedef struct hry_message_text {
    const char *bytes;
    uint32_t length; /* in BYTES */
} hry_message_text;

/*
 * Layouts, the most preferred first, as they are encoded: a tag each, and for private tags
 * a u16 length and that many bytes. So a list of built-in layouts is an array of tags with
 * size == count.
 */
typedef struct hry_layout_list {
    const uint8_t *bytes;
    uint32_t size; /* in BYTES */
    uint16_t count;
} hry_layout_list;

typedef struct hry_layout_entry {
    uint8_t tag;
    uint16_t length; /* of a private layout's own bytes */
    const uint8_t *bytes;
} hry_layout_entry;

/* Device tags or memory classes. */
typedef struct hry_tag_list {
    const uint8_t *tags;
    uint16_t count;
} hry_tag_list;

/* CLIENT_HELLO, SERVER_HELLO */
typedef struct hry_hello {
    uint32_t protocol;
    uint32_t max_message;  /* largest payload the sender takes, in BYTES           */
    uint64_t capabilities; /* HRY_CAN_...                                          */
    hry_layout_list layouts;
    hry_tag_list devices;
    hry_tag_list memory_classes; /* empty: standard memory only                    */
} hry_hello;

/* TENSOR_REQUEST */
typedef struct hry_request {
    hry_message_text key;
    hry_layout_list layouts; /* empty: no preference                               */
    uint8_t device;          /* device tag                                         */
    uint32_t min_alignment;  /* in BYTES, a power of two                           */
    uint32_t flags;          /* HRY_ALLOW_TRANSCODE, HRY_PARALLEL_OK               */
} hry_request;

/* TENSOR_DESCRIPTOR. The descriptor's own rules are hry_descriptor_decode()'s matter. */
typedef struct hry_announcement {
    const uint8_t *descriptor;
    uint32_t descriptor_length; /* in BYTES, what the descriptor itself says       */
    uint64_t total;             /* BYTES of data that follow                       */
    uint32_t shard, shards;     /* 0 of 1: the whole tensor                        */
} hry_announcement;

/* TENSOR_DATA */
typedef struct hry_data_part {
    uint64_t offset; /* of the first byte, in all buffers one after another        */
    const uint8_t *bytes;
    uint32_t size; /* in BYTES                                                     */
} hry_data_part;

/* TENSOR_PUT */
typedef struct hry_put_request {
    hry_message_text key;
    const uint8_t *descriptor;
    uint32_t descriptor_length;
    uint64_t total;
} hry_put_request;

/* ERROR */
typedef struct hry_refusal {
    uint32_t code; /* HRY_REFUSED_... */
    hry_message_text text;
} hry_refusal;

/* RDMA_REGISTER */
typedef struct hry_rdma_region {
    uint64_t address;
    uint64_t length; /* in BYTES */
    const uint8_t *key;
    uint32_t key_length;
} hry_rdma_region;

/* PING, PONG: any bytes, which a pong gives back. */
typedef struct hry_echo {
    const uint8_t *bytes;
    uint32_t size;
} hry_echo;

/* One message: the member that goes with `type`; the empty ones have none. */
typedef struct hry_message {
    uint32_t type;   /* HRY_CLIENT_HELLO, ...                                      */
    uint32_t stream; /* != 0                                                       */
    union {
        hry_hello hello;
        hry_request request;
        hry_announcement tensor;
        hry_data_part part;
        hry_put_request put;
        hry_refusal refusal;
        hry_rdma_region region;
        hry_echo echo;
    };
} hry_message;

/* Name such as "TENSOR_REQUEST"; NULL for what is unknown. */
HRY_API const char *hry_message_name(uint32_t type);
/* Words for an ERROR's code, such as "unknown tensor"; "error" for what has none. */
HRY_API const char *hry_refusal_word(uint32_t code);

/* The next entry of *rest, which is shortened by it; false at the end. */
HRY_API bool hry_layout_list_next(hry_layout_list *rest, hry_layout_entry *out);

/*
 * How many BYTES the message takes of which `size` (any number) are at `bytes`: into *need,
 * or HRY_MESSAGE_HEADER_SIZE while not even the header is there.
 *
 * limit  largest payload, in BYTES
 *
 * HRY_ERR_RANGE        the payload is larger
 * HRY_ERR_UNSUPPORTED  unknown type
 * HRY_ERR_CORRUPT      stream 0
 */
HRY_API hry_status hry_message_measure(const void *bytes, size_t size, uint32_t limit,
                                       size_t *need, hry_error *err);

/*
 * Decode one message of exactly `size` bytes, header included. err->offset, if any, is the
 * byte in the message.
 *
 * HRY_ERR_TRUNCATED    `size` is less than the header says
 * HRY_ERR_CORRUPT      the payload is too short or too long for its fields, text is not
 *                      UTF-8, a reserved bit is set, or numbers contradict each other
 * HRY_ERR_UNSUPPORTED  unknown type
 */
HRY_API hry_status hry_message_decode(const void *bytes, size_t size, hry_message *out,
                                      hry_error *err);

/* BYTES that hry_message_encode() will write, header included; 0 for an unknown type and
 * for what does not fit a message. */
HRY_API size_t hry_message_size(const hry_message *m);

/*
 * Encode into `out`, of `size` bytes; *length is what was written. HRY_ERR_ARG when a field
 * breaks a rule that hry_message_decode() checks; HRY_ERR_RANGE when `size` is too small.
 */
HRY_API hry_status hry_message_encode(const hry_message *m, void *out, size_t size,
                                      size_t *length, hry_error *err);

HRY_END

#endif
