/* SPDX-License-Identifier: Apache-2.0 */
/* client_put.c - tensors that a client puts (format section 7). */
#include "stream/client.h"
#include "stream/tensor_size.h"

void hry_putting_end(hry_putting *p)
{
    hry_binding_end(&p->binding);
    bld_free(&p->scratch);
    *p = (hry_putting){.is_active = false};
}

static hry_status encode(hry_putting *p, const hry_descriptor *d, uint64_t *data,
                         hry_error *err)
{
    const size_t size = hry_descriptor_size(d);
    size_t length;
    if (size == 0)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "a descriptor of unknown type, layout or scheme is not sent");
    p->scratch.size = 0;
    uint8_t *to = bld_take(&p->scratch, size);
    HRY_TRY(bld_ok(&p->scratch, "descriptor", err));
    HRY_TRY(hry_descriptor_encode(d, to, size, &length, err));
    HRY_TRY(hry_tensor_size(d, UINT64_MAX, data, err));
    return hry_tensor_synced(d, err);
}

static hry_status check_fits(const hry_session *s, const hry_message *m, hry_error *err)
{
    const size_t size = hry_message_size(m);
    if (size == 0 || size - HRY_MESSAGE_HEADER_SIZE > s->link.peer_limit)
        return HRY_FAIL(err, HRY_ERR_ARG, "a %s larger than the %u bytes the server takes",
                        hry_message_name(m->type), (unsigned)s->link.peer_limit);
    return HRY_OK;
}

/* The tensor's last byte is on its way. */
static hry_status end_tensor(hry_client_side *c, hry_error *err)
{
    hry_putting *p = &c->putting;
    const hry_message m = {.type = HRY_TENSOR_DATA_END, .stream = p->stream};
    HRY_TRY(hry_link_send(&c->base.link, &m, err));
    p->awaits_member = p->binding.open > 0;
    p->awaits_ack = !p->awaits_member;
    return HRY_OK;
}

/* Send what announces the tensor; its bytes follow, if it has any. */
static hry_status begin_tensor(hry_client_side *c, const hry_message *m,
                               const hry_descriptor *d, uint64_t data, hry_error *err)
{
    hry_putting *p = &c->putting;
    HRY_TRY(check_fits(&c->base, m, err));
    HRY_TRY(hry_binding_add(&p->binding, d, err));
    HRY_TRY(hry_link_send(&c->base.link, m, err));
    p->awaits_member = false;
    p->sent = 0;
    p->left = data;
    return data == 0 ? end_tensor(c, err) : HRY_OK;
}

static hry_status check_idle(const hry_client_side *c, hry_error *err)
{
    if (!c->is_ready || c->base.link.is_over || c->receiving.is_active ||
        c->putting.is_active)
        return HRY_FAIL(err, HRY_ERR_ARG,
                        "not ready: no hello yet, over, or busy with something else");
    return HRY_OK;
}

hry_status hry_client_put(hry_session *s, hry_message_text key, const hry_descriptor *d,
                          hry_error *err)
{
    hry_client_side *c = (hry_client_side *)s;
    hry_putting *p = &c->putting;
    uint64_t data;
    HRY_TRY(check_idle(c, err));
    hry_status status = encode(p, d, &data, err);
    const hry_message m = {.type = HRY_TENSOR_PUT,
                           .stream = c->next_stream,
                           .put = {key, p->scratch.data, (uint32_t)p->scratch.size, data}};
    p->stream = c->next_stream;
    if (status == HRY_OK)
        status = begin_tensor(c, &m, d, data, err);
    if (status != HRY_OK) {
        hry_putting_end(p);
        return status;
    }
    p->is_active = true;
    c->next_stream++;
    return HRY_OK;
}

hry_status hry_client_put_next(hry_session *s, const hry_descriptor *d, hry_error *err)
{
    hry_client_side *c = (hry_client_side *)s;
    hry_putting *p = &c->putting;
    uint64_t data;
    if (!p->is_active || !p->awaits_member)
        return HRY_FAIL(err, HRY_ERR_ARG, "no member of a composite is due");
    HRY_TRY(encode(p, d, &data, err));
    const hry_message m = {
        .type = HRY_TENSOR_DESCRIPTOR,
        .stream = p->stream,
        .tensor = {p->scratch.data, (uint32_t)p->scratch.size, data, 0, 1}};
    return begin_tensor(c, &m, d, data, err);
}

bool hry_client_lacks_member(const hry_session *s)
{
    const hry_client_side *c = (const hry_client_side *)s;
    return c->putting.is_active && c->putting.awaits_member;
}

hry_status hry_client_send(hry_session *s, const void *bytes, size_t size, size_t *taken,
                           hry_error *err)
{
    hry_client_side *c = (hry_client_side *)s;
    hry_putting *p = &c->putting;
    hry_link *l = &s->link;
    const uint8_t *from = bytes;
    *taken = 0;
    if (!p->is_active)
        return HRY_FAIL(err, HRY_ERR_ARG, "nothing is being put");
    if (size > p->left)
        return HRY_FAIL(err, HRY_ERR_RANGE, "%zu bytes, the tensor takes %llu more", size,
                        (unsigned long long)p->left);
    while (*taken < size && hry_link_pending(l) < HRY_LINK_HIGH) {
        const uint32_t most = hry_session_chunk(s);
        const uint32_t n = size - *taken < most ? (uint32_t)(size - *taken) : most;
        uint8_t *to = hry_link_data(l, p->stream, p->sent, n);
        if (to == NULL)
            return bld_ok(&l->out, "data", err);
        memcpy(to, from + *taken, n);
        *taken += n;
        p->sent += n;
        p->left -= n;
    }
    return size > 0 && p->left == 0 ? end_tensor(c, err) : HRY_OK;
}
