/* SPDX-License-Identifier: Apache-2.0 */
/* taking.c - what a server does with a tensor that is put (format section 7). */
#include "stream/taking.h"

#include "stream/tensor_size.h"

static void end(hry_taking *t, bool abandon)
{
    if (t->item != NULL && abandon)
        t->store.ops->abandon(t->item);
    t->item = NULL;
    hry_binding_end(&t->binding);
    t->is_active = false;
}

void hry_taking_free(hry_taking *t)
{
    end(t, true);
}

/* What else comes on that stream is not wanted. */
static hry_status refuse(hry_taking *t, hry_session *s, uint32_t stream, uint32_t code,
                         const char *why, hry_error *err)
{
    t->late[t->late_count++ % HRY_LATE_STREAMS] = stream;
    if (t->is_active && t->stream == stream)
        end(t, true);
    return hry_link_refuse(&s->link, stream, code, why, err);
}

static bool is_late(const hry_taking *t, uint32_t stream)
{
    for (uint32_t i = 0; i < t->late_count && i < HRY_LATE_STREAMS; i++)
        if (t->late[i] == stream)
            return true;
    return false;
}

static void forget_late(hry_taking *t, uint32_t stream)
{
    for (uint32_t i = 0; i < HRY_LATE_STREAMS; i++)
        if (t->late[i] == stream)
            t->late[i] = 0; /* no stream has that id */
}

/* ---- one tensor ---- */

static uint32_t code_of(const hry_descriptor *d, hry_status status)
{
    if (status == HRY_OK && d->buffer_count > 0 && d->buffers[0].device != 0)
        return HRY_REFUSED_DEVICE;
    return status == HRY_ERR_CORRUPT || status == HRY_ERR_TRUNCATED ? HRY_REFUSED_MESSAGE
           : status == HRY_ERR_UNSUPPORTED                          ? HRY_REFUSED_LAYOUT
                                                                    : HRY_REFUSED_OTHER;
}

/* Everything that can be known before the first byte. */
static hry_status check_tensor(hry_taking *t, const hry_session *s, const uint8_t *bytes,
                               uint32_t length, uint64_t total, hry_descriptor *d,
                               hry_error *err)
{
    const uint64_t limit = s->options.data_limit - t->all;
    HRY_TRY(hry_descriptor_decode(bytes, length, s->options.mode, d, NULL, err));
    HRY_TRY(hry_tensor_size(d, limit, &t->total, err));
    HRY_TRY(hry_tensor_synced(d, err));
    if (total != t->total)
        return HRY_FAIL(err, HRY_ERR_CORRUPT,
                        "total_data_bytes is %llu, the buffers have %llu",
                        (unsigned long long)total, (unsigned long long)t->total);
    return hry_binding_add(&t->binding, d, err);
}

static hry_status begin_tensor(hry_taking *t, hry_session *s, const uint8_t *bytes,
                               uint32_t length, uint64_t total, hry_error *err)
{
    hry_descriptor d;
    hry_error why = {.message = ""};
    hry_status status = check_tensor(t, s, bytes, length, total, &d, &why);
    const uint32_t code = code_of(&d, status);
    if (status == HRY_OK && code == HRY_REFUSED_DEVICE)
        return refuse(t, s, t->stream, code, "this server has CPU memory only", err);
    if (status == HRY_OK)
        status = t->store.ops->begin(t->item, &d, &why);
    if (status != HRY_OK)
        return refuse(t, s, t->stream, code, why.message, err);
    t->came = 0;
    t->all += t->total;
    t->awaits_descriptor = false;
    return HRY_OK;
}

static hry_status commit(hry_taking *t, hry_session *s, hry_error *err)
{
    hry_error why = {.message = ""};
    const hry_message ack = {.type = HRY_TENSOR_PUT_ACK, .stream = t->stream};
    const hry_status status = t->store.ops->commit(t->item, &why);
    end(t, false);
    if (status != HRY_OK)
        return hry_link_refuse(&s->link, t->stream, HRY_REFUSED_OTHER, why.message, err);
    return hry_link_send(&s->link, &ack, err);
}

/* ---- messages ---- */

static hry_status on_put(hry_taking *t, hry_session *s, const hry_message *m,
                         hry_error *err)
{
    const hry_put_request *put = &m->put;
    const hry_store_ops *ops = t->store.ops;
    hry_error why = {.message = ""};
    if (t->is_active && t->stream == m->stream)
        return refuse(t, s, m->stream, HRY_REFUSED_MESSAGE, "the put before is incomplete",
                      err);
    forget_late(t, m->stream);
    if (t->is_active)
        return refuse(t, s, m->stream, HRY_REFUSED_OTHER, "one put at a time", err);
    if (ops->create == NULL)
        return refuse(t, s, m->stream, HRY_REFUSED_OTHER, "nothing can be put here", err);
    if (put->key.length == 0)
        return refuse(t, s, m->stream, HRY_REFUSED_OTHER, "tensor_key is empty", err);
    if (ops->create(t->store.ctx, put->key, &t->item, &why) != HRY_OK) {
        t->item = NULL;
        return refuse(t, s, m->stream, HRY_REFUSED_OTHER, why.message, err);
    }
    t->is_active = true;
    t->stream = m->stream;
    t->all = 0;
    return begin_tensor(t, s, put->descriptor, put->descriptor_length, put->total, err);
}

static hry_status on_descriptor(hry_taking *t, hry_session *s, const hry_message *m,
                                hry_error *err)
{
    const hry_announcement *a = &m->tensor;
    if (!t->awaits_descriptor || a->shards != 1)
        return refuse(t, s, m->stream, HRY_REFUSED_MESSAGE,
                      "TENSOR_DESCRIPTOR: no member of a composite is due", err);
    return begin_tensor(t, s, a->descriptor, a->descriptor_length, a->total, err);
}

static hry_status on_data(hry_taking *t, hry_session *s, const hry_message *m,
                          hry_error *err)
{
    const hry_data_part *part = &m->part;
    hry_error why = {.message = ""};
    if (t->awaits_descriptor || part->offset != t->came || part->size > t->total - t->came)
        return refuse(t, s, m->stream, HRY_REFUSED_MESSAGE,
                      "TENSOR_DATA: not the bytes that are next", err);
    if (part->size > 0 &&
        t->store.ops->write(t->item, part->bytes, part->size, &why) != HRY_OK)
        return refuse(t, s, m->stream, HRY_REFUSED_OTHER, why.message, err);
    t->came += part->size;
    return HRY_OK;
}

static hry_status on_end(hry_taking *t, hry_session *s, const hry_message *m,
                         hry_error *err)
{
    if (t->awaits_descriptor || t->came < t->total)
        return refuse(t, s, m->stream, HRY_REFUSED_MESSAGE,
                      "TENSOR_DATA_END: bytes are missing", err);
    t->awaits_descriptor = t->binding.open > 0;
    return t->awaits_descriptor ? HRY_OK : commit(t, s, err);
}

/* There is none: the ERROR tells the client to send the bytes (format section 7). */
static hry_status on_rdma(hry_taking *t, hry_session *s, const hry_message *m,
                          hry_error *err)
{
    if (t->awaits_descriptor || t->came > 0 || m->region.length != t->total)
        return refuse(t, s, m->stream, HRY_REFUSED_MESSAGE,
                      "RDMA_REGISTER: not of the tensor that is next", err);
    return hry_link_refuse(&s->link, m->stream, HRY_REFUSED_DEVICE,
                           "no RDMA here: send TENSOR_DATA", err);
}

static hry_status on_error(hry_taking *t, hry_session *s, const hry_message *m,
                           hry_error *err)
{
    (void)s;
    (void)m;
    (void)err;
    end(t, true);
    return HRY_OK;
}

hry_status hry_taking_message(hry_taking *t, hry_session *s, const hry_message *m,
                              bool *understood, hry_error *err)
{
    static hry_status (*const handlers[])(hry_taking *, hry_session *, const hry_message *,
                                          hry_error *) = {
        [HRY_TENSOR_DESCRIPTOR] = on_descriptor, [HRY_TENSOR_DATA] = on_data,
        [HRY_TENSOR_DATA_END] = on_end,          [HRY_ERROR] = on_error,
        [HRY_RDMA_REGISTER] = on_rdma,
    };
    *understood = true;
    if (m->type == HRY_TENSOR_PUT)
        return on_put(t, s, m, err);
    if (t->is_active && t->stream == m->stream)
        return handlers[m->type](t, s, m, err);
    *understood = is_late(t, m->stream);
    return HRY_OK;
}
