/* SPDX-License-Identifier: Apache-2.0 */
/* members.c - which stored tensors make up one of a file. */
#include "members.h"
#include "hry/boxes.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

static int by_offset(const void *a, const void *b)
{
    const struct hry_order_row *const x = a, *const y = b;
    return (x->descriptor_offset > y->descriptor_offset) -
           (x->descriptor_offset < y->descriptor_offset);
}

hry_status hry_order_make(const hry_file *file, hry_order *out, hry_error *err)
{
    const uint64_t count = hry_file_count(file);
    struct hry_order_row *const rows = malloc((size_t)count * sizeof *rows + 1);
    hry_status status = HRY_OK;
    if (rows == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory to sort %llu tensors",
                        (unsigned long long)count);
    for (uint64_t i = 0; status == HRY_OK && i < count; i++) {
        hry_entry entry;
        status = hry_file_entry(file, i, &entry, err);
        if (status == HRY_OK)
            rows[i] = (struct hry_order_row){entry.descriptor_offset, i};
    }
    if (status != HRY_OK) {
        free(rows);
        return status;
    }
    qsort(rows, (size_t)count, sizeof *rows, by_offset);
    *out = (hry_order){.rows = rows, .count = count};
    return HRY_OK;
}

void hry_members_end(hry_members *members)
{
    free(members->shape);
    *members = (hry_members){0};
}

static hry_status allocate(const hry_descriptor *d, uint64_t i, uint64_t count,
                           hry_members *out, hry_error *err)
{
    const size_t rank = d->rank;
    const size_t numbers = rank + (size_t)count * (2 * rank + 1);
    uint64_t *const at = calloc(numbers + 1, sizeof *at);
    if (at == NULL)
        return HRY_FAIL(err, HRY_ERR_NOMEM, "no memory for %llu members",
                        (unsigned long long)count);
    memcpy(at, d->shape, rank * sizeof *at);
    *out = (hry_members){.i = i,
                         .rank = d->rank,
                         .bits = hry_descriptor_bits(d),
                         .count = count,
                         .shape = at,
                         .start = at + rank,
                         .size = at + rank + count * rank,
                         .base = at + rank + 2 * count * rank};
    return HRY_OK;
}

static hry_status find_base(hry_file *file, uint64_t i, const hry_descriptor *d,
                            uint64_t *base, hry_error *err)
{
    const uint32_t bits = hry_descriptor_bits(d);
    if (d->opaque || d->layout_tag != HRY_ROW_MAJOR || (bits > 8 && bits % 8 != 0))
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "tensor %llu: layout 0x%02X of %u bits, row-major of whole bytes "
                        "needed",
                        (unsigned long long)i, d->layout_tag, bits);
    HRY_TRY(hry_file_buffer(file, i, d, 0, base, err));
    *base += d->byte_offset;
    return HRY_OK;
}

static hry_status add_member(hry_file *file, uint64_t i, const hry_descriptor *head,
                             uint64_t n, hry_members *m, hry_error *err)
{
    hry_descriptor d;
    const size_t rank = head->rank, bytes = rank * sizeof *m->shape;
    HRY_TRY(hry_file_descriptor(file, i, &d, err));
    if (d.type_tag != head->type_tag || d.flags & HRY_HAS_QUANTIZATION)
        return HRY_FAIL(err, HRY_ERR_UNSUPPORTED,
                        "member %llu: type 0x%02X, or quantized; 0x%02X needed",
                        (unsigned long long)n, d.type_tag, head->type_tag);
    if (!(d.flags & HRY_HAS_SHARD) || d.rank != head->rank ||
        memcmp(d.shard.parent_shape, head->shape, bytes) != 0)
        return HRY_FAIL(err, HRY_ERR_CORRUPT, "member %llu: no shard of the head's shape",
                        (unsigned long long)n);
    memcpy(m->start + n * rank, d.shard.offset, bytes);
    memcpy(m->size + n * rank, d.shape, bytes);
    return find_base(file, i, &d, &m->base[n], err);
}

static hry_status add_members(hry_file *file, const hry_descriptor *head,
                              const struct hry_order_row *rows, hry_members *m,
                              hry_error *err)
{
    const hry_mpi_boxes boxes = {
        .count = (uint32_t)m->count, .start = m->start, .size = m->size};
    for (uint64_t n = 0; n < m->count; n++)
        HRY_TRY(add_member(file, rows[n].i, head, n, m, err));
    if (hry_mpi_boxes_check(&boxes, m->rank, m->shape, err) != HRY_OK) {
        if (err != NULL)
            err->code = HRY_ERR_CORRUPT;
        return HRY_ERR_CORRUPT;
    }
    return HRY_OK;
}

/* The rows behind the head's, of which there must be as many as it has members. */
static hry_status behind(const hry_file *file, uint64_t i, uint32_t count,
                         const hry_order *order, const struct hry_order_row **rows,
                         hry_error *err)
{
    hry_entry entry;
    HRY_TRY(hry_file_entry(file, i, &entry, err));
    uint64_t low = 0, high = order->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (order->rows[middle].descriptor_offset <= entry.descriptor_offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (count > order->count - low)
        return HRY_FAIL(err, HRY_ERR_CORRUPT,
                        "partition of %u members: %llu tensors follow", count,
                        (unsigned long long)(order->count - low));
    *rows = order->rows + low;
    return HRY_OK;
}

static hry_status find_partition(hry_file *file, uint64_t i, const hry_descriptor *head,
                                 hry_order *order, hry_members *out, hry_error *err)
{
    const struct hry_order_row *rows;
    const uint32_t count = head->fields.composite.member_count;
    if (order->rows == NULL)
        HRY_TRY(hry_order_make(file, order, err));
    HRY_TRY(behind(file, i, count, order, &rows, err));
    HRY_TRY(allocate(head, i, count, out, err));
    const hry_status status = add_members(file, head, rows, out, err);
    if (status != HRY_OK)
        hry_members_end(out);
    return status;
}

hry_status hry_members_find(hry_file *file, uint64_t i, hry_order *order, hry_members *out,
                            hry_error *err)
{
    hry_descriptor d;
    uint64_t base;
    HRY_TRY(hry_file_descriptor(file, i, &d, err));
    if (!d.opaque && d.layout_tag == HRY_COMPOSITE &&
        d.fields.composite.rule == HRY_PARTITION)
        return find_partition(file, i, &d, order, out, err);
    HRY_TRY(find_base(file, i, &d, &base, err));
    HRY_TRY(allocate(&d, i, 1, out, err));
    memcpy(out->size, out->shape, d.rank * sizeof *out->size);
    out->base[0] = base;
    return HRY_OK;
}
