/* SPDX-License-Identifier: Apache-2.0 */
/* tail.c - what rank 0 writes at the end: header, descriptors, footer. */
#include "tail.h"
#include "hash.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

/* Longest "/.R" behind a name, with its end. */
enum { SUFFIX = 16 };

hry_status hry_tail_begin(hry_tail *out, hry_error *err)
{
    *out = (hry_tail){.hash = HRY_HASH_SEED};
    return hry_footer_new(HRY_FILE_HAS_INDEX_CRC, &out->footer, err);
}

void hry_tail_end(hry_tail *tail)
{
    hry_footer_free(tail->footer);
    free(tail->descriptors);
    free(tail->pieces);
    *tail = (hry_tail){0};
}

hry_status hry_tail_add_kv(hry_tail *tail, const hry_kv *kv, hry_error *err)
{
    HRY_TRY(hry_footer_add_kv(tail->footer, kv, err));
    tail->has_kv = true;
    tail->hash = hry_hash(tail->hash, kv->key, kv->key_length);
    tail->hash = hry_hash(tail->hash, &kv->tag, sizeof kv->tag);
    if (kv->tag == HRY_KV_BOOL)
        tail->hash = hry_hash(tail->hash, &kv->number.boolean, sizeof kv->number.boolean);
    else if (kv->tag == HRY_KV_I64 || kv->tag == HRY_KV_U64 || kv->tag == HRY_KV_F64)
        tail->hash = hry_hash(tail->hash, &kv->number, sizeof kv->number.u64);
    else
        tail->hash = hry_hash(tail->hash, kv->bytes, kv->length);
    return HRY_OK;
}

/* ---- pieces: descriptors one after the other in memory ---- */

typedef struct tail_maker {
    hry_tail *tail;
    size_t count, used; /* pieces; bytes of descriptors */
    size_t memory;      /* allocated for descriptors    */
} tail_maker;

static hry_status reserve(tail_maker *m, const hry_plan *plan, hry_error *err)
{
    size_t pieces = 3, bytes = 0; /* header, footer, trailer */
    for (size_t i = 0; i < plan->count; i++) {
        const hry_plan_tensor *const t = &plan->tensors[i];
        pieces += 1 + (size_t)t->part_count;
        bytes += t->head_length + (size_t)t->part_length * t->part_count;
    }
    m->tail->pieces = malloc(pieces * sizeof *m->tail->pieces);
    m->tail->descriptors = malloc(bytes + 1);
    m->memory = bytes;
    if (m->tail->pieces == NULL || m->tail->descriptors == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %zu descriptors", pieces);
    return HRY_OK;
}

static void add_piece(tail_maker *m, uint64_t offset, const void *bytes, size_t size)
{
    m->tail->pieces[m->count++] =
        (hry_mpi_piece){.offset = offset, .bytes = bytes, .size = size};
}

/* A descriptor at `entry`'s place, of the length that was planned, and its index row. */
static hry_status add_tensor(tail_maker *m, const hry_descriptor *d, const hry_entry *entry,
                             hry_error *err)
{
    uint8_t *const at = m->tail->descriptors + m->used;
    size_t length;
    HRY_TRY(hry_descriptor_encode(d, at, m->memory - m->used, &length, err));
    if (length != entry->descriptor_length)
        return HRY_FAIL(err, HRY_ERR_ARG, "%.*s: descriptor of %zu bytes, %u were planned",
                        (int)entry->name_length, entry->name, length,
                        entry->descriptor_length);
    m->used += length;
    add_piece(m, entry->descriptor_offset, at, length);
    return hry_footer_add(m->tail->footer, entry, err);
}

static uint64_t align_up(uint64_t n, uint64_t alignment)
{
    return (n + alignment - 1) & ~(alignment - 1);
}

static hry_status add_head(tail_maker *m, const hry_plan *plan, const hry_plan_tensor *t,
                           hry_error *err)
{
    hry_descriptor d;
    const uint64_t end = t->head_offset + t->head_length;
    const hry_entry entry = {.name = t->name,
                             .name_length = (uint16_t)t->name_length,
                             .descriptor_length = t->head_length,
                             .descriptor_offset = t->head_offset,
                             .data_offset = align_up(end, plan->alignment)};
    HRY_TRY(hry_plan_head(t, &d, err));
    return add_tensor(m, &d, &entry, err);
}

static hry_status add_part(tail_maker *m, const hry_plan *plan, const hry_plan_tensor *t,
                           uint32_t i, char *name, hry_error *err)
{
    hry_descriptor d;
    const hry_plan_part *const p = &t->parts[i];
    size_t length = t->name_length;
    if (t->head_length > 0)
        length += (size_t)snprintf(name + length, SUFFIX, "/.%u", p->box);
    const hry_entry entry = {.name = name,
                             .name_length = (uint16_t)length,
                             .descriptor_length = t->part_length,
                             .descriptor_offset = p->descriptor_offset,
                             .data_offset = p->data_offset,
                             .data_length = p->data_length};
    HRY_TRY(hry_plan_part_descriptor(plan, t, i, &d, err));
    return add_tensor(m, &d, &entry, err);
}

static hry_status add_parts(tail_maker *m, const hry_plan *plan, const hry_plan_tensor *t,
                            hry_error *err)
{
    hry_status status = HRY_OK;
    char *const name = malloc(t->name_length + SUFFIX);
    if (name == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "%s: no memory for a name", t->name);
    memcpy(name, t->name, t->name_length + 1);
    for (uint32_t i = 0; status == HRY_OK && i < t->part_count; i++)
        status = add_part(m, plan, t, i, name, err);
    free(name);
    return status;
}

static hry_status add_ends(tail_maker *m, const hry_plan *plan, hry_mpi_tail *out,
                           hry_error *err)
{
    hry_tail *const t = m->tail;
    const void *bytes;
    size_t size;
    const uint32_t flags =
        HRY_FILE_HAS_INDEX_CRC | (t->has_kv ? (uint32_t)HRY_FILE_HAS_KV : 0);
    const uint64_t tensors = m->count;
    HRY_TRY(hry_file_header_encode(flags, plan->alignment, HRY_FILE_HEADER_SIZE, tensors,
                                   t->header, err));
    HRY_TRY(hry_footer_encode(t->footer, plan->end, &bytes, &size, err));
    const size_t before = size - HRY_FILE_TRAILER_SIZE;
    add_piece(m, 0, t->header, sizeof t->header);
    add_piece(m, plan->end, bytes, before);
    add_piece(m, plan->end + before, (const uint8_t *)bytes + before,
              HRY_FILE_TRAILER_SIZE);
    *out = (hry_mpi_tail){
        .pieces = t->pieces, .count = m->count, .final_size = plan->end + size};
    return HRY_OK;
}

hry_status hry_tail_make(hry_tail *tail, const hry_plan *plan, hry_mpi_tail *out,
                         hry_error *err)
{
    tail_maker m = {.tail = tail};
    HRY_TRY(reserve(&m, plan, err));
    for (size_t i = 0; i < plan->count; i++) {
        const hry_plan_tensor *const t = &plan->tensors[i];
        if (t->head_length > 0)
            HRY_TRY(add_head(&m, plan, t, err));
        HRY_TRY(add_parts(&m, plan, t, err));
    }
    return add_ends(&m, plan, out, err);
}
