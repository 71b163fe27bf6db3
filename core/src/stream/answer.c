/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c - what a server sends to a request (format section 7). */
#include "stream/answer.h"

#include "checked.h"
#include "stream/shards.h"
#include "stream/tensor_size.h"

/* ---- life ---- */

static void drop_tensor(hry_answer *a)
{
    hry_transcoded_free(a->transcoded);
    free(a->lanes);
    a->transcoded = NULL;
    a->lanes = NULL;
    a->lane_count = a->turn = 0;
}

static void end(hry_answer *a)
{
    drop_tensor(a);
    hry_binding_end(&a->binding);
    if (a->item != NULL)
        a->store.ops->close(a->item);
    a->item = NULL;
    a->is_active = false;
}

void hry_answer_free(hry_answer *a)
{
    end(a);
    bld_free(&a->scratch);
}

bool hry_answer_has(const hry_answer *a, uint32_t stream)
{
    if (!a->is_active)
        return false;
    for (uint32_t i = 0; i < a->lane_count; i++)
        if (a->lanes[i].stream == stream)
            return true;
    return stream == a->stream;
}

/* ---- refusing ---- */

static uint32_t code_of(hry_status status)
{
    switch (status) {
    case HRY_ERR_NOTFOUND:
        return HRY_REFUSED_TENSOR;
    case HRY_ERR_UNSUPPORTED:
        return HRY_REFUSED_LAYOUT;
    default:
        return HRY_REFUSED_OTHER;
    }
}

/* All streams of the answer are told, but for one that need not be (0: none). */
static hry_status refuse(hry_answer *a, hry_session *s, uint32_t but, uint32_t code,
                         const char *text, hry_error *err)
{
    hry_status status = HRY_OK;
    bool has_told = false;
    for (uint32_t i = 0; i < a->lane_count && status == HRY_OK; i++) {
        const hry_lane *lane = &a->lanes[i];
        if (lane->has_ended || lane->stream == but)
            continue;
        status = hry_link_refuse(&s->link, lane->stream, code, text, err);
        has_told = true;
    }
    if (!has_told && but == 0 && status == HRY_OK)
        status = hry_link_refuse(&s->link, a->stream, code, text, err);
    end(a);
    return status;
}

hry_status hry_answer_cancel(hry_answer *a, hry_session *s, uint32_t stream, hry_error *err)
{
    return refuse(a, s, stream, HRY_REFUSED_OTHER, "cancelled", err);
}

/* ---- bytes ---- */

static hry_status read_transcoded(const hry_tensor *t, uint64_t offset, uint8_t *to,
                                  size_t size)
{
    for (uint32_t b = 0; b < t->descriptor->buffer_count && size > 0; b++) {
        const uint64_t own = t->buffers[b].size;
        if (offset >= own) {
            offset -= own;
            continue;
        }
        const size_t n = size < own - offset ? size : (size_t)(own - offset);
        memcpy(to, (const uint8_t *)t->buffers[b].bytes + offset, n);
        to += n;
        size -= n;
        offset = 0;
    }
    return HRY_OK;
}

hry_status hry_answer_read(const hry_answer *a, uint64_t offset, uint8_t *to, size_t size,
                           hry_error *err)
{
    if (size == 0)
        return HRY_OK;
    if (a->transcoded != NULL)
        return read_transcoded(hry_transcoded_tensor(a->transcoded), offset, to, size);
    return a->store.ops->read(a->item, a->k, offset, to, size, err);
}

/* ---- one tensor ---- */

/* Its buffers travel through memory: that is where the client gets them. */
static void place_in_memory(hry_descriptor *d, uint32_t min_alignment)
{
    for (uint32_t b = 0; b < d->buffer_count; b++) {
        hry_buffer_info *info = &d->buffers[b];
        info->device = info->sync_mode = info->memory_class = 0;
        if (info->alignment < min_alignment)
            info->alignment = min_alignment;
    }
}

static hry_status open_lanes(hry_answer *a, uint32_t count, hry_error *err)
{
    size_t size;
    if (!checked_array(count, sizeof *a->lanes, &size) ||
        (a->lanes = calloc(1, size)) == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %u shards", (unsigned)count);
    a->lane_count = count;
    for (uint32_t i = 0; i < count; i++)
        a->lanes[i].stream = a->stream + i;
    return HRY_OK;
}

static hry_status announce(hry_answer *a, hry_session *s, uint32_t i,
                           const hry_descriptor *d, uint64_t base, hry_error *err)
{
    hry_lane *lane = &a->lanes[i];
    const size_t size = hry_descriptor_size(d);
    size_t length;
    a->scratch.size = 0;
    a->scratch.failed = false;
    uint8_t *bytes = bld_take(&a->scratch, size);
    HRY_TRY(bld_ok(&a->scratch, "descriptor", err));
    HRY_TRY(hry_descriptor_encode(d, bytes, size, &length, err));
    HRY_TRY(hry_tensor_size(d, UINT64_MAX, &lane->total, err));
    lane->base = base;
    const hry_message m = {
        .type = HRY_TENSOR_DESCRIPTOR,
        .stream = lane->stream,
        .tensor = {bytes, (uint32_t)length, lane->total, i, a->lane_count}};
    if (hry_message_size(&m) - HRY_MESSAGE_HEADER_SIZE > s->link.peer_limit)
        return HRY_FAIL(err, HRY_ERR_RANGE,
                        "a descriptor of %zu bytes, the client takes messages of %u",
                        length, (unsigned)s->link.peer_limit);
    return hry_link_send(&s->link, &m, err);
}

/* All shards are announced before the first byte of any. */
static hry_status announce_shards(hry_answer *a, hry_session *s, uint32_t count,
                                  hry_error *err)
{
    hry_descriptor slice;
    uint64_t base;
    HRY_TRY(open_lanes(a, count, err));
    if (count == 1)
        return announce(a, s, 0, &a->d, 0, err);
    for (uint32_t i = 0; i < count; i++) {
        hry_shard_slice(&a->d, count, i, &slice, &base);
        HRY_TRY(announce(a, s, i, &slice, base, err));
    }
    return HRY_OK;
}

/* The next tensor of the item, if there is one; `request` only for the first. */
static hry_status next_tensor(hry_answer *a, hry_session *s, const hry_request *request,
                              bool parallel, hry_error *err)
{
    const hry_session_options *o = &s->options;
    HRY_TRY(a->store.ops->describe(a->item, a->k, &a->d, err));
    if (a->d.opaque)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "of a type, layout or scheme that this server does not know");
    if (request != NULL)
        hry_answer_choose_layout(a, o, request);
    place_in_memory(&a->d, a->min_alignment);
    HRY_TRY(hry_binding_add(&a->binding, &a->d, err));
    /* The streams of the shards must not wrap around to 0. */
    const bool has_streams = o->shards > 1 && a->stream <= UINT32_MAX - o->shards;
    const uint32_t count =
        parallel && has_streams ? hry_shard_count(&a->d, o->shards, o->shard_bytes) : 1;
    return announce_shards(a, s, count, err);
}

/* What was added to the output by a step that failed is taken back, but for what the client
 * has a part of. */
static hry_status step_failed(hry_answer *a, hry_session *s, size_t mark, hry_status status,
                              const char *why, hry_error *err)
{
    s->link.out.size = mark;
    s->link.out.failed = false;
    return refuse(a, s, 0, code_of(status), why, err);
}

hry_status hry_answer_begin(hry_answer *a, hry_session *s, uint32_t stream,
                            const hry_request *request, bool parallel, hry_error *err)
{
    hry_error why = {.message = ""};
    a->stream = stream;
    a->min_alignment = request->min_alignment;
    a->k = 0;
    a->is_active = true;
    if (request->device != 0)
        return refuse(a, s, 0, HRY_REFUSED_DEVICE, "this server has CPU memory only", err);
    hry_status status = a->store.ops->open(a->store.ctx, request->key, &a->item, &why);
    if (status != HRY_OK)
        a->item = NULL;
    const size_t mark = s->link.out.size;
    if (status == HRY_OK)
        status = next_tensor(a, s, request, parallel, &why);
    return status == HRY_OK ? HRY_OK : step_failed(a, s, mark, status, why.message, err);
}

/* ---- producing ---- */

static hry_status send_data(hry_answer *a, hry_session *s, hry_lane *lane, hry_error *err)
{
    const uint64_t left = lane->total - lane->sent, most = hry_session_chunk(s);
    const uint32_t size = (uint32_t)(left < most ? left : most);
    uint8_t *to = hry_link_data(&s->link, lane->stream, lane->sent, size);
    if (to == NULL)
        return bld_ok(&s->link.out, "data", err);
    HRY_TRY(hry_answer_read(a, lane->base + lane->sent, to, size, err));
    lane->sent += size;
    return HRY_OK;
}

static hry_status end_lane(hry_session *s, hry_lane *lane, hry_error *err)
{
    const hry_message m = {.type = HRY_TENSOR_DATA_END, .stream = lane->stream};
    lane->has_ended = true;
    return hry_link_send(&s->link, &m, err);
}

/* The next lane whose turn it is; NULL when all have ended. */
static hry_lane *next_lane(hry_answer *a)
{
    for (uint32_t i = 0; i < a->lane_count; i++) {
        hry_lane *lane = &a->lanes[a->turn++ % a->lane_count];
        if (!lane->has_ended)
            return lane;
    }
    return NULL;
}

static hry_status step(hry_answer *a, hry_session *s, hry_error *err)
{
    hry_lane *lane = next_lane(a);
    if (lane != NULL) {
        if (lane->sent < lane->total)
            HRY_TRY(send_data(a, s, lane, err));
        return lane->sent == lane->total ? end_lane(s, lane, err) : HRY_OK;
    }
    drop_tensor(a);
    if (a->binding.open == 0) {
        end(a);
        return HRY_OK;
    }
    a->k++;
    return next_tensor(a, s, NULL, false, err);
}

hry_status hry_answer_produce(hry_answer *a, hry_session *s, hry_error *err)
{
    hry_error why = {.message = ""};
    const size_t mark = s->link.out.size;
    const hry_status status = step(a, s, &why);
    return status == HRY_OK ? HRY_OK : step_failed(a, s, mark, status, why.message, err);
}
