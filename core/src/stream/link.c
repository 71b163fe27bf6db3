/* SPDX-License-Identifier: Apache-2.0 */
/* link.c - one end of a connection without the connection (format section 7). */
#include "stream/link.h"

#include "stream/message_parts.h"
#include "utf8.h"

/* At least so much room is offered, and bytes are moved when less is free. */
enum { ROOM = 65536, DATA_HEADER = HRY_MESSAGE_HEADER_SIZE + 8 };

void hry_link_init(hry_link *l, uint32_t limit)
{
    *l = (hry_link){
        .need = HRY_MESSAGE_HEADER_SIZE, .limit = limit, .peer_limit = UINT32_MAX};
}

void hry_link_free(hry_link *l)
{
    bld_free(&l->in);
    bld_free(&l->out);
}

/* ---- in ---- */

static void close_gap(hry_link *l)
{
    const size_t left = l->in.size - l->in_at;
    if (l->in_at == 0)
        return;
    if (left > 0)
        memmove(l->in.data, l->in.data + l->in_at, left);
    l->in_at = 0;
    l->in.size = left;
}

/* Enough for the rest of the message at hand, or for some of the next ones while less than
 * a largest message waits. Beyond the first step memory grows only with what has come. */
static size_t wanted(const hry_link *l)
{
    const size_t left = l->in.size - l->in_at;
    if (l->is_over || l->has_ended)
        return 0;
    if (left >= l->need)
        return left < l->limit ? ROOM : 0;
    const size_t want = l->need - left < ROOM ? ROOM : l->need - left;
    return want < left + ROOM ? want : left + ROOM;
}

hry_status hry_link_room(hry_link *l, void **room, size_t *size, hry_error *err)
{
    const size_t want = wanted(l);
    *size = 0;
    if (want == 0)
        return HRY_OK;
    if (l->in.capacity - l->in.size < want)
        close_gap(l);
    *room = bld_take(&l->in, want);
    HRY_TRY(bld_ok(&l->in, "input", err));
    l->in.size -= want;
    *size = want;
    return HRY_OK;
}

void hry_link_received(hry_link *l, size_t size)
{
    l->in.size += size;
}

hry_status hry_link_look(hry_link *l, hry_message *m, bool *found, hry_error *err)
{
    const size_t left = l->in.size - l->in_at;
    *found = false;
    if (left < HRY_MESSAGE_HEADER_SIZE)
        return HRY_OK;
    const uint8_t *bytes = l->in.data + l->in_at;
    hry_cursor c = cur_over(bytes, left);
    m->type = cur_u32(&c);
    m->stream = cur_u32(&c);
    HRY_TRY(hry_message_measure(bytes, left, l->limit, &l->need, err));
    if (left < l->need)
        return HRY_OK;
    HRY_TRY(hry_message_decode(bytes, l->need, m, err));
    *found = true;
    return HRY_OK;
}

void hry_link_take(hry_link *l)
{
    l->in_at += l->need;
    l->need = HRY_MESSAGE_HEADER_SIZE;
    if (l->in_at == l->in.size)
        l->in_at = l->in.size = 0;
}

uint32_t hry_link_code_of(hry_status status)
{
    return status == HRY_ERR_RANGE ? HRY_REFUSED_SIZE : HRY_REFUSED_MESSAGE;
}

/* ---- out ---- */

hry_status hry_link_send(hry_link *l, const hry_message *m, hry_error *err)
{
    const size_t before = l->out.size;
    const hry_status status = hry_message_append(&l->out, m, err);
    if (status != HRY_OK)
        l->out.size = before;
    return status;
}

hry_status hry_link_refuse(hry_link *l, uint32_t stream, uint32_t code, const char *text,
                           hry_error *err)
{
    size_t length = strlen(text);
    const size_t most = l->peer_limit > 8 ? l->peer_limit - 8 : 0;
    length = hry_utf8_valid_prefix(text, length < most ? length : most);
    const hry_message m = {.type = HRY_ERROR,
                           .stream = stream != 0 ? stream : 1,
                           .refusal = {code, {text, (uint32_t)length}}};
    return hry_link_send(l, &m, err);
}

hry_status hry_link_break(hry_link *l, uint32_t stream, uint32_t code, const char *text,
                          hry_error *err)
{
    l->is_over = true;
    return hry_link_refuse(l, stream, code, text, err);
}

uint8_t *hry_link_data(hry_link *l, uint32_t stream, uint64_t offset, uint32_t size)
{
    const size_t before = l->out.size;
    bld_u32(&l->out, HRY_TENSOR_DATA);
    bld_u32(&l->out, stream);
    bld_u32(&l->out, DATA_HEADER - HRY_MESSAGE_HEADER_SIZE + size);
    bld_u64(&l->out, offset);
    uint8_t *to = bld_take(&l->out, size);
    if (to == NULL)
        l->out.size = before;
    return to;
}
