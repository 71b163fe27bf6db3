/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hry/session.h - both sides of a conversation between a server and a client of tensors
 * (format section 7), without any input or output: give a session the bytes that came from
 * the peer, and send what it has to say. See hry/remote.h for sockets.
 *
 * A connection starts with a hello of each side. Then the client asks for tensors or puts
 * some, one at a time; streams tell apart what belongs to what. Composites are sent as head
 * and members and held to the format on both sides.
 */
#ifndef HRY_SESSION_H
#define HRY_SESSION_H

#include "hry/descriptor.h"
#include "hry/message.h"

HRY_BEGIN

#define HRY_DEFAULT_MAX_MESSAGE (UINT32_C(1) << 20)
#define HRY_LEAST_MAX_MESSAGE 256 /* peers that take less are refused */

typedef struct hry_session hry_session;

/* Zeros stand for the values in brackets. */
typedef struct hry_session_options {
    hry_mode mode;        /* of what comes: permissive takes private layouts, too         */
    uint32_t max_message; /* largest payload taken and sent, in BYTES [1 MiB]             */
    uint64_t data_limit;  /* most BYTES of what one request or put brings in [any]        */
    uint64_t
        transcode_limit;  /* server: most BYTES of a tensor before and after [256 MiB] */
    bool no_transcode;    /* server: never                                            */
    uint32_t shards;      /* server: cut a tensor into so many at most [1: never];
                             client: take so many at most [256]                       */
    uint64_t shard_bytes; /* server: no shard smaller than this [64 KiB]              */
} hry_session_options;

/* ---- bytes in, bytes out ---- */

/*
 * Room for bytes from the peer, in *size at least one; hry_session_received() says how many
 * were put there. *size is 0 while much waits for the session to be rid of what it has to
 * say, or of its events. HRY_ERR_NOMEM
 */
HRY_API hry_status hry_session_room(hry_session *s, void **room, size_t *size,
                                    hry_error *err);
HRY_API hry_status hry_session_received(hry_session *s, size_t size, hry_error *err);

/* The same by copying: *taken of `size` bytes, less when there is no room. */
HRY_API hry_status hry_session_feed(hry_session *s, const void *bytes, size_t size,
                                    size_t *taken, hry_error *err);

/* The peer sends no more, but may still be listening. HRY_ERR_TRUNCATED in the middle of
 * something. */
HRY_API hry_status hry_session_ended(hry_session *s, hry_error *err);

/* What is to be sent next, borrowed until any other call; *size is 0 when nothing is.
 * hry_session_sent() says how much of it went. */
HRY_API hry_status hry_session_output(hry_session *s, const void **bytes, size_t *size,
                                      hry_error *err);
HRY_API hry_status hry_session_sent(hry_session *s, size_t size, hry_error *err);

/* Nothing more will be understood or said: close the connection. */
HRY_API bool hry_session_is_over(const hry_session *s);

/* Is something being asked for, answered or put? */
HRY_API bool hry_session_is_busy(const hry_session *s);

/* NULL is allowed. Ends all that is borrowed from it. */
HRY_API void hry_session_free(hry_session *s);

/* ---- the server ---- */

/*
 * What a server has. All functions are called from within hry_session_received(),
 * _output(), _sent() and _free(), one at a time for each session. What fails is told to the
 * client, in the words of `err`.
 */
typedef struct hry_store_ops {
    /* The tensor or composite of that key, for reading; HRY_ERR_NOTFOUND. */
    hry_status (*open)(void *ctx, hry_message_text key, void **item, hry_error *err);
    /* Descriptor of its k-th tensor: 0 is the tensor or head itself, then the members of a
     * composite in order, nested ones at once after their head. What it borrows stays until
     * close(). */
    hry_status (*describe)(void *item, uint64_t k, hry_descriptor *d, hry_error *err);
    /* Exactly `size` BYTES at `offset` of its buffers, one after another. */
    hry_status (*read)(void *item, uint64_t k, uint64_t offset, void *dst, size_t size,
                       hry_error *err);
    void (*close)(void *item);

    /* The rest may be NULL: nothing can be put. Begin to take something; HRY_ERR_ARG ... */
    hry_status (*create)(void *ctx, hry_message_text key, void **item, hry_error *err);
    /* Its next tensor, in the order of describe(); `d` is borrowed for the call. */
    hry_status (*begin)(void *item, const hry_descriptor *d, hry_error *err);
    /* The next bytes of its buffers. */
    hry_status (*write)(void *item, const void *bytes, size_t size, hry_error *err);
    /* It is complete: keep it. Ends the item, on failure too. */
    hry_status (*commit)(void *item, hry_error *err);
    /* It will never be complete. Ends the item. */
    void (*abandon)(void *item);
} hry_store_ops;

typedef struct hry_store {
    const hry_store_ops *ops;
    void *ctx;
} hry_store;

/* A server's side of one connection. The store's ctx must outlive it. */
HRY_API hry_status hry_session_serve(hry_store store, const hry_session_options *options,
                                     hry_session **out, hry_error *err);

/* ---- the client ---- */

/* A client's side of one connection; its hello is ready to be sent. */
HRY_API hry_status hry_session_ask(const hry_session_options *options, hry_session **out,
                                   hry_error *err);

typedef enum hry_event_kind {
    HRY_EVENT_NONE,    /* more bytes are needed                                      */
    HRY_EVENT_READY,   /* the server's hello came: ask and put                       */
    HRY_EVENT_TENSOR,  /* a tensor, a member or a shard begins                       */
    HRY_EVENT_DATA,    /* its next bytes                                             */
    HRY_EVENT_END,     /* it is complete                                             */
    HRY_EVENT_DONE,    /* all that was asked for is complete                         */
    HRY_EVENT_STORED,  /* what was put is                                            */
    HRY_EVENT_REFUSED, /* the server cannot; what was asked for or put is over       */
    HRY_EVENT_PONG     /* to a ping                                                  */
} hry_event_kind;

typedef struct hry_event {
    hry_event_kind kind;
    const hry_descriptor *descriptor; /* TENSOR                                      */
    uint64_t total;                   /* TENSOR: BYTES of all buffers                */
    uint32_t depth;                   /* TENSOR: in how many composites it is        */
    uint32_t shard, shards;           /* TENSOR, DATA, END: which of how many; 0 of 1 */
    uint64_t offset;                  /* DATA: of the first byte in all buffers      */
    const void *bytes;                /* DATA                                        */
    size_t size;                      /* DATA: in BYTES                              */
    uint32_t code;                    /* REFUSED: HRY_REFUSED_...                    */
    hry_message_text text;            /* REFUSED: why                                */
} hry_event;

/*
 * The next thing that happened. What the event borrows is valid until the next call of any
 * function of this session but hry_session_output() and _sent().
 *
 * HRY_ERR_CORRUPT, HRY_ERR_UNSUPPORTED  the server breaks the protocol or the format, its
 *                  shards do not fit together, or a device is not the client's: the server
 *                  will be told, and the session is over
 * HRY_ERR_RANGE    more than a limit of the options allows; as above
 */
HRY_API hry_status hry_client_next(hry_session *s, hry_event *event, hry_error *err);

/* What the server said of itself; NULL before HRY_EVENT_READY. Lists are borrowed. */
HRY_API const hry_hello *hry_client_server(const hry_session *s);

/*
 * Ask for a tensor or composite. min_alignment 0 stands for 1. HRY_ERR_ARG before
 * HRY_EVENT_READY, while anything else is asked for or put, and for what no message can
 * say.
 */
HRY_API hry_status hry_client_request(hry_session *s, const hry_request *request,
                                      hry_error *err);

/*
 * Put a tensor or, with a head and its members, a composite under `key`: its bytes must
 * follow through hry_client_send(), its members through hry_client_put_next().
 * Errors as hry_client_request(), and of hry_descriptor_encode() and hry_binder_add();
 * after one of hry_client_put_next() give up by hry_client_cancel().
 */
HRY_API hry_status hry_client_put(hry_session *s, hry_message_text key,
                                  const hry_descriptor *d, hry_error *err);
HRY_API hry_status hry_client_put_next(hry_session *s, const hry_descriptor *d,
                                       hry_error *err);

/* The next bytes of the buffers, *taken of `size`: less while there is much to be sent.
 * HRY_ERR_RANGE: more than the handles say. */
HRY_API hry_status hry_client_send(hry_session *s, const void *bytes, size_t size,
                                   size_t *taken, hry_error *err);

/* Does the composite that is being put lack members? */
HRY_API bool hry_client_lacks_member(const hry_session *s);

/* Give up what is asked for or put: the server is told. */
HRY_API hry_status hry_client_cancel(hry_session *s, hry_error *err);

/* Is anybody there? HRY_EVENT_PONG will tell. */
HRY_API hry_status hry_client_ping(hry_session *s, hry_error *err);

HRY_END

#endif
