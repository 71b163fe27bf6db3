/* SPDX-License-Identifier: Apache-2.0 */
/* client_receive.c - tensors that a client asked for, as they come (format section 7). */
#include "checked.h"
#include "stream/client.h"
#include "stream/tensor_size.h"

void hry_receiving_end(hry_receiving *r)
{
    hry_binding_end(&r->binding);
    hry_shard_set_free(&r->set);
    free(r->inlets);
    *r = (hry_receiving){.is_active = false};
}

static hry_inlet *inlet_of(const hry_receiving *r, uint32_t stream)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (r->inlets[i].stream == stream)
            return &r->inlets[i];
    return NULL;
}

bool hry_receiving_has(const hry_receiving *r, uint32_t stream)
{
    return r->is_active && (stream == r->stream || inlet_of(r, stream) != NULL);
}

bool hry_receiving_is_done(const hry_receiving *r)
{
    return r->shards > 0 && r->ended == r->shards && r->binding.open == 0;
}

/* ---- descriptors ---- */

/* As many inlets as shards are told, once, and only as many as the client takes. */
static hry_status open_inlets(hry_client_side *c, const hry_announcement *a, hry_error *err)
{
    hry_receiving *r = &c->receiving;
    const uint32_t most = r->parallel_ok ? c->base.options.shards : 1;
    size_t size;
    if (a->shards > most)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "total_shards is %u, at most %u are taken",
                        (unsigned)a->shards, (unsigned)most);
    if (!checked_array(a->shards, sizeof *r->inlets, &size) ||
        (r->inlets = calloc(1, size)) == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %u shards", (unsigned)a->shards);
    r->shards = a->shards;
    return HRY_OK;
}

/* The inlet for a tensor that begins. */
static hry_status begin_inlet(hry_client_side *c, const hry_message *m, hry_inlet **out,
                              hry_error *err)
{
    hry_receiving *r = &c->receiving;
    const hry_announcement *a = &m->tensor;
    if (r->shards == 0)
        HRY_TRY(open_inlets(c, a, err));
    hry_inlet *inlet = inlet_of(r, m->stream);
    if (a->shards != r->shards)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "total_shards is %u, it was %u",
                        (unsigned)a->shards, (unsigned)r->shards);
    if (r->shards == 1 && m->stream != r->stream)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "TENSOR_DESCRIPTOR on stream %u, asked on %u",
                        (unsigned)m->stream, (unsigned)r->stream);
    if (inlet != NULL && (r->shards > 1 || inlet->is_open))
        return HRY_FAIL(err, HRY_ERR_CORRUPT,
                        "TENSOR_DESCRIPTOR before the tensor on stream %u has ended",
                        (unsigned)m->stream);
    for (uint32_t i = 0; r->shards > 1 && i < r->count; i++)
        if (r->inlets[i].shard == a->shard)
            return HRY_FAIL(err, HRY_ERR_CORRUPT, "shard %u came twice",
                            (unsigned)a->shard);
    if (inlet == NULL) /* not more than there are: shard_index differs from all others */
        inlet = &r->inlets[r->count++];
    else
        r->ended = 0;
    *inlet = (hry_inlet){.stream = m->stream, .shard = a->shard, .is_open = true};
    *out = inlet;
    return HRY_OK;
}

static hry_status check_memory(const hry_descriptor *d, uint32_t *code, hry_error *err)
{
    HRY_TRY(hry_tensor_synced(d, err));
    if (d->buffer_count == 0 ||
        (d->buffers[0].device == 0 && d->buffers[0].memory_class == 0))
        return HRY_OK;
    *code = HRY_REFUSED_DEVICE;
    return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                    "device_tag 0x%02x, memory_class 0x%02x: not what this client takes",
                    (unsigned)d->buffers[0].device, (unsigned)d->buffers[0].memory_class);
}

static hry_status decode(hry_client_side *c, const hry_announcement *a, hry_error *err)
{
    c->bytes.size = 0;
    bld_bytes(&c->bytes, a->descriptor, a->descriptor_length);
    HRY_TRY(bld_ok(&c->bytes, "descriptor", err));
    return hry_descriptor_decode(c->bytes.data, c->bytes.size, c->base.options.mode, &c->d,
                                 NULL, err);
}

static hry_status check_size(hry_client_side *c, const hry_announcement *a, uint32_t *code,
                             hry_error *err)
{
    hry_receiving *r = &c->receiving;
    uint64_t size;
    const hry_status status =
        hry_tensor_size(&c->d, c->base.options.data_limit - r->all, &size, err);
    if (status == HRY_ERR_RANGE)
        *code = HRY_REFUSED_OTHER;
    HRY_TRY(status);
    if (a->total != size)
        return HRY_FAIL(err, HRY_ERR_CORRUPT,
                        "total_data_bytes is %llu, the buffers have %llu",
                        (unsigned long long)a->total, (unsigned long long)size);
    r->all += size;
    return HRY_OK;
}

/* One of several shards: all of them must make up a tensor. */
static hry_status check_shards(hry_receiving *r, const hry_descriptor *d, uint32_t *code,
                               hry_error *err)
{
    *code = HRY_REFUSED_SHARDS;
    HRY_TRY(hry_shard_set_add(&r->set, d, err));
    return r->count == r->shards ? hry_shard_set_check(&r->set, err) : HRY_OK;
}

static hry_status on_descriptor(hry_client_side *c, const hry_message *m, hry_event *event,
                                uint32_t *code, hry_error *err)
{
    hry_receiving *r = &c->receiving;
    hry_inlet *inlet;
    HRY_TRY(begin_inlet(c, m, &inlet, err));
    HRY_TRY(decode(c, &m->tensor, err));
    HRY_TRY(check_size(c, &m->tensor, code, err));
    HRY_TRY(check_memory(&c->d, code, err));
    if (r->shards > 1)
        HRY_TRY(check_shards(r, &c->d, code, err));
    else
        HRY_TRY(hry_binding_add(&r->binding, &c->d, err));
    inlet->total = m->tensor.total;
    *event = (hry_event){.kind = HRY_EVENT_TENSOR,
                         .descriptor = &c->d,
                         .total = inlet->total,
                         .depth = r->binding.depth,
                         .shard = inlet->shard,
                         .shards = r->shards};
    return HRY_OK;
}

/* ---- data ---- */

static hry_status open_inlet(const hry_receiving *r, const hry_message *m,
                             hry_inlet **inlet, hry_error *err)
{
    *inlet = inlet_of(r, m->stream);
    if (*inlet == NULL || !(*inlet)->is_open)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "%s on stream %u, where no tensor has begun",
                        hry_message_name(m->type), (unsigned)m->stream);
    return HRY_OK;
}

static hry_status on_data(hry_receiving *r, const hry_message *m, hry_event *event,
                          hry_error *err)
{
    const hry_data_part *part = &m->part;
    hry_inlet *inlet;
    HRY_TRY(open_inlet(r, m, &inlet, err));
    if (part->offset != inlet->came || part->size > inlet->total - inlet->came)
        return HRY_FAIL(err, HRY_ERR_CORRUPT,
                        "TENSOR_DATA: %u bytes at %llu, byte %llu of %llu is next",
                        (unsigned)part->size, (unsigned long long)part->offset,
                        (unsigned long long)inlet->came, (unsigned long long)inlet->total);
    inlet->came += part->size;
    *event = (hry_event){.kind = HRY_EVENT_DATA,
                         .shard = inlet->shard,
                         .shards = r->shards,
                         .offset = part->offset,
                         .bytes = part->bytes,
                         .size = part->size};
    return HRY_OK;
}

static hry_status on_end(hry_receiving *r, const hry_message *m, hry_event *event,
                         hry_error *err)
{
    hry_inlet *inlet;
    HRY_TRY(open_inlet(r, m, &inlet, err));
    if (inlet->came < inlet->total)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "TENSOR_DATA_END: %llu bytes are missing",
                        (unsigned long long)(inlet->total - inlet->came));
    inlet->is_open = false;
    r->ended++;
    *event = (hry_event){.kind = HRY_EVENT_END, .shard = inlet->shard, .shards = r->shards};
    return HRY_OK;
}

hry_status hry_receiving_message(hry_client_side *c, const hry_message *m, hry_event *event,
                                 uint32_t *code, hry_error *err)
{
    *code = HRY_REFUSED_MESSAGE;
    if (m->type == HRY_TENSOR_DESCRIPTOR)
        return on_descriptor(c, m, event, code, err);
    if (m->type == HRY_TENSOR_DATA)
        return on_data(&c->receiving, m, event, err);
    return on_end(&c->receiving, m, event, err);
}
