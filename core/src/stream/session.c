/* SPDX-License-Identifier: Apache-2.0 */
/* session.c - bytes in and out of either side of a conversation. */
#include "stream/session_parts.h"

#include "cursor.h"

enum { CHUNK = 1 << 18, OFFSET_SIZE = 8 };

void hry_session_init(hry_session *s, const hry_side *side,
                      const hry_session_options *options)
{
    hry_session_options *o = &s->options;
    if (options != NULL)
        *o = *options;
    if (o->max_message == 0)
        o->max_message = HRY_DEFAULT_MAX_MESSAGE;
    if (o->max_message < HRY_LEAST_MAX_MESSAGE)
        o->max_message = HRY_LEAST_MAX_MESSAGE;
    if (o->data_limit == 0)
        o->data_limit = UINT64_MAX;
    if (o->transcode_limit == 0)
        o->transcode_limit = UINT64_C(1) << 28;
    if (o->shard_bytes == 0)
        o->shard_bytes = UINT64_C(1) << 16;
    s->side = side;
    hry_link_init(&s->link, o->max_message);
}

uint32_t hry_session_chunk(const hry_session *s)
{
    const uint32_t peer = s->link.peer_limit, own = s->options.max_message;
    const uint32_t most = peer < own ? peer : own;
    return most - OFFSET_SIZE < CHUNK ? most - OFFSET_SIZE : CHUNK;
}

hry_status hry_session_room(hry_session *s, void **room, size_t *size, hry_error *err)
{
    return hry_link_room(&s->link, room, size, err);
}

hry_status hry_session_received(hry_session *s, size_t size, hry_error *err)
{
    hry_link_received(&s->link, size);
    return s->side->advance(s, err);
}

hry_status hry_session_feed(hry_session *s, const void *bytes, size_t size, size_t *taken,
                            hry_error *err)
{
    *taken = 0;
    while (*taken < size) {
        void *room;
        size_t n;
        HRY_TRY(hry_session_room(s, &room, &n, err));
        if (n == 0)
            break;
        n = n < size - *taken ? n : size - *taken;
        memcpy(room, (const uint8_t *)bytes + *taken, n);
        *taken += n;
        HRY_TRY(hry_session_received(s, n, err));
    }
    return HRY_OK;
}

hry_status hry_session_ended(hry_session *s, hry_error *err)
{
    s->link.has_ended = true;
    return s->side->ended(s, err);
}

hry_status hry_session_output(hry_session *s, const void **bytes, size_t *size,
                              hry_error *err)
{
    if (hry_link_pending(&s->link) == 0 && !s->link.is_over)
        HRY_TRY(s->side->produce(s, err));
    *size = hry_link_pending(&s->link);
    *bytes = *size > 0 ? s->link.out.data + s->link.out_at : NULL;
    return HRY_OK;
}

hry_status hry_session_sent(hry_session *s, size_t size, hry_error *err)
{
    hry_link *l = &s->link;
    if (size > hry_link_pending(l))
        return HRY_FAIL(err, HRY_ERR_ARG, "%zu bytes sent, there were %zu", size,
                        hry_link_pending(l));
    l->out_at += size;
    if (l->out_at == l->out.size)
        l->out_at = l->out.size = 0;
    return s->side->advance(s, err);
}

bool hry_session_is_over(const hry_session *s)
{
    const bool is_over = s->link.is_over || (s->link.has_ended && !s->side->is_busy(s));
    return is_over && hry_link_pending(&s->link) == 0;
}

bool hry_session_is_busy(const hry_session *s)
{
    return !s->link.is_over && s->side->is_busy(s);
}

void hry_session_free(hry_session *s)
{
    if (s == NULL)
        return;
    hry_link_free(&s->link);
    s->side->free(s);
    free(s);
}
